"""The writer that a file's name asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from privet.errors import ParameterError
from privet.sources import write_arff, write_csv, write_ipc, write_parquet

__all__ = ["WRITERS", "writer_for"]

WRITERS: dict[str, Callable[..., None]] = {
    ".csv": write_csv,
    ".csv.gz": write_csv,
    ".parquet": write_parquet,
    ".pq": write_parquet,
    ".feather": write_ipc,
    ".arrow": write_ipc,
    ".arff": write_arff,
    ".arff.gz": write_arff,
}


def writer_for(out: str | Path) -> Callable[..., None]:
    """The writer for a file of this name."""
    for ending, writer in WRITERS.items():
        if Path(out).name.lower().endswith(ending):
            return writer
    raise ParameterError(
        f"Privet does not know how to write {Path(out).name}.",
        f"Name it by what it shall hold: {', '.join(WRITERS)}",
    )
