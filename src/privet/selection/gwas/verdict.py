"""What a private scan says in plain words: what its values mean, and whether noise has swamped the signal.

All of it is computed from the release and from public things: how many cases, controls and variants there
are. What chance gives is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.curator.study import Study
from privet.selection.gwas.top_snps import ScoreName, TopSnps, score_of
from privet.stats.association.distances import Test

__all__ = ["STRONG", "best_by_chance", "by_chance", "in_words"]

#: Variants without effect that are drawn to see what chance gives: as many as the study has, up to this.
MOST_NULLS = 1_000_000
# A signal that few would call weak: how often the allele is among cases, and among controls.
STRONG = (0.6, 0.3)
_MEANING = {
    "distance": "A value of +d says that d records would have to change for the variant to lose its "
    "significance (p < {tau:g}, {test} test); a value of 1 − d, so 0 or below, that d would have to "
    "change for it to become significant.",
    "chi2": "Values are χ² of the {test} test; noise can make them negative.",
    "p_value": "Values are 1 − p of the {test} test; noise can push them below 0 or above 1.",
    "odds_ratio": "Odds of the first allele (a1) among cases over its odds among controls.",
}


def in_words(study: Study, release: TopSnps, *, score: ScoreName, test: Test, tau: float) -> list[str]:
    """What the values mean, how far off they may be, and whether any can be told from noise."""
    if release.error is None:
        return []
    said = [_MEANING[score].format(tau=tau, test=test), str(release.accuracy())]
    number = len(release.snps)
    clear = _clear(study, release, score, test, tau)
    if clear == number:
        return said
    if clear:
        first = "the first" if clear == 1 else f"the first {clear}"
        return [*said, f"Of these {number}, {first} can be told from noise."]
    which = "It cannot" if number == 1 else f"None of these {number} can"
    return [*said, f"{which} be told from noise. {_needed(study, release, score, test, tau)}"]


def _clear(study: Study, release: TopSnps, score: ScoreName, test: Test, tau: float) -> int:
    """How many values lie above what chance gives, by more than the noise of the noisiest of them.

    An error bar holds one value in 95 % of cases, and of k values the largest noise is larger. With
    P(noise > t) = ½·e^(−t/b), which is Laplace's and above Gaussian noise with the same error bar, none of k
    exceeds b·ln(10k) in 95 % of cases, where the bar is b·ln 20.
    """
    assert release.error is not None
    error = release.error * max(1.0, math.log(10 * len(release.snps)) / math.log(20))
    if score == "odds_ratio":
        ratios = [snp.odds_ratio for snp in release.snps if snp.odds_ratio is not None]
        return sum(not ratio.low <= 1 <= ratio.high for ratio in ratios)
    level = 0.0 if score == "distance" else float(best_by_chance(study, 1, score, test, tau)[0])
    return sum(snp.value is not None and snp.value - error > level for snp in release.snps)


def _needed(study: Study, release: TopSnps, score: ScoreName, test: Test, tau: float) -> str:
    """The epsilon at which a strong signal would stand out, both in the choice and in its value."""
    guarantee = release.guarantee
    if score == "odds_ratio" or guarantee.epsilon is None or release.error is None:
        return "A larger epsilon or a larger study would be needed."
    cases, controls = STRONG
    strong = f"a variant as strong as {cases:.0%} among cases against {controls:.0%} among controls"
    signal = float(score_of(score, test, tau).evaluate(_expected(study))[0])
    chance = float(best_by_chance(study, 1, score, test, tau)[0])
    level = 0.0 if score == "distance" else chance
    if signal <= max(level, chance):
        return f"In a study of this size even {strong} would not be significant without any noise."
    # Errors shrink as epsilon grows; the first step of a release is the choice, in the same unit.
    shares = [release.error / (signal - level), guarantee.steps[0].error / (signal - chance)]
    epsilon = _up(float(guarantee.epsilon) * max(shares))
    return f"To see {strong} in a study of this size, about ε ≥ {epsilon:g} would be needed."


def _expected(study: Study) -> NDArray[np.int64]:
    """The genotypes that a strong signal would show: variants × (cases, controls) × (2, 1, 0 copies)."""
    sizes: Sequence[int] = (study.cases, study.controls)
    rows = []
    for size, share in zip(sizes, STRONG, strict=True):
        both, one = round(size * share**2), round(size * 2 * share * (1 - share))
        rows.append([both, min(one, size - both), max(size - both - one, 0)])
    return np.array([rows], np.int64)


def _up(value: float) -> float:
    """Rounded up to two digits."""
    digits = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / digits) * digits


def best_by_chance(study: Study, k: int, score: ScoreName, test: Test, tau: float) -> NDArray[np.float64]:
    """The k largest scores of as many variants if none had an effect: simulated, not measured."""
    simulated = max(min(len(study.variant_places), MOST_NULLS), k)
    return _scores_by_chance((study.cases, study.controls), simulated, score, test, tau)[:k]


@lru_cache(maxsize=4)  # the words and the pictures of one release ask for the same
def _scores_by_chance(
    sizes: tuple[int, int], number: int, score: ScoreName, test: Test, tau: float
) -> NDArray[np.float64]:
    found = np.asarray(score_of(score, test, tau).evaluate(by_chance(sizes, number)), np.float64)
    found = -np.sort(-found)
    found.flags.writeable = False
    return found


def by_chance(sizes: tuple[int, int], number: int) -> NDArray[np.int64]:
    """Made-up tables of variants without effect: variants × (cases, controls) × (0, 1, 2 copies)."""
    draw = np.random.default_rng(0)  # a picture of chance, not noise: the same each time
    frequency = draw.uniform(0.05, 0.5, number)
    shares = np.stack([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2], axis=1)
    return np.stack([draw.multinomial(size, shares) for size in sizes], axis=1)
