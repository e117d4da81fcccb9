"""Addresses of tables that are no files: told apart from paths, and shown without a password."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

__all__ = ["address_of", "as_path", "name_in", "scheme_of", "table_of", "without_password"]

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


def as_path(place: str | PathLike[str]) -> Path:
    """The path of a file, or an address that is kept whole in one.

    A path drops the second of two slashes and a point between two: within a query they are cells.

    >>> whole = as_path("postgresql://server/db?query=SELECT * FROM seen WHERE page = 'https://a//b'")
    >>> dict(parse_qsl(urlsplit(address_of(whole)).query))["query"]
    "SELECT * FROM seen WHERE page = 'https://a//b'"
    """
    if isinstance(place, Path) or scheme_of(place) is None:
        return Path(place)
    where, mark, settings = str(place).partition("?")
    return Path(where + mark + settings.replace("/", "%2F"))


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


def name_in(place: str | PathLike[str]) -> str | None:
    """What the table at an address is called: as it is there, without its schema, or as its file.

    None if nothing there is a name, or for the path of a file.

    >>> name_in("postgresql://server/db?table=clinic.people"), name_in("https://server/of/people.csv?key=1")
    ('people', 'people')
    >>> name_in("postgresql://server/db?query=SELECT 1") is None
    True
    """
    address = address_of(place)
    if address is None:
        return None
    table = table_of(place)
    if table is None and scheme_of(place) in ("http", "https", "s3"):
        return Path(unquote(urlsplit(address).path)).name.split(".")[0] or None
    return Path((table or "").rpartition(".")[2]).name or None  # a name may hold slashes


def without_password(place: str | PathLike[str]) -> str:
    """The address or path as it may be written down, whatever signs its password holds.

    >>> without_password("postgresql://ann:secret@server/db?table=people")
    'postgresql://ann@server/db?table=people'
    >>> without_password("postgresql://ann:s/e?c#r@e:t@server:5432/db?table=people&sslpassword=secret")
    'postgresql://ann@server:5432/db?table=people'
    >>> without_password("postgresql://ann:secret/db?table=people")  # the server was forgotten
    'postgresql://ann/db?table=people'
    >>> without_password("https://server/people.csv?X-Amz-Signature=secret&sig=secret")
    'https://server/people.csv'
    """
    address = address_of(place)
    if address is None:
        return str(place)
    scheme, _, rest = address.partition("://")
    # The user's part ends at the last @ before the settings: a password may hold an @, and a slash.
    start = found.start() if (found := _SETTING.search(rest)) else len(rest)
    user, at, where = rest[:start].rpartition("@")
    server, slash, path = where.partition("/")
    if not at and not _SERVERS.fullmatch(server):  # what looks like a port is a password
        server = server.partition(":")[0]
    settings = [each for each in rest[start + 1 :].split("&") if each and not _is_secret(each)]
    told = f"?{'&'.join(settings)}" if settings else ""
    return f"{scheme}://{user.partition(':')[0]}{at}{server}{slash}{path}{told}"


_SETTING = re.compile(r"\?[A-Za-z][\w%.-]*=")
_SERVER = r"(?:\[[^\]]*\]|[^:,]*)(?::\d*)?"
_SERVERS = re.compile(f"{_SERVER}(?:,{_SERVER})*")
_SECRET = re.compile(r"pass|secret|token|credential|sig|key", re.IGNORECASE)


def _is_secret(setting: str) -> bool:
    name, equals, _ = setting.partition("=")
    return not equals or _SECRET.search(unquote(name)) is not None
