"""PLANTED WRONG VERSIONS of counts and sums. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
import pytest

from privet.audit import audit
from privet.errors import DataError, ParameterError
from privet.schema import Schema, Unit
from privet.stats.contribution import bound_batches

EPSILON = 1.0
SCHEMA = Schema.of({"age": (0.0, 100.0), "income": (0.0, 10_000.0)})
GENERATOR = np.random.default_rng()


def noise(scale):
    """Two-sided geometric noise from NumPy: fast, and good enough for a planted version."""
    if scale == 0:
        return 0
    one, other = GENERATOR.geometric(-np.expm1(-1 / scale), 2)
    return int(one - other)


def values(table, name="age"):
    return table[name].drop_null().to_numpy()


def resampled_until_non_negative(table):
    """WRONG: for 0 and 1 records the ratio at 0 is (1 + r − r²)/r with r = e^(−ε): 0.714 instead of 0.5."""
    while (noisy := len(table) + noise(2)) < 0:
        pass
    return noisy


def cut_at_zero(table):
    """RIGHT: negative counts are cut afterwards."""
    return max(0, len(table) + noise(2))


def test_noise_resampled_until_non_negative(caught, passed):
    schema = Schema.of({"ill": ["no", "yes"]})
    found = caught(resampled_until_non_negative, schema=schema, epsilon=0.5, runs=120_000, search_runs=2000)
    assert found.bound < 0.72
    passed(cut_at_zero, schema=schema, epsilon=0.5, runs=40_000, search_runs=200)


def bounds_read_from_the_data(table):
    """WRONG: the noise is as large as the largest value that happens to be there."""
    found = values(table)
    return found.sum() + noise(found.max(initial=0.0) / EPSILON)


def clipped_after_summing(table):
    """WRONG: the sum is clipped, when one record has already moved it by far more than 100."""
    found = values(table)
    return min(max(found.sum(), 0), 100 * len(found)) + noise(100 / EPSILON)


def noise_added_to_a_copy(table):
    """WRONG: the noise goes to a copy, and the exact array is returned."""
    total = np.array([np.clip(values(table), 0, 100).sum()])
    noisy = total.copy()
    noisy += noise(100 / EPSILON)
    return total


def clipped_sum(table):
    """RIGHT: every value within the declared bounds before it is added."""
    return int(np.clip(values(table), 0, 100).sum()) + noise(100 / EPSILON)


@pytest.mark.parametrize("wrong", [bounds_read_from_the_data, clipped_after_summing, noise_added_to_a_copy])
def test_wrong_sums(caught, wrong):
    caught(wrong, schema=SCHEMA, epsilon=EPSILON)


def test_right_sum(passed):
    assert passed(clipped_sum, schema=SCHEMA, epsilon=EPSILON, runs=12_000, whole=True).bound > 0.4


def two_sums(table, *bounds):
    totals = [
        np.clip(values(table, name), 0, high).sum() for name, high in (("age", 100), ("income", 10_000))
    ]
    return [int(total) + noise(2 * bound / EPSILON) for total, bound in zip(totals, bounds, strict=True)]


def one_bound_for_two_columns(table):
    """WRONG: the noise of the second sum is scaled to the first column."""
    return two_sums(table, 100, 100)


def a_bound_for_each_column(table):
    """RIGHT."""
    return two_sums(table, 100, 10_000)


def test_one_bound_for_two_columns(caught, passed):
    caught(one_bound_for_two_columns, schema=SCHEMA, epsilon=EPSILON)
    passed(a_bound_for_each_column, schema=SCHEMA, epsilon=EPSILON)


PATIENTS = replace(SCHEMA, unit=Unit(id="patient", most=3))


def bounded(table):
    return sum(batch.num_rows for batch in bound_batches(table.to_batches(), PATIENTS.unit))


def ignores_the_unit(table):
    """WRONG: noise for one record, though a patient has up to three: the true ε is 3."""
    return bounded(table) + noise(1 / EPSILON)


def ignores_the_limit(table):
    """WRONG: noise for three records, but nobody drops a patient's fourth: the true ε has no bound."""
    return len(table) + noise(3 / EPSILON)


def for_the_unit(table):
    """RIGHT: at most three records a patient, and noise for three."""
    return bounded(table) + noise(3 / EPSILON)


def test_the_unit_of_privacy(caught, passed):
    caught(ignores_the_unit, schema=PATIENTS, epsilon=EPSILON, runs=4_000)
    caught(ignores_the_limit, schema=PATIENTS, epsilon=EPSILON, runs=6_000)
    passed(for_the_unit, schema=PATIENTS, epsilon=EPSILON)


def test_exact_accuracy_on_a_private_table(caught, passed):
    def exact(table):
        """WRONG: a test score without noise."""
        return (pc.sum(pc.greater(table["age"], 50)).as_py() or 0) / max(1, len(table))

    def noisy(table):
        """RIGHT: the number of hits and the number of records, each with noise for half of ε."""
        right = pc.sum(pc.greater(table["age"], 50)).as_py() or 0
        return right + noise(2 / EPSILON), len(table) + noise(2 / EPSILON)

    caught(exact, schema=SCHEMA, epsilon=EPSILON)
    passed(noisy, schema=SCHEMA, epsilon=EPSILON)


def test_a_refusal_that_depends_on_the_data(caught):
    def refuses(table):
        """WRONG: an empty table is refused, so that an answer tells that somebody is there."""
        if not len(table):
            raise DataError("The table holds no records.")
        return for_the_unit(table)

    found = caught(refuses, schema=PATIENTS, epsilon=EPSILON)
    assert "refused" in found.event.description or "output" in found.event.description


def test_a_thing_that_refuses_everything_is_not_passed():
    def refuses(table):
        raise DataError("No.")

    with pytest.raises(ParameterError, match="nothing to audit"):
        audit(refuses, schema=SCHEMA, epsilon=EPSILON, runs=40, search_runs=8)
