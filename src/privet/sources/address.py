"""Addresses of tables that are no files: told apart from paths, and shown without a password."""

from __future__ import annotations

import re
from os import PathLike
from urllib.parse import parse_qsl, urlsplit

__all__ = ["address_of", "scheme_of", "table_of", "without_password"]

# A ``Path`` made of an address has lost one of its two slashes.
_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+]+):/{1,2}(?=[^/]|$)(?P<rest>.*)", re.DOTALL | re.IGNORECASE)


def address_of(place: str | PathLike[str]) -> str | None:
    """The address that this is, with both slashes; None for the path of a file.

    >>> from pathlib import Path
    >>> address_of(Path("postgresql://server/db?table=people"))
    'postgresql://server/db?table=people'
    >>> address_of("folder/people.csv") is None, address_of("C:/people.csv") is None
    (True, True)
    """
    found = _ADDRESS.fullmatch(str(place))
    return None if found is None else f"{found['scheme'].lower()}://{found['rest']}"


def scheme_of(place: str | PathLike[str]) -> str | None:
    """What stands before ``://``; None for the path of a file."""
    address = address_of(place)
    return None if address is None else address.partition(":")[0]


def table_of(place: str | PathLike[str]) -> str | None:
    """The table that an address names; None if it names none, or is the path of a file.

    >>> table_of("postgresql://server/db?table=clinic.people")
    'clinic.people'
    """
    address = address_of(place)
    if address is None:
        return None
    return dict(parse_qsl(urlsplit(address).query)).get("table")


def without_password(place: str | PathLike[str]) -> str:
    """The address or path as it may be written down.

    >>> without_password("postgresql://ann:secret@server/db?table=people")
    'postgresql://ann@server/db?table=people'
    """
    address = address_of(place)
    if address is None:
        return str(place)
    scheme, _, rest = address.partition("://")
    # The user's part ends at the last @ before the first slash: a password may hold an @.
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    path = re.sub(r"([?&])password=[^&]*&?", r"\1", path).rstrip("?&")
    return f"{scheme}://{user.partition(':')[0]}{at}{host}{slash}{path}"
