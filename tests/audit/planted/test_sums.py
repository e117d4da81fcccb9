"""PLANTED WRONG VERSIONS of counts and sums. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow.compute as pc
import pytest

from privet.mechanisms import Geometric, Laplace
from privet.randomness import secure
from privet.schema import Schema, Unit
from privet.stats.contribution import bound_batches

EPSILON = 1.0
SCHEMA = Schema.of({"age": (0.0, 100.0), "income": (0.0, 10_000.0)})
COUNT = Geometric(Fraction(1))
AGES = Laplace(Fraction(1), Fraction(100))


def ages(table):
    return table["age"].drop_null().to_numpy()


def geometric(generator, ratio):
    """Two-sided geometric noise from NumPy: fast, and good enough for a planted version."""
    return int(generator.geometric(1 - ratio) - generator.geometric(1 - ratio))


GENERATOR = np.random.default_rng()


def resampled_until_non_negative(table):
    """WRONG: for 0 and 1 records the ratio at 0 is (1 + r − r²)/r with r = e^(−ε): ε is 0.714 instead of 0.5."""
    while (noisy := len(table) + geometric(GENERATOR, np.exp(-0.5))) < 0:
        pass
    return noisy


def cut_at_zero(table):
    """RIGHT: negative counts are cut afterwards."""
    return max(0, len(table) + geometric(GENERATOR, np.exp(-0.5)))


def test_noise_resampled_until_non_negative(caught, passed):
    schema = Schema.of({"ill": ["no", "yes"]})
    found = caught(resampled_until_non_negative, schema=schema, epsilon=0.5, runs=160_000, search_runs=1000)
    assert found.bound < 0.72
    passed(cut_at_zero, schema=schema, epsilon=0.5, runs=160_000, search_runs=1000)


def bounds_read_from_the_data(table):
    """WRONG: the noise is as large as the largest value that happens to be there."""
    values = ages(table)
    bound = values.max(initial=0.0)
    return float(values.sum() + bound * secure().add_laplace([0.0], 1 / EPSILON)[0])


def clipped_after_summing(table):
    """WRONG: the sum is clipped, when one record has already moved it by far more than 100."""
    values = ages(table)
    return float(AGES.randomise([min(max(values.sum(), 0), 100 * len(values))], secure())[0])


def noise_added_to_a_copy(table):
    """WRONG: the noise goes to a copy, and the exact array is returned."""
    total = np.array([np.clip(ages(table), 0, 100).sum()])
    noisy = total.copy()
    noisy += AGES.randomise([0.0], secure())
    return total


def clipped_sum(table):
    """RIGHT: every value within the declared bounds before it is added."""
    return AGES.randomise([np.clip(ages(table), 0, 100).sum()], secure())


@pytest.mark.parametrize("wrong", [bounds_read_from_the_data, clipped_after_summing, noise_added_to_a_copy])
def test_wrong_sums(caught, wrong):
    caught(wrong, schema=SCHEMA, epsilon=EPSILON)


def test_right_sum(passed):
    assert passed(clipped_sum, schema=SCHEMA, epsilon=EPSILON, runs=12_000).bound > 0.4


def two_sums(table, *bounds):
    totals = [np.clip(table[name].drop_null().to_numpy(), 0, high).sum() for name, high in zip(
        ("age", "income"), (100, 10_000), strict=True)]  # fmt: skip
    return [
        float(Laplace(Fraction(1, 2), Fraction(bound)).randomise([total], secure())[0])
        for total, bound in zip(totals, bounds, strict=True)
    ]


def one_bound_for_two_columns(table):
    """WRONG: the noise of the second sum is scaled to the first column."""
    return two_sums(table, 100, 100)


def a_bound_for_each_column(table):
    """RIGHT."""
    return two_sums(table, 100, 10_000)


def test_one_bound_for_two_columns(caught, passed):
    assert "income" not in caught(one_bound_for_two_columns, schema=SCHEMA, epsilon=EPSILON).subject
    passed(a_bound_for_each_column, schema=SCHEMA, epsilon=EPSILON)


PATIENTS = replace(SCHEMA, unit=Unit(id="patient", most=3))


def ignores_the_unit(table):
    """WRONG: noise for one record, though a patient has up to three: the true ε is 3."""
    return COUNT.randomise(
        [sum(batch.num_rows for batch in bound_batches(table.to_batches(), PATIENTS.unit))], secure()
    )


def ignores_the_limit(table):
    """WRONG: noise for three records, but nobody drops a patient's fourth: the true ε has no bound."""
    return Geometric(Fraction(1), 3).randomise([len(table)], secure())


def for_the_unit(table):
    """RIGHT: at most three records a patient, and noise for three."""
    count = sum(batch.num_rows for batch in bound_batches(table.to_batches(), PATIENTS.unit))
    return Geometric(Fraction(1), 3).randomise([count], secure())


def test_the_unit_of_privacy(caught, passed):
    caught(ignores_the_unit, schema=PATIENTS, epsilon=EPSILON)
    caught(ignores_the_limit, schema=PATIENTS, epsilon=EPSILON)
    passed(for_the_unit, schema=PATIENTS, epsilon=EPSILON)


def test_exact_accuracy_on_a_private_table(caught, passed):
    def exact(table):
        """WRONG: a test score without noise."""
        return (pc.sum(pc.greater(table["age"], 50)).as_py() or 0) / max(1, len(table))

    def noisy(table):
        """RIGHT: the number of hits and the number of records, each with noise for half of ε."""
        right = pc.sum(pc.greater(table["age"], 50)).as_py() or 0
        return Geometric(Fraction(1, 2)).randomise([right], secure()), Geometric(Fraction(1, 2)).randomise(
            [len(table)], secure()
        )

    caught(exact, schema=SCHEMA, epsilon=EPSILON)
    passed(noisy, schema=SCHEMA, epsilon=EPSILON)
