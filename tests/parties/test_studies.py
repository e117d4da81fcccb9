"""Each mode gives all parties a model; its guarantee names the mode, whom it trusts, what each loses."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from privet.budget import Ledger, Pure, exact
from privet.curator import Contribute, Curator
from privet.errors import BudgetExceeded, DataError, ParameterError, PrivetError, SchemaError
from privet.masking import Masks
from privet.model import model_from_dict
from privet.parties import PartyStudy
from privet.parties.messages import Message
from privet.schema import Schema, Unit
from privet.stats import Contingency
from tests.parties.conftest import SCHEMA, people

TEST = people(99, 1000)


def accuracy(model):
    return float((model.predict(TEST.drop(["ill"])) == np.array(TEST["ill"].to_pylist())).mean())


def masked_to_the_end(world, alive=None):
    world.all(alive)
    world.coordinator.step(close=True)
    for _ in range(2):
        world.all(alive)
    return world.coordinator.step()


@pytest.mark.parametrize("mode", ["trusted", "party-noise", "masked"])
def test_every_mode_gives_a_model_to_all(world, mode):
    there = world(mode)
    there.all()
    outcome = there.coordinator.step()
    if mode == "masked":
        outcome = masked_to_the_end(there)
    assert accuracy(outcome.model) > 0.8
    result = there.exchange.get("result")
    model = model_from_dict(result["model"])
    assert accuracy(model) == accuracy(outcome.model)
    assert model.guarantee_.amount == Pure(exact(2.0))
    assert mode in model.guarantee_.text()
    assert there.study.trusts() in model.guarantee_.text()
    assert result["losses"] == dict.fromkeys(there.tables, "ε = 2")
    ill = np.array(pa.concat_tables(there.tables.values())["ill"].to_pylist())
    totals = np.array([(ill == word).sum() for word in ("no", "yes")])
    assert np.abs(model.class_count_ - totals).max() < 60


def test_a_person_at_two_parties_loses_twice_where_each_party_adds_the_noise(world):
    there = world("party-noise", reach=2)
    there.all()
    assert there.coordinator.step().model.guarantee_.amount == Pure(exact(4.0))
    assert "at most 2 parties" in there.exchange.get("result")["guarantee"]["public"][-1]["what"]


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("reach", [1, 2])
def test_the_sensitivity_of_the_sum_covers_every_neighbour(neighbours, reach):
    """One unit moves at up to ``reach`` parties: the sum moves by at most what the noise is for."""
    schema = replace(SCHEMA, unit=Unit(neighbours))
    statistic = Contingency("cough", "ill")
    masks = Masks(1, bytes(32), {2: bytes(32), 3: bytes(32)})
    question = Contribute(statistic, "x", 0, masks, 3, reach)
    noise = question.mechanism(Pure(Fraction(1)), schema)
    assert noise.sensitivity == reach * (1 if neighbours == "add_remove" else 2)

    def table(rows):
        batch = pa.record_batch({"cough": [r[0] for r in rows], "ill": [r[1] for r in rows]})
        from privet.stats import Rows

        return statistic.finish(statistic.fold(statistic.start(schema), Rows(batch, schema)), schema)

    values = [(c, i) for c in ("no", "yes", None) for i in ("no", "yes")]
    base, worst = [("no", "no"), ("yes", "no")], 0
    for old in values:
        for new in values if neighbours == "replace" else [None]:
            moved = np.abs(table([*base, old]) - table([*base, *([new] if new else [])])).sum()
            worst = max(worst, reach * moved)  # the same move at each party it is at
    assert worst == noise.sensitivity


def test_a_party_that_vanishes_after_joining_is_left_out(world):
    there = world(parties=5, honest=4)
    there.all()
    assert "Closed" in there.coordinator.step().words
    outcome = masked_to_the_end(there, list(there.tables)[:4])
    assert accuracy(outcome.model) > 0.8
    losses = there.exchange.get("result")["losses"]
    assert losses["clinic-4"] == "nothing"
    assert losses["clinic-0"] == "ε = 2"
    assert abs(outcome.model.class_count_.sum() - 1600) < 60


def test_what_was_sent_with_a_partys_own_noise_is_lost_whether_it_is_used_or_not(world):
    there = world("party-noise", parties=4)
    there.all(["clinic-0", "clinic-1", "clinic-2"])
    wrong = there.exchange.folder / "send" / "clinic-1.json"
    sent = json.loads(wrong.read_text())
    key = there.folder / "clinic-1"
    other = Message.signed(there.study, "clinic-1", "send", {"parts": sent["body"]["parts"][:1]}, key)
    wrong.write_text(json.dumps(other.to_dict()))
    result = there.coordinator.step(close=True).result
    late = "nothing, or ε = 2 if it has sent too late"
    losses = {"clinic-0": "ε = 2", "clinic-1": "ε = 2", "clinic-2": "ε = 2", "clinic-3": late}
    assert result["losses"] == losses
    there.reads.clear()
    with pytest.raises(DataError, match="made without you"):
        there.step("clinic-3")
    assert there.reads == []
    assert not (there.exchange.folder / "send" / "clinic-3.json").exists()


def test_a_party_that_vanishes_after_sending_is_counted(world):
    there = world(parties=5, honest=4)
    there.all()
    there.coordinator.step()
    there.all()
    there.coordinator.step(close=True)
    alive = list(there.tables)[1:]
    for _ in range(2):
        there.all(alive)
    outcome = there.coordinator.step()
    assert abs(outcome.model.class_count_.sum() - 2000) < 60


def test_too_few_parties_give_no_result_and_reveal_nothing(world):
    there = world(parties=5, honest=4, colluding=1)
    there.all()
    there.coordinator.step()
    there.all(list(there.tables)[:4])
    with pytest.raises(DataError, match="too few"):
        there.coordinator.step(close=True)
    # A coordinator that goes on all the same: nobody agrees, so nobody reveals.
    there.exchange.put("submitted", {"parties": sorted(there.tables)[:4]})
    with pytest.raises(DataError, match="needs 5"):
        there.step("clinic-0")
    with pytest.raises(DataError, match="must agree"):
        there.coordinator.step()


def test_a_coordinator_that_shows_two_lists_gets_neither(world):
    """It tells some that clinic-0 has sent and others that it has not, to take all masks off clinic-0."""
    there = world(parties=5, honest=3)
    there.all()
    there.coordinator.step()
    there.all()
    names, folder = sorted(there.tables), there.exchange.folder
    for shown, to in ((names, names[:2]), (names[1:], names[3:])):
        (folder / "submitted.json").unlink(missing_ok=True)
        there.exchange.put("submitted", {"parties": shown})
        there.all(to)
    (folder / "submitted.json").unlink()
    there.exchange.put("submitted", {"parties": [name for name in names if name != "clinic-2"]})
    with pytest.raises(DataError, match="leaves you out"):
        there.step("clinic-2")
    for name in (*names[:2], *names[3:]):
        with pytest.raises(DataError, match="must agree"):
            there.step(name)
    assert not (folder / "reveal").exists()


def test_a_coordinator_that_shows_two_rolls_gets_no_agreement(world):
    there = world(parties=5, honest=3)
    there.all()
    folder, names = there.exchange.folder, sorted(there.tables)
    there.exchange.put("roll", {"parties": names})
    there.all(names[:3])
    (folder / "roll.json").unlink()
    there.exchange.put("roll", {"parties": names[1:]})
    there.all(names[3:])
    there.exchange.put("submitted", {"parties": names})
    for name in names[1:]:
        with pytest.raises(DataError, match=r"another roll|roll has changed|not sent"):
            there.step(name)


# Hostile parties


def test_another_partys_table_a_wrong_shape_and_a_second_one_are_refused(world):
    there = world("party-noise", parties=4)
    there.all()
    folder = there.exchange.folder / "send"
    first = json.loads((folder / "clinic-0.json").read_text())
    (folder / "clinic-1.json").write_text(json.dumps(first))  # another's table
    forged = dict(json.loads((folder / "clinic-2.json").read_text()))
    forged["body"] = {"parts": forged["body"]["parts"][::-1]}  # a wrong shape, and no signature for it
    (folder / "clinic-2.json").write_text(json.dumps(forged))
    from privet.parties.messages import Message

    short = Message.signed(there.study, "clinic-3", "send", {"parts": ["AAAA"]}, there.folder / "clinic-3")
    (folder / "clinic-3.json").write_text(json.dumps(short.to_dict()))  # signed, and of a wrong shape
    outcome = there.coordinator.step(close=True)
    assert set(outcome.refused) == {"clinic-1", "clinic-2", "clinic-3"}
    assert "another party" in outcome.refused["clinic-1"]
    assert "not signed" in outcome.refused["clinic-2"]
    assert "wrong shape" in outcome.refused["clinic-3"]
    with pytest.raises(DataError, match="The first one counts"):
        there.exchange.say(replace(short, body={"parts": []}))


def test_asked_again_a_party_sends_the_very_same(world):
    """Two answers with different noise would be two releases."""
    there = world("party-noise")
    there.all()
    path = there.exchange.folder / "send" / "clinic-0.json"
    before, reads = path.read_text(), list(there.reads)
    there.step("clinic-0")
    path.unlink()
    assert "very same" in there.step("clinic-0").words
    assert json.loads(path.read_text()) == json.loads(before)
    assert there.reads == reads  # the table was not read again
    assert stat.S_IMODE((there.folder / "clinic-0.receipts").stat().st_mode) == 0o600


def test_a_wrong_piece_is_found_and_left_out(world):
    there = world(parties=5, honest=5)
    there.all()
    there.coordinator.step()
    there.all()
    there.coordinator.step()
    for _ in range(2):
        there.all()
    from privet.parties.messages import Message

    path = there.exchange.folder / "reveal" / "clinic-1.json"
    body = json.loads(path.read_text())["body"]
    body["pieces"] = {who: dict.fromkeys(pieces, "01" * 66) for who, pieces in body["pieces"].items()}
    wrong = Message.signed(there.study, "clinic-1", "reveal", body, there.folder / "clinic-1")
    path.write_text(json.dumps(wrong.to_dict()))
    assert abs(there.coordinator.step().model.class_count_.sum() - 2000) < 60


def test_messages_of_another_study_do_not_count(world, tmp_path):
    there = world("party-noise")
    there.all()
    other = replace(there.study, epsilon=1.0)
    found, refused = there.exchange.said(other, "send")
    assert not found
    assert set(refused) == set(there.tables)
    party = there.party("clinic-0")
    party.study = other
    with pytest.raises(DataError, match="another study"):
        party.step()


# What a party pays, and what a study may be


def test_a_partys_own_ledger_pays_and_refuses(world):
    schema = replace(SCHEMA, dataset="clinic")
    there = world("party-noise", schema=schema)
    ledger = Ledger.in_memory()
    ledger.open_account("clinic", Pure(exact(1)), unit=Unit(), schema=schema)
    with pytest.raises(BudgetExceeded):
        there.step("clinic-0", ledger=ledger)
    assert not (there.exchange.folder / "send").exists()
    ledger.set_limit("clinic", Pure(exact(2)))
    there.step("clinic-0", ledger=ledger)
    assert ledger.left("clinic") is None


def test_columns_are_joined_by_a_trusted_coordinator(world):
    schema = replace(SCHEMA, unit=Unit(id="person"))
    whole = people(1, 800).append_column("person", pa.array([f"p{n}" for n in range(800)]))
    tables = {
        "clinic-0": whole.select(["person", "age", "ill"]),
        "clinic-1": whole.select(["cough", "person"])[100:],
    }
    there = world("trusted", parties=2, schema=schema, split="columns", join="person", tables=tables)
    there.all()
    outcome = there.coordinator.step()
    assert accuracy(outcome.model) > 0.8
    assert abs(outcome.model.class_count_.sum() - 700) < 60
    assert any("who is in the tables" in caveat for caveat in outcome.model.guarantee_.caveats)
    there.coordinator.forget()
    assert not list((there.exchange.folder / "send").iterdir())


def test_ids_of_different_kinds_are_refused_without_a_word_of_them(world):
    schema = replace(SCHEMA, unit=Unit(id="person"))
    whole = people(1, 50)
    tables = {
        "clinic-0": whole.select(["age", "ill"]).append_column("person", pa.array(range(50))),
        "clinic-1": whole.select(["cough"]).append_column("person", pa.array([f"p{n}" for n in range(50)])),
    }
    there = world("trusted", parties=2, schema=schema, split="columns", join="person", tables=tables)
    there.all()
    with pytest.raises(DataError, match="different kinds") as caught:
        there.coordinator.step()
    assert "p1" not in str(caught.value)


def test_a_result_is_made_once(world):
    """Whoever coordinates and asks again (a file could not be written, say) gets the very same."""
    there = world("trusted")
    there.all()
    first, again = there.coordinator.step(), there.coordinator.step()
    assert again.result == first.result == there.exchange.get("result")
    assert again.model.class_count_.tolist() == first.model.class_count_.tolist()
    assert again.model.guarantee_ == first.model.guarantee_


def test_sealed_rows_can_be_read_by_the_coordinator_alone(world):
    there = world("trusted")
    there.all()
    text = (there.exchange.folder / "send" / "clinic-0.json").read_text()
    # With the signs around a cell that sealed text has not: three letters alone turn up in it by chance.
    assert not any(cell in text for cell in ('"yes"', "yes,", ",yes", "yes\\n"))
    from privet.masking import OneTimeKey
    from privet.parties import Coordinator

    with pytest.raises(DataError, match="Too few"):
        Coordinator(there.exchange, OneTimeKey.make().private).step()


@pytest.mark.parametrize("question", ["tables", "histograms", "selection"])
def test_other_questions(world, question):
    there = world(question=question)
    there.all()
    there.coordinator.step()
    result = masked_to_the_end(there).result
    if question == "selection":
        assert list(result["scores"]) == ["age", "cough"]
    else:
        assert abs(np.array(result["tables"]["cough"]["counts"]).sum() - 1200) < 60
    assert result["guarantee"]["epsilon"] == 2.0


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (ParameterError, {"mode": "magic"}),
        (ParameterError, {"honest": 1}),
        (ParameterError, {"honest": 3, "colluding": 1}),
        (ParameterError, {"mode": "trusted"}),  # with a number of honest parties
        (ParameterError, {"reach": 4}),
        (ParameterError, {"split": "columns", "join": "person"}),
        (SchemaError, {"schema": replace(SCHEMA, missing="error")}),
        (ParameterError, {"epsilon": -1.0}),
        (ParameterError, {"parties": {"a/../b": "k", "c": "k"}}),
    ],
)
def test_studies_that_cannot_be(world, error, change):
    study = world().study
    with pytest.raises(error):
        replace(study, **change)
    with pytest.raises(PrivetError):
        PartyStudy.from_dict(study.to_dict() | {"privet_study": 99})


def test_a_contribution_without_masks_is_refused():
    question = Contribute(Contingency(None, "ill"), "x", 0, Masks(1, bytes(32), {}), 1)
    with (
        Curator(people(1), SCHEMA, Pure(Fraction(1))) as curator,
        pytest.raises(ParameterError, match="masks"),
    ):
        curator.ask(question, Fraction(1))


def test_too_small_an_epsilon_and_sums_that_are_no_tables_are_refused(world):
    there = world(epsilon=0.0001)
    there.all()
    there.coordinator.step()
    with pytest.raises(ParameterError, match="too small"):
        there.step("clinic-0")


PARTY = """
import sys, time
from privet.errors import DataError
from privet.parties import Exchange, Party
from privet.service.tables import open_table

folder, name, key, data, last = sys.argv[1:]
party = Party(Exchange(folder), name, key, key + ".receipts")
while True:
    try:
        said = party.step(lambda schema: open_table(data, schema))
        print(said.step, flush=True)
        if said.step == last:
            break
    except DataError as error:
        if "Wait" not in error.advice:
            raise
        time.sleep(0.2)
"""


def test_parties_as_processes_one_of_which_vanishes(world):
    import time

    from pyarrow import csv

    there = world(parties=3, honest=2)
    running = {}
    for name, table in there.tables.items():
        csv.write_csv(table, there.folder / f"{name}.csv")
        last = "join" if name == "clinic-2" else "reveal"
        words = [there.exchange.folder, name, there.folder / name, there.folder / f"{name}.csv", last]
        running[name] = subprocess.Popen([sys.executable, "-c", PARTY, *map(str, words)])
    outcome, end = None, time.monotonic() + 300
    while outcome is None or outcome.result is None:
        assert time.monotonic() < end
        try:
            joined = len(list((there.exchange.folder / "join").glob("*.json"))) == 3
            sent = len(list((there.exchange.folder / "send").glob("*.json"))) == 2
            outcome = there.coordinator.step(close=sent) if joined else None
        except DataError as error:
            if "Wait" not in error.advice:
                raise
        time.sleep(0.2)
    assert [process.wait(timeout=600) for process in running.values()] == [0, 0, 0]
    assert abs(outcome.model.class_count_.sum() - 800) < 60
    assert accuracy(outcome.model) > 0.8


def test_the_schema_keeps_the_order_of_its_columns(world):
    there = world()
    assert there.study.schema == SCHEMA
    assert there.study.digest == there.exchange.study.digest
    assert isinstance(there.study.schema, Schema)
