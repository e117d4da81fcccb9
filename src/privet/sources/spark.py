"""Tables that a Spark cluster reads: Parquet files by their parts, and frames that are no files.

Tasks return small values and never raise (``sources.parts``): Spark would write a traceback, cells included,
into its logs. Nothing is summed in accumulators, which count the work of a repeated task twice: a value is
taken from each partition once, however often an executor failed.
"""

from __future__ import annotations

import gc
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from privet.errors import DataError, MissingExtra
from privet.sources.address import address_of, table_of
from privet.sources.named import Named
from privet.sources.parts import Task, finished, safely
from privet.sources.projection import chosen, distinct

__all__ = ["SparkMap", "SparkSource", "session", "spark_table"]

#: The address of a session on the cores of this machine, instead of a cluster's host and port.
LOCAL = "local"

# The steps of a plan, and the words in it, that let other records decide about one.
_STEPS = {"GlobalLimit", "LocalLimit", "Offset", "Tail", "Sample", "Window"}
_CALLS = re.compile(
    r"\b(?:current_(?:timestamp|date|time)|localtimestamp|now|curdate|"
    r"first|last|first_value|last_value|any_value|collect_list|collect_set|array_agg|listagg|string_agg|"
    r"max_by|min_by|mode|percentile_approx|approx_percentile|approx_top_k\w*|histogram_numeric|"
    r"kll_sketch_\w+)\("
)


def session(master: str | None = None) -> Any:
    """The Spark session of this process; if there is none, one of this cluster, or of all cores here."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra.of("spark", "Reading a table with Spark") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else whichever python3 comes first
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    try:
        builder = SparkSession.builder.appName("privet").config("spark.ui.enabled", "false")
        return (builder if master is None else builder.master(master)).getOrCreate()
    except Exception:
        raise DataError("Spark could not be started.", "Check that Java 17 or newer is installed.") from None


def spark_table(place: str | PathLike[str]) -> SparkSource:
    """A table of a cluster's catalogue: ``spark://HOST:PORT?table=NAME``, or ``spark://local?table=NAME``.

    A process has one session, so it reads the tables of one cluster.
    """
    address, table = address_of(place), table_of(place)
    host = urlsplit(address or "").netloc
    if not host or not table:
        raise DataError("This is no table of Spark.", "For example: spark://host:7077?table=clinic.people")
    spark = session("local[*]" if host == LOCAL else f"spark://{host}")
    try:
        return SparkSource(spark.table(table))
    except DataError:
        raise
    except Exception:
        raise DataError("Spark does not know that table.", "Check the name in its catalogue.") from None


class SparkMap:
    """A ``map`` over the executors of a cluster, for ``PartedSource``: they read the parts themselves."""

    def __init__(self, spark: Any = None) -> None:
        self._spark = session() if spark is None else spark

    @property
    def slots(self) -> int:
        """How many tasks run at once."""
        return int(self._spark.sparkContext.defaultParallelism)

    def __call__(self, function: Callable[[Any], Any], parts: Iterable[Any]) -> list[Any]:
        given = list(parts)
        if not given:
            return []
        try:
            return list(
                self._spark.sparkContext.parallelize(given, len(given)).map(_Settled(function)).collect()
            )
        except Exception:
            raise _lost() from None


class SparkSource(Named):
    """The rows of a Spark frame, folded where they are.

    A frame promises no order of rows. One that is not the same each time it is computed (``rand()``, a
    sample, a limit, the time), or whose records depend on each other (windows, duplicates dropped by some of
    the columns), is refused: write it to a file first.
    """

    ordered = False

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._names = distinct(frame.columns)
        plan = frame._jdf.queryExecution().analyzed()
        calls = _CALLS.search(str(plan.treeString()))
        if not plan.deterministic() or calls or any(map(_depends_on_others, _steps(plan))):
            raise DataError(
                "This Spark frame is not the same each time it is read: it is random, a sample or limited, "
                "has the time, or what depends on the order of rows.",
                "Write it to Parquet files first, and name these.",
            )

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """All rows, brought to this process: for what needs all of them here."""
        wanted = chosen(self._names, columns)
        try:
            table = self._selected(wanted).toArrow()
        except Exception:
            raise _lost() from None
        yield from table.rename_columns(wanted).to_batches()

    def spread(self, task: Task, columns: Sequence[str]) -> list[Any]:
        try:
            rows = self._selected(columns).mapInArrow(_Work(task, tuple(columns)), "privet binary").collect()
        except Exception:
            raise _lost() from None
        # What executors return are values of this program's own tasks.
        return finished(pickle.loads(row[0]) for row in rows)

    @property
    def hands(self) -> int:
        return SparkMap(self._frame.sparkSession).slots

    def shared(self, function: Callable[[Any], Any], pieces: Sequence[Any]) -> list[Any]:
        return SparkMap(self._frame.sparkSession)(function, pieces)

    def _selected(self, columns: Sequence[str]) -> Any:
        from pyspark.sql import functions

        # Plain names on the way: Spark reads a dot or a backtick in a name as something else, now and then.
        quoted = ["`" + name.replace("`", "``") + "`" for name in columns]
        plain = [functions.col(name).alias(f"column{place}") for place, name in enumerate(quoted)]
        return self._frame.select(*plain)


@dataclass(frozen=True)
class _Settled:
    """A function for a worker of Spark, which settles at the first call."""

    function: Callable[[Any], Any]

    def __call__(self, part: Any) -> Any:
        found = self.function(part)
        _settle()
        return found


@cache
def _settle() -> None:
    """Let the garbage collector of this worker leave alone what is loaded by now.

    Spark lets it look through all objects after each task. There are so many once everything is loaded that
    it took as long as counting a million records.
    """
    gc.freeze()


@dataclass(frozen=True)
class _Work:
    """A task on one partition of a frame, whose columns get their names back: its outcome, as one row."""

    task: Task
    names: tuple[str, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        outcome = pickle.dumps(safely(self.task, lambda: map(self._named, batches)))
        _settle()
        yield pa.RecordBatch.from_arrays([pa.array([outcome], pa.binary())], ["privet"])

    def _named(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(batch.columns, names=list(self.names))


def _steps(plan: Any) -> Iterator[Any]:
    """All steps of a plan, from the last to the first."""
    yield plan
    below = plan.children()
    for place in range(below.size()):
        yield from _steps(below.apply(place))


def _depends_on_others(step: Any) -> bool:
    """Whether other records decide what becomes of one. Equal records are one by whichever is kept."""
    name = str(step.getClass().getSimpleName())
    if name == "Deduplicate":
        return bool(step.keys().size() < step.output().size())
    return name in _STEPS


def _lost() -> DataError:
    return DataError(
        "Spark could not finish the question, or the connection to it was lost.",
        "Check that its executors run, can read the files, and have Privet installed.",
    )
