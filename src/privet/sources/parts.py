"""Sources in parts: each is read where there is a free hand, by any ``map``.

A task gets the batches of one part and returns a small value. What runs it (processes, Dask, Ray, Spark) may
put whatever a task raises into logs, cells included, so a task never raises there: it returns a status and a
value, and the error is raised here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from privet.errors import DataError, PrivetError
from privet.schema import Schema
from privet.sources.base import Source

__all__ = ["Job", "Part", "PartedSource", "Parts", "Spread", "Task", "Workers", "finished", "safely"]

#: What is done with the batches of one part. It is sent to other processes: a value of a module, no closure.
Task = Callable[[Iterable[pa.RecordBatch]], Any]
#: What came of it: "done" and the value; "refused" and the parts of an error; or "failed" and a class's name.
Outcome = tuple[str, Any]


class Part(Protocol):
    """Some of a source's rows; can be pickled."""

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]: ...


@runtime_checkable
class Parts(Protocol):
    """A source that can be read in parts."""

    def parts(self, wanted: int) -> Sequence[Part]:
        """About so many parts, in the order of the rows; together they are all rows, each once."""


@runtime_checkable
class Spread(Protocol):
    """A source whose rows lie in several places, where a task can be done."""

    def spread(self, task: Task, columns: Sequence[str]) -> list[Any]:
        """What the task makes of each part's batches, in the order of the parts."""


@runtime_checkable
class Workers(Protocol):
    """A source with free hands for other work than reading: each piece is worked on by one of them."""

    #: How many pieces are worked on at once; it does not depend on what the rows hold.
    hands: int

    def shared(self, function: Callable[[Any], Any], pieces: Sequence[Any]) -> list[Any]:
        """What the function makes of each piece, in their order. It is sent to other processes."""


@dataclass(frozen=True)
class Job:
    """A task for one part after the other; never raises."""

    task: Task
    columns: tuple[str, ...]

    def __call__(self, part: Part) -> Outcome:
        return safely(self.task, lambda: part.batches(self.columns))


def safely(task: Task, batches: Callable[[], Iterable[pa.RecordBatch]]) -> Outcome:
    """What the task makes of the batches, or why it does not; Privet's own errors hold no cell."""
    try:
        return "done", task(batches())
    except PrivetError as error:
        return "refused", (type(error), error.args)
    except Exception as error:  # whatever it says may quote a cell
        return "failed", type(error).__name__


def finished(outcomes: Iterable[Outcome]) -> list[Any]:
    """The values of all parts; the first error, if there is one."""
    values = []
    for status, value in outcomes:
        if status == "refused":
            kind, arguments = value
            raise kind(*arguments)
        if status != "done":
            raise DataError(f"A part of the table could not be read ({value}).", "Check its files.")
        values.append(value)
    return values


class PartedSource:
    """A source in parts, and the ``map`` that reads them.

    ``apply(function, parts)`` gives the function's value for each part, in their order: the built-in ``map``,
    that of a pool of processes, or one made of Dask, Ray or Spark. A part may be read twice, if a machine
    fails: every value counts once.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from pyarrow import parquet
    >>> from privet.sources import ParquetSource
    >>> path = Path(tempfile.mkdtemp()) / "people.parquet"
    >>> parquet.write_table(pa.table({"age": [30, 40, 50]}), path, row_group_size=1)
    >>> PartedSource(ParquetSource(path), map, wanted=3).spread(_rows, ["age"])
    [1, 1, 1]
    """

    def __init__(self, source: Source, apply: Callable[..., Iterable[Any]], wanted: int) -> None:
        if not isinstance(source, Parts):
            raise DataError(
                "This table cannot be read in parts.",
                "Write it as Parquet, or read it with the memory engine.",
            )
        self._source, self._apply = source, apply
        self._parts = source.parts(wanted)
        self.hands = max(wanted, 1)

    @property
    def names(self) -> tuple[str, ...]:
        return self._source.names

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        return self._source.batches(columns)

    def table(self) -> Any:
        return None

    def declared(self) -> Schema | None:
        return self._source.declared()

    def spread(self, task: Task, columns: Sequence[str]) -> list[Any]:
        return finished(self._apply(Job(task, tuple(columns)), self._parts))

    def shared(self, function: Callable[[Any], Any], pieces: Sequence[Any]) -> list[Any]:
        return list(self._apply(function, pieces))


def _rows(batches: Iterable[pa.RecordBatch]) -> int:
    return sum(batch.num_rows for batch in batches)
