"""Public tables beside a registered one: rows that anybody may see, with the same columns.

Their owner says that they are public when they are put there. They have no account: what is measured on them
is exact, costs nothing and promises nothing. One is never replaced, so what was released about it stays true.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from privet.errors import ParameterError
from privet.schema import Schema

__all__ = ["MOST", "PUBLIC_WORD", "keep_public", "public_tables", "require_known"]

MOST = 20
PUBLIC_WORD = "These rows are public."
_FOLDER = "public"


def public_tables(folder: Path) -> dict[str, Path]:
    """The public tables beside a schema in this folder, by their names."""
    found = sorted((folder / _FOLDER).glob("*")) if (folder / _FOLDER).is_dir() else []
    return {place.name.split(".")[0]: place for place in found}


def require_known(name: str, known: Iterable[str]) -> str:
    """The name of a public table that is there."""
    if name in (names := list(known)):
        return name
    told = f"Those that are: {', '.join(names)}." if names else "The owner of the table can add one."
    raise ParameterError("There is no public table of that name beside this one.", told)


def keep_public(folder: Path, place: Path, name: str, ending: str, schema: Schema) -> str:
    """Take in a file as a public table under a name of its own; it must have the columns of the schema."""
    from privet.service.tables import require_columns

    require_columns(place, schema, None)
    safe = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "table"
    if len(known := public_tables(folder)) >= MOST:
        raise ParameterError(f"A table has at most {MOST} public ones beside it.", "Use one of them.")
    (folder / _FOLDER).mkdir(mode=0o700, exist_ok=True)
    try:
        if safe in known:
            raise FileExistsError
        os.link(place, folder / _FOLDER / f"{safe}{ending}")  # two at once: one of them is refused
    except FileExistsError:
        raise ParameterError(
            f"There is a public table '{safe}' already, and it stays as it is.", "Give the file another name."
        ) from None
    return safe
