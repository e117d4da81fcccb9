"""The writer that a file's name asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from privet.errors import ParameterError
from privet.sources import write_csv, write_ipc, write_parquet
from privet.sources.formats import WRITERS

__all__ = ["WRITERS", "takes_schema", "writer_for"]


def writer_for(out: str | Path) -> Callable[..., None]:
    """The writer for a file of this name."""
    for ending, writer in WRITERS.items():
        if Path(out).name.lower().endswith(ending):
            return writer
    raise ParameterError(
        f"Privet does not know how to write {Path(out).name}.",
        f"Name it by its format: {', '.join(WRITERS)}",
    )


def takes_schema(writer: Callable[..., None]) -> bool:
    """Whether a format declares its domains, which come from a schema and never from the rows."""
    return writer not in (write_csv, write_ipc, write_parquet)
