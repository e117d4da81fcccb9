"""The selector: scikit-learn's contract, scores and mechanisms, free refusals, one budget."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from privet import NaiveBayes
from privet.budget import Ledger, budget
from privet.errors import BudgetExceeded, DataError, ParameterError, SchemaError
from privet.schema import Schema, Unit
from privet.selection import SelectKBest
from privet.stats import proved
from privet.stats.association import Association

RECORDS = 600


def people(records: int = RECORDS) -> tuple[pd.DataFrame, pd.Series, Schema]:
    draw = np.random.default_rng(5)
    ill = np.repeat([0, 1], [records // 3, records - records // 3])
    frame = pd.DataFrame({f"snp{i}": draw.binomial(2, 0.3, records) for i in range(12)})
    frame["snp4"] = draw.binomial(2, np.where(ill == 1, 0.7, 0.15))
    frame["snp9"] = draw.binomial(2, np.where(ill == 1, 0.2, 0.65))
    columns = {name: [0, 1, 2] for name in frame} | {"ill": [0, 1]}
    schema = Schema.of(columns, target="ill", unit=Unit("replace"), missing="error", dataset="study")
    return frame, pd.Series(ill, name="ill"), schema


SCORES = ["majority", "mutual_information", "chi2", "p_value", "distance", "odds_ratio", "allelic", "trend"]


@pytest.mark.parametrize("mechanism", ["permute_and_flip", "exponential", "laplace", "gaussian"])
@pytest.mark.parametrize("score", SCORES)
def test_every_score_with_every_mechanism(score, mechanism):
    X, y, schema = people()
    delta = 1e-6 if mechanism == "gaussian" else 0.0
    selector = SelectKBest(
        k=2,
        criterion=score,
        mechanism=mechanism,
        epsilon=400,
        delta=delta,
        schema=schema,
        public_class=True,
        tau=1e-4,
    ).fit(X, y)
    if score != "p_value":  # whose best values are too near to 0 to be told apart, even at this epsilon
        assert sorted(selector.chosen_) == ["snp4", "snp9"]
    assert selector.get_support().sum() == 2
    assert selector.guarantee_.holds
    assert selector.guarantee_.epsilon == 400
    assert len(selector.guarantee_.steps) == 2
    assert selector.values_deviation_ > 0
    assert selector.transform(X).shape == (RECORDS, 2)


def test_public_data_is_for_other_selectors():
    X, y, schema = people()
    with pytest.raises(ParameterError, match=r"sklearn\.feature_selection"):
        SelectKBest(mechanism="none", schema=schema).fit(X, y)


def test_output_formats_and_clone():
    X, y, schema = people()
    selector = SelectKBest(k=3, epsilon=50, schema=schema).set_output(transform="pandas").fit(X, y)
    out = selector.transform(X)
    assert list(out.columns) == [name for name in X if name in selector.chosen_]
    assert list(selector.get_feature_names_out()) == list(out.columns)
    again = clone(selector).fit(X.to_numpy(), y.to_numpy())
    assert again.transform(X.to_numpy()).shape == (RECORDS, 3)
    assert selector.inverse_transform(selector.transform(X)).shape == X.shape


def test_a_pipeline_under_one_budget():
    X, y, schema = people()
    ledger = Ledger.in_memory()
    ledger.open_account("study", budget(3), unit=schema.unit)
    selector = SelectKBest(
        k=2, criterion="distance", public_class=True, epsilon=2, schema=schema, tau=1e-4, ledger=ledger
    ).set_output(transform="pandas")
    pipeline = make_pipeline(selector, NaiveBayes(epsilon=1, schema=schema, ledger=ledger)).fit(X, y)
    assert (pipeline.predict(X) == y).mean() > 0.75
    assert list(pipeline[-1].tables_) == list(pipeline[0].transform(X).columns)
    with pytest.raises(BudgetExceeded):
        clone(pipeline).fit(X, y)


def test_odds_ratios_with_intervals():
    X, y, schema = people()
    selector = SelectKBest(
        k=2, criterion="odds_ratio", public_class=True, epsilon=40, schema=schema, tau=1e-4
    ).fit(X, y)
    for name, estimate in zip(selector.chosen_, selector.odds_ratios_, strict=True):
        alleles = [X.loc[y == group, name].sum() for group in (0, 1)]
        totals = [2 * (y == group).sum() for group in (0, 1)]
        odds = [a / (t - a) for a, t in zip(alleles, totals, strict=True)]
        exact = odds[1] / odds[0]
        assert estimate.low < exact < estimate.high
        assert (estimate.value > 1) == (exact > 1)
        assert not estimate.low < 1 < estimate.high


def test_a_refit_keeps_nothing_of_the_fit_before():
    X, y, schema = people()
    how = {"k": 2, "public_class": True, "epsilon": 40, "schema": schema, "tau": 1e-4}
    selector = SelectKBest(criterion="odds_ratio", **how).fit(X, y)
    assert selector.odds_ratios_
    selector.set_params(criterion="chi2").fit(X, y)
    assert not getattr(selector, "odds_ratios_", None)


def test_tables_of_any_size_numbers_and_missing_values():
    draw = np.random.default_rng(1)
    kind = draw.integers(0, 4, 3000)
    frame = pd.DataFrame(
        {
            "five": draw.integers(0, 5, 3000),
            "telling": np.where(draw.random(3000) < 0.7, kind, 4),
            "number": draw.normal(0, 1, 3000),
            "shifted": kind + draw.normal(0, 0.7, 3000),
        }
    )
    frame.loc[draw.random(3000) < 0.1, "number"] = np.nan
    schema = Schema.of(
        {
            "five": [0, 1, 2, 3, 4],
            "telling": [0, 1, 2, 3, 4],
            "number": (-3.0, 3.0),
            "shifted": (-2.0, 5.0),
            "kind": [0, 1, 2, 3],
        },
        target="kind",
        unit=Unit("replace"),
    )
    for score in ("majority", "mutual_information", "chi2"):
        selector = SelectKBest(k=2, criterion=score, public_class=True, epsilon=20, schema=schema).fit(
            frame, kind
        )
        assert sorted(selector.chosen_) == ["shifted", "telling"], score


@proved
@dataclass(frozen=True)
class FirstValue(Association):
    """A user's score: how many records have the attribute's first value.

    **Sensitivity.** A record that is added, or changes its value, moves a count by at most 1.
    """

    what: ClassVar[str] = "first"
    whole: ClassVar[bool] = True

    def evaluate(self, tables):
        return tables[:, :, 0].sum(axis=1)

    def sensitivity(self, sizes, values):
        return Fraction(1)


def test_a_users_own_score():
    X, y, schema = people()
    X = X.assign(snp7=0)

    class Firsts(SelectKBest):
        def _scorer(self):
            return FirstValue()

    selector = Firsts(epsilon=5, schema=schema).fit(X, y)
    assert selector.chosen_ == ["snp7"]
    assert any("FirstValue is its author's word" in caveat for caveat in selector.guarantee_.caveats)


def refusals():
    X, y, schema = people()
    added = Schema(schema.columns, "ill", missing="error", dataset="study")
    skipping = Schema(schema.columns, "ill", unit=schema.unit, dataset="study")
    wide = Schema.of({"a": [0, 1, 2, 3], "ill": [0, 1]}, target="ill", unit=schema.unit, dataset="study")
    classes = {"public_class": True}
    yield "k", ParameterError, {"k": 13, "schema": schema}, X, y
    yield "tau", ParameterError, {"tau": 1.0, "schema": schema}, X, y
    yield "delta", ParameterError, {"mechanism": "gaussian", "schema": schema}, X, y
    yield "class", ParameterError, {"criterion": "chi2", "schema": schema}, X, y
    yield "replace", SchemaError, {"criterion": "chi2", "schema": added, **classes}, X, y
    yield "replace", SchemaError, {"criterion": "mutual_information", "schema": added}, X, y
    persons = Schema(schema.columns, "ill", unit=Unit("replace", id="person", most=2), dataset="study")
    yield "person", SchemaError, {"criterion": "mutual_information", "schema": persons}, X, y
    yield "person", SchemaError, {"criterion": "chi2", "schema": persons, **classes}, X, y
    yield "missing", SchemaError, {"criterion": "odds_ratio", "schema": skipping, **classes}, X, y
    yield (
        "values",
        SchemaError,
        {"criterion": "distance", "schema": wide, **classes},
        X[["snp1"]].set_axis(["a"], axis=1),
        y,
    )
    yield (
        "significant",
        ParameterError,
        {"criterion": "distance", "tau": 1e-300, "schema": schema, **classes},
        X,
        y,
    )
    yield "class", DataError, {"criterion": "chi2", "schema": schema, **classes}, X, y * 0


@pytest.mark.parametrize(("says", "kind", "parameters", "X", "y"), list(refusals()))
def test_a_refusal_costs_nothing(says, kind, parameters, X, y):
    ledger = Ledger.in_memory()
    ledger.open_account("study", budget(1), unit=parameters["schema"].unit)
    with pytest.raises(kind, match=says):
        SelectKBest(**parameters, epsilon=1, ledger=ledger).fit(X, y)
    assert ledger.left("study") == budget(1)


def test_rehearsal_reads_nothing():
    _, _, schema = people()
    for score in SCORES:
        guarantee = SelectKBest(k=2, criterion=score, public_class=True, schema=schema).rehearse()
        assert [step.error > 0 for step in guarantee.steps] == [True, True]


def test_scikit_learns_own_checks():
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(SelectKBest(schema="infer", epsilon=100.0))


def test_as_many_as_are_significant():
    X, y, schema = people()
    how = {"schema": schema, "public_class": True, "tau": 1e-6, "epsilon": 30.0}
    for criterion in ("distance", "odds_ratio"):
        selector = SelectKBest(k=0, criterion=criterion, **how).fit(X, y)
        assert sorted(selector.chosen_) == ["snp4", "snp9"]
        counted, chosen, told = selector.guarantee_.steps
        assert "how many of 12 attributes have p < 1e-06" in counted.what
        assert counted.amount.epsilon + chosen.amount.epsilon + told.amount.epsilon == 30
    assert len(SelectKBest(k=0, criterion="distance", **how).rehearse().steps) == 3


def test_none_are_significant():
    X, y, schema = people()
    X = X[[name for name in X if name not in ("snp4", "snp9")]]
    schema = Schema.of(
        {name: [0, 1, 2] for name in X} | {"ill": [0, 1]}, target="ill", unit=Unit("replace"), missing="error"
    )
    selector = SelectKBest(
        k=0, criterion="distance", schema=schema, public_class=True, tau=1e-9, epsilon=60.0
    ).fit(X, y)
    assert selector.chosen_ == []
    assert not selector.get_support().any()
    assert len(selector.guarantee_.steps) == 1


def test_a_count_needs_a_threshold():
    X, y, schema = people()
    with pytest.raises(ParameterError, match="has no such threshold"):
        SelectKBest(k=0, criterion="chi2", schema=schema, public_class=True).fit(X, y)
