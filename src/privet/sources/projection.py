"""Which columns are asked for: checked against the ones that are there, and against each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privet.errors import DataError

__all__ = ["chosen", "distinct"]


def chosen(names: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    """The columns to read, in the order asked for; every column, if none is named.

    >>> chosen(("age", "sex"), None), chosen(("age", "sex"), ["sex"])
    (['age', 'sex'], ['sex'])
    """
    if columns is None:
        return list(names)
    if isinstance(columns, str):
        columns = [columns]
    for column in columns:
        if column not in names:
            raise DataError(f"The table has no column '{column}'.", "Check the schema against the file.")
    return list(dict.fromkeys(columns))


def distinct(names: Iterable[object]) -> tuple[str, ...]:
    """The names as text, each of which must be there once and not be empty.

    The error gives positions, not names: in a file without a header the "names" are somebody's values.
    """
    texts = tuple(str(name) for name in names)
    seen: dict[str, int] = {}
    for place, text in enumerate(texts, start=1):
        if not text:
            raise DataError(f"Column {place} has no name.", "Give every column a name in the first line.")
        if text in seen:
            raise DataError(
                f"Columns {seen[text]} and {place} have the same name.", "Rename one of them in the table."
            )
        seen[text] = place
    return texts
