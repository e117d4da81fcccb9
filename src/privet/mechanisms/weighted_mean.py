"""The private mean of block outputs with a budget for each output, blocks that share records, and ranges
that are known loosely: what GUPT adds to sample-and-aggregate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.budget.amounts import Pure, Zcdp
from privet.mechanisms.calibration import noise_for
from privet.mechanisms.checking import whole
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.mechanisms.rounding import root_down
from privet.mechanisms.staircase import Staircase
from privet.randomness import FloatArray, IntegerArray, Randomness

__all__ = ["WeightedMean"]

#: Among so many equal parts of a declared range the ends of a tighter one are chosen.
BINS = 256
_LOW, _HIGH = Fraction(1, 4), Fraction(3, 4)


@dataclass(frozen=True)
class WeightedMean:
    """One private row out of ``blocks`` × ``copies``: between neighbours ``copies`` rows change, by anything.

    The exact value is a matrix of whole numbers from 0 to ``grid``, a column for each output; the result is
    in units of the grid. ``weights`` are the outputs' shares of the amount, which add up to 1: the outputs
    compose sequentially, in ε or in ρ.

    *One output.* The sum of its column changes by at most Δ = copies · grid, so staircase noise for Δ is
    ε-differentially private, discrete Gaussian noise of ρ = Δ²/2σ² is ρ-zCDP. The number of rows is public.

    *Resampling.* If every record is in ``copies`` blocks (one of each of as many cuts of the table), one unit
    changes one row of each cut. The noise of the mean is the same as with one cut, Δ/(copies · blocks), and
    the chance of which records fall together is averaged out.

    *Loose ranges.* Half of an output's share chooses, a quarter each, the bins of a fine grid in which the
    first and the third quartile of its column lie. With N rows, F of them below a bin and f in it, a bin's
    score for the quantile p/d is −max(0, dF − pN, pN − d(F + f)): 0 if the quantile lies in it. N is public,
    and one row that changes moves F and F + f by 1 at most, so every score by d at most, c rows by cd. From
    the lower end of the one to the upper end of the other goes a range that is released. Values are clamped
    to it, so that a row moves the sum by its width w at most; the other half of the share pays for noise for
    copies · w. That is adaptive composition.

    *Reference.* Mohan, Thakurta, Shi, Song, Culler (2012), GUPT: privacy preserving data analysis made easy.

    >>> from privet.randomness import seeded
    >>> mean = WeightedMean(Pure(Fraction(8)), 50, 1000, (Fraction(1, 4), Fraction(3, 4)), loose=True)
    >>> values, errors = mean.released(np.tile([[490, 720], [510, 740]], (25, 1)), seeded(3))
    >>> bool((errors < 0.05).all())
    True
    """

    amount: Pure | Zcdp
    blocks: int
    grid: int
    weights: tuple[Fraction, ...]
    copies: int = 1
    loose: bool = False

    def __post_init__(self) -> None:
        for name in ("blocks", "grid", "copies"):
            object.__setattr__(self, name, whole(f"number of {name}", getattr(self, name)))
        if not self.weights or min(self.weights) <= 0 or sum(self.weights) > 1:
            raise ValueError("the outputs' shares are positive, and add up to 1")

    @property
    def name(self) -> str:
        """The mechanism, for the reader of a guarantee."""
        ranges = " within ranges that were chosen by quartiles" if self.loose else ""
        return f"mean with {self._noise(0, self.grid).event.mechanism.replace('_', ' ')} noise{ranges}"

    def error(self, confidence: float = 0.95) -> float:
        """Of the output that is furthest off, before ranges are tightened."""
        rows = self.blocks * self.copies * self.grid
        worst = max(self._noise(place, self.grid).error(confidence) for place in range(len(self.weights)))
        return min(1.0, worst / rows)

    def released(self, rows: IntegerArray, randomness: Randomness) -> tuple[FloatArray, FloatArray]:
        """The mean of each output, and the 95 % error of its noise."""
        if rows.shape != (self.blocks * self.copies, len(self.weights)):
            raise ValueError("one row for each block, and one column for each output")
        pairs = [self._column(place, column, randomness) for place, column in enumerate(rows.T)]
        return np.array([value for value, _ in pairs]), np.array([error for _, error in pairs])

    def _column(self, place: int, column: IntegerArray, randomness: Randomness) -> tuple[float, float]:
        low, high = self._range(place, column, randomness) if self.loose else (0, self.grid)
        noise = self._noise(place, high - low)
        total = np.array([(np.clip(column, low, high) - low).sum()])
        noisy = float(noise.randomise(total, randomness)[0]) / len(column)
        inside = min(max(low + noisy, low), high)
        return inside / self.grid, min(noise.error(0.95) / len(column), high - low) / self.grid

    def _noise(self, place: int, width: int) -> Any:
        share = self.weights[place] / (2 if self.loose else 1)
        change = width * self.copies
        if isinstance(self.amount, Pure):
            return Staircase(self.amount.share(share).epsilon, change, 1)
        return noise_for(self.amount.share(share), change, change**2)

    def _range(self, place: int, column: IntegerArray, randomness: Randomness) -> tuple[int, int]:
        """The ends of the bins in which the quartiles lie: chosen privately."""
        edges = [bin_ * self.grid // BINS for bin_ in range(BINS + 1)]
        bins = np.minimum(np.searchsorted(edges, column, side="right") - 1, BINS - 1)
        counts = np.bincount(bins, minlength=BINS)
        amount = self.amount.share(self.weights[place] / 4)
        found = [self._quantile(quantile, counts, amount, randomness) for quantile in (_LOW, _HIGH)]
        return edges[min(found)], edges[max(found) + 1]

    def _quantile(
        self, quantile: Fraction, counts: IntegerArray, amount: Pure | Zcdp, randomness: Randomness
    ) -> int:
        p, d = quantile.numerator, quantile.denominator
        ends, wanted = counts.cumsum(), p * counts.sum()
        missed = np.maximum(d * (ends - counts) - wanted, wanted - d * ends)
        moved = Fraction(d * self.copies)
        if isinstance(amount, Pure):
            chooser: Any = PermuteAndFlip(amount.epsilon, moved)
        else:  # as in ``curator.ask.choose``: ρ = ε²/8 for the exponential mechanism
            chooser = Exponential(Fraction(root_down(8 * amount.rho)), moved)
        return int(chooser.choose(-np.maximum(missed, 0), randomness))
