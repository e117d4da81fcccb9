"""The optimisers: every equation on its definition, seeds, history, stopping rules, and that they search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import ParameterError
from privet.search import BeeColony, BeeEvolution, DifferentialEvolution, RealProblem, Stopping
from privet.search.bee_colony import move_binary, move_real, shares, start
from privet.search.bee_evolution import difference, flipped, merged, selected
from privet.search.differential_evolution import crossed, donors, strangers

LOW, HIGH = np.full(4, -5.0), np.full(4, 5.0)
BITS = [False, True]


def sphere(positions):
    return 1 / (1 + ((positions - 1) ** 2).sum(axis=1))


def colony(seed=0, **more):
    return BeeColony(**({"iterations": 150} | more)).maximise(
        RealProblem(sphere, LOW, HIGH), np.random.default_rng(seed)
    )


def evolution(seed=0, **more):
    return DifferentialEvolution(**({"iterations": 150} | more)).maximise(
        sphere, LOW, HIGH, np.random.default_rng(seed)
    )


WANTED = np.random.default_rng(5).random(30) < 0.4


def hybrid(seed=0, **more):
    return BeeEvolution(**({"iterations": 400} | more)).maximise(
        lambda subsets: (subsets == WANTED).mean(axis=1), 30, np.random.default_rng(seed)
    )


SEARCHES = [colony, evolution, hybrid]


# Equations


def test_equation_3_1():
    positions = start(np.array([0.0, 10.0]), np.array([1.0, 30.0]), 4000, np.random.default_rng(0))
    assert (positions >= [0, 10]).all()
    assert (positions <= [1, 30]).all()
    np.testing.assert_allclose(positions.mean(axis=0), [0.5, 20], rtol=0.05)


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-1, 1))
def test_equation_3_2(own, other, step):
    assert move_real(np.array(own), np.array(other), np.array(step)) == own + step * (own - other)


@given(st.lists(st.floats(0, 9), min_size=1))
def test_equation_3_3(values):
    part = shares(np.array(values))
    assert part.sum() == pytest.approx(1)
    if sum(values) > 1e-9:
        np.testing.assert_allclose(part * sum(values), values, atol=1e-9)


def test_equations_3_5_and_3_6():
    one, two, three = np.random.default_rng(0).random((3, 5, 4))
    np.testing.assert_allclose(donors(one, two, three, 0.7), one + 0.7 * (two - three))
    draw = np.random.default_rng(1)
    assert (crossed(one, two, 1.0, draw) == two).all()
    assert ((crossed(one, two, 0.0, draw) == two).sum(axis=1) == 1).all()
    wide = crossed(np.zeros((200, 200)), np.ones((200, 200)), 0.3, draw)
    assert wide.mean() == pytest.approx(0.3, abs=0.02)


def test_strangers_differ_from_each_other_and_from_oneself():
    for _ in range(50):
        one, two, three = strangers(4, 3, np.random.default_rng(_))
        for place in range(4):
            assert len({place, one[place], two[place], three[place]}) == 4


@pytest.mark.parametrize("own", BITS)
@pytest.mark.parametrize("other", BITS)
@pytest.mark.parametrize("draw", [0.2, 0.6, 0.9])
def test_equation_4_3(own, other, draw):
    factor = 0.6
    if own == other and factor > draw:
        expected = False
    elif own != other and factor > draw:
        expected = other
    else:
        expected = own
    assert move_binary(np.array([own]), np.array([other]), np.array([draw]), factor) == [expected]


@pytest.mark.parametrize("one", BITS)
@pytest.mark.parametrize("other", BITS)
@pytest.mark.parametrize("base", BITS)
def test_equations_3_8_to_3_12(one, other, base):
    apart = difference(np.array([one]), np.array([other]))
    assert apart == [False if one == other else one]
    assert merged(np.array([base]), apart) == [True if apart[0] else base]
    assert flipped(np.array([[base]]), np.array([0])) == [[not base]]


def test_equal_subsets_keep_the_smaller():
    old, new = np.array([[1, 1], [1, 0], [1, 1]], bool), np.array([[1, 0], [1, 1], [1, 1]], bool)
    kept, _ = selected(old, np.array([0.5, 0.5, 0.5]), new, np.array([0.5, 0.5, 0.6]))
    assert kept.tolist() == [[True, False], [True, False], [True, True]]


# Searching


@pytest.mark.parametrize("search", SEARCHES)
def test_it_finds_the_peak(search):
    assert search().fitness > (0.8 if search is hybrid else 0.95)
    assert search().fitness > search(iterations=1).fitness + 0.1


@pytest.mark.parametrize("search", SEARCHES)
def test_seeds_history_and_stopping(search):
    one, again, other = search(1, iterations=20), search(1, iterations=20), search(2, iterations=20)
    np.testing.assert_array_equal(one.position, again.position)
    assert one.history == again.history != other.history
    assert len(one.history) == 20
    assert list(one.history) == sorted(one.history)
    assert one.history[-1] == one.fitness
    assert one.reason == "all iterations were made"
    early = search(1, target=0.5, iterations=300)
    assert early.fitness >= 0.5
    assert len(early.history) < 300
    assert early.reason == "the target was reached"
    assert "nothing was gained" in search(1, iterations=5000, patience=15).reason


def test_every_evaluation_is_counted():
    calls = []

    def counted(positions):
        calls.append(len(positions))
        return sphere(positions)

    found = BeeColony(iterations=30, limit=3).maximise(
        RealProblem(counted, LOW, HIGH), np.random.default_rng(0)
    )
    assert sum(calls) == found.evaluations
    assert calls[0] == 10  # half of twenty bees are employed


def test_scouts_leave_what_does_not_improve():
    """On a flat landscape every source is tired after the limit, and random ones take their place."""
    seen = []

    class Flat(RealProblem):
        def start(self, count, generator):
            seen.append(count)
            return super().start(count, generator)

    BeeColony(iterations=10, limit=4).maximise(
        Flat(lambda x: np.ones(len(x)), LOW, HIGH), np.random.default_rng(0)
    )
    assert len(seen) > 1


def test_similar_places_are_not_entered():
    """Equation 4.2: a better place that resembles an earlier find more is refused."""

    class Shy(RealProblem):
        def start(self, count, generator):
            return -np.abs(super().start(count, generator))

        def similarity(self, positions):
            return (positions[:, 0] > 0).astype(float)

    for kind, reached in ((Shy, False), (RealProblem, True)):
        problem = kind(lambda x: 10 + x[:, 0], LOW, HIGH)
        found = BeeColony(iterations=100, limit=10_000).maximise(problem, np.random.default_rng(3))
        assert (found.position[0] > 0) == reached


@pytest.mark.parametrize(
    "broken",
    [
        lambda: colony(swarm=3),
        lambda: colony(limit=0),
        lambda: colony(iterations=0),
        lambda: evolution(population=3),
        lambda: evolution(factor=3),
        lambda: evolution(rate=-1),
        lambda: hybrid(population=2),
        lambda: Stopping(5, patience=0),
        lambda: BeeEvolution().maximise(lambda s: s.sum(axis=1), 0, np.random.default_rng(0)),
    ],
)
def test_bad_settings(broken):
    with pytest.raises(ParameterError):
        broken()
