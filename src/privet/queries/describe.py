"""A first look at a table: counts, histograms, quartiles and two-way tables, as one bundle at one price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.budget import Ledger
from privet.queries.answer import Answer
from privet.queries.measures import Count, Mean, Quantile
from privet.queries.program import Program
from privet.queries.selection import Selection, key_of
from privet.release import Guarantee
from privet.report import Chart
from privet.schema import Category, Number, Schema
from privet.stats import Coded

__all__ = ["Description", "describe", "described"]

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
#: What these and the mean are called in the answer.
FIGURES = ("lower quartile", "median", "upper quartile", "mean")


@dataclass(frozen=True)
class Look:
    """One thing to look at: its title, and what is asked."""

    title: str
    selection: Selection


@dataclass(frozen=True)
class Description:
    """What was released of a table, look by look, and the guarantee of the whole.

    Everything adds up: a column's histogram is the margin of its two-way table with the target, where there
    is one, so both have the same total.
    """

    titles: tuple[str, ...]
    answers: tuple[Answer, ...]
    guarantee: Guarantee

    def charts(self) -> tuple[Chart, ...]:
        """One picture per look that has groups."""
        pairs = zip(self.titles, self.answers, strict=True)
        return tuple(chart for title, answer in pairs for chart in answer.charts(title))

    def to_dict(self) -> dict[str, Any]:
        looks = [
            {"title": title} | {k: v for k, v in answer.to_dict().items() if k != "guarantee"}
            for title, answer in zip(self.titles, self.answers, strict=True)
        ]
        return {"looks": looks, "guarantee": self.guarantee.to_dict()}


def described(schema: Schema, bins: int = 10) -> list[Look]:
    """What a first look at a table with this schema asks for.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> [look.title for look in described(schema)]
    ['age by ill', 'ill', 'quartiles and mean of age']
    """
    target = schema.target if schema.target and isinstance(schema[schema.target], Category) else None
    looks, figures = [], []
    for column in schema.columns:
        key = key_of(column.name, schema, bins if isinstance(column, Number) else None)
        if target is not None and column.name != target:
            both = Selection(keys=(key, Coded(target)), measures=(Count(),))
            looks.append(Look(f"{column.name} by {target}", both))
        else:
            looks.append(Look(column.name, Selection(keys=(key,), measures=(Count(),))))
        if isinstance(column, Number):
            quartiles = tuple(Quantile(column.name, each) for each in QUARTILES)
            asked = Selection(measures=(*quartiles, Mean(column.name)), names=FIGURES)
            figures.append(Look(f"quartiles and mean of {column.name}", asked))
    return [*looks, *figures]


def describe(
    data: Any,
    schema: Schema,
    *,
    epsilon: float,
    delta: float = 0.0,
    bins: int = 10,
    ledger: Ledger | None = None,
    random_state: int | None = None,
) -> Description:
    """A first look at a table, paid for as one."""
    looks = described(schema, bins)
    program = Program(data, schema, tuple(look.selection for look in looks), ledger=ledger)
    answers = tuple(program.release(epsilon, delta, random_state))
    return Description(tuple(look.title for look in looks), answers, answers[0].guarantee)
