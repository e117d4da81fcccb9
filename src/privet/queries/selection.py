"""What is asked of a table: which records, in which groups, and what of each group. A value without data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from privet.curator import Question
from privet.errors import ParameterError
from privet.queries.measures import Count, CountOf, Group, Mean, MeasureOf, Sum
from privet.schema import Number, Schema
from privet.schema.bins import public_cuts
from privet.stats import Coded, CrossTable
from privet.stats.group_sums import GroupSums
from privet.stats.views import View
from privet.stats.views.listed import Listed

__all__ = ["TOTAL", "Selection", "key_of"]

#: So many groups are the most that an answer lists.
MOST_GROUPS = 1_000_000
#: What the key of all groups together is called.
TOTAL = "(all)"
_ADDED_UP = (Count, CountOf, Sum, Mean)


@dataclass(frozen=True)
class Selection:
    """Measures of the groups of a view.

    ``order`` names a column of the answer to sort by (with a minus: the largest first), ``most`` is how many
    rows are shown. Both look at released figures only. ``found`` are keys whose frequent values, besides
    those that the schema lists, are to be found first. With ``total`` the same is asked of all groups
    together, and counts and sums are made to add up to it.

    >>> schema = Schema.of({"age": (0, 120), "ward": ["a", "b"]})
    >>> selection = Selection(keys=(Coded("ward"),), measures=(Count(),))
    >>> [question.what for question in selection.questions(schema).values()]
    ['the number of records in each group']
    """

    view: View = field(default_factory=View)
    keys: tuple[Coded, ...] = ()
    measures: tuple[MeasureOf, ...] = ()
    names: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    most: int | None = None
    found: tuple[str, ...] = ()
    total: bool = False

    def group(self, schema: Schema) -> Group:
        """Where the measures are taken; what does not fit the schema is refused."""
        seen = self.view.schema(schema)
        cells = 1
        for key in self.keys:
            cells *= key.size(seen)
        if cells > MOST_GROUPS:
            raise ParameterError(
                f"These keys make {cells:,} groups, and at most {MOST_GROUPS:,} are answered.",
                "Group by fewer columns, or by wider intervals.",
            )
        return Group(self.view, self.keys, seen)

    def with_values(self, values: Mapping[str, tuple[str, ...]]) -> Selection:
        """The same, grouped by these values, too, which were found and released."""
        made = tuple((_made(name), Listed(name, values[name])) for name in self.found)
        keys = tuple(Coded(_made(key.column)) if key.column in self.found else key for key in self.keys)
        return replace(self, view=View((*self.view.made, *made), self.view.where), keys=keys)

    @property
    def names_of_keys(self) -> tuple[str, ...]:
        """The names of the keys in the answer."""
        made = {_made(name): name for name in self.found}
        return tuple(made.get(key.column, key.column) for key in self.keys)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the measures in the answer."""
        return self.names or tuple(measure.name for measure in self.measures)

    def questions(self, schema: Schema) -> dict[Any, Question[Any]]:
        """What must be asked of the table, each thing once."""
        if not self.measures:
            raise ParameterError("The query asks for nothing.", "Ask for a count, a sum, a mean, …")
        group = self.group(schema)
        needs = self._needs(group)
        if self.total:
            if odd := [m for m in self.measures if not isinstance(m, _ADDED_UP)]:
                raise ParameterError(
                    f"'{odd[0].name}' has no total.", "Ask for counts, sums and means with a total."
                )
            needs |= {(TOTAL, key): each for key, each in self._needs(self.whole(schema)).items()}
        return needs

    def whole(self, schema: Schema) -> Group:
        """All groups together."""
        return replace(self.group(schema), keys=())

    def _needs(self, group: Group) -> dict[Any, Question[Any]]:
        needs: dict[Any, Question[Any]] = {}
        for measure in self.measures:
            needs |= measure.needs(group)
        plain = CrossTable(group.keys)
        counted = [key for key in needs if isinstance(key, CrossTable) and key != plain]
        if plain in needs and Count() in self.measures and counted:
            # Records with and without a number add up to all records: those need no question of their own.
            del needs[plain]
        squared = [key for key in needs if isinstance(key, GroupSums) and key.squares]
        for key in squared:  # the sum comes with its square
            needs.pop(replace(key, squares=False), None)
        return needs


def _made(name: str) -> str:
    """What the column with the values that were found is called: as no column of a table is."""
    return f"{name} and values found"


def key_of(name: str, schema: Schema, bins: int | None = None) -> Coded:
    """A column to group by: a category, or a number with public cuts (or so many equal bins)."""
    column = schema[name]
    if not isinstance(column, Number):
        return Coded(name)
    if bins is not None and bins > MOST_GROUPS:  # before so many cuts are made
        raise ParameterError(f"'{name}' has at most {MOST_GROUPS:,} bins.", "Ask for wider intervals.")
    few = column.integer and column.high - column.low < 200
    if bins is None and not column.cuts and not few:
        raise ParameterError(
            f"'{name}' is a number with many values, which make no groups.",
            f"Say how it is cut into intervals: in SQL  GROUP BY BINS({name}, 10),  "
            f"in Python  group_by(('{name}', 10)).",
        )
    return Coded(name, public_cuts(column, bins or 201))
