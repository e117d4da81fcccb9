"""The thesis's tables on tiny data: every protocol with real parts, and published values beside measured."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

from privet.schema import Schema
from reproduction.grid import cross_validated
from reproduction.rules import (
    as_published,
    factor,
    mined,
    mined_cells,
    mined_published,
    one_r,
    perturbed_statistics,
    references,
    selected,
)
from reproduction.rules.protocol import accuracy, cut, labels, score, splits

SCHEMA = Schema.of(
    {"p": (0.0, 1.0), "q": (0.0, 1.0), "colour": ["red", "green"], "class": ["no", "yes"]}, target="class"
)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    generator = np.random.default_rng(0)
    p, q = generator.uniform(0, 1, (2, 240))
    return pa.table(
        {
            "p": p,
            "q": pa.array(q, mask=q < 0.02),
            "colour": generator.choice(["red", "green"], 240),
            "class": np.where(p > 0.4, "yes", "no"),
        }
    )


def test_folds_are_a_partition_that_spreads_the_classes(table):
    parts = list(splits(table, "class", 5, seed=1))
    assert sum(split.test.num_rows for split in parts) == table.num_rows
    share = np.mean(labels(table, "class") == "yes")
    for split in parts:
        assert split.train.num_rows + split.test.num_rows == table.num_rows
        assert np.mean(labels(split.test, "class") == "yes") == pytest.approx(share, abs=0.03)
    again = list(splits(table, "class", 5, seed=1))
    assert all(one.test.equals(other.test) for one, other in zip(parts, again, strict=True))


def test_a_single_run_has_no_spread():
    assert (score([0.5]).deviation, score([0.5]).runs) == (0.0, 1)
    assert score([0.0, 1.0]).standard_error == pytest.approx(0.5)


def test_published_noise_has_the_scale_of_the_data_and_touches_numbers_only(table):
    reach = as_published.ranges(table, SCHEMA)
    assert set(reach) == {"p", "q"}
    assert 0.9 < reach["p"] < 1.0
    big = pa.concat_tables([table] * 40)
    noisy = as_published.perturb(big, reach, 2.0, np.random.default_rng(0))
    added = noisy["p"].to_numpy() - big["p"].to_numpy()
    assert np.abs(added).mean() == pytest.approx(reach["p"] / 2, rel=0.05)  # the mean of |Laplace(b)| is b
    assert noisy["q"].null_count == big["q"].null_count
    assert noisy["colour"].equals(big["colour"])
    assert noisy["class"].equals(big["class"])


@pytest.mark.parametrize("learner", [as_published.OneRule, as_published.Bayes])
def test_published_learners_lose_accuracy_with_epsilon(table, learner):
    nominal = table.set_column(0, "p", pa.array([f"{value:.1f}" for value in table["p"].to_pylist()]))
    schema = cut(SCHEMA, ["p", "colour"])
    exact = learner(schema, None, 0).fit(nominal)
    assert accuracy(exact, nominal, "class") > 0.9
    noisy = [learner(schema, 0.01, seed).fit(nominal) for seed in range(10)]
    assert np.mean([accuracy(one, nominal, "class") for one in noisy]) < 0.75


def test_one_r_over_epsilon(table):
    found = one_r.repeat("tiny", table, SCHEMA, ["p"], seed=0, folds=3)
    assert set(found) == set(one_r.METHODS)
    assert found["`OneR`"][0] > 0.85
    assert found["`OneR`"][1] > found["1R, as published"][-1]
    text = one_r.table_of("votes", [found, found])
    assert "| thesis, 1R with selection | 0.956 ± 0.000 | 0.950 ± 0.004 |" in text
    assert text.count("\n| ") == 1 + 4 + len(one_r.METHODS)
    beside = one_r.literature({"votes": [found]})
    assert "| private ID3 (Friedman and Schuster 2010) | – | 0.830 | 0.404 |" in beside
    assert all(len(row) == 7 for _, rows in one_r.PUBLISHED.values() for row in rows)


def test_selection_finds_the_one_attribute_that_tells(table):
    kept = selected.selected(table, SCHEMA, seed=0, iterations=5)
    assert "p" in kept
    text = selected.table_of({"votes": [["a", "b"], ["a"]]})
    assert "| votes | 17 | 5 | 1.5 ± 0.7 | 2 | a |" in text


def test_perturbed_statistics_stand_beside_the_published(table):
    iris = cut(SCHEMA, ["p", "q"])
    found = perturbed_statistics.compare(table.drop_columns(["colour"]), iris, repeats=1, folds=3)
    for way in ("as published", "InputPerturbation"):
        one, three = (found[way, epsilon, "p", "correlation"].mean for epsilon in (1.0, 3.0))
        assert 0 < one < three < 1
        # √2·range/ε and the deviation of the values themselves
        assert found[way, 1.0, "p", "standard deviation"].mean == pytest.approx(1.45, rel=0.2)
    named = {(way, e, "sepallength", s): v for (way, e, c, s), v in found.items() if c == "p"}
    assert "| mean | 5.840 / " in perturbed_statistics.tables_of(named, ["sepallength"])


@pytest.fixture
def tiny(table, monkeypatch):
    """The figures of a contender over the folds of the small table."""
    monkeypatch.setattr("benchmarks.data.load", lambda _name: (table, SCHEMA))

    def scored(make, epsilon, **settings):
        found = cross_validated("tiny", "contender", (make, settings), epsilon, 0)
        return {way: np.mean([fold[way] for fold in found]) for way in found[0]}

    return scored


@pytest.mark.parametrize("method", list(mined.MINERS))
def test_miners_are_scored_on_exact_perturbed_and_mined_records(tiny, method):
    given = {"data": "tiny", "method": method, "given": {"iterations": 60, "per_class": 2}}
    exact = tiny(mined.Mined, None, **given)
    assert exact["clean"] > 0.85
    assert exact["clean"] == exact["noisy"]
    assert exact["any"] <= 1.0
    noisy = tiny(mined.Mined, 1.0, **given)
    assert noisy["noisy"] < exact["clean"]
    assert noisy["rules"] >= 1
    if method == "covering":
        assert noisy["mined"] > 0.9 > noisy["noisy"]  # it learns the noise by heart


def test_whole_records_hide_more_than_single_numbers_and_counts_hide_least(tiny):
    local = tiny(mined.Local, 1.0, data="tiny", given={"iterations": 60})
    private = tiny(mined.Direct, 1.0, learner="`OneR`")
    assert private["clean"] > local["clean"] + 0.1
    assert private["clean"] == private["noisy"]


def test_references_learn_from_perturbed_records_and_stand_beside_the_miners(tiny, monkeypatch):
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    monkeypatch.setattr(references, "_equivalents", lambda _seed, _classes: {"J48": tree})
    found = tiny(references.Equivalents, None)
    assert found["J48/clean"] == found["J48/noisy"] > 0.85
    noisy = tiny(references.Equivalents, 1.0)
    assert noisy["J48/clean"] != noisy["J48/noisy"]
    results = {"python/iris/1.0/0": [noisy], "1-rule ABC/iris/1.0/0": [{"clean": 0.5, "rules": 3}]}
    scores = mined_cells.collected(results, 1.0)
    assert scores["J48 (Python)", "iris"]["noisy"].mean == noisy["J48/noisy"]
    assert scores["1-rule ABC", "iris"]["rules"].mean == 3
    assert mined_cells.collected(results, 2.0) == {}


def test_the_published_tables_are_complete():
    for rows in mined_published.ACCURACY.values():
        assert list(rows) == list(mined_published.METHODS)
        assert all(len(row) == len(mined_published.SETS) for row in rows.values())
    assert mined_published.ACCURACY[1.0]["Seq. cov. wLap ABC"][4] == (0.829, 0.09)
    assert mined_published.ACCURACY[3.0]["1-rule ABC"][1] == (0.653, 0.07)
    scores = {("Part", "iris"): {"rules": score([3.0, 5.0]), "clean": score([0.9])}}
    assert "**4.14** / 4.0" in mined_published.rules(None, scores)
    assert "**0.945 ± 0.06** / 0.900 ± 0.000" in mined_published.accuracies(None, scores)


def test_the_factor_is_passed_on(table):
    found = factor.runs("tiny", table, SCHEMA, 0.6, seed=0, folds=3, iterations=40)
    assert len(found) == 3
    assert np.mean(found) > 0.8
    text = factor.table_of({"iris": {0.6: found}})
    assert "**0.889 ± 0.05** / " in text
    assert text.count("\n| ") == len(factor.FACTORS)
