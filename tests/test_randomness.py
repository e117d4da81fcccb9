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
from privet.mechanisms import PermuteAndFlip
from privet.randomness import Randomness, of, secure, seeded
from privet.randomness.exact import add_laplace_noise, flip_choice, ratio_of

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


class TestDrawsFromBits:
    """The samplers of ``randomness.exact``, on bits that are known."""

    @pytest.mark.parametrize("scale", [0.3, 0.5, 1.0, 2.7, 4.0])
    def test_the_law_is_exact_and_another_scale_is_rejected(self, scale):
        noise = add_laplace_noise(np.zeros(60_000, np.int64), ratio_of(scale), seeded(1).bits)
        reach = int(6 * scale) + 1
        seen = np.bincount(np.clip(noise, -reach, reach) + reach, minlength=2 * reach + 1)
        assert _p_value(seen, scale) > 1e-6
        assert _p_value(seen, 1.1 * scale) < 1e-6
        assert _p_value(seen, 0.9 * scale) < 1e-6

    def test_wide_noise_is_uniform_within_a_small_part_of_its_scale(self):
        noise = add_laplace_noise(np.zeros(40_000, np.int64), ratio_of(2.0**40 + 0.125), seeded(2).bits)
        assert stats.kstest(noise / 2.0**40, stats.laplace.cdf).pvalue > 1e-6
        assert stats.kstest(noise % 1000, stats.uniform(-0.5, 1000).cdf).pvalue > 1e-6

    @pytest.mark.parametrize("scale", [0.3, 6.25, 1e6])
    def test_bits_that_come_in_small_pieces_make_no_difference(self, scale):
        stream = seeded(3).bits(200_000)
        whole = add_laplace_noise(np.zeros(300, np.int64), ratio_of(scale), _Pieces(stream, 10**9))
        pieces = add_laplace_noise(np.zeros(300, np.int64), ratio_of(scale), _Pieces(stream, 3))
        assert whole.tolist() == pieces.tolist()
        scores = np.arange(40) * int(scale + 1)
        for place in range(20):
            one, other = _Pieces(stream[place:], 10**9), _Pieces(stream[place:], 1)
            assert flip_choice(scores, ratio_of(scale), one) == flip_choice(scores, ratio_of(scale), other)

    def test_fresh_bits_for_a_draw_that_ran_out_of_them_would_be_wrong(self):
        """The planted fault: whoever begins such a draw with other bits makes long draws too rare."""
        from privet.randomness.exact_kernels import laplace_draws

        source, found = seeded(4), []
        while len(found) < 20_000:
            rest, turns, negative = np.empty(1, np.int64), np.empty(1, np.int64), np.empty(1, np.bool_)
            done, _ = laplace_draws(1, 0, source.bits(6), 0, rest, turns, negative)
            if done:
                found.append(int(turns[0]) * (-1 if negative[0] else 1))
        assert _p_value(np.bincount(np.clip(found, -7, 7) + 7, minlength=15), 1.0) < 1e-6

    def test_sums_stop_at_the_ends_of_64_bits_and_are_the_same_in_large_numbers(self):
        ends = np.repeat([2**63 - 1, -(2**63), 5, 2**61], 50)
        noisy = add_laplace_noise(ends, ratio_of(1000.0), seeded(5).bits)
        noise = add_laplace_noise(np.zeros(200, np.int64), ratio_of(1000.0), seeded(5).bits)
        sums = [one + other for one, other in zip(ends.tolist(), noise.tolist(), strict=True)]
        exact = [min(max(each, -(2**63)), 2**63 - 1) for each in sums]
        assert noisy.tolist() == exact

    def test_permute_and_flip_has_its_law(self):
        scores, scale, source = np.array([0, 3, 4, -50], np.int64), 1.7, seeded(6)
        chosen = [flip_choice(scores, ratio_of(scale), source.bits) for _ in range(30_000)]
        seen = np.bincount(chosen, minlength=4)
        law = PermuteAndFlip(Fraction(1), Fraction(17, 10), monotonic=True).probabilities(scores)
        assert seen[3] == 0
        assert stats.chisquare(seen[:3], law[:3] / law[:3].sum() * 30_000).pvalue > 1e-6
        wrong = PermuteAndFlip(Fraction(1), Fraction(14, 10), monotonic=True).probabilities(scores)
        assert stats.chisquare(seen[:3], wrong[:3] / wrong[:3].sum() * 30_000).pvalue < 1e-6

    def test_what_64_bits_do_not_hold_is_left_to_others(self):
        assert ratio_of(2.0**62) is ratio_of(2.0**-80) is None
        assert flip_choice(np.array([0, 2**62]), (1, 0), seeded(0).bits) is None
        assert flip_choice(np.array([-(2**62), 2**62]), (1, 0), seeded(0).bits) is None
        assert secure().noisy_max(np.array([0, 2**62]), 1.0) == 1
        assert secure().add_discrete_laplace(np.zeros(3, np.int64), 2.0**-80).tolist() == [0, 0, 0]


class _Pieces:
    """A fixed stream of bits, handed out so many words at a time, whatever is asked for."""

    def __init__(self, stream: np.ndarray, most: int) -> None:
        self._stream, self._most = stream, most

    def __call__(self, size: int) -> np.ndarray:
        taken, self._stream = np.split(self._stream, [min(size, self._most)])
        return taken


def _p_value(seen: np.ndarray, scale: float) -> float:
    """Of counts of −reach to reach, both ends holding all beyond, under discrete Laplace noise."""
    reach = (len(seen) - 1) // 2
    ratio = np.exp(-1 / scale)
    law = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1))
    law[[0, -1]] /= 1 - ratio
    assert abs(law.sum() - 1) < 1e-12
    return float(stats.chisquare(seen, law * seen.sum()).pvalue)
