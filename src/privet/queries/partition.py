"""Different questions about the parts of a table, which cost as much as the dearest of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet import randomness
from privet.budget import budget
from privet.curator import Apart, Curator
from privet.errors import ParameterError
from privet.queries.answer import Answer, answered
from privet.queries.selection import Selection
from privet.queries.table import Query
from privet.queries.tables import Tables
from privet.release import Guarantee
from privet.schema import Category

__all__ = ["Partition", "partition"]

_Asked = list[tuple[str, Any, Any, Fraction]]


@dataclass(frozen=True, eq=False)
class Partition:
    """A query for each of some values of a category: parts of one table, none of which share a record.

    Parts compose in parallel: each is asked with the whole budget (proof: ``curator.apart``).
    """

    table: Query
    key: str
    parts: Mapping[str, Selection]

    def _asked(self) -> _Asked:
        found: _Asked = []
        for label, selection in self.parts.items():
            if selection.found:
                raise ParameterError("Frequent values are not found within a part.", "Find them first.")
            questions = selection.questions(self.table.schema)
            found += [(label, key, q, Fraction(1, len(questions))) for key, q in questions.items()]
        return found

    def _told(self, curator: Curator) -> list[tuple[str, Any, Any]]:
        asked = self._asked()
        apart = Apart(self.key, tuple(label for label, *_ in asked))
        told = curator.ask_together([(question, share) for _, _, question, share in asked], apart)
        return [(label, key, each) for (label, key, _, _), each in zip(asked, told, strict=True)]

    def plan(self, epsilon: float, delta: float = 0.0) -> Guarantee:
        """What it would cost, and how large its errors would be; nothing is read or spent."""
        with Curator.rehearsal(self.table.schema, budget(epsilon, delta)) as curator:
            self._told(curator)
        return curator.guarantee

    def release(
        self, epsilon: float, delta: float = 0.0, random_state: int | None = None
    ) -> dict[str, Answer]:
        """The answer for each part, paid for once."""
        self._asked()
        curator = Curator(
            self.table.data,
            self.table.schema,
            budget(epsilon, delta),
            ledger=self.table.ledger,
            randomness=randomness.of(random_state),
            what="query",
        )
        with curator:
            told = self._told(curator)
        return {
            label: answered(
                selection,
                self.table.schema,
                {key: each for part, key, each in told if part == label},
                curator.guarantee,
            )
            for label, selection in self.parts.items()
        }


def partition(table: Query, key: str, parts: Mapping[str, Callable[[Query], Query]]) -> Partition:
    """Ask a query of the records with each of some values of a category: PINQ's partition.

    >>> import pyarrow as pa
    >>> from privet.queries import query
    >>> visits = query(pa.table({"cost": [9.0], "ward": ["a"]}), {"cost": (0, 90), "ward": ["a", "b"]})
    >>> parts = partition(visits, "ward", {"a": lambda a: a.mean("cost"), "b": lambda b: b.count()})
    >>> [float(step.amount.epsilon) for step in parts.plan(epsilon=1.0).steps]  # 1 for each part
    [0.5, 0.5, 1.0]
    """
    if isinstance(table.data, Tables):
        raise ParameterError("One table is parted, not one that is made of others.", "Group by the key.")
    if not isinstance(table.schema[key], Category):
        raise ParameterError(f"'{key}' is a number, and makes no parts.", "Part the table by a category.")
    asked = {str(label): ask(table.where(table[key] == str(label))) for label, ask in parts.items()}
    for query in asked.values():
        if query.data is not table.data or query.schema is not table.schema:
            raise ParameterError("Each part must be asked of the records it is given.")
    return Partition(table, key, {label: query.selection for label, query in asked.items()})
