"""Exact scores that nobody paid for, and steps without a guarantee before a model whose guarantee held."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from privet import Ledger, NaiveBayes, PrivateSearch, Ridge, Schema, cross_validate, evaluate
from privet.budget import budget
from privet.errors import ParameterError
from privet.model import load_model, save_model
from privet.release import BEFOREHAND
from privet.selection import SelectKBest

DRAW = np.random.default_rng(0)
ILL = DRAW.integers(0, 2, 400)
FRAME = pd.DataFrame(
    {
        "noise": DRAW.integers(0, 2, 400),
        "cough": np.where(DRAW.random(400) < 0.1, 1 - ILL, ILL),
        "fever": np.where(DRAW.random(400) < 0.2, 1 - ILL, ILL),
    }
)
COLUMNS = {"noise": [0, 1], "cough": [0, 1], "fever": [0, 1], "ill": [0, 1]}
SCHEMA = Schema.of(COLUMNS, target="ill", dataset="people")
NUMBERS = Schema.of(dict.fromkeys(COLUMNS, (0, 1)), target="ill", dataset="people")


def purse(limit=1):
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(limit), unit=SCHEMA.unit)
    return ledger


# Exact scores, as often as asked


@pytest.mark.parametrize(
    "make",
    [
        lambda ledger: NaiveBayes(schema=SCHEMA, ledger=ledger),
        lambda ledger: Ridge(schema=NUMBERS, ledger=ledger),
        lambda ledger: PrivateSearch(NaiveBayes(schema=SCHEMA), {"bins": [4, 8]}, ledger=ledger),
    ],
    ids=["a classifier", "a regression", "a search"],
)
def test_an_exact_score_is_not_for_a_model_with_a_ledger(make):
    """With nothing left in the ledger, ``score`` gave the exact accuracy of any group of records.

    One record left out or put in shows its class and what the model says of it.
    """
    ledger = purse()
    model = make(ledger).fit(FRAME, ILL)
    assert ledger.spent("people").epsilon == 1  # all there was
    for records in (slice(0, 200), slice(0, 199)):
        with pytest.raises(ParameterError, match=r"evaluate\(model, X, y, epsilon=…\)") as refusal:
            model.score(FRAME[records], ILL[records])
        assert "cross_validate" in str(refusal.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: cross_val_score(model, FRAME, ILL, cv=4),
        lambda model: GridSearchCV(model, {"bins": [4, 8]}, cv=2).fit(FRAME, ILL),
    ],
    ids=["cross_val_score", "GridSearchCV"],
)
def test_scikit_learn_is_refused_before_anything_is_spent(ask):
    """Both returned exact scores of private records; the ledger had paid for the fits alone."""
    ledger = purse(100)
    with pytest.raises(ParameterError, match="cross_validate"):
        ask(NaiveBayes(schema=SCHEMA, ledger=ledger))
    assert ledger.spent("people") is None


def test_a_pipeline_has_no_exact_score_either():
    ledger = purse(100)
    pipeline = make_pipeline(NaiveBayes(schema=SCHEMA, ledger=ledger)).fit(FRAME, ILL)
    with pytest.raises(AttributeError, match="score") as refusal:
        pipeline.score(FRAME, ILL)
    assert "evaluate(model" in str(refusal.value.__cause__)
    with pytest.raises(TypeError, match="score"):
        cross_val_score(pipeline, FRAME, ILL)


def test_what_is_paid_for_still_works():
    ledger = purse(3)
    model = NaiveBayes(schema=SCHEMA, ledger=ledger).fit(FRAME, ILL)
    assert evaluate(model, FRAME, ILL, epsilon=1).guarantee.holds
    fold = NaiveBayes(schema=SCHEMA, epsilon=0.25, ledger=ledger)
    assert cross_validate(fold, FRAME, ILL, folds=3, epsilon=0.25).guarantee.holds
    assert ledger.spent("people").epsilon == 2.75


def test_without_a_ledger_a_score_is_what_it_was():
    assert NaiveBayes(schema=SCHEMA).fit(FRAME, ILL).score(FRAME, ILL) > 0.7
    assert (
        len(cross_val_score(NaiveBayes(schema=SCHEMA, epsilon=9), FRAME, ILL, cv=3, error_score="raise")) == 3
    )
    best = GridSearchCV(NaiveBayes(schema=SCHEMA), {"bins": [4, 8]}, cv=2, error_score="raise").fit(
        FRAME, ILL
    )
    assert best.best_estimator_.guarantee_.text().splitlines()[5].startswith(BEFOREHAND[:40])


# A choice without a guarantee before a model with one


@pytest.mark.parametrize("frame", [True, False], ids=["a frame", "an array"])
@pytest.mark.parametrize("output", ["default", "pandas"])
def test_a_choice_from_a_seed_voids_what_follows(frame, output):
    """A seeded selector's choice is exact for whoever knows the seed; the model claimed ε = 1 even so."""
    X, y = (FRAME, ILL) if frame else (FRAME.to_numpy(), ILL)
    if not frame and output == "pandas":
        X = pd.DataFrame(X, columns=FRAME.columns)
    selector = SelectKBest(k=2, schema=SCHEMA, random_state=1).set_output(transform=output)
    model = make_pipeline(selector, NaiveBayes(schema=SCHEMA)).fit(X, y)[-1]
    assert not model.guarantee_.holds
    assert "SelectKBest without a guarantee: The noise was drawn from a seed" in model.guarantee_.headline
    ledger = purse(100)
    chosen = clone(selector).fit_transform(X, y)
    with pytest.raises(ParameterError, match="without a guarantee"):
        NaiveBayes(schema=SCHEMA, ledger=ledger).fit(chosen, y)
    assert ledger.spent("people") is None
    assert not cross_validate(NaiveBayes(schema=SCHEMA), chosen, y, folds=2, epsilon=1).guarantee.holds
    search = PrivateSearch(NaiveBayes(schema=SCHEMA), {"bins": [4, 8]})
    assert not search.fit(chosen, y).guarantee_.holds


def test_a_private_choice_is_named_and_its_words_are_carried():
    selector = SelectKBest(k=2, schema=SCHEMA, epsilon=0.5)
    model = make_pipeline(selector, NaiveBayes(schema=SCHEMA)).fit(FRAME, ILL)[-1]
    assert model.guarantee_.epsilon == 1
    assert any("SelectKBest chose these columns" in c and "ε = 0.5" in c for c in model.guarantee_.caveats)
    again = make_pipeline(SelectKBest(k=1, schema=SCHEMA), model.set_params(schema=SCHEMA))
    assert again.fit(FRAME, ILL).predict(FRAME).shape == (400,)


def test_a_chain_of_choices_carries_all_of_them():
    seeded = SelectKBest(k=2, schema=SCHEMA, random_state=1)
    model = make_pipeline(seeded, SelectKBest(k=1, schema=SCHEMA), NaiveBayes(schema=SCHEMA)).fit(FRAME, ILL)[
        -1
    ]
    assert not model.guarantee_.holds
    assert len(model.columns_) == 1


def test_what_a_frame_says_of_itself_is_not_believed():
    """``attrs`` could be written by anybody: columns chosen by exact scores passed for a private choice."""
    forged = FRAME[["cough"]].copy()
    for claim in (["cough"], "0" * 64, {"names": ["cough"]}):
        forged.attrs["privet_selected"] = claim
        with pytest.raises(ValueError, match="no column 'noise'"):
            NaiveBayes(schema=SCHEMA).fit(forged, ILL)


def test_a_choice_is_known_by_slices_and_copies_of_a_frame(tmp_path):
    chosen = (
        SelectKBest(k=2, schema=SCHEMA, random_state=1)
        .set_output(transform="pandas")
        .fit_transform(FRAME, ILL)
    )
    model = NaiveBayes(schema=SCHEMA).fit(chosen.iloc[:300].copy(), ILL[:300])
    assert not model.guarantee_.holds
    save_model(model, tmp_path / "model.json")
    assert not load_model(tmp_path / "model.json").guarantee_.holds


# What cannot be seen


def test_what_cannot_be_seen_is_said_near_the_top(tmp_path):
    """A scaler that was fitted on the records moves them all if one of them changes; no one can see that."""
    schema = Schema.of({"fever": (0.0, 1.0), "ill": [0, 1]}, target="ill")
    scaled = make_pipeline(MinMaxScaler(), NaiveBayes(schema=schema)).fit(FRAME[["fever"]].to_numpy(), ILL)
    lines = scaled[-1].guarantee_.text().splitlines()
    assert lines[5].startswith("This is about the table as it was passed to Privet.")
    assert lines.index("How the privacy was spent:") < 10
    for told in (
        evaluate(scaled[-1], FRAME[["fever"]], ILL, epsilon=1).guarantee,
        cross_validate(NaiveBayes(schema=schema), FRAME[["fever"]], ILL, folds=2, epsilon=1).guarantee,
        PrivateSearch(NaiveBayes(schema=schema), {"bins": [4, 8]}).fit(FRAME[["fever"]], ILL).guarantee_,
    ):
        assert BEFOREHAND in told.caveats
    table = FRAME.assign(ill=ILL)
    table.to_csv(tmp_path / "people.csv", index=False)
    assert BEFOREHAND not in NaiveBayes(schema=schema).fit(tmp_path / "people.csv").guarantee_.caveats
