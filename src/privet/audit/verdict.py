"""What an audit found: the bound, the pair and the event that show it, and the verdict in words."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from privet.audit.distinctions import Distinction
from privet.audit.pairs import Pair
from privet.release import Guarantee

__all__ = ["Audit", "with_audit"]

LIMIT = "An audit can show that a claim is false; that it found nothing does not prove a claim true."


@dataclass(frozen=True)
class Audit:
    """The result of one audit. ``bound`` is a lower bound on the true ε, with ``confidence``.

    ``runs`` counts all runs, those of the search too; ``tested`` those on the two tables of the last step.
    """

    subject: str
    epsilon: float
    delta: float
    bound: float
    confidence: float
    runs: int
    pair: Pair
    event: Distinction
    hits: tuple[int, int]
    tested: tuple[int, int]
    histogram: dict[str, list[float]]
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def violated(self) -> bool:
        return self.bound > self.epsilon

    @property
    def claim(self) -> str:
        return f"ε = {self.epsilon:g}" + (f", δ = {self.delta:g}" if self.delta else "")

    @property
    def verdict(self) -> str:
        sure = f"{100 * self.confidence:.10g} % confidence"
        if self.violated:
            return f"violates its claim of {self.claim}: ε ≥ {self.bound:.3g} with {sure}"
        return (
            f"no violation found up to ε = {self.bound:.3g} (claimed: {self.claim}; {sure}, {self.runs} runs)"
        )

    def text(self) -> str:
        """The audit for a reader."""
        likely, rare = (0, 1) if self.event.likelier_on_first else (1, 0)
        which = ("first", "second")
        return "\n".join(
            [
                f"{self.subject}: {self.verdict}.",
                f"  Pair: {self.pair.name}.",
                f"  Event: {self.event.description}.",
                f"  It happened in {self.hits[likely]} of {self.tested[likely]} runs on the {which[likely]} "
                f"table and in {self.hits[rare]} of {self.tested[rare]} on the {which[rare]}.",
                f"  {LIMIT}",
            ]
        )

    def summary(self) -> dict[str, Any]:
        """What a guarantee carries: the verdict and what it rests on, without the numbers of the test."""
        return {
            "verdict": self.verdict,
            "violated": self.violated,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "bound": self.bound,
            "confidence": self.confidence,
            "runs": self.runs,
            "pair": self.pair.name,
            "event": self.event.description,
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it, with the pair and the event, so that others can test it again (``audit_again``)."""
        return {
            "subject": self.subject,
            **self.summary(),
            "pair": self.pair.to_dict(),
            "event": self.event.to_dict(),
            "hits": list(self.hits),
            "tested": list(self.tested),
            "histogram": self.histogram,
            "details": self.details,
        }

    def write(self, path: str | Path) -> None:
        Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")


def with_audit(guarantee: Guarantee, audit: Audit) -> Guarantee:
    """The guarantee that carries this audit; one whose claim was refuted promises nothing any more."""
    carried = replace(guarantee, audit=audit.summary())
    if not audit.violated:
        return carried
    return carried.voided_by(f"An audit refuted it: {audit.subject} {audit.verdict}.")
