"""What is chosen among by association with the class: attributes of a table, or variants of a genome.

Candidates name the tables that must be counted, and lay the counts out as a score sees them: tables ×
classes × values, stacked with others of the same shape.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Schema
from privet.stats.assignment import Coded
from privet.stats.association.base import Tables
from privet.stats.base import Answer, Statistic
from privet.stats.contingency import Contingency
from privet.stats.cross_table import CrossTable
from privet.stats.genotypes.tables import GenotypeTables

__all__ = ["Attributes", "Candidates", "Variants"]


class Candidates(ABC):
    """What is chosen among. Subclasses are frozen dataclasses."""

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistic, ...]:
        """The tables that must be counted."""

    @property
    def everyone(self) -> Statistic | None:
        """What counts all records, also those that the tables leave out; None if they leave none out."""
        return None

    @abstractmethod
    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[Tables]:
        """The counts as scores see them, in groups of equal shape."""

    @abstractmethod
    def order(self, schema: Schema, size: int) -> NDArray[np.int64]:
        """The place of each of ``size`` tables of the groups, in their order, among the candidates."""


@dataclass(frozen=True)
class Attributes(Candidates):
    """Attributes of a table, each by its counts within each class.

    A missing value is a value like others; where the schema rules it out, its row is empty and left out.
    """

    tables: tuple[Contingency, ...]

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.tables

    @property
    def everyone(self) -> Statistic | None:
        return CrossTable((Coded(self.tables[0].column),)) if self.tables else None

    def heights(self, schema: Schema) -> list[int]:
        """How many values each attribute has."""
        return [_height(table, schema) for table in self.tables]

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[Tables]:
        heights = self.heights(schema)
        stacks: dict[int, list[Answer]] = {}
        for place in self.order(schema, len(answers)):
            stacks.setdefault(heights[place], []).append(answers[place].T[:, : heights[place]])
        return [np.stack(stack) for stack in stacks.values()]

    def order(self, schema: Schema, size: int) -> NDArray[np.int64]:
        return np.argsort(self.heights(schema), kind="stable")


@dataclass(frozen=True)
class Variants(Candidates):
    """Variants of a genome, each by its genotypes in cases and controls, or in those of each stratum."""

    strata: tuple[GenotypeTables, ...]

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.strata

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[Tables]:
        return [genotype_tables(*answers)]

    def order(self, schema: Schema, size: int) -> NDArray[np.int64]:
        return np.arange(size)


def genotype_tables(*counts: NDArray[np.int64]) -> Tables:
    """variants × (cases, controls) × (0, 1, 2 copies of the first allele); missing counts as 0 copies.

    Counts of several strata follow each other: cases, controls, cases, controls.
    """
    parts = []
    for each in counts:
        tables = each[:, :, 2::-1].astype(np.int64)
        tables[:, :, 0] += each[:, :, 3]
        parts.append(tables)
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _height(table: Contingency, schema: Schema) -> int:
    column = schema[str(table.row)]
    size = column.size if isinstance(column, Category) else len(table.cuts) + 1
    return size + (schema.missing == "skip")
