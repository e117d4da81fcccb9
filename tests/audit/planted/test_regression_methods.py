"""PLANTED WRONG VERSIONS of Privet's own regressions. Nothing in this file may be used outside of tests.

Each setting is chosen so that one record moves as much as the proofs allow: tables in which it is alone in
its class and far on the wrong side, with few attributes, so that the loss is in few numbers. Where a model
mixes the noise of many answers into a few weights, its ``Transcript`` is audited: all that it was told. The
right version stands the same audit in every setting. ``python -m reproduction regression_audit`` shows how
near to its ε each right version comes with more runs.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

import numpy as np
import pytest

from privet.audit import Pair, Transcript
from privet.audit.pairs import table_of
from privet.learning.classify import LogisticRegression
from privet.learning.regress.linear import Ridge
from privet.mechanisms import PermuteAndFlip, perturbed_minimum
from privet.mechanisms.geometric import GeometricNoise
from privet.mechanisms.perturbed_minimum import ObjectivePerturbation, OutputPerturbation
from privet.randomness import seeded
from privet.schema import Schema, Unit
from privet.stats.base import Sensitivity, Statistic
from privet.stats.linear.gradient import Gradient
from privet.stats.linear.products import Products
from privet.stats.linear.steepest import SteepestCoordinate

EPSILON, DELTA = 1.0, 0.01
CLASSES = ["no", "yes"]
SHOWN = 2**60  # a sensitivity divided by this leaves no noise worth the name


def columns(target, **domains):
    return Schema.of(domains, target=target, missing="error")


def records(number, schema, *values):
    return [dict(zip(schema.names, values, strict=True))] * number


def one_more(schema, base, unit):
    """A base table with one unit of privacy and without it."""
    return [Pair("one more", table_of(schema, base + unit), table_of(schema, base))]


# One value is enough for a category: a record is in one cell, which then has all of the loss.
VALUE = columns("y", a=["x"], y=CLASSES)
TWO = columns("y", a=["x"], b=["x"], y=CLASSES)
CROSSED = columns("y", a=["x", "z"], b=["x", "z"], y=CLASSES)
NUMBER = columns("y", a=(-1.0, 1.0), y=CLASSES)
TARGET = columns("t", a=["x"], t=(-1.0, 1.0))
PERSONS = replace(VALUE, unit=Unit(id="patient", most=8))

# All others are of the other class, so the record's residual is near 1.
ALONE = one_more(VALUE, records(60, VALUE, "x", "no"), records(1, VALUE, "x", "yes"))
ALONE_NUMBER = one_more(NUMBER, records(60, NUMBER, 1.0, "no"), records(1, NUMBER, 1.0, "yes"))
ALONE_IN_TWO = one_more(TWO, records(30, TWO, "x", "x", "no"), records(1, TWO, "x", "x", "yes"))
# In an empty table gradients are 0 at all weights, all choices are even, and a number at its middle moves the
# intercept alone.
FIRST = one_more(VALUE, [], records(1, VALUE, "x", "no"))
MIDDLE = one_more(NUMBER, [], records(1, NUMBER, 0.0, "yes"))
FIRST_TARGET = one_more(TARGET, [], records(1, TARGET, "x", 1.0))
APART = one_more(CROSSED, [], records(1, CROSSED, "x", "z", "yes"))
PATIENT = [row | {"patient": "one"} for row in records(8, VALUE, "x", "yes")]
OTHERS = [row | {"patient": f"other {j}"} for j, row in enumerate(records(60, VALUE, "x", "no"))]
PERSON = one_more(PERSONS, OTHERS, PATIENT)


def lever(number):
    """Records near one end that put the other on the wrong side, and add no curvature in its direction."""
    base = records(number, NUMBER, -0.8, "no") + records(number, NUMBER, -1.0, "yes")
    return one_more(NUMBER, base, records(1, NUMBER, 1.0, "yes"))


def logistic(schema, method, kind=LogisticRegression, epsilon=EPSILON, **more):
    return kind(epsilon=epsilon, schema=schema, method=method, **more)


def size_of_margin(table):
    """The size of the record's margin, which is small or very large: events look to one side only."""
    model = logistic(VALUE, "objective", regularisation=0.0005).fit(table)
    return abs(float(model.intercept_[0] + model.coef_[0, 0]))


def setting(thing, pairs, runs=2_000, **how):
    return {"thing": thing, "pairs": pairs, "runs": runs} | how


ridge = Ridge(epsilon=EPSILON, schema=TARGET)
SETTINGS = {
    "gradient": setting(Transcript(logistic(VALUE, "newton", steps=1)), FIRST),
    "gradient, delta": setting(Transcript(logistic(VALUE, "newton", steps=1, delta=DELTA)), FIRST),
    "counts": setting(Transcript(logistic(VALUE, "newton", steps=1)), ALONE, 1_000),
    "counts of persons": setting(logistic(PERSONS, "newton", steps=0), PERSON),
    "two counts": setting(Transcript(logistic(CROSSED, "newton", steps=0)), APART, 1_000),
    "tilt": setting(logistic(NUMBER, "objective"), lever(80)),
    "tilt, bins": setting(logistic(NUMBER, "objective", numbers="bins", bins=2), lever(80)),
    "gradient, bins": setting(
        Transcript(logistic(NUMBER, "newton", steps=1, numbers="bins", bins=2)), ALONE_NUMBER
    ),
    "tilt, delta": setting(logistic(NUMBER, "objective", delta=DELTA), lever(80)),
    "hardly curved": setting(size_of_margin, FIRST, 4_000, schema=VALUE, epsilon=EPSILON),
    "last bits": setting(logistic(NUMBER, "objective", regularisation=4.0), MIDDLE, 2_000),
    "minimum": setting(logistic(NUMBER, "output"), lever(400)),
    "products": setting(Transcript(logistic(TWO, "functional")), ALONE_IN_TWO),
    "products, delta": setting(Transcript(logistic(TWO, "functional", delta=DELTA)), ALONE_IN_TWO),
    "products, weights alone": setting(logistic(TWO, "functional"), ALONE_IN_TWO, 1_000),
    "choices": setting(logistic(VALUE, "privgene", steps=4), FIRST, 2_000),
    "ridge": setting(Transcript(ridge), FIRST_TARGET),
    "ridge, weights alone": setting(ridge, FIRST_TARGET, 1_000),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_privets_own_pass(passed, name):
    passed(**SETTINGS[name])


def test_such_a_setting_shows_what_a_right_version_spends(passed):
    """An audit that sees nothing of a right version would not see much of a wrong one either."""
    assert (
        passed(logistic(VALUE, "newton", steps=0, epsilon=2.0), pairs=ALONE, runs=1_200, whole=True).bound
        > 0.5
    )


def shrink(monkeypatch, which, factor):
    """WRONG: the sensitivity of some statistics, divided by the factor."""
    right = Statistic.sensitivity

    def wrong(self, schema, unit=None):
        true = right(self, schema, unit)
        if not which(self):
            return true
        return Sensitivity(max(true.l1 // factor, 1), max(true.squared_l2 // factor**2, 1))

    monkeypatch.setattr(Statistic, "sensitivity", wrong)


@pytest.mark.parametrize("name", ["gradient", "gradient, delta", "gradient, bins"])
def test_noise_for_a_mean_gradient_on_a_sum(caught, monkeypatch, name):
    """WRONG: noise for the mean gradient of 64 records, put on their sum. The true ε is far above 10."""
    shrink(monkeypatch, lambda statistic: isinstance(statistic, Gradient), 64)
    caught(**SETTINGS[name])


def test_class_sums_without_noise(caught, monkeypatch):
    """WRONG: only what is asked in the steps gets noise; the counts before them are told as they are."""
    right = GeometricNoise.randomise

    def wrong(self, value, randomness):
        return np.asarray(value) if self.sensitivity == 1 else right(self, value, randomness)

    monkeypatch.setattr(GeometricNoise, "randomise", wrong)
    caught(**SETTINGS["counts"])


def test_noise_for_a_record_where_a_person_has_eight(caught, monkeypatch):
    """WRONG: the unit of privacy is forgotten. The true ε is 8."""
    right = Statistic.sensitivity
    monkeypatch.setattr(Statistic, "sensitivity", lambda self, schema: right(self, schema, Unit()))
    caught(**SETTINGS["counts of persons"])


class SameNoise(LogisticRegression):
    """WRONG: noise is drawn once and used for every table; the difference of two has none."""

    def _fit(self, curator):
        seed, ask = secrets.randbits(64), curator.ask_together

        def again(asked):
            curator._run.randomness = seeded(seed)
            return ask([asked])[0]

        curator.ask_together = lambda several: [again(asked) for asked in several]
        super()._fit(curator)


def test_noise_that_is_used_twice(caught):
    right = SETTINGS["two counts"]
    caught(**(right | {"thing": Transcript(logistic(CROSSED, "newton", SameNoise, steps=0))}))


@pytest.mark.parametrize("name", ["tilt", "tilt, delta"])
def test_a_sixteenth_of_the_tilt(caught, monkeypatch, name):
    """WRONG: the tilt's scale is too small. The true ε of the pure version is nearly 14."""
    drawn = ObjectivePerturbation.tilt
    monkeypatch.setattr(ObjectivePerturbation, "tilt", lambda self, randomness: drawn(self, randomness) / 16)
    caught(**SETTINGS[name])


def test_an_objective_with_hardly_any_curvature(caught, monkeypatch):
    """WRONG: λ is not raised and the change of curvature not paid for.

    Without records the weights are the tilt over λ = 0.0005, and the margin is nearly always far from 0. The
    slope of one record balances 22 % of all tilts (those with a sum between 0 and 2) and keeps it near.
    """
    monkeypatch.setattr(ObjectivePerturbation, "regularisation", property(lambda self: self.asked))
    monkeypatch.setattr(perturbed_minimum, "tilt_epsilon", lambda budget, *how, **more: budget)
    caught(**SETTINGS["hardly curved"])


def test_the_minimum_of_the_tilted_objective_as_it_is(caught, monkeypatch):
    """WRONG: no noise for where the solver stopped. Without records that is on the grid of the tilt."""
    monkeypatch.setattr(ObjectivePerturbation, "release", lambda self, weights, randomness: weights)
    assert "lowest bit" in caught(**SETTINGS["last bits"]).event.description


def test_a_sixteenth_of_the_noise_on_the_minimum(caught, monkeypatch):
    """WRONG: as if minima were a sixteenth as far apart. The true ε is about 14."""
    right = OutputPerturbation.__dict__["noise"].func

    def wrong(self):
        noise = right(self)
        return replace(noise, sensitivity=noise.sensitivity // 16)

    monkeypatch.setattr(OutputPerturbation, "noise", property(wrong))
    caught(**SETTINGS["minimum"])


@pytest.mark.parametrize("name", ["products", "products, delta", "ridge"])
def test_products_with_a_sixteenth_of_their_noise(caught, monkeypatch, name):
    """WRONG: a record's products, divided by sixteen: the true ε is at least 8."""
    shrink(monkeypatch, lambda statistic: isinstance(statistic, Products), 16)
    caught(**SETTINGS[name])


def test_a_functional_mechanism_without_noise(caught, monkeypatch):
    """WRONG: as DPWeka's at ε = 0. The weights alone tell."""
    shrink(monkeypatch, lambda statistic: isinstance(statistic, Products), SHOWN)
    caught(**SETTINGS["products, weights alone"])


def test_the_best_move_always(caught, monkeypatch):
    """WRONG: the largest score itself, instead of a private choice."""
    monkeypatch.setattr(PermuteAndFlip, "choose", lambda self, scores, randomness: int(np.argmax(scores)))
    caught(**SETTINGS["choices"])


def test_a_spread_in_records_of_scores_in_fixed_point(caught, monkeypatch):
    """WRONG: a spread of 2, where scores count multiples of 2⁻²⁰: the better half of the moves wins."""
    monkeypatch.setattr(SteepestCoordinate, "spread", 2)
    caught(**SETTINGS["choices"])


def test_a_ridge_that_shows_the_target(caught, monkeypatch):
    """WRONG: noise on the matrix of the attributes only; the products with the target are exact."""
    shrink(monkeypatch, lambda statistic: getattr(statistic, "target", None) is not None, SHOWN)
    caught(**SETTINGS["ridge, weights alone"])
