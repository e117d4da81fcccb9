"""What a computed ratio promises, and what the published page holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from privet.audit.outputs import RATIO, Sample
from privet.audit.processes import PROCESSES
from privet.audit.promise import promised
from privet.registry import audited_algorithms


def ratios(epsilon, runs, seed):
    """The ratio of a noisy count of sensitivity 1, on the table with the record and on the one without."""
    draw = np.random.default_rng(seed)
    noise = draw.laplace(0, 1 / epsilon, (2, runs))
    return tuple(epsilon * (np.abs(told) - np.abs(told - 1)) for told in (1 + noise[0], noise[1]))


def sample(values):
    return Sample((RATIO,), values[:, None])


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
def test_a_few_runs_promise_what_many_show(epsilon):
    how = {"confidence": 0.999}
    promise = promised(ratios(epsilon, 60, seed=0), 4_000, **how)
    first, second = map(sample, ratios(epsilon, 4_000, seed=1))
    shown = promise.event.bound(first, second, delta=0.0, **how)
    assert 0.6 * epsilon < shown < epsilon
    assert shown == pytest.approx(promise.bound, rel=0.25)


def test_either_table_may_be_the_likelier_one():
    first, second = ratios(4.0, 60, seed=0)
    seldom = np.where(np.arange(60) < 6, first, 0.0)
    assert not promised((seldom, second), 1_000, confidence=0.999).on_first
    assert promised((-second, -seldom), 1_000, confidence=0.999).on_first


def test_the_same_on_both_promises_nothing():
    assert promised((np.zeros(20), np.zeros(20)), 1_000, confidence=0.999).bound == 0


def test_the_published_page_has_every_algorithm_that_is_audited_and_none_is_refuted():
    page = Path(__file__).parents[2].joinpath("docs", "experiments", "audit.md").read_text(encoding="utf-8")
    best = page.partition("## Every claim")[0]
    for name in (*(entry.name for entry in audited_algorithms()), *PROCESSES):
        assert f"\n| {name} |" in best, name
    assert "YES" not in page
    assert "Not measured yet" not in page
