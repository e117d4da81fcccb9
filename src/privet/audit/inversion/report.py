"""What a model inversion found: as numbers, as text, as a page and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = ["Attempt", "Estimate", "InversionReport"]

TRAINING, OTHERS = "records it learned from", "records it never saw"
NOT_PRIVATE = (
    "These figures were computed from the records themselves and are not private: they are for the owner of "
    "the data."
)
MEANING = (
    "An advantage on records that the model never saw is what the model teaches about people in general; "
    "privacy cannot prevent it and is not meant to. Only what comes on top for the records that it learned "
    "from is due to their being in the data, and that is what differential privacy bounds."
)


ATTACKERS = (
    "The first attacker has the model and knows how common each value is. The last three columns: one who "
    "has the model and records of other people, and one who has those records alone."
)
SPREAD = (
    "Whoever has the model also knows how large its errors are on such records (their root mean square), as "
    "is published with a model."
)


@dataclass(frozen=True)
class Estimate:
    """A mean with its two-sided interval (normal approximation)."""

    value: float
    low: float
    high: float

    @classmethod
    def of(
        cls, values: NDArray[np.float64], confidence: float, *, minus: NDArray[np.float64] | None = None
    ) -> Estimate:
        """The mean of ``values``, or its difference to the mean of other records' values."""
        groups = [values] if minus is None else [values, minus]
        centre = float(values.mean() - (0.0 if minus is None else minus.mean()))
        # At least one record's worth of spread: a sample without any must not claim to be exact.
        variance = sum(max(float(group.var()), 1 / len(group)) / len(group) for group in groups)
        half = float(ndtri((1 + confidence) / 2)) * variance**0.5
        return cls(centre, centre - half, centre + half)

    def __str__(self) -> str:
        return f"{100 * self.value:+.1f} ({100 * self.low:+.1f} to {100 * self.high:+.1f})"


@dataclass(frozen=True)
class Attempt:
    """One model attacked on one group of records. Advantages are differences of shares of right guesses."""

    model: str
    group: str
    records: int
    accuracy: Estimate
    base_rate: float
    over_base_rate: Estimate
    with_others: float | None = None
    without_model: float | None = None
    over_without_model: Estimate | None = None

    def row(self) -> list[str]:
        accuracy = self.accuracy
        share = f"{100 * accuracy.value:.1f} ({100 * accuracy.low:.1f} to {100 * accuracy.high:.1f})"
        strong = ["–" if x is None else f"{100 * x:.1f}" for x in (self.with_others, self.without_model)]
        over = "–" if self.over_without_model is None else str(self.over_without_model)
        return [
            self.model, self.group, str(self.records), share,
            f"{100 * self.base_rate:.1f}", str(self.over_base_rate), *strong, over,
        ]  # fmt: skip


@dataclass(frozen=True)
class InversionReport:
    """All attempts on one attribute.

    ``memorised`` is how much more often each model gives away its own records than others that are as easy.
    """

    attribute: str
    values: int
    confidence: float
    attempts: tuple[Attempt, ...]
    memorised: dict[str, Estimate]
    target: str
    number: bool = False

    @property
    def heads(self) -> list[str]:
        return [
            "Model", "Attacked", "Records", "Right (%)", "Base rate (%)", "Points over it",
            "Model and others (%)", "Others alone (%)", "Points over that",
        ]  # fmt: skip

    def rows(self) -> list[list[str]]:
        return [attempt.row() for attempt in self.attempts]

    @property
    def attackers(self) -> str:
        """Who knows what."""
        return f"{ATTACKERS} {SPREAD}" if self.number else ATTACKERS

    @property
    def verdict(self) -> list[str]:
        """One sentence a model."""
        return [self._sentence(name) for name in dict.fromkeys(attempt.model for attempt in self.attempts)]

    def _sentence(self, name: str) -> str:
        mine = next(a for a in self.attempts if a.model == name and a.group == TRAINING)
        gained = 100 * mine.over_base_rate.value
        gain = (
            f"gives an attacker {gained:.1f} points over guessing the most common value"
            if mine.over_base_rate.low > 0
            else "shows an attacker nothing beyond guessing the most common value"
        )
        if name not in self.memorised:
            return f"{name}: {gain}. What is due to these very records cannot be known without others."
        extra = self.memorised[name]
        points = (
            f"{100 * extra.value:+.1f} points, between {100 * extra.low:+.1f} and {100 * extra.high:+.1f}"
        )
        due = (
            f"part of it is due to having learned from these very records ({points})"
            if extra.low > 0
            else f"no part of it was found to be due to having learned from these very records ({points})"
        )
        return f"{name}: {gain}; {due}."

    def text(self) -> str:
        """The report for a reader."""
        cells = [self.heads, *self.rows()]
        widths = [max(len(row[place]) for row in cells) for place in range(len(self.heads))]
        table = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        sure = f"In brackets: {100 * self.confidence:g} % confidence intervals."
        about = (
            f"Inferring '{self.attribute}' ({self.values} values) from the model, '{self.target}' and the "
            "rest of each record:"
        )
        return "\n".join(
            [*self.verdict, "", about, "", *table, "", sure, self.attackers, MEANING, NOT_PRIVATE]
        )

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "private": False,
            "attribute": self.attribute,
            "values": self.values,
            "target": self.target,
            "confidence": self.confidence,
            "verdict": self.verdict,
            "attempts": [asdict(attempt) for attempt in self.attempts],
            "memorised": {name: asdict(extra) for name, extra in self.memorised.items()},
        }

    def figure(self) -> Any:
        """A plot: the advantage over the base rate of each model on each group of records."""
        from privet.report import error_bars

        return error_bars(
            [f"{a.model}:\n{a.group}" for a in self.attempts],
            [100 * a.over_base_rate.value for a in self.attempts],
            [100 * (a.over_base_rate.high - a.over_base_rate.value) for a in self.attempts],
            ylabel="points over the base rate",
            name=f"{100 * self.confidence:g} % interval",
        )

    def page(self) -> Any:
        """The report as an HTML page."""
        from privet.report import Page

        page = Page(
            "Model inversion", f"Inferring '{self.attribute}' from a released model of '{self.target}'."
        )
        section = page.section("Verdict")
        for name, sentence in zip(dict.fromkeys(a.model for a in self.attempts), self.verdict, strict=True):
            learned = name in self.memorised and self.memorised[name].low > 0
            section.note(sentence, "warning" if learned else "plain")
        section.text(MEANING)
        section.note(NOT_PRIVATE, "warning")
        section = page.section("Attempts")
        sure = f"Shares of right guesses, with {100 * self.confidence:g} % confidence intervals"
        section.table(self.heads, self.rows(), sure)
        section.text(self.attackers)
        section.figure(
            self.figure(),
            alt="Points with error bars: the attacker's advantage for each model and group of records.",
            caption="The attacker's advantage over guessing the most common value.",
        )
        return page
