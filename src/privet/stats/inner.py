"""Statistics that ask another one of fewer or of changed records."""

from __future__ import annotations

from dataclasses import dataclass

from privet.stats.base import Answer, Statistic

__all__ = ["Inner"]


@dataclass(frozen=True)
class Inner(Statistic):
    """A statistic whose answer is that of ``statistic``: in its scale and unit, merged in its way.

    Which records it sees, and so its norms, the subclass says, with the proof.
    """

    statistic: Statistic

    @property
    def nonnegative(self) -> bool:  # type: ignore[override]
        return self.statistic.nonnegative

    @property
    def scale(self) -> int:  # type: ignore[override]
        return self.statistic.scale

    @property
    def unit(self) -> str:  # type: ignore[override]
        return self.statistic.unit

    def merge(self, one: Answer, other: Answer) -> Answer:
        return self.statistic.merge(one, other)
