"""WHO ANSWERS: engines compute exact answers where the data is. Only the curator may ask them."""

from collections.abc import Sequence
from typing import Protocol

from privet.engines.genotypes import GenotypeEngine
from privet.engines.memory import MemoryEngine
from privet.engines.sql import SqlEngine
from privet.schema import Schema
from privet.sources.base import Source
from privet.sources.genotypes import GenotypeSource
from privet.sources.sql import TableSource
from privet.stats import Answer, Statistic

__all__ = ["Engine", "GenotypeEngine", "MemoryEngine", "SqlEngine", "engine_for"]


class Engine(Protocol):
    """Answers statistics exactly."""

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]: ...


def engine_for(source: Source) -> Engine:
    """The engine that reads a source best: the database's own for its tables, else the memory engine."""
    if isinstance(source, GenotypeSource):
        return GenotypeEngine()
    return SqlEngine() if isinstance(source, TableSource) else MemoryEngine()
