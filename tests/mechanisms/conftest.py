"""The goodness-of-fit test of all mechanisms: one chi-square test, at one tiny rate of false alarms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate, stats

# A right mechanism fails a test once in a million; samples are so large that a scale that is 10 % off passes
# about as rarely.
FALSE_ALARM = 1e-6


def _p_value(observed: np.ndarray, probabilities: np.ndarray, cells: int = 20) -> float:
    """Of a chi-square test of counts; neighbouring outcomes are pooled into about this many cells."""
    pooled: list[tuple[float, float]] = []
    count = expected = 0.0
    for seen, probability in zip(observed, probabilities * observed.sum(), strict=True):
        count, expected = count + seen, expected + probability
        if expected >= observed.sum() / cells:
            pooled.append((count, expected))
            count = expected = 0.0
    last_count, last_expected = pooled.pop()
    pooled.append((last_count + count, last_expected + expected))
    assert len(pooled) > 1, "with one cell there is nothing to compare"
    counts, wanted = np.array(pooled).T
    assert wanted.sum() == pytest.approx(observed.sum(), rel=1e-6), "the probabilities do not add up to 1"
    return float(stats.chi2.sf(((counts - wanted) ** 2 / wanted).sum(), len(pooled) - 1))


def _whole_noise_p_value(noise: np.ndarray, log_probability: Callable, scale: float) -> float:
    support = np.arange(-int(60 * scale) - 2, int(60 * scale) + 3)
    observed = np.bincount(noise - support[0], minlength=support.size)
    return _p_value(observed, np.exp(log_probability(support)))


def _real_noise_p_value(noise: np.ndarray, log_probability: Callable, scale: float) -> float:
    edges = np.linspace(-60 * scale, 60 * scale, 1201)
    fine = np.linspace(edges[:-1], edges[1:], 21)
    probabilities = integrate.simpson(np.exp(log_probability(fine)), x=fine, axis=0)
    return _p_value(np.histogram(noise, edges)[0], probabilities)


@pytest.fixture(scope="session")
def false_alarm() -> float:
    return FALSE_ALARM


@pytest.fixture(scope="session")
def p_value() -> Callable[..., float]:
    return _p_value


@pytest.fixture(scope="session")
def noise_p_value() -> Callable[..., float]:
    """Of noise against an exact probability function (whole numbers) or density (reals)."""

    def of(noise: np.ndarray, log_probability: Callable, scale: float) -> float:
        test = _whole_noise_p_value if noise.dtype.kind == "i" else _real_noise_p_value
        return test(noise, log_probability, scale)

    return of
