"""Made-up worlds fit the schema and the guesses, and come out of the seed alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import ParameterError
from privet.schema import Category, Number, Schema, Unit
from privet.worlds import DetailedWorld, Guess, World, made_up

SCHEMA = Schema.of(
    {"age": (0, 120), "height": (1.0, 2.2), "ward": ["a", "b", "c"], "ill": ["no", "yes"]}, target="ill"
)


@given(st.integers(0, 50), st.integers(0, 60))
@settings(max_examples=20, deadline=None)
def test_every_cell_is_within_the_schema(seed, records):
    table = made_up(SCHEMA, records, seed)
    assert table.num_rows == records
    assert set(table.column_names) == set(SCHEMA.names)
    for column in SCHEMA.columns:
        values = table[column.name].to_pylist()
        if isinstance(column, Number):
            assert all(column.low <= value <= column.high for value in values)
        else:
            assert isinstance(column, Category)
            assert set(values) <= set(column.labels)


def test_the_same_seed_gives_the_same_people_and_another_one_others():
    assert made_up(SCHEMA, 50, 3).equals(made_up(SCHEMA, 50, 3))
    assert not made_up(SCHEMA, 50, 3).equals(made_up(SCHEMA, 50, 4))


@pytest.mark.parametrize("goal", [0.7, 0.85, 0.95])
def test_a_world_is_as_hard_as_was_guessed(goal):
    from sklearn.linear_model import LogisticRegression

    columns = {f"x{i}": (0.0, 1.0) for i in range(6)} | {"ill": ["no", "yes"]}
    schema = Schema.of(columns, target="ill")
    reached = []
    for seed in range(4):
        table = (
            World.drawn(schema, Guess(attainable=goal, shares={"yes": 0.4}), seed).table(4000, 1).to_pandas()
        )
        y = table.pop("ill")
        reached.append(
            LogisticRegression(C=100, max_iter=500).fit(table[:2000], y[:2000]).score(table[2000:], y[2000:])
        )
    assert abs(np.mean(reached) - goal) < 0.05


def test_guessed_shares_are_the_shares():
    table = World.drawn(SCHEMA, Guess(shares={"yes": 0.1}), 0).table(20_000)
    assert abs(np.mean(np.array(table["ill"].to_pylist()) == "yes") - 0.1) < 0.02


def test_a_number_as_target_and_no_target_at_all():
    schema = Schema.of(
        {"age": (0.0, 120.0), "bmi": (10.0, 60.0), "pressure": (50.0, 250.0)}, target="pressure"
    )
    table = World.drawn(schema, Guess(attainable=0.9), 1).table(3000).to_pandas()
    x = np.column_stack([np.ones(len(table)), table[["age", "bmi"]]])
    rest = table["pressure"] - x @ np.linalg.lstsq(x, table["pressure"], rcond=None)[0]
    assert 0.7 < 1 - rest.var() / table["pressure"].var() < 0.95
    assert made_up(Schema.of({"age": (0, 120)}), 10).num_rows == 10


def test_persons_have_as_many_records_as_they_may_have():
    schema = Schema.of({"ill": ["no", "yes"]}, unit=Unit(id="patient", most=3))
    people = made_up(schema, 30)["patient"].to_pylist()
    assert sorted(people.count(one) for one in set(people)) == [3] * 10


@pytest.mark.parametrize(
    "given",
    [
        {"records": "few"},
        {"records": 3},
        {"attainable": 2},
        {"share:yes": 1.5},
        {"colour": 1},
        {"records": "nan"},
    ],
)
def test_bad_guesses_are_refused(given):
    with pytest.raises(ParameterError):
        Guess.from_text(given)


def test_a_class_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="no class 'maybe'"):
        World.drawn(SCHEMA, Guess(shares={"maybe": 0.5}))


@pytest.mark.parametrize("goal", [0.75, 0.9])
def test_a_world_of_detail_has_the_shares_and_more_to_learn_than_a_line_shows(goal):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    schema = Schema.of({f"x{i}": (0.0, 1.0) for i in range(4)} | {"ill": ["no", "yes"]}, target="ill")
    guess = Guess(records=4000, attainable=goal, shares={"yes": 0.4})
    scores = []
    for seed in range(4):
        table = DetailedWorld.drawn(schema, guess, seed).table(4000, 1).to_pandas()
        y = table.pop("ill")
        assert abs((y == "yes").mean() - 0.4) < 0.05
        models = LogisticRegression(), RandomForestClassifier(30, min_samples_leaf=3, random_state=0)
        scores.append([m.fit(table[:3000], y[:3000]).score(table[3000:], y[3000:]) for m in models])
    line, forest = np.mean(scores, axis=0)
    assert forest > line + 0.03  # detail that a line cannot show
    assert goal - 0.08 < forest < 1 - 0.3 * (1 - goal) + 0.03  # what is attainable, and who knew all of it


def test_a_number_as_target_can_have_detail_too():
    schema = Schema.of({"a": (0.0, 1.0), "b": ["x", "y"], "t": (0.0, 9.0)}, target="t")
    table = DetailedWorld.drawn(schema, Guess(records=900), 2).table(300, 5)
    values = table["t"].to_numpy()
    assert 0 <= values.min() < values.max() <= 9
