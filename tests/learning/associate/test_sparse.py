"""Itemsets and rules of a set-valued column: from files, at many items, with errors that hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet import NaiveBayes
from privet.budget import budget
from privet.curator import Curator, Measure
from privet.errors import SchemaError
from privet.learning.associate import AssociationRules, FrequentItemsets
from privet.model import model_from_dict, model_to_dict
from privet.queries import query
from privet.schema import Category, Items, Schema, Unit, read_schema, write_schema
from privet.schema.narrowing import require_narrowing
from privet.sources import as_source, open_source
from privet.sources.fingerprint import fingerprint
from privet.stats import Coded, CrossTable

MANY = tuple(f"article {k}" for k in range(10_000))


def baskets(rows=4000, seed=0):
    """Two articles that go together, in baskets of rare ones."""
    draw = np.random.default_rng(seed)
    rare = draw.integers(100, 10_000, (rows, 4))
    often = draw.random((rows, 20)) < np.linspace(0.5, 0.1, 20)
    often[:, 1] = np.where(often[:, 0], draw.random(rows) < 0.9, draw.random(rows) < 0.1)
    return [[MANY[k] for k in (*np.flatnonzero(line), *more)] for line, more in zip(often, rare, strict=True)]


LISTS = baskets()
TABLE = pa.table({"basket": LISTS})
SCHEMA = Schema.of({"basket": Items("basket", MANY, most=12)})


def exact(held):
    return sum(set(held) <= set(each) for each in LISTS)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_ten_thousand_items(delta):
    outside = total = 0
    for seed in range(5):
        model = FrequentItemsets(epsilon=2.0, delta=delta, schema=SCHEMA, random_state=seed).fit(TABLE)
        for each in model.itemsets:
            outside += abs(each.support - exact(each.items)) > each.error + model.cut_ / 2 + 60
            total += 1
    assert total > 40
    assert outside / total < 0.1
    assert {"article 0", "article 1"} in [set(each.items) for each in model.itemsets]
    assert abs(model.records_ - 4000) < 500
    assert model.in_words().splitlines()[0].startswith("article ")
    assert " = " not in model.in_words()
    assert model.frame()["itemsets"][0] <= frozenset(MANY)
    assert model.pictures()[0].kind == "bars"
    assert model_from_dict(model_to_dict(model)).in_words() == model.in_words()
    largest = max(len(each.items) for each in model.itemsets)
    assert largest <= (3 if delta else 2)


def test_rules_find_what_goes_together():
    model = AssociationRules(epsilon=2.0, delta=1e-6, schema=SCHEMA, random_state=0).fit(TABLE)
    frame = model.frame()
    [rule] = [
        r for r in model.rules_ if r["antecedents"] == ["article 0"] and r["consequents"] == ["article 1"]
    ]
    truth = exact(["article 0", "article 1"]) / exact(["article 0"])
    assert rule["confidence_low"] - 0.05 <= truth <= rule["confidence_high"] + 0.05
    assert rule["lift"] > 1.3
    assert {"antecedents", "consequents", "confidence", "lift", "leverage"} <= set(frame.columns)
    assert "IF article 0 THEN article 1" in model.in_words()


@pytest.mark.parametrize("unit", [Unit(), Unit("replace")])
def test_what_is_spent_is_what_is_claimed(unit):
    schema = Schema(SCHEMA.columns, unit=unit)
    model = FrequentItemsets(epsilon=0.7, schema=schema).fit(TABLE)
    assert sum(step.amount.epsilon for step in model.guarantee_.steps) * 10 == 7
    assert "10000 items" in model.explanation_


def test_one_schema_reads_baskets_csv_and_parquet(tmp_path):
    few = tuple(f"a{k}" for k in range(6))
    draw = np.random.default_rng(1)
    lists = [[n for n in few if draw.random() < 0.5] for _ in range(400)]
    (tmp_path / "x.basket").write_text("".join(";".join(each) + "\n" for each in lists))
    (tmp_path / "x.csv").write_text("items,n\n" + "".join(";".join(each) + ",1\n" for each in lists))
    pq.write_table(pa.table({"items": lists}), tmp_path / "x.parquet")
    schema = Schema.of({"items": Items("items", few, most=6, between=";")})
    write_schema(schema, tmp_path / "x.toml")
    assert read_schema(tmp_path / "x.toml") == schema
    words = {
        FrequentItemsets(epsilon=1.0, schema=schema, random_state=3).fit(tmp_path / name).in_words()
        for name in ("x.basket", "x.csv", "x.parquet")
    }
    assert len(words) == 1
    same = pa.table({"items": pa.array(lists[::-1], pa.large_list(pa.string()))})
    assert fingerprint(open_source(tmp_path / "x.parquet")) == fingerprint(as_source(same))
    assert fingerprint(as_source(same)) != fingerprint(as_source(same.slice(1)))
    counted = replace(schema, outside="count")
    frame = pa.table({"items": lists}).to_pandas()
    frame["items"] = [tuple(each) if k % 2 else ";".join(each) for k, each in enumerate(frame["items"])]
    model = FrequentItemsets(epsilon=1.0, schema=counted, random_state=3).fit(frame)
    assert {model.in_words()} == words


def test_sets_are_refused_by_whoever_knows_none():
    schema = Schema.of({"basket": SCHEMA["basket"], "y": [0, 1]}, target="y")
    with pytest.raises(SchemaError, match="holds sets"):
        NaiveBayes(epsilon=1.0, schema=schema).rehearse()
    table = pa.table({"basket": [["article 0"]], "y": [0]})
    with Curator(table, schema, budget(1.0)) as curator:
        with pytest.raises(SchemaError, match="holds sets"):
            curator.ask(Measure(CrossTable((Coded("basket"),)), "wrong"), curator.left)
        assert curator.left == 1, "a refusal of what is public costs nothing"
    asked = query(pa.table({"basket": [["article 0"]], "y": [0]}), schema)
    with pytest.raises(SchemaError, match="holds sets"):
        asked.count().release(epsilon=1.0)
    two = Schema.of({"a": Items("a", ("x",)), "b": Items("b", ("x",))})
    with pytest.raises(SchemaError, match="one is mined at a time"):
        FrequentItemsets(epsilon=1.0, schema=two).rehearse()
    with pytest.raises(SchemaError, match="another kind"):
        require_narrowing(Schema.of({"a": Category("a", ("x",))}), two)


def test_tables_without_records_and_persons():
    model = FrequentItemsets(epsilon=1.0, schema=SCHEMA, random_state=0).fit(TABLE.slice(0, 0))
    assert len(model.itemsets) <= 3, "noise is not told as sets"
    person = pa.table({"who": [k // 4 for k in range(4000)], "basket": LISTS})
    schema = Schema(SCHEMA.columns, unit=Unit(id="who", most=2, keep="content"))
    found = AssociationRules(epsilon=4.0, delta=1e-6, schema=schema, random_state=0).fit(person)
    assert abs(found.records_ - 2000) < 1500
