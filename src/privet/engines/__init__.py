"""WHO ANSWERS: engines compute exact answers where the data is. Only the curator may ask them."""

from collections.abc import Sequence
from typing import Protocol

from privet.engines.genotypes import GenotypeEngine
from privet.engines.memory import MemoryEngine
from privet.engines.parted import MapEngine
from privet.engines.sql import SqlEngine
from privet.schema import Schema
from privet.sources.base import Source
from privet.sources.genotypes import GenotypeSource
from privet.sources.parts import Spread
from privet.sources.sql import TableSource
from privet.stats import Answer, Statistic

__all__ = ["Engine", "GenotypeEngine", "MapEngine", "MemoryEngine", "SqlEngine", "engine_for"]


class Engine(Protocol):
    """Answers statistics exactly."""

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]: ...


def engine_for(source: Source) -> Engine:
    """The engine that reads a source best: a database for its tables, workers for parts, else memory."""
    if isinstance(source, GenotypeSource):
        return GenotypeEngine()
    if isinstance(source, TableSource):
        return SqlEngine() if source.counts else MemoryEngine()
    return MapEngine() if isinstance(source, Spread) else MemoryEngine()
