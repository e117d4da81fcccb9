"""The parameters that additive models share, and what follows from them and the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from privet.budget import Approximate, Pure, budget
from privet.curator import Curator
from privet.errors import ParameterError
from privet.learning.additive.boosting import Attribute, rounds_for
from privet.learning.additive.groups import coded, grouped, needs_counts
from privet.parameters import with_parameters
from privet.schema import Category, Column, Number, Schema
from privet.stats import Coded

__all__ = ["AdditiveOptions"]

# With fewer rounds than this, a round's share of ε buys less noise than its share of (ε, δ).
ENOUGH_ROUNDS = 18
ASSUMED_RECORDS = 10_000
TABLES = Fraction(3, 20)  # the share of the tables by which codes are joined


@with_parameters
class AdditiveOptions:
    """Base of additive models: beside it stands the base class of their family."""

    pairs: Annotated[bool, "Whether pairs of attributes may be terms, for attributes that interact."] = True
    rounds: Annotated[
        int | None,
        Ge(1),
        Le(200),
        "How many terms are boosted; by default as many as the budget and the noisy number of records carry.",
    ] = None
    records: Annotated[
        int | None,
        Ge(1),
        "About how many records there are, if that is public; decides only whether a delta is worth taking.",
    ] = None
    bins: Annotated[
        int, Ge(2), Le(1000), "Into how many equal bins a number is cut before neighbours are joined."
    ] = 64
    cells: Annotated[int, Ge(2), Le(200), "How many cells an attribute has at most by itself."] = 24
    pair_cells: Annotated[int, Ge(2), Le(50), "How many cells it has at most within a pair."] = 8
    increasing: Annotated[
        str | None,
        "Numbers that the target (or the second of two classes) rises with; commas between.",
    ] = None
    decreasing: Annotated[
        str | None,
        "Numbers that the target (or the second of two classes) falls with; commas between.",
    ] = None

    def _amount(self) -> Pure | Approximate:
        """Pure ε where few rounds are foreseen: Gaussian noise is larger then."""
        asked = budget(float(self.epsilon), float(self.delta))  # type: ignore[attr-defined]
        foreseen = self.rounds or rounds_for(self.records or ASSUMED_RECORDS, asked)
        return asked if foreseen >= ENOUGH_ROUNDS else budget(float(self.epsilon))  # type: ignore[attr-defined]

    def _telling(self, schema: Schema) -> list[Column]:
        """An attribute with a single possible value tells nothing."""
        return [c for c in schema.attributes if not isinstance(c, Category) or c.size > 1]

    def _needy(self, schema: Schema) -> dict[str, Coded]:
        """The attributes whose codes must be joined, and their codes."""
        codes = {c.name: coded(c, self.bins) for c in self._telling(schema)}
        return {
            name: code
            for name, code in codes.items()
            if needs_counts(schema[name], code.size(schema), self.pair_cells)
        }

    def _shares(self, curator: Curator, needy: Mapping[str, Coded]) -> dict[str, Fraction]:
        """What each of their tables costs: in all, ``TABLES``, so that the total squared error is least."""
        power = 1 / 3 if curator.amount.delta == 0 else 1 / 2
        weights = {name: round(1000 * code.size(curator.schema) ** power) for name, code in needy.items()}
        total = sum(weights.values())
        return {name: TABLES * Fraction(weight, total) for name, weight in weights.items()}

    def _attributes(self, schema: Schema, counts: Mapping[str, NDArray[Any]]) -> list[Attribute]:
        """Every attribute with its cells, by released counts."""
        found = []
        for column in self._telling(schema):
            code = coded(column, self.bins)
            size, own = code.size(schema), counts.get(column.name)
            known = None if own is None else np.asarray(own, float)
            paired = grouped(column, code, size, known, self.pair_cells)
            alone = grouped(column, code, size, known, self.cells)
            found.append(Attribute(alone, None if column.name in self._directions else paired))
        return found

    @property
    def _directions(self) -> dict[str, bool]:
        return dict.fromkeys(_named(self.increasing), True) | dict.fromkeys(_named(self.decreasing), False)

    def _require_directions(self, schema: Schema, one_output: bool) -> None:
        """Refuse a direction that would be ignored."""
        name_of = type(self).__name__
        if self._directions and not one_output:
            raise ParameterError(
                f"{name_of}: with more than two classes nothing is just higher or lower.",
                "Leave increasing and decreasing out.",
            )
        if both := sorted(set(_named(self.increasing)) & set(_named(self.decreasing))):
            raise ParameterError(f"{name_of}: '{both[0]}' cannot both rise and fall.", "Name it once.")
        numbers = [c.name for c in schema.attributes if isinstance(c, Number)]
        for name in self._directions:
            if name not in numbers:
                raise ParameterError(
                    f"{name_of}: '{name}' is not a number among the attributes, so it has no direction.",
                    f"The numbers are: {', '.join(numbers) or 'none'}.",
                )

    def _directed(self, shapes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The shapes, those of declared attributes made to rise or fall: post-processing."""
        told = []
        for shape in shapes:
            rising = self._directions.get(shape["columns"][0]) if len(shape["columns"]) == 1 else None
            if rising is not None:
                values = np.array(shape["values"], float)
                last = shape["groups"][0][-1]  # of missing values, which have no place in the order
                values[:last, 0] = isotonic_regression(values[:last, 0], increasing=rising)
                shape = {**shape, "values": values.tolist()}
            told.append(shape)
        return told

    def _explained(self, rounds: int, records: float, shapes: Sequence[dict[str, Any]]) -> str:
        if not rounds:
            return "No attribute can tell anything: the prediction is the same for every record."
        told = any(np.any(shape["values"]) for shape in shapes)
        if not told:
            return (
                f"With about {records:.0f} records (estimated privately) nothing stands out from the noise at"
                " this budget: the prediction is the same for every record."
            )
        if self.rounds:
            return f"{rounds} terms, as asked for."
        carried = f"as many as this budget carries with about {records:.0f} records (estimated privately)"
        return f"{rounds} {'term' if rounds == 1 else 'terms'}, {carried}."

    def _foreseen(self) -> str:
        if self.rounds:
            return f"{self.rounds} terms, each chosen privately, as asked for."
        return (
            "Terms are chosen privately one after the other. How many depends on the noisy number of"
            " records: about √(records · ε) / 12, three times as many with a delta, at most 32; at least 1."
        )


def _named(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]
