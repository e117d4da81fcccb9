"""Mechanisms that choose: one set of tests for both of them."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget.events import PureEvent
from privet.errors import DataError, ParameterError
from privet.mechanisms import Exponential, PermuteAndFlip, Selection
from privet.mechanisms.rounding import up
from privet.randomness import secure, seeded

SOURCES = {"secure": secure, "seeded": lambda: seeded(20_240_601)}
MECHANISMS = [Exponential, PermuteAndFlip]

# One good candidate against forty poor ones, at a gap that makes them about equally likely: how often the
# good one wins then says the most about the scale.
SCORES = np.array([9] + [0, 1] * 20)


class SelectionTests(ABC):
    """What every mechanism that chooses passes."""

    kind: type[Selection]

    @abstractmethod
    def by_definition(self, scores: list[float], scale: float) -> list[float]:
        """The probabilities, computed by following the definition step by step."""

    @pytest.mark.parametrize("source", SOURCES)
    @pytest.mark.parametrize("kind_of_scores", [np.int64, np.float64])
    def test_choices_have_their_distribution_and_no_other(self, source, kind_of_scores, p_value, false_alarm):
        mechanism, randomness = self.kind(Fraction(1), Fraction(1)), SOURCES[source]()
        scores = SCORES.astype(kind_of_scores)
        chosen = [mechanism.choose(scores, randomness) for _ in range(4000)]
        observed = np.bincount(chosen, minlength=scores.size)
        assert p_value(observed, mechanism.probabilities(scores), cells=20) > false_alarm
        for factor in (Fraction(9, 10), Fraction(11, 10)):
            wrong = self.kind(1 / factor, Fraction(1))
            assert p_value(observed, wrong.probabilities(scores), cells=20) < false_alarm

    @pytest.mark.parametrize(
        "scores", [[0.0], [3.0, 3.0], [0.0, 1.0, 2.5], [4.0, 0.0, 3.5, 3.9], [0, -50, 9, 9, 1]]
    )
    def test_probabilities_follow_the_definition(self, scores):
        mechanism = self.kind(Fraction(3, 4), Fraction(3, 2))
        assert mechanism.scale == 4.0
        expected = self.by_definition(scores, 4.0)
        assert mechanism.probabilities(scores) == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("count", [150, 201, 5000])
    def test_probabilities_of_many_candidates_add_up(self, count):
        for scores in (np.zeros(count), np.linspace(0, 60, count)):
            assert self.kind(Fraction(1)).probabilities(scores).sum() == pytest.approx(1.0, rel=1e-9)

    def test_error_bounds_the_shortfall(self):
        mechanism = self.kind(Fraction(1))
        shortfall = SCORES.max() - SCORES
        for confidence in (0.5, 0.95):
            inside = shortfall <= mechanism.error(SCORES.size, confidence)
            assert mechanism.probabilities(SCORES)[inside].sum() >= confidence

    def test_event_and_contract(self):
        mechanism = self.kind(Fraction(1, 3))
        assert isinstance(mechanism, Selection)
        assert isinstance(mechanism.event, PureEvent)
        assert mechanism.event.epsilon == Fraction(1, 3)
        assert self.kind(Fraction(1, 2)).scale == 4.0
        assert self.kind(Fraction(1, 2), monotonic=True).scale == 2.0

    def test_leaves_scores_as_they_are(self):
        scores = np.array([1.0, 2.0, 3.0])
        scores.flags.writeable = False
        for source in (secure(), seeded(1)):
            assert self.kind(Fraction(1)).choose(scores, source) in range(3)
            assert self.kind(Fraction(1)).choose([5], source) == 0

    def test_extreme_epsilons(self):
        for source in (secure(), seeded(1)):
            assert {self.kind(Fraction(10**40)).choose([1, 3, 2], source) for _ in range(20)} == {1}
            assert len({self.kind(Fraction(1, 10**9)).choose([1, 3, 2], source) for _ in range(100)}) == 3
        assert self.kind(Fraction(10**40)).probabilities([1, 3, 2]).tolist() == [0.0, 1.0, 0.0]

    @pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf")])
    def test_refuses_bad_parameters(self, bad):
        for field in ("epsilon", "sensitivity"):
            with pytest.raises(ParameterError):
                replace(self.kind(Fraction(1)), **{field: bad})
        with pytest.raises(ParameterError, match="overflow"):
            self.kind(Fraction(1), Fraction(10**400))

    def test_refuses_bad_scores_without_telling_them(self):
        mechanism = self.kind(Fraction(1))
        for bad in ([4711.5, math.nan], [4711.5, math.inf], ["4711"]):
            with pytest.raises(DataError) as caught:
                mechanism.choose(bad, seeded(1))
            assert "4711" not in str(caught.value)
        for bad in ([], [[1, 2]], 3):
            with pytest.raises(ParameterError):
                mechanism.choose(bad, seeded(1))


class TestExponential(SelectionTests):
    kind = Exponential

    def by_definition(self, scores, scale):
        weights = [math.exp(score / scale) for score in scores]
        return [weight / sum(weights) for weight in weights]


class TestPermuteAndFlip(SelectionTests):
    kind = PermuteAndFlip

    def by_definition(self, scores, scale):
        coins = [math.exp((score - max(scores)) / scale) for score in scores]
        wins = [0.0] * len(scores)
        for order in itertools.permutations(range(len(scores))):
            still_open = 1.0
            for candidate in order:
                wins[candidate] += still_open * coins[candidate]
                still_open *= 1.0 - coins[candidate]
        return [win / math.factorial(len(scores)) for win in wins]

    def test_is_never_worse_than_the_exponential_mechanism(self):
        for gap in (0.1, 1, 5, 20):
            scores = np.array([0.0, gap / 2, gap])
            shortfall = scores.max() - scores
            better, worse = (
                kind(Fraction(1)).probabilities(scores) for kind in (PermuteAndFlip, Exponential)
            )
            assert better @ shortfall <= worse @ shortfall


candidates = st.lists(st.tuples(st.floats(-20, 20), st.floats(-1, 1)), min_size=1, max_size=6)


@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("kind", MECHANISMS)
@given(candidates=candidates, epsilon=st.fractions(Fraction(1, 50), 5), monotonic=st.booleans())
def test_loss_on_neighbours_is_at_most_epsilon(kind, candidates, epsilon, monotonic):
    scores, changes = np.array(candidates).T
    neighbour = scores + (np.abs(changes) if monotonic else changes)
    mechanism = kind(epsilon, Fraction(1), monotonic=monotonic)
    loss = np.log(mechanism.probabilities(scores)) - np.log(mechanism.probabilities(neighbour))
    assert np.abs(loss).max() <= float(epsilon) + 1e-9


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("monotonic", [False, True])
def test_loss_can_reach_epsilon(kind, monotonic):
    """So the factor 2 is needed, and a promise of monotone scores must be true."""
    mechanism = kind(Fraction(1), Fraction(1), monotonic=monotonic)
    scores = np.array([0.0] + [40.0] * 5)
    rising = np.array([0.0] + [1.0] * 5) if monotonic else np.array([-1.0] + [1.0] * 5)
    loss = np.log(mechanism.probabilities(scores)) - np.log(mechanism.probabilities(scores + rising))
    assert np.abs(loss).max() == pytest.approx(1.0, abs=1e-3)


@settings(max_examples=350, deadline=None)
@pytest.mark.parametrize("kind", MECHANISMS)
@given(
    epsilon=st.fractions(Fraction(1, 10**6), 1000) | st.floats(1e-6, 1e3).map(Fraction),
    sensitivity=st.fractions(Fraction(1, 10**6), 10**6) | st.floats(1e-6, 1e6).map(Fraction),
    monotonic=st.booleans(),
)
def test_never_loses_more_than_it_claims_by_opendps_own_account(kind, epsilon, sensitivity, monotonic):
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_noisy_max
    from opendp.measures import max_divergence, zero_concentrated_divergence
    from opendp.metrics import linf_distance

    measure = max_divergence() if kind is PermuteAndFlip else zero_concentrated_divergence()
    domain, metric = (
        vector_domain(atom_domain(T="f64", nan=False)),
        linf_distance(T="f64", monotonic=monotonic),
    )
    mechanism = kind(epsilon, sensitivity, monotonic=monotonic)
    mapped = make_noisy_max(domain, metric, measure, mechanism.scale).map(up(sensitivity))
    if kind is PermuteAndFlip:
        assert Fraction(mapped) <= epsilon
        assert mapped > float(epsilon) * (1 - 1e-12)
    else:  # OpenDP states the exponential mechanism's loss in zCDP, where ε counts as ε²/8
        assert mapped == pytest.approx(float(epsilon) ** 2 / 8, rel=1e-12)
