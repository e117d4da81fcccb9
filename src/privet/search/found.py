"""What a search found, and when it stops."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from privet.errors import ParameterError

__all__ = ["Found", "Stopping"]


@dataclass(frozen=True)
class Found:
    """The best position, its fitness, the best fitness after each iteration, and why the search ended."""

    position: NDArray[Any]
    fitness: float
    history: tuple[float, ...]
    evaluations: int
    reason: str


@dataclass
class Stopping:
    """Ends a search after ``iterations``, when ``target`` is reached, or after ``patience`` without gain.

    >>> rule = Stopping(iterations=100, target=5.0)
    >>> [rule.over(fitness) for fitness in (1.0, 3.0, 6.0)]
    [None, None, 'the target was reached']
    """

    iterations: int
    target: float = math.inf
    patience: int | None = None
    history: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.iterations < 1 or (self.patience is not None and self.patience < 1):
            raise ParameterError("A search needs at least one iteration, and patience for at least one.")

    def over(self, best: float) -> str | None:
        """Take note of the best fitness after an iteration; say why to stop, if it is time."""
        self.history.append(best)
        if best >= self.target:
            return "the target was reached"
        if len(self.history) >= self.iterations:
            return "all iterations were made"
        if self.patience is not None and len(self.history) > self.patience:
            before = self.history[-self.patience - 1]
            if best <= before:
                return f"nothing was gained in {self.patience} iterations"
        return None
