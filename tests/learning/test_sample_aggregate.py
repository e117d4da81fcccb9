"""Sample and aggregate: one person in one block, a budget paid once, and functions that misbehave."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet.budget import Ledger, budget
from privet.errors import BudgetExceeded, DataError, ParameterError, PrivetError, SchemaError
from privet.isolation.blocks import GRID, BlockFunction, block_tables
from privet.isolation.cell import Isolated, left_open
from privet.learning.sample_aggregate import SampleAggregate
from privet.randomness import secure, seeded
from privet.schema import Category, Schema, Unit
from privet.sources import as_source

AGES = Schema.of({"age": (0.0, 100.0), "sex": ["f", "m"]}, dataset="patients")
PEOPLE = Schema.of({"age": (0.0, 100.0)}, unit=Unit(id="person", most=3))


class Assigned:
    """A source of randomness whose block assignments are given."""

    def __init__(self, blocks: list[int]) -> None:
        self.blocks = blocks

    def uniform_indices(self, size, bound):
        drawn, self.blocks = self.blocks[:size], self.blocks[size:]
        return np.array(drawn, np.int64)


def ledger_of(epsilon: float, delta: float = 0.0) -> Ledger:
    ledger = Ledger.in_memory()
    ledger.open_account("patients", budget(epsilon, delta), unit=Unit())
    return ledger


def spends(ledger: Ledger) -> list:
    return [entry for entry in ledger.history("patients") if entry.kind == "reserve"]


def mean_age(table):
    return np.nanmean(table["age"].to_numpy())


def tables_of(frame, schema, blocks, randomness) -> list[pa.Table]:
    return block_tables(as_source(frame), schema, blocks, randomness)


@pytest.mark.parametrize("relation", ["add", "replace"])
def test_one_record_changes_one_block(relation):
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({"age": generator.uniform(0, 100, 200), "sex": generator.choice(["f", "m"], 200)})
    drawn = generator.integers(0, 7, 200).tolist()
    for place in (0, 57, 199):
        if relation == "add":  # the records that stay draw what they drew before
            other, theirs = frame.drop(index=place), drawn[:place] + drawn[place + 1 :]
        else:
            other, theirs = frame.copy(), drawn
            other.loc[place, ["age", "sex"]] = (1e9, None)
        one = tables_of(frame, AGES, 7, Assigned(drawn))
        two = tables_of(other, AGES, 7, Assigned(theirs))
        changed = [block for block, (a, b) in enumerate(zip(one, two, strict=True)) if not a.equals(b)]
        assert changed == [drawn[place]]


def test_a_person_is_in_one_block_with_at_most_the_declared_records():
    generator = np.random.default_rng(1)
    people = generator.integers(0, 50, 2000)
    batches = pa.table({"person": people, "age": people.astype(float)}).to_batches(max_chunksize=300)
    blocks = tables_of(pa.Table.from_batches(batches), PEOPLE, 6, secure())
    homes = [set(block["age"].to_pylist()) for block in blocks]
    assert sum(map(len, homes)) == len(set().union(*homes)) == 50
    assert all(
        block["age"].to_pylist().count(age) == 3 for block in blocks for age in block["age"].to_pylist()
    )
    assert all("person" not in block.column_names for block in blocks)


def test_blocks_are_drawn_uniformly_and_hold_the_table():
    frame = pd.DataFrame({"age": np.arange(6000) / 60, "sex": ["f", "m"] * 3000})
    blocks = tables_of(frame, AGES, 5, secure())
    sizes = np.array([block.num_rows for block in blocks])
    assert ((sizes - 1200) ** 2 / 1200).sum() < 45  # chi-square of 4 degrees, once in 10⁸
    joined = np.sort(np.concatenate([block["age"].to_numpy() for block in blocks]))
    np.testing.assert_array_equal(joined, frame["age"])


def test_the_function_sees_the_table_as_the_schema_does():
    schema = Schema.of(
        [*Schema.of({"age": (0.0, 100.0), "sex": ["f", "m"]}).columns, Category("ward", (1, 2), other="else")]
    )
    frame = pd.DataFrame(
        {"secret": [1, 2, 3], "ward": [1, 7, None], "age": [-5.0, 250.0, None], "sex": ["m", None, "m"]}
    )
    [block] = tables_of(frame, schema, 1, secure())
    assert block.column_names == ["age", "sex", "ward"]
    assert block["age"].to_pylist() == [0.0, 100.0, None]
    assert block["sex"].to_pylist() == ["m", None, "m"]
    assert block["ward"].to_pylist() == ["1", "else", None]
    assert list(block.to_pandas()["sex"].cat.categories) == ["f", "m"]  # "f" too, which no block need hold
    with pytest.raises(DataError, match="infinite"):
        tables_of(pd.DataFrame({"age": [np.inf], "sex": ["f"]}), AGES, 1, secure())


def test_outputs_are_clamped_and_failures_are_the_middle():
    def function(table):
        import numpy as np

        age = table["age"].to_numpy()[0]
        if age > 50:
            raise ValueError
        return [age, np.inf if age > 40 else 1e9]

    frame = pd.DataFrame({"age": [10.0, 20.0, 45.0, 60.0], "sex": "f"})
    wrapped = BlockFunction(function, (15.0, -1.0), (35.0, 1.0), timeout=60.0, as_pandas=False)
    outputs = wrapped.outputs(as_source(frame), AGES, 5, Assigned([0, 1, 2, 3]))  # and block 4 is empty
    middle = GRID // 2
    assert outputs.tolist() == [
        [0, GRID],
        [GRID // 4, GRID],
        [GRID, middle],
        [middle, middle],
        [middle, middle],
    ]


@pytest.mark.parametrize(("aggregate", "delta"), [("mean", 0.0), ("median", 1e-6)])
def test_coefficients_of_a_model_with_guarantee_and_ledger(aggregate, delta):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(3000, 2))
    y = (X @ [1.0, -1.0] + generator.logistic(size=3000) > 0).astype(int)
    schema = Schema.of({"a": (-4.0, 4.0), "b": (-4.0, 4.0), "ill": [0, 1]}, target="ill", dataset="patients")

    def coefficients(frame):
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression().fit(frame[["a", "b"]].to_numpy(), frame["ill"].to_numpy()).coef_

    ledger = ledger_of(100.0, delta)
    model = SampleAggregate(
        coefficients, [-2, -3], [2, 3], blocks=12, epsilon=40.0, delta=delta, schema=schema,
        aggregate=aggregate, ledger=ledger,
    ).fit(X, y)  # fmt: skip
    np.testing.assert_allclose(model.value_, [1.0, -1.0], atol=0.6)
    assert model.error_.shape == (2,)
    assert model.guarantee_.holds
    assert (model.guarantee_.epsilon, model.guarantee_.delta) == (40.0, delta)
    assert len(model.guarantee_.steps) == 1
    text = model.guarantee_.text()
    assert "the ranges of the function's outputs" in text
    assert "ran without the rights of this user: it could reach no file, network, process or clock" in text
    assert "the function's code, and the values that it holds" in text
    [spend] = spends(ledger)
    assert spend.state == "committed"
    assert spend.guarantee == model.guarantee_.to_dict()
    np.testing.assert_array_equal(model.error_, np.array([4, 6]) * model.guarantee_.steps[0].error)


def test_a_refused_budget_runs_nothing_and_a_failed_function_is_paid(monkeypatch):
    ran: list[int] = []
    run_blocks = Isolated.run

    def watched(isolated, tables):
        ran.append(sum(table.num_rows for table in tables))
        return run_blocks(isolated, tables)

    monkeypatch.setattr(Isolated, "run", watched)

    def function(table):
        if table.num_rows < 3:  # so on every block, but not on made-up records
            raise ValueError("secret 4711")
        return 5.0

    frame = pd.DataFrame({"age": [10.0, 20.0], "sex": "f"})
    ledger = ledger_of(1.0)
    run = SampleAggregate(
        function, 0, 10, blocks=2, epsilon=1.0, schema=AGES, ledger=ledger, tables="arrow", timeout=60.0
    )
    with pytest.raises(BudgetExceeded):
        SampleAggregate(**(run.get_params() | {"epsilon": 1.5})).fit(frame)
    assert not ran
    run.fit(frame)  # no error, and no word of the failures
    assert 0 <= run.value_[0] <= 10
    assert "4711" not in run.guarantee_.text()
    assert ran == [2]
    with pytest.raises(BudgetExceeded):
        run.fit(frame)
    assert ran == [2]


@pytest.mark.parametrize(
    ("what", "function"),
    [
        ('KeyError: \'Field "height" does not exist', lambda table: table["height"].to_numpy().mean()),
        ("No module named 'no_such_module'", lambda table: __import__("no_such_module").mean(table)),
        ("it returned 2 numbers, and 1 are declared", lambda table: [1.0, 2.0]),
        ("ended without an answer", lambda table: __import__("os")._exit(1)),
        ("not permitted", lambda table: __import__("os").listdir("/")),
    ],
)
def test_what_fails_on_made_up_records_is_shown_before_anything_is_paid(what, function):
    ledger = ledger_of(1.0)
    run = SampleAggregate(function, 0, 1, blocks=2, schema=AGES, ledger=ledger, tables="arrow")
    with pytest.raises(ParameterError, match=re.escape(what)):
        run.fit(pd.DataFrame({"age": [4711.0], "sex": "f"}))
    assert not spends(ledger)


def test_a_function_that_holds_the_table_is_refused_before_anything_is_paid():
    frame = pd.DataFrame({"age": [10.0, 20.0], "sex": "f"})
    ledger = ledger_of(1.0)
    run = SampleAggregate(lambda table: frame["age"][0], 0, 1, blocks=2, schema=AGES, ledger=ledger)
    with pytest.raises(ParameterError, match="holds 'frame', of the type DataFrame"):
        run.fit(frame)
    assert not spends(ledger)


def test_where_functions_cannot_be_shut_off_it_is_refused_or_said(monkeypatch):
    monkeypatch.setattr(Isolated, "closes", False)
    left_open.cache_clear()
    ledger = ledger_of(1.0)
    frame = pd.DataFrame({"age": [10.0, 20.0], "sex": "f"})
    run = SampleAggregate(mean_age, 0, 100, blocks=2, schema=AGES, ledger=ledger, tables="arrow")
    try:
        with pytest.raises(ParameterError, match="cannot be shut off from the file system, the network"):
            run.fit(frame)
        assert not spends(ledger)
        text = run.set_params(isolation="available").fit(frame).guarantee_.text()
    finally:
        left_open.cache_clear()
    assert "could reach the file system, the network, other processes, the clock" in text
    assert "voids this guarantee" in text


def test_a_column_mean_from_a_frame_a_file_and_an_array(tmp_path):
    frame = pd.DataFrame({"age": np.linspace(30, 50, 600), "sex": ["f", "m"] * 300})
    frame.to_csv(tmp_path / "ages.csv", index=False)
    for data in (frame, str(tmp_path / "ages.csv"), frame.to_numpy(dtype=object)):
        run = SampleAggregate(
            lambda table: table["age"].to_numpy().mean(), 0, 100, blocks=6, epsilon=1000.0, schema=AGES,
            tables="arrow",
        ).fit(data)  # fmt: skip
        assert run.value_[0] == pytest.approx(40.0, abs=3.0)
        assert run.error_[0] < 1.0


def test_a_rehearsal_tells_the_error_without_data_and_a_seed_voids_the_guarantee():
    run = SampleAggregate(mean_age, 0, 100, blocks=4, epsilon=1.0, schema=AGES, tables="arrow")
    local = SampleAggregate(
        lambda table: 1.0, 0, 100, blocks=4, epsilon=1.0, schema=AGES, tables="arrow", random_state=3
    )
    assert local.rehearse().steps[0].error > 0
    frame = pd.DataFrame({"age": [10.0, 20.0], "sex": "f"})
    one, two = local.fit(frame).value_, local.fit(frame).value_
    np.testing.assert_array_equal(one, two)
    assert not local.guarantee_.holds
    assert run.get_params()["function"] is mean_age


@pytest.mark.parametrize(
    "bad",
    [
        {"function": 3}, {"low": 1, "high": 1}, {"low": [0, 0], "high": [1, 1, 1]}, {"high": np.inf},
        {"low": "a"}, {"low": []}, {"blocks": 0}, {"timeout": 0}, {"aggregate": "mode"}, {"epsilon": 0},
        {"schema": None}, {"tables": "rows"},
    ],
)  # fmt: skip
def test_bad_parameters_are_refused_before_anything_runs_or_is_paid(bad):
    ledger = ledger_of(1.0)
    good = {"function": mean_age, "low": 0, "high": 1, "schema": AGES, "ledger": ledger}
    with pytest.raises((ParameterError, SchemaError)) as caught:
        SampleAggregate(**(good | bad)).fit(pd.DataFrame({"age": [4711.0], "sex": "f"}))
    assert isinstance(caught.value, PrivetError)
    assert "4711" not in str(caught.value)
    assert not spends(ledger)


def test_seeded_blocks_repeat():
    frame = pd.DataFrame({"age": np.arange(50.0), "sex": "f"})
    one, two = (tables_of(frame, AGES, 3, seeded(5)) for _ in range(2))
    assert all(a.equals(b) for a, b in zip(one, two, strict=True))
