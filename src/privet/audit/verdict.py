"""What an audit found: the bound, the pair and the event that show it, and the verdict in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.audit.events import Event
from privet.audit.pairs import Pair

__all__ = ["Audit"]


@dataclass(frozen=True)
class Audit:
    """The result of one audit. ``bound`` is a lower bound on the true ε, with ``confidence``."""

    subject: str
    epsilon: float
    delta: float
    bound: float
    confidence: float
    runs: int
    pair: Pair
    event: Event
    hits: tuple[int, int]
    tested: tuple[int, int]
    histogram: dict[str, list[float]]

    @property
    def violated(self) -> bool:
        return self.bound > self.epsilon

    @property
    def verdict(self) -> str:
        sure = f"{100 * self.confidence:g} % confidence"
        if self.violated:
            return f"violates its claim of ε = {self.epsilon:g}: ε ≥ {self.bound:.3g} with {sure}"
        return f"no violation found up to ε = {self.bound:.3g} (claimed: {self.epsilon:g}; {sure}, {self.runs} runs)"

    def text(self) -> str:
        """The audit for a reader."""
        on, other = ("first", "second") if self.event.likelier_on_first else ("second", "first")
        likely, rare = self.hits if self.event.likelier_on_first else self.hits[::-1]
        tested = self.tested if self.event.likelier_on_first else self.tested[::-1]
        return "\n".join(
            [
                f"{self.subject}: {self.verdict}.",
                f"  Pair: {self.pair.name}.",
                f"  Event: {self.event.description}.",
                f"  It happened in {likely} of {tested[0]} runs on the {on} table and in {rare} of {tested[1]} "
                f"on the {other}.",
                "  An audit can show that a claim is false; that it found nothing does not prove a claim true.",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "claimed": {"epsilon": self.epsilon, "delta": self.delta},
            "bound": self.bound,
            "confidence": self.confidence,
            "runs": self.runs,
            "violated": self.violated,
            "verdict": self.verdict,
            "pair": self.pair.to_dict(),
            "event": self.event.to_dict(),
            "hits": list(self.hits),
            "tested": list(self.tested),
            "histogram": self.histogram,
        }

    def write(self, path: str | Path) -> None:
        Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")
