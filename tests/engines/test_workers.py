"""Users' functions on processes and on Spark's executors: the same answers as here, and as closed off."""

from __future__ import annotations

import os
import pickle

import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.errors import ParameterError
from privet.isolation.cell import Isolated
from privet.learning.map_reduce import MapReduce
from privet.learning.sample_aggregate import SampleAggregate
from privet.schema import Schema, Unit
from privet.sources import ArrowSource, ParquetSource
from privet.sources.parts import PartedSource
from privet.sources.processes import Processes

PEOPLE = pa.table(
    {
        "age": [float(7 * k % 97) for k in range(60)],
        "person": [f"p{k % 40}" if k % 9 else None for k in range(60)],
    }
)
#: How many people are older than the mapper bears.
FAILED = len(
    {
        p
        for p, age in zip(PEOPLE["person"].to_pylist(), PEOPLE["age"].to_pylist(), strict=True)
        if p and age > 80
    }
)
SCHEMA = Schema.of({"age": (0.0, 100.0)}, unit=Unit(id="person", most=2, keep="content"))
SURE = {"epsilon": 1e6, "schema": SCHEMA, "random_state": 5, "tables": "arrow"}


@pytest.fixture(scope="module", params=["processes", "spark frame"])
def source(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    parquet.write_table(PEOPLE, path, row_group_size=20)
    if request.param == "processes":
        workers = Processes(2)
        yield PartedSource(ParquetSource(path), workers, 2)
        workers.close()
        return
    from privet.sources.spark import SparkSource

    yield SparkSource(request.getfixturevalue("spark").read.parquet(str(path)))


def mapper(person):
    """What it may see, what it tries to reach, and for some people nothing."""
    import builtins
    import socket

    reached = getattr(builtins, "seen", 0)  # what another record left behind
    builtins.seen = 1
    for attempt in (lambda: open("/etc/passwd"), os.fork, socket.socket):  # noqa: SIM115
        try:
            attempt()
            reached += 1
        except BaseException:
            pass
    oldest = max(person["age"].to_pylist())
    return [oldest, person.num_rows, {}[oldest] if oldest > 80 and oldest % 1 == 0 else reached]


def reduced(source):
    return MapReduce(mapper, low=[0, 0, 0], high=[100, 2, 9], units=50, **SURE).fit(source)


@pytest.fixture(scope="module")
def here():
    return reduced(ArrowSource(PEOPLE))


def test_a_mapper_gives_the_same_and_reaches_nothing(here, source):
    there = reduced(source)
    assert list(here.value_) == list(there.value_)
    assert here.guarantee_.text() == there.guarantee_.text()
    assert there.value_[2] == pytest.approx(4.5 * FAILED, abs=0.01)  # the middle for these, else 0


class Here:
    """A source with workers that are this process itself."""

    names, hands, ordered = ("age", "person"), 4, False

    def batches(self, columns=None):
        yield from PEOPLE.select(columns or list(self.names)).to_batches()

    def table(self):
        return None

    def declared(self):
        return None

    def shared(self, function, pieces):
        return [function(piece) for piece in pickle.loads(pickle.dumps(pieces))]


def test_blocks_are_dealt_to_workers_too():
    asked = {"blocks": 6, "low": 0, "high": 100, **SURE}
    one, two = (
        SampleAggregate(lambda block: block["age"].to_numpy().mean(), **asked).fit(source)
        for source in (ArrowSource(PEOPLE), Here())
    )
    assert list(one.value_) == list(two.value_)


def test_a_worker_that_cannot_close_a_cell_runs_nothing(monkeypatch):
    def refuses(job, lane):
        raise ParameterError("A function cannot be shut off here.")

    monkeypatch.setattr(Isolated, "of", staticmethod(refuses))
    with pytest.raises(ParameterError, match="A worker could not run the function"):
        reduced(Here())
