"""Synthetic tables: what they carry, the schema's constraints, every source, odd tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import SchemaError
from privet.learning.synthesise import Synthesiser
from privet.learning.synthesise.cells import fine_cuts, grouped, values_within
from privet.learning.synthesise.shrinking import proportions, raked
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ArrowSource, write_csv, write_parquet

ENORMOUS = 1e6
SCHEMA = Schema.of(
    {"age": (0, 100), "income": (0.0, 50.0), "town": ["a", "b", "c"], "ill": ["no", "yes"]}, target="ill"
)


def people(rows=6000, seed=0):
    draw = np.random.default_rng(seed)
    ill = draw.random(rows) < 0.3
    age = np.clip(np.where(ill, 65, 40) + draw.normal(0, 10, rows), 0, 100).round().astype(int)
    income = np.where(draw.random(rows) < 0.4, 0.0, np.clip(age / 2 + draw.normal(0, 3, rows), 0, 50))
    town = np.where(draw.random(rows) < 0.8, np.where(age > 50, "a", "b"), "c")
    return pa.table(
        {
            "age": pa.array(age, mask=draw.random(rows) < 0.1),
            "income": income,
            "town": town,
            "ill": np.where(ill, "yes", "no"),
        }
    )


def shares(table, *names):
    keys = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    return {key: keys.count(key) / len(keys) for key in set(keys)}


def distance(one, other):
    return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other}) / 2


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("structure", ["tan", "mst"])
def test_it_carries_pairs_where_noise_is_small(structure, delta):
    table = people()
    made = (
        Synthesiser(epsilon=ENORMOUS, delta=delta, schema=SCHEMA, structure=structure).fit(table).sample(6000)
    )
    assert distance(shares(table, "town", "ill"), shares(made, "town", "ill")) < 0.05
    old, new = (np.corrcoef(t["age"].fill_null(0), t["income"])[0, 1] for t in (table, made))
    assert abs(old - new) < 0.15
    assert abs(made["age"].null_count / 6000 - 0.1) < 0.02
    at_zero = np.mean(np.asarray(made["income"]) == 0)
    assert abs(at_zero - np.mean(np.asarray(table["income"]) == 0)) < 0.02  # a spike at a bound stays one


def test_margins_forget_pairs():
    made = Synthesiser(epsilon=ENORMOUS, schema=SCHEMA, structure="margins").fit(people()).sample(6000)
    joint, alone = shares(made, "town", "ill"), shares(made, "town")
    assert abs(joint["a", "yes"] - alone["a",] * shares(made, "ill")["yes",]) < 0.03


def test_where_noise_rules_it_is_no_worse_than_columns_by_themselves():
    table = people(3000)
    distances = {}
    for structure in ("auto", "margins"):
        found = []
        for seed in range(8):
            model = Synthesiser(epsilon=0.05, schema=SCHEMA, structure=structure, random_state=seed).fit(
                table
            )
            found.append(
                distance(shares(table, "town", "ill"), shares(model.sample(3000, seed), "town", "ill"))
            )
        distances[structure] = np.mean(found)
    assert distances["auto"] < distances["margins"] + 0.02


def test_the_schema_is_kept():
    schema = Schema(
        (Number("n", -3, 4, integer=True), Number("x", 0, 1, cuts=(0.2,)), Category("c", (True, False))),
        unit=Unit("replace"),
    )
    rows = pa.table({"n": [-99, 0, 99, 4], "x": [0.1, 5.0, None, -1.0], "c": [True, None, False, True]})
    # Seeded: of four records at ε = 0.1, noise alone may leave nothing but missing values.
    made = Synthesiser(epsilon=0.1, schema=schema, random_state=0).fit(rows).sample(5000, random_state=0)
    assert made.schema.field("n").type == pa.int64()
    n, x = made["n"].drop_null().to_numpy(), made["x"].drop_null().to_numpy()
    assert n.min() >= -3
    assert n.max() <= 4
    assert x.min() >= 0
    assert x.max() <= 1
    assert set(made["c"].to_pylist()) <= {True, False, None}


@pytest.mark.parametrize("records", [0, 1, 7, 120_001])
def test_as_many_as_asked(records):
    model = Synthesiser(epsilon=1.0, schema=SCHEMA).fit(people(200))
    assert model.sample(records).num_rows == records


def test_every_source_gives_the_same_model(tmp_path):
    import ibis

    table = people(500)
    write_csv(ArrowSource(table), tmp_path / "t.csv")
    write_parquet(ArrowSource(table), tmp_path / "t.parquet")
    database = ibis.duckdb.connect().create_table("t", table)
    models = [
        Synthesiser(epsilon=1.0, schema=SCHEMA, random_state=3).fit(data)
        for data in (table, table.to_pandas(), tmp_path / "t.csv", tmp_path / "t.parquet", database)
    ]
    for model in models[1:]:
        assert model.parents_ == models[0].parents_
        for name, shares_ in model.tables_.items():
            np.testing.assert_array_equal(shares_, models[0].tables_[name])


def test_odd_tables():
    empty = people(1).slice(0, 0)
    assert Synthesiser(epsilon=1.0, schema=SCHEMA).fit(empty).sample(10).num_rows == 10
    constant = Schema.of({"a": ["x"], "b": ["no", "yes"]})
    made = (
        Synthesiser(epsilon=ENORMOUS, schema=constant)
        .fit(pa.table({"a": ["x"] * 50, "b": ["no"] * 50}))
        .sample(9)
    )
    assert set(made["a"].to_pylist()) == {"x"}
    assert set(made["b"].to_pylist()) == {"no"}
    many = Schema.of({"a": list(range(1000)), "b": list(range(1000)), "c": ["no", "yes"]})
    rows = pa.table({"a": np.arange(3000) % 1000, "b": np.arange(3000) % 1000, "c": ["no", "yes"] * 1500})
    model = Synthesiser(epsilon=1.0, schema=many).fit(rows)
    assert not {"a", "b"} <= {"a", *model.parents_["a"]}
    assert "b" not in model.parents_["a"]
    with pytest.raises(SchemaError):
        Synthesiser(epsilon=1.0, schema=many, structure="tan").fit(rows)


def test_words_and_pictures():
    model = Synthesiser(epsilon=10.0, schema=SCHEMA).fit(people())
    assert "given ill" in model.in_words()
    tree, *bars = model.pictures()
    assert tree.to_dict()["kind"] == "tree"
    assert len(bars) == 4
    assert "<svg" in tree.svg()
    assert "<svg" in bars[0].svg()


def test_cells():
    assert fine_cuts(Number("x", 0, 9, integer=True), 3) == (0.5, 3.5, 6.5, 8.5)
    column = Number("x", 0, 4, integer=True)
    cells = np.repeat(np.arange(6), 50)
    values = values_within(column, fine_cuts(column, 16), cells, np.random.default_rng(0))
    np.testing.assert_array_equal(values[:250], cells[:250])
    assert grouped(column, (1.0, 2.0, 3.0), np.zeros(5), 1.0, 2) == (2.0,)


def test_proportions_and_raking():
    assert proportions(np.array([-3.0, -1.0])).tolist() == [0.5, 0.5]
    joint = raked(np.ones((2, 2)), [((0,), np.array([0.3, 0.7])), ((1,), np.array([0.5, 0.5]))])
    np.testing.assert_allclose(joint, [[0.15, 0.15], [0.35, 0.35]])
