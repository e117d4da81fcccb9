from __future__ import annotations

import itertools
import multiprocessing
import pickle
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privet.errors import ParameterError
from privet.randomness import Randomness, of, secure, seeded

SOURCES = {"secure": secure, "seeded": lambda: seeded(3)}


def draws(source: Randomness) -> tuple:
    """Something of everything that a source can draw."""
    return (
        source.add_discrete_laplace(np.zeros(20, dtype=np.int64), 50.0).tolist(),
        source.add_discrete_gaussian(np.zeros(20, dtype=np.int64), 50.0).tolist(),
        source.add_laplace(np.zeros(3), 5.0).tolist(),
        source.add_gaussian(np.zeros(3), 5.0).tolist(),
        [source.noisy_max(np.zeros(1000), 1.0, noise) for noise in ("exponential", "gumbel")],
        source.noisy_top_k(np.zeros(1000), 3, 1.0).tolist(),
        source.bits(3).tolist(),
        source.bernoulli(200, Fraction(1, 2)).tolist(),
        source.uniform_indices(20, 1000).tolist(),
        source.permutation(50).tolist(),
        source.generator().random(3).tolist(),
    )


def all_differ(first: tuple, second: tuple) -> bool:
    return all(one != other for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_every_draw_is_fresh(make):
    source = make()
    assert isinstance(source, Randomness)
    assert all_differ(draws(source), draws(source))


def test_a_seed_repeats_itself_and_another_does_not():
    assert draws(seeded(7)) == draws(seeded(7))
    assert all_differ(draws(seeded(7)), draws(seeded(8)))


def test_a_seed_means_the_same_everywhere():
    """Recorded once: integer draws are the same on every platform."""
    assert seeded(7).add_discrete_laplace(np.zeros(6, dtype=np.int64), 2.0).tolist() == [1, 1, -1, -1, 0, 4]
    assert seeded(7).uniform_indices(6, 10).tolist() == [3, 5, 6, 4, 1, 2]


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_children_are_independent_of_each_other_and_of_their_parent(make):
    parent = make()
    everything = [draws(child) for child in parent.spawn(3)] + [draws(parent)]
    assert all(all_differ(*pair) for pair in itertools.combinations(everything, 2))


def test_children_of_a_seed_repeat_themselves_and_leave_the_parents_stream_alone():
    assert [draws(child) for child in seeded(7).spawn(2)] == [draws(child) for child in seeded(7).spawn(2)]
    parent = seeded(7)
    parent.spawn(2)
    parent.generator()
    assert parent.bits(3).tolist() == seeded(7).bits(3).tolist()


def test_secure_noise_ignores_every_seed():
    results = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002 - the point of the test
        import random

        random.seed(0)
        results.append(draws(secure()))
    assert all_differ(*results)


def _draw(_: int) -> tuple:
    return draws(secure())


def test_secure_noise_differs_in_forked_processes_and_threads():
    draws(secure())  # so that whatever state there might be exists before the fork
    with multiprocessing.get_context("fork").Pool(2) as pool:
        everything = pool.map(_draw, range(4), chunksize=1)
    with ThreadPoolExecutor(4) as threads:
        everything += threads.map(_draw, range(4))
    assert all(all_differ(*pair) for pair in itertools.combinations(everything, 2))


def test_only_the_secure_source_can_carry_a_guarantee():
    assert secure().secure
    assert secure().caveat is None
    assert not seeded(1).secure
    assert "seed" in seeded(1).caveat
    assert pickle.loads(pickle.dumps(secure())) == secure()


def test_what_random_state_stands_for():
    assert of(None).secure
    assert of().secure
    assert draws(of(7)) == draws(of(np.int64(7))) == draws(seeded(7))
    assert draws(of(np.random.default_rng(7))) == draws(seeded(7))
    state = np.random.RandomState(7)
    first = draws(of(state))
    assert first == draws(of(np.random.RandomState(7)))
    assert all_differ(first, draws(of(state)))
    source = seeded(7)
    assert of(source) is source
    for numpy_source in (np.random.default_rng(7), state):
        assert not of(numpy_source).secure


@pytest.mark.parametrize("bad", [-1, 1.5, "7", True, np.random])
def test_bad_random_states(bad):
    with pytest.raises(ParameterError):
        of(bad)


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
class TestExactDraws:
    def test_bits_are_fair(self, make):
        words = make().bits(20_000)
        ones = np.unpackbits(words.view(np.uint8)).reshape(-1, 64).sum(axis=0, dtype=np.int64)
        assert np.abs(ones - 10_000).max() < 6 * np.sqrt(5_000)

    def test_bernoulli(self, make):
        source = make()
        assert not source.bernoulli(1000, Fraction(0)).any()
        assert source.bernoulli(1000, Fraction(1)).all()
        assert not source.bernoulli(1000, Fraction(1, 2**65)).any()
        hits = int(source.bernoulli(100_000, Fraction(3, 10)).sum())
        assert stats.binomtest(hits, 100_000, 0.3).pvalue > 1e-6
        for bad in (Fraction(-1, 2), Fraction(3, 2)):
            with pytest.raises(ParameterError):
                source.bernoulli(1, bad)

    def test_uniform_indices(self, make):
        source = make()
        counts = np.bincount(source.uniform_indices(50_000, 7), minlength=7)
        assert counts.size == 7
        assert stats.chisquare(counts).pvalue > 1e-6
        # Without rejection, the lower third of this range would come up twice as often.
        bound = 3 * 2**61
        low = (source.uniform_indices(20_000, bound) < bound // 3).mean()
        assert low == pytest.approx(1 / 3, abs=0.02)
        assert set(source.uniform_indices(100, 2**63) >= 0) == {True}
        assert source.uniform_indices(10, 1).tolist() == [0] * 10
        for bad in (0, 2**63 + 1):
            with pytest.raises(ParameterError):
                source.uniform_indices(1, bad)

    def test_permutation(self, make):
        source = make()
        assert sorted(source.permutation(100)) == list(range(100))
        assert source.permutation(0).size == 0
        seen = Counter(tuple(source.permutation(3)) for _ in range(6000))
        assert stats.chisquare([seen[order] for order in itertools.permutations(range(3))]).pvalue > 1e-6

    def test_top_k_draws_without_replacement(self, make):
        source = make()
        assert sorted(source.noisy_top_k([1, 2, 3, 4], 4, 1.0)) == [0, 1, 2, 3]
        assert source.noisy_top_k([10, 50, 30], 2, 1e-3).tolist() == [1, 2]
        # Peeling the exponential mechanism: the second is chosen from those that are left.
        weights = np.exp([0.0, 0.5, 1.0])
        seen = Counter(tuple(source.noisy_top_k([0.0, 1.0, 2.0], 2, 2.0, "gumbel")) for _ in range(5000))
        pairs = list(itertools.permutations(range(3), 2))
        expected = [
            weights[i] * weights[j] / (weights.sum() * (weights.sum() - weights[i])) for i, j in pairs
        ]
        assert stats.chisquare([seen[pair] for pair in pairs], 5000 * np.array(expected)).pvalue > 1e-6


def test_heavy_parts_are_imported_only_when_noise_is_drawn():
    code = "import sys, privet.mechanisms; sys.exit('opendp' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
