"""WHAT COMES OUT: values with their error bars, and the guarantee that travels with them.

A guarantee says what was protected, how strongly, by which steps, what was taken to be public and where
that came from, and what is not covered. "None" is a guarantee too, and is said first and loudly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from textwrap import wrap
from typing import Any

from numpy.typing import NDArray

from privet.budget.amounts import Amount, Approximate, Pure, amount_from_dict
from privet.schema import Schema, Unit

__all__ = ["BEFOREHAND", "Guarantee", "Release", "Step", "numbered"]

# From here on a bound says so little that it is not called protection: e¹⁰ is 22,000.
LOOSE = 10.0
#: Of tables that a program has made, this is said first.
BEFOREHAND = (
    "This is about the table as it was passed to Privet. What was done to it before is not covered: a scaler "
    "fitted on the records, columns or settings chosen by exact scores, records that were drawn twice."
)

_ONE = {"records": "record", "values": "value", "half ranges": "half range", "radii": "radius"}


@dataclass(frozen=True)
class Step:
    """One measurement: what was asked, with which mechanism, at what cost and with which error."""

    what: str
    mechanism: str
    amount: Amount
    error: float
    unit: str = "records"

    def sentence(self, each: str = "") -> str:
        figure = f"{self.error:.3g}"
        unit = _ONE.get(self.unit, self.unit) if figure == "1" else self.unit
        off = f"off by at most {figure} {unit} in 95 % of cases"
        return f"{self.what}: {self.mechanism}, {self.amount}{each}; {off}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "mechanism": self.mechanism,
            "amount": self.amount.to_dict(),
            "decimals": {part.name: float(getattr(self.amount, part.name)) for part in fields(self.amount)},
            "error": self.error,
            "unit": self.unit,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Step:
        return cls(
            data["what"], data["mechanism"], amount_from_dict(data["amount"]), data["error"], data["unit"]
        )


def numbered(steps: Sequence[Step]) -> list[str]:
    """A numbered sentence for each step; one for all of a run of equal ones.

    >>> from fractions import Fraction
    >>> choice = Step("which weight", "exponential choice", Pure(Fraction(1, 10)), 9.0, "records")
    >>> print(numbered([choice] * 300)[0])
    1 to 300. which weight: exponential choice, ε = 0.1 each; off by at most 9 records in 95 % of cases.
    """
    lines, end = [], 0
    for step, run in groupby(steps):
        start, end = end + 1, end + len(list(run))
        several = f"{start} to {end}. {step.sentence(' each')}"
        lines.append(several if end > start else f"{start}. {step.sentence()}")
    return lines


@dataclass(frozen=True)
class Release:
    """A noisy answer that may leave: its value, its noise, and the step that made it.

    An exact answer about a table that is declared public has no noise, and no step.
    """

    value: NDArray[Any]
    standard_deviation: float
    error: float
    step: Step | None

    @property
    def steps(self) -> tuple[Step, ...]:
        return () if self.step is None else (self.step,)

    @property
    def told(self) -> tuple[Any, ...]:
        """Everything that this tells about the table."""
        return (self.value,)


@dataclass(frozen=True)
class Guarantee:
    """What a release promises. ``voided`` lists the reasons why it promises nothing.

    A guarantee has an amount, or reasons why it is none: never both. The steps of a run that promises nothing
    stay, with the noise that was added.

    >>> print(Guarantee.none(["The noise was drawn from a seed."]).headline)
    Guarantee: NONE. The noise was drawn from a seed.
    """

    amount: Pure | Approximate | None
    unit: Unit
    steps: tuple[Step, ...] = ()
    public: tuple[tuple[str, str], ...] = ()
    caveats: tuple[str, ...] = ()
    voided: tuple[str, ...] = ()
    audit: dict[str, Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if (self.amount is None) != bool(self.voided):
            raise ValueError("A guarantee has an amount, or reasons why there is none.")

    @classmethod
    def none(
        cls,
        reasons: Iterable[str],
        unit: Unit | None = None,
        steps: Iterable[Step] = (),
        public: Iterable[tuple[str, str]] = (),
        caveats: Iterable[str] = (),
    ) -> Guarantee:
        """The guarantee that promises nothing, for these reasons."""
        return cls(None, unit or Unit(), tuple(steps), tuple(public), tuple(caveats), tuple(reasons))

    def voided_by(self, *reasons: str) -> Guarantee:
        """This guarantee, which promises nothing any more."""
        return replace(self, amount=None, voided=(*self.voided, *reasons))

    @property
    def holds(self) -> bool:
        """Whether anything is promised at all."""
        return self.amount is not None

    @property
    def epsilon(self) -> float | None:
        """None if nothing is promised."""
        return None if self.amount is None else float(self.amount.epsilon)

    @property
    def delta(self) -> float | None:
        """None if nothing is promised."""
        return None if self.amount is None else float(self.amount.delta)

    @property
    def headline(self) -> str:
        if self.voided:
            return f"Guarantee: NONE. {' '.join(self.voided)}"
        return f"Guarantee: differential privacy with {self.amount}, protecting {self.unit.describe()}."

    @property
    def protects(self) -> bool:
        """Whether what is promised is enough to be called protection at all."""
        return self.epsilon is not None and self.epsilon <= LOOSE

    def _meaning(self) -> str:
        """What ε says, in words. A large one is not made to sound like a promise."""
        assert self.epsilon is not None
        shown = f"{math.exp(self.epsilon):,.3g}" if self.epsilon < 13.8 else "more than a million"
        except_ = f", except with probability {self.delta:g}" if self.delta else ""
        whose = self.unit.describe().partition(",")[0].partition(" (")[0]
        if self.protects:
            return (
                f"Whatever an attacker knows, anything they see in this release is at most {shown} times as "
                f"likely (or unlikely) because of {whose}{except_}."
            )
        return (
            f"THIS ε IS TOO LARGE TO PROTECT ANYBODY: what an attacker sees in this release may be {shown} "
            f"times as likely because of {whose}. Promises worth relying on have an ε of a few units."
        )

    def text(self) -> str:
        """The whole guarantee for a reader."""
        lines = [self.headline, ""]
        if self.epsilon is not None:
            lines += [*wrap(self._meaning(), 100), ""]
        if BEFOREHAND in self.caveats:
            lines += [*wrap(BEFOREHAND, 100), ""]
        lines.append("How the privacy was spent:")
        lines += [f"  {line}" for line in numbered(self.steps)]
        lines += ["", "Taken to be public knowledge, not protected:"]
        lines += [f"  - {what} ({origin})" for what, origin in self.public]
        if others := [caveat for caveat in self.caveats if caveat != BEFOREHAND]:
            lines += ["", "Not covered:", *(f"  - {caveat}" for caveat in others)]
        if self.audit is not None:
            lines += ["", f"Audit: {self.audit.get('verdict', 'see the report')}"]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "headline": self.headline,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "amount": None if self.amount is None else self.amount.to_dict(),
            "unit": self.unit.to_dict(),
            "steps": [step.to_dict() for step in self.steps],
            "public": [{"what": what, "origin": origin} for what, origin in self.public],
            "caveats": list(self.caveats),
            "voided": list(self.voided),
            "audit": self.audit,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Guarantee:
        amount = None
        if not data["voided"]:  # files of earlier versions name an amount where nothing is promised, too
            amount = amount_from_dict(data["amount"])
        assert amount is None or isinstance(amount, Pure | Approximate)
        return cls(
            amount,
            Unit.from_dict(data["unit"]),
            tuple(Step.from_dict(step) for step in data["steps"]),
            tuple((entry["what"], entry["origin"]) for entry in data["public"]),
            tuple(data["caveats"]),
            tuple(data["voided"]),
            data.get("audit"),
        )


def public_knowledge(schema: Schema) -> tuple[tuple[str, str], ...]:
    """What a schema declares public, with the origin of each entry."""
    entries = [("the names and kinds of the columns", "the schema")]
    for column in schema.columns:
        what = "bounds" if hasattr(column, "low") else "domain"
        entries.append((f"{what} of '{column.name}'", column.origin))
    if schema.unit.neighbours == "replace":
        entries.append(("the number of units", "neighbour relation: replace"))
    return tuple(entries)
