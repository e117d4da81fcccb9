"""Counts packed genotypes, block by block: never more than one block of them is in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from privet.errors import DataError
from privet.schema import Schema
from privet.sources.base import Source
from privet.sources.genotypes import GenotypeSource
from privet.stats import Answer, Statistic
from privet.stats.genotypes.tables import GenotypeTables

__all__ = ["GenotypeEngine", "RehearsedGenotypes"]


class GenotypeEngine:
    """Answers ``GenotypeTables``; ``watch`` is shown how many variants are done."""

    def __init__(self, watch: Callable[[int, int | None], None] | None = None) -> None:
        self._watch = watch

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        if not isinstance(source, GenotypeSource):
            raise DataError("Genotypes can be counted in genotype files only.")
        questions = [each for each in statistics if isinstance(each, GenotypeTables)]
        assert len(questions) == len(statistics)
        states = [question.start(schema) for question in questions]
        for block in source.blocks():
            states = [
                q.fold_block(s, block.start, block.data) for q, s in zip(questions, states, strict=True)
            ]
            if self._watch is not None:
                self._watch(block.start + len(block.data), source.variant_count)
        return [q.finish(state, schema) for q, state in zip(questions, states, strict=True)]


class RehearsedGenotypes:
    """Answers as if nobody had a copy of any first allele: the sizes are right, the rest is made up."""

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        answers = []
        for question in statistics:
            assert isinstance(question, GenotypeTables)
            number = question.variants if question.kept is None else int(question.kept.sum())
            table = np.zeros((2, 4), np.int64)
            table[:, 2] = question.groups.sum(axis=1)
            answers.append(np.tile(table, (number, 1, 1)))
        return answers
