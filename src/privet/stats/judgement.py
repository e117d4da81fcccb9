"""What a score makes of exact answers, for the curator to choose by: private, and never handed out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Judgement"]


@dataclass(frozen=True)
class Judgement:
    """One whole-numbered score a candidate, and what may be released of the candidates that are chosen.

    ``sensitivity`` is the most by which one unit of privacy changes *any* score; ``monotonic`` promises
    that it moves none up while it moves another down. ``values`` has a row for each candidate; one unit
    changes a row by at most ``l1`` in the L1 norm and ``squared_l2`` in the squared L2 norm, whichever row
    it is. Entries of ``values`` count multiples of 1 / ``scale`` of ``unit``.
    """

    scores: NDArray[np.int64]
    sensitivity: int
    monotonic: bool = False
    values: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    l1: int = 1
    squared_l2: int = 1
    scale: int = 1
    unit: str = "records"
