"""Guarantees: what they say, and that they survive JSON."""

from __future__ import annotations

import json
import warnings

import pytest

from privet.budget import Approximate, Pure, Zcdp, exact
from privet.release import Guarantee, Step, public_knowledge
from privet.schema import Schema, Unit

STEPS = (
    Step("'age' within each 'ill'", "geometric noise", Pure(exact(0.1)), 29.5),
    Step("'x' within each 'ill'", "discrete gaussian noise", Zcdp(exact(0.25)), 1.5, "half ranges"),
)
GUARANTEES = {
    "pure": Guarantee(Pure(exact(0.1)), Unit()),
    "approximate": Guarantee(Approximate(exact(1), exact(1e-6)), Unit("replace", "p", 3), STEPS),
    "void": Guarantee.none(
        ["Seeded."],
        Unit(),
        STEPS,
        public_knowledge(Schema.of({"age": (0, 9), "ill": ["no", "yes"]})),
        ["Time."],
    ),
}
each = pytest.mark.parametrize("guarantee", GUARANTEES.values(), ids=GUARANTEES)


def test_one_record_is_no_records():
    assert "at most 1 record in" in Step("a", "noise", Pure(exact(9)), 1.0).sentence()
    assert "at most 1.2 records in" in Step("a", "noise", Pure(exact(9)), 1.2).sentence()
    assert "at most 1 half range in" in Step("a", "noise", Pure(exact(9)), 1.0, "half ranges").sentence()


@each
def test_json_round_trip(guarantee):
    assert Guarantee.from_dict(json.loads(json.dumps(guarantee.to_dict(), allow_nan=False))) == guarantee


@each
def test_amounts_of_steps_are_given_as_decimals_too(guarantee):
    for step, data in zip(guarantee.steps, guarantee.to_dict()["steps"], strict=True):
        for name, decimal in data["decimals"].items():
            assert decimal == float(getattr(step.amount, name))
        assert set(data["decimals"]) == set(data["amount"]) - {"kind"}


@each
def test_text_says_everything(guarantee):
    text = str(guarantee)
    assert text.startswith("Guarantee: ")
    for step in guarantee.steps:
        assert step.sentence() in text
    for part in (*guarantee.caveats, *guarantee.voided, *(what for what, _ in guarantee.public)):
        assert part in text


def test_none_is_said_first_and_claims_nothing():
    void = GUARANTEES["void"]
    assert void.headline == "Guarantee: NONE. Seeded."
    assert not void.holds
    assert "times as" not in void.text()
    data = void.to_dict()
    assert (data["holds"], data["epsilon"], data["delta"], data["amount"]) == (False, None, None, None)
    assert (void.amount, void.epsilon, void.delta) == (None, None, None)


def test_a_guarantee_has_an_amount_or_reasons_why_not():
    for amount, reasons in ((None, ()), (Pure(exact(1)), ("Seeded.",))):
        with pytest.raises(ValueError, match="reasons"):
            Guarantee(amount, Unit(), voided=reasons)
    voided = GUARANTEES["approximate"].voided_by("An audit refuted it.")
    assert (voided.holds, voided.amount, voided.steps) == (False, None, STEPS)


def test_files_that_name_an_amount_of_nothing_still_load():
    """Earlier versions wrote an amount beside the reasons: 1, a million, or what was asked for."""
    data = GUARANTEES["void"].to_dict() | {"amount": Pure(exact(1_000_000)).to_dict()}
    assert Guarantee.from_dict(data) == GUARANTEES["void"]


def test_what_an_epsilon_means():
    assert "at most 1.11 times as" in GUARANTEES["pure"].text()
    assert "except with probability 1e-06" in GUARANTEES["approximate"].text()


@pytest.mark.parametrize("epsilon", [14.0, 800.0, 1_000_000.0])
def test_an_enormous_epsilon_has_words_too(epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = " ".join(Guarantee(Pure(exact(epsilon)), Unit()).text().split())
    assert "more than a million times" in text
    assert "TOO LARGE TO PROTECT" in text


@pytest.mark.parametrize(("epsilon", "protects"), [(0.1, True), (10.0, True), (10.1, False), (20.0, False)])
def test_a_large_epsilon_is_not_called_protection(epsilon, protects):
    guarantee = Guarantee(Pure(exact(epsilon)), Unit())
    assert guarantee.protects is protects
    assert guarantee.holds
    assert ("at most" in guarantee.text()) is protects
    assert not guarantee.voided_by("seeded").protects


def test_the_number_of_units_is_public_where_they_are_exchanged():
    schema = Schema.of({"age": (0, 9)}, unit=Unit("replace"))
    assert ("the number of units", "neighbour relation: replace") in public_knowledge(schema)
    assert not any("number of units" in what for what, _ in public_knowledge(Schema.of({"age": (0, 9)})))
