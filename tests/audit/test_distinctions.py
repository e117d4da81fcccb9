"""Outputs, scores and events."""

from __future__ import annotations

import json

import numpy as np
import pytest

from privet.audit.distinctions import Distinction, learn_distinction
from privet.audit.outputs import ABSENT, Sample, joined, released_by, sample_of


def sample(**columns):
    return Sample(tuple(columns), np.stack([np.asarray(c, float) for c in columns.values()], axis=1))


def test_everything_becomes_named_numbers():
    output = {"a": np.array([[1, 2], [3, 4]]), "b": [True, None, float("nan")], "c": {"d": "text"}, "e": 5}
    drawn = sample_of([output, output])
    assert drawn.places == ("a[0]", "a[1]", "a[2]", "a[3]", "b[0]", "b[1]", "b[2]", "c.d", "e")
    assert (drawn.values[0] == drawn.values[1]).all()
    assert drawn.values[0][[4, 5, 6]].tolist() == [1, ABSENT, ABSENT]
    assert np.isfinite(drawn.values).all()


def test_runs_that_release_different_things_keep_their_places():
    """Columns go by name: a number that only some runs release must not push the others aside."""
    drawn = sample_of([{"z": 1}, {"a": 7, "z": 2}, {"z": 3}])
    assert drawn.places == ("a", "z")
    assert drawn.values.tolist() == [[ABSENT, 1], [7, 2], [ABSENT, 3]]
    both = joined([sample(z=[1]), sample(a=[5], z=[6])])
    assert both.at(["z", "nowhere"]).tolist() == [[1, ABSENT], [6, ABSENT]]


def test_a_bare_output_has_a_name():
    assert sample_of([3.5, 4.0]).places == ("output",)


def test_a_model_shows_what_it_learned_and_no_more():
    class Model:
        pass

    model = Model()
    model.counts_, model._hidden_, model.epsilon, model.schema_ = [1], 2, 1.0, "public"
    assert released_by(model) == {"_hidden_": 2, "counts_": [1]}


GENERATOR = np.random.default_rng(5)
SIZE = 4000
NOISE = GENERATOR.laplace(0, 1, (6, SIZE))
TWICE = GENERATOR.laplace(0, 50, (2, SIZE))
SHUFFLED = GENERATOR.integers(0, 4, (2, SIZE))
CASES = {
    "a threshold": (sample(x=NOISE[0], y=NOISE[1]), sample(x=NOISE[2] + 2, y=NOISE[3]), "x"),
    "a histogram": (
        sample(x=3 * NOISE[0].round()),
        sample(x=3 * NOISE[2].round() + 1),
        "likelihood ratio of x",
    ),
    "a difference": (
        sample(x=TWICE[0], y=TWICE[0] + 1),
        sample(x=TWICE[1], y=TWICE[1]),
        "linear combination",
    ),
    "a lowest bit": (sample(x=NOISE[0]), sample(x=(NOISE[2] + 1) - 1), "lowest bit of x"),
    "a whole row": (
        sample(x=SHUFFLED[0], y=SHUFFLED[0]),
        sample(x=SHUFFLED[1], y=(SHUFFLED[1] + 1) % 4),
        "whole released row",
    ),
}


@pytest.mark.parametrize(("first", "second", "words"), CASES.values(), ids=CASES)
def test_the_right_event_is_learned_and_survives_a_report(first, second, words):
    event, apparent = learn_distinction(first, second, confidence=0.99)
    assert words in event.description
    assert apparent > 1
    again = Distinction.from_dict(json.loads(json.dumps(event.to_dict())))
    assert (again.hits(first), again.hits(second)) == (event.hits(first), event.hits(second))


def test_the_sum_of_ratios_joins_weak_evidence():
    first, second = (
        sample(**{f"x{j}": GENERATOR.laplace(shift, 2, SIZE) for j in range(6)}) for shift in (0, 1)
    )
    event, apparent = learn_distinction(first, second, confidence=0.99)
    assert apparent > 1  # each number by itself has ε = 0.5
    assert event.bound(first, second, confidence=0.99, delta=0.0) > 0.9


def test_nothing_to_learn():
    same = sample(x=np.ones(50))
    event, apparent = learn_distinction(same, same, confidence=0.99)
    assert (apparent, event.bound(same, same, confidence=0.99, delta=0.0)) == (0, 0)
    json.dumps(event.to_dict(), allow_nan=False)


def test_numbers_that_are_sometimes_absent():
    first = sample_of([{"x": 1.0}] * 200)
    second = sample_of([{"x": None}, {}] * 100)
    _, apparent = learn_distinction(first, second, confidence=0.99)
    assert apparent > 2


def test_learning_from_noise_promises_nothing_on_fresh_runs():
    """Overfitting is harmless: what was learned on equal distributions has no bound on others."""
    for seed in range(20):
        generator = np.random.default_rng(seed)
        drawn = [sample(**{f"x{j}": generator.normal(size=200) for j in range(8)}) for _ in range(4)]
        event, _ = learn_distinction(drawn[0], drawn[1], confidence=0.9)
        assert event.bound(drawn[2], drawn[3], confidence=1 - 1e-8, delta=0.0) == 0


def test_an_event_that_was_merely_lucky_is_not_preferred():
    """Beyond 1, every threshold has the same true ratio; the rarer it is, the more it depends on luck."""
    generator = np.random.default_rng(8)

    def side(centre, size=2_000):
        return sample(x=np.round(generator.laplace(centre, 1, size), 6))

    def shown():
        event, _ = learn_distinction(side(0), side(1), confidence=0.99)
        return event.bound(side(0), side(1), confidence=0.99, delta=0.0)

    # The best there is shows 0.82 on average. By the apparent bound alone, one event in 20 shows below 0.65.
    assert np.quantile([shown() for _ in range(60)], 0.05) > 0.7


def test_a_leak_that_is_clear_but_rare_is_found_beside_a_common_one():
    """One run in a hundred tells the record outright; a noisy number tells a little in every run."""
    generator = np.random.default_rng(9)

    def side(record, size=5_000):
        told = np.where(generator.random(size) < 0.01, record, 0.5)
        return sample(told=told, noisy=np.round(generator.laplace(record, 2, size), 6))

    def shown():
        event, _ = learn_distinction(side(0), side(1), confidence=0.999)
        return event.bound(side(0), side(1), confidence=0.999, delta=0.0)

    # The common one alone shows 0.4.
    assert np.mean([shown() for _ in range(30)]) > 1.0
