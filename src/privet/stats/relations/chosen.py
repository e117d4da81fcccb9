"""Some records of a relation, with columns that were made of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from privet.stats.relations.facts import Facts, Read, Relation
from privet.stats.rows import Rows
from privet.stats.views import View

__all__ = ["Chosen"]

_BATCH = 1 << 16


@dataclass(frozen=True)
class Chosen(Relation):
    """A view of a relation.

    **Stability.** Each record by itself becomes one record or none (``stats.views.viewed``), so no more of
    them go or come than before, and nobody has more than before.
    """

    one: Relation
    view: View

    @property
    def facts(self) -> Facts:
        facts = self.one.facts
        return replace(facts, columns=self.view.schema(facts.schema).columns)

    def pieces(self, read: Read) -> Iterator[pa.Table]:
        before, names = self.one.facts, self.facts.names
        for piece in self.one.pieces(read):
            for batch in piece.to_batches(max_chunksize=_BATCH) or _none(before):
                rows = self.view.rows(Rows(batch, before.schema), names)
                arrays = [rows.column(name) for name in names]
                plain = [a.dictionary_decode() if pa.types.is_dictionary(a.type) else a for a in arrays]
                yield pa.table(plain, names=list(names))

    def leaves(self) -> Iterator[str]:
        yield from self.one.leaves()


def _none(facts: Facts) -> list[pa.RecordBatch]:
    from privet.stats.relations.cells import empty

    table = empty(facts.schema)
    if facts.person is not None and facts.person not in table.column_names:
        table = table.append_column(facts.person, pa.array([], pa.string()))
    return [pa.RecordBatch.from_arrays([c.combine_chunks() for c in table.columns], table.column_names)]
