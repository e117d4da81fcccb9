"""Errors of libraries that read table formats: they may quote a cell, so nothing of them is passed on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from privet.errors import DataError, PrivetError

__all__ = ["explained_as"]


@contextmanager
def explained_as(kind: str, title: str) -> Iterator[None]:
    """Turn whatever a library says about a table of this kind into an error that quotes nothing.

    >>> with explained_as("Delta", "people"):
    ...     raise ValueError("cell: 42")
    Traceback (most recent call last):
    ...
    privet.errors.DataError: people could not be read as a Delta table, or ...
    """
    try:
        yield
    except PrivetError:
        raise
    except Exception:
        raise DataError(
            f"{title} could not be read as a {kind} table, or it is written in a way that is not known here.",
            "Export the table as it is now to a file such as people.parquet, or give Privet a table of a "
            "database that reads it.",
        ) from None
