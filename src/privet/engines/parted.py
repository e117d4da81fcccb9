"""Folds a source in parts, wherever the parts are, and merges the states here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pyarrow as pa

from privet.errors import DataError
from privet.schema import Schema, Unit
from privet.sources.base import Source
from privet.sources.parts import Spread
from privet.stats import Answer, Rows, Statistic
from privet.stats.contribution import bound_batches, resolved, some_columns

__all__ = ["MapEngine"]


class MapEngine:
    """Answers by a fold over each part and a merge: associative, so how rows are split is no matter.

    **Persons.** Each part sends at most ``most`` records of each person, chosen by the unit's rule within the
    part, and the rule is applied once more to what they send. By content that is the choice among all rows: a
    record that is among the first ``most`` of a person is among them in its part, too. So it is for
    ``first``, because parts come in the order of the rows. What is kept is held here.
    """

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        if not isinstance(source, Spread):
            raise DataError("This source is not in parts.", "Use the memory engine.")
        unit = resolved(schema.unit, source)
        columns = {name for statistic in statistics for name in statistic.columns}
        if unit.id is None:
            wanted = [name for name in source.names if name in columns]
            read = some_columns(source, wanted, schema)
            parts = source.spread(FoldPart(tuple(statistics), schema), read)
        else:
            decide = {*schema.names} if unit.keep == "content" else set()
            wanted = [name for name in source.names if name in columns | decide | {unit.id}]
            task = FoldPart(tuple(statistics), schema)
            parts = [task(people(source, wanted, unit, schema))]
        answers = []
        for place, statistic in enumerate(statistics):
            states = [statistic.start(schema), *(states[place] for states in parts)]
            answers.append(statistic.finish(reduce(statistic.merge, states), schema))
        return answers


def people(source: Any, columns: Sequence[str], unit: Unit, schema: Schema) -> Iterable[pa.RecordBatch]:
    """The records that stay, at most ``most`` of each person (proof: ``MapEngine``)."""
    sent = source.spread(BoundPart(unit, schema.names), columns)
    batches = (batch for part in sent for batch in pa.ipc.open_stream(part))
    return bound_batches(batches, unit, schema.names)


@dataclass(frozen=True)
class FoldPart:
    """The states of some statistics after the rows of one part."""

    statistics: tuple[Statistic, ...]
    schema: Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> list[Answer]:
        states = [statistic.start(self.schema) for statistic in self.statistics]
        for batch in batches:
            rows = Rows(batch, self.schema)
            states = [s.fold(state, rows) for s, state in zip(self.statistics, states, strict=True)]
        return states


@dataclass(frozen=True)
class BoundPart:
    """At most ``most`` records of each person in one part, as an Arrow stream."""

    unit: Unit
    names: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> bytes:
        sink = pa.BufferOutputStream()
        writer = None
        for batch in bound_batches(batches, self.unit, self.names):
            plain = pa.RecordBatch.from_arrays(
                [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in batch.columns],
                batch.schema.names,
            )
            writer = writer or pa.ipc.new_stream(sink, plain.schema)
            writer.write_batch(plain)
        if writer is None:
            writer = pa.ipc.new_stream(sink, pa.schema([]))
        writer.close()
        return bytes(sink.getvalue())
