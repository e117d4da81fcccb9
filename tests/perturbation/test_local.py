"""Input perturbation: the local guarantee, its noise as a distribution, and what leaves in the clear."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.budget import Pure, exact
from privet.errors import DataError, ParameterError, SchemaError
from privet.perturbation.local import GRID, InputPerturbation, beside, on_grid
from privet.schema import Number, Schema

SCHEMA = Schema.of({"age": (20, 70), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")


def people(size=4000):
    return pa.table({"age": [30.0] * size, "smoker": ["yes"] * size, "ill": ["no"] * size})


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_no_two_numbers_are_further_apart_than_the_grid(one, other):
    """The bound that the proof needs, also where the bounds are odd numbers."""
    for low, high in ((20, 70), (0.1, 0.3), (-1e-8, 1e15)):
        first, second = on_grid(np.array([one, other]), Number("x", low, high))
        assert 0 <= first <= GRID
        assert abs(first - second) <= GRID


def test_the_guarantee_says_what_is_covered():
    whole = InputPerturbation(schema=SCHEMA, epsilon=3.0, target=True).fit(people()).guarantee_
    assert whole.holds
    assert whole.amount == Pure(exact(3.0))
    assert [step.amount for step in whole.steps] == [Pure(exact(1.0))] * 3
    assert whole.unit.neighbours == "replace"
    each = (
        InputPerturbation(schema=SCHEMA, epsilon=3.0, target=True, per="attribute").fit(people()).guarantee_
    )
    assert each.amount == Pure(exact(9.0))
    clear = InputPerturbation(schema=SCHEMA, epsilon=3.0).fit(people()).guarantee_
    assert not clear.holds
    assert "in the clear" in clear.headline
    assert "ill" in " ".join(clear.caveats)
    assert not InputPerturbation(schema=SCHEMA, target=True, random_state=1).fit(people()).guarantee_.holds


def test_numbers_get_laplace_noise_of_the_right_scale():
    """Mean absolute noise is the scale: range·m/ε in total. Half and double of it are rejected."""
    model = InputPerturbation(schema=SCHEMA, epsilon=2.0, target=True, random_state=0).fit(people())
    noisy = model.transform(people())["age"].to_numpy()
    scale = 50 * 3 / 2.0
    spread = np.abs(noisy - 30.0).mean()
    off = 5 * scale / np.sqrt(len(noisy))
    assert abs(spread - scale) < off
    assert abs(spread - scale / 2) > off
    assert abs(spread - scale * 2) > off
    assert abs(np.median(noisy) - 30.0) < off


def test_categories_change_as_often_as_the_mechanism_says():
    model = InputPerturbation(schema=SCHEMA, epsilon=3.0, target=True, random_state=0).fit(people())
    answers = model.transform(people())["smoker"].to_pylist()
    power = np.exp(1.0)
    for value, expected in (("yes", power / (power + 2)), ("no", 1 / (power + 2)), (None, 1 / (power + 2))):
        assert answers.count(value) / len(answers) == pytest.approx(expected, abs=0.03)


def test_missing_values_do_not_give_themselves_away():
    table = pa.table({"age": pa.array([None, 45.0]), "smoker": pa.array([None, "no"]), "ill": ["no", "no"]})
    model = InputPerturbation(schema=SCHEMA, epsilon=1e6, target=True).fit(table)
    told = model.transform(table)
    np.testing.assert_allclose(told["age"].to_numpy(), [45.0, 45.0], atol=0.01)
    assert told["smoker"].to_pylist() == [None, "no"]
    small = InputPerturbation(schema=SCHEMA, epsilon=0.1, target=True).fit(table)
    assert small.transform(table)["age"].null_count == 0


def test_every_call_draws_afresh_and_frames_come_back_as_frames():
    frame = people(50).to_pandas()
    model = InputPerturbation(schema=SCHEMA, epsilon=1.0, target=True)
    one, other = model.fit_transform(frame), model.transform(frame)
    assert list(one.columns) == ["age", "smoker", "ill"]
    assert (one["age"] != other["age"]).all()


def test_values_outside_the_bounds_are_clamped():
    table = pa.table({"age": [-1e9, 1e9], "smoker": ["no", "no"], "ill": ["no", "no"]})
    told = InputPerturbation(schema=SCHEMA, epsilon=1e6, target=True).fit(table).transform(table)
    np.testing.assert_allclose(told["age"].to_numpy(), [20, 70], atol=0.01)


def test_bad_input():
    with pytest.raises(SchemaError):
        InputPerturbation().fit(people())
    with pytest.raises(ParameterError):
        InputPerturbation(schema=SCHEMA, epsilon=0).fit(people())
    with pytest.raises(DataError, match="names"):
        InputPerturbation(schema=SCHEMA).fit(np.zeros((3, 2)))
    with pytest.raises(DataError, match="no column of the schema"):
        InputPerturbation(schema=SCHEMA).fit(pa.table({"other": [1]}))
    model = InputPerturbation(schema=SCHEMA, target=True).fit(people(3))
    with pytest.raises(DataError, match="outside its declared domain"):
        model.transform(people(3).set_column(1, "smoker", pa.array(["S3CRET"] * 3)))
    with pytest.raises(DataError, match="infinite"):
        model.transform(people(3).set_column(0, "age", pa.array([np.inf] * 3)))


def test_statistics_before_and_after():
    draw = np.random.default_rng(0)
    table = pa.table({"age": draw.uniform(20, 70, 3000)})
    schema = Schema.of({"age": (20, 70)})
    model = InputPerturbation(schema=schema, epsilon=1.0, random_state=0).fit(table)
    [row] = beside(table, model.transform(table), ["age"])
    assert row["mean"][1] == pytest.approx(row["mean"][0], abs=6)
    assert row["variance"][1] == pytest.approx(row["variance"][0] + 2 * 50**2, rel=0.2)
    assert row["correlation"] == pytest.approx(14.4 / np.sqrt(14.4**2 + 5000), abs=0.06)
    assert Fraction(1) == model.mechanisms_["age"].epsilon


@pytest.mark.parametrize("how", [{}, {"kind": "laplace", "epsilon": 1.0}])
def test_no_local_epsilon_on_a_schema_that_nobody_has_confirmed(how):
    """Before: a domain that was read off the data was taken for public, and ε was promised on it."""
    from privet.errors import SchemaError
    from privet.perturbation import AdditiveNoise
    from privet.perturbation.nominal import RandomisedColumns
    from privet.schema import draft

    table = pa.table({"age": [30.0, 41.0, 55.0] * 9, "colour": ["red", "blue", "red"] * 9})
    drafted = draft(table.to_batches())
    assert drafted.drafted
    kind = AdditiveNoise if how else RandomisedColumns
    with pytest.raises(SchemaError, match="confirmed"):
        kind(schema=drafted, **how).fit(table)
    kind(schema=drafted.confirm(), **how).fit(table)
