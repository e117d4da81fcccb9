"""What attackers did to running streams: sold them many times, moved their steps, and hid behind NaN."""

from __future__ import annotations

import copy
import io
import multiprocessing
import os
import pickle
import shutil

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from privet.budget import Ledger, budget
from privet.curator.stream import ContinualCounter
from privet.errors import DataError, LedgerError, ModelError, ParameterError, SchemaError
from privet.estimator import PrivateStream
from privet.learning.streams.naive_bayes import StreamingNaiveBayes
from privet.model import load_model, save_model
from privet.schema import Schema, Unit

WHAT = {"c": ["a", "b"], "y": ["no", "yes"]}
CLOCKED = Schema.of(WHAT, target="y", dataset="clinic")
EXCHANGED = Schema.of(WHAT, target="y", unit=Unit("replace"))


def of_persons(most=1, neighbours="add_remove"):
    return Schema.of(WHAT, target="y", unit=Unit(neighbours, "who", most))


def begun(records=60, **more):
    model = StreamingNaiveBayes(**({"epsilon": 0.1, "schema": CLOCKED, "horizon": 4} | more))
    for _ in range(records):
        model.learn_one({"c": "a", "who": 4711}, "no")
    return model


# 1. A running stream sold many times


def copied(model):
    yield copy.copy(model)
    yield copy.deepcopy(model)
    yield pickle.loads(pickle.dumps(model))
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    yield joblib.load(file)


def test_a_copy_of_a_running_stream_releases_nothing_new():
    """The attacker copied a stream before a step ended, and ended it in each copy.

    Each drew fresh noise for the same records: the mean of 4,000 copies at ε = 0.1 was the exact counts.
    """
    model = begun()
    shown = model.predict_proba_one({"c": "a"})
    for other in copied(model):
        assert other.predict_proba_one({"c": "a"}) == shown
        assert other.guarantee_ == model.guarantee_
        for learn in (lambda o: o.learn_one({"c": "a"}, "no"), lambda o: o.end_step(),
                      lambda o: o.partial_fit([["a"]], ["no"]), lambda o: o.checkpoint("kept")):  # fmt: skip
            with pytest.raises(ParameterError, match="learns no more"):
                learn(other)
    with pytest.raises(ParameterError, match="one holder"):
        copy.deepcopy(model._live)
    with pytest.raises(ParameterError, match="one holder"):
        pickle.dumps(model._live.counter)
    model.end_step()  # the one that is not a copy goes on
    assert model.predict_proba_one({"c": "a"}) != shown


def test_a_copy_holds_neither_sums_nor_names():
    """The pickle of a running stream held exact sums and the ids of its persons."""
    model = begun(schema=of_persons(most=5), records=50)
    kept = copy.copy(model)
    released = {"schema_", "guarantee_", "classes_", "cuts_", "class_log_prior_", "tables_"}
    assert set(vars(kept)) == set(model.get_params()) | released
    assert b"4711" not in pickle.dumps(model)
    flat = {name: table.tolist() for name, table in kept.tables_.items()}
    assert flat["c"][0][0] == flat["c"][1][1]  # no step has ended: nothing was learned yet


def test_no_exact_count_is_held_at_any_moment():
    """Noise is drawn before the first record, so the state that a thief finds is noisy from the start."""
    found = []
    for _ in range(40):
        counter = begun(records=7)._live.counter
        growing = counter._levels_that_grow()
        found += [int(counter._growing[level, 0]) for level in growing]
        idle = [level for level in range(counter.levels) if level not in growing]
        assert not counter._growing[idle].any()
    assert np.mean(np.array(found) == 7) < 0.2  # the scale of the noise is 30


class NoiseLast(ContinualCounter):
    """Planted: noise is drawn when a node is released, as it once was."""

    def _draw(self):
        self._growing[self._levels_that_grow()] *= 0

    def end_step(self):
        level = ((self.steps + 1) & -(self.steps + 1)).bit_length() - 1
        self._growing[level] = self.mechanism.randomise(self._growing[level], self._randomness)
        return super().end_step()


def resumed(place, tmp_path, times, ledger=None):
    """What copies of a checkpoint release, each taken up by itself."""
    for time in range(times):
        path = tmp_path / f"copy {time}"
        shutil.copy(place, path)
        model = StreamingNaiveBayes(epsilon=0.1, schema=CLOCKED, horizon=4, ledger=ledger).resume(path)
        model.end_step()
        yield model._live.totals


def test_replaying_a_checkpoint_draws_no_second_noise(tmp_path, monkeypatch):
    """The attacker took up copies of one checkpoint, to average over their noise."""
    model = begun()
    model.checkpoint(tmp_path / "kept")
    first, *others = resumed(tmp_path / "kept", tmp_path, 20)
    assert all((other == first).all() for other in others)
    assert abs(int(first[0]) - 60) < 30 * 25

    from privet.curator import live_stream

    monkeypatch.setattr(live_stream, "ContinualCounter", NoiseLast)  # the fault: then the mean tells
    model = begun()
    model.checkpoint(tmp_path / "planted")
    totals = np.array(list(resumed(tmp_path / "planted", tmp_path, 1000)))
    assert len(np.unique(totals[:, 0])) > 50
    assert abs(totals[:, 0].mean() - 60) < 8


def paying(tmp_path):
    ledger = Ledger.open(tmp_path / "ledger.db", create=True)
    ledger.open_account("clinic", budget(1.0), unit=Unit())
    return ledger


def taken_up(path, ledger):
    return StreamingNaiveBayes(epsilon=0.1, schema=CLOCKED, horizon=4, ledger=ledger).resume(path)


def test_of_two_that_go_on_from_one_checkpoint_one_releases(tmp_path):
    """Fed with different records, two copies with the same noise would differ by exact counts."""
    ledger = paying(tmp_path)
    begun(ledger=ledger).checkpoint(tmp_path / "one")
    shutil.copy(tmp_path / "one", tmp_path / "two")
    one, two = (taken_up(tmp_path / name, ledger) for name in ("one", "two"))
    one.learn_one({"c": "b"}, "yes")
    shown = two.predict_proba_one({"c": "a"})
    one.end_step()
    with pytest.raises(LedgerError, match="Another holder"):
        two.end_step()
    assert two.predict_proba_one({"c": "a"}) == shown  # nothing of it was shown
    with pytest.raises(LedgerError, match="Another holder"):
        two.end_step()
    del two
    with pytest.raises(LedgerError, match="not the latest"):
        taken_up(tmp_path / "two", ledger)  # which it wrote before it was refused
    one.end_step()
    assert str(ledger.spent("clinic")) == "ε = 0.1"
    ledger.verify()
    assert [entry.kind for entry in ledger.history()] == ["account", "reserve"]


def test_a_checkpoint_that_was_put_back_is_refused(tmp_path):
    ledger = paying(tmp_path)
    model = begun(ledger=ledger)
    model.checkpoint(tmp_path / "kept")
    shutil.copy(tmp_path / "kept", tmp_path / "backup")
    model.end_step()
    totals = model._live.totals
    del model
    with pytest.raises(LedgerError, match="not the latest"):
        taken_up(tmp_path / "backup", ledger)
    assert (taken_up(tmp_path / "kept", ledger)._live.totals == totals).all()
    with pytest.raises(LedgerError, match="go on with it"):
        taken_up(tmp_path / "kept", None)


def test_a_crash_between_the_file_and_the_ledger_loses_nothing_and_shows_nothing_twice(tmp_path, monkeypatch):
    ledger = paying(tmp_path)
    model = begun(ledger=ledger)
    model.checkpoint(tmp_path / "kept")
    shown = model.predict_proba_one({"c": "a"})

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "advance", crash)
        with pytest.raises(KeyboardInterrupt):
            model.end_step()
    assert model.predict_proba_one({"c": "a"}) == shown
    del model
    again = taken_up(tmp_path / "kept", ledger)  # the step was written, and is shown now
    assert again._live.steps == 1
    again.end_step()


def test_a_step_that_the_ledger_could_not_write_is_neither_shown_nor_kept(tmp_path, monkeypatch):
    """The ledger was busy, and a step that was over in memory alone went to a checkpoint under the old name.

    Taken up from there it was shown, and so was another that went on from a backup.
    """
    ledger = paying(tmp_path)
    model = begun(ledger=ledger)
    shown = model.predict_proba_one({"c": "a"})

    def busy(*_):
        raise LedgerError("The ledger is busy.")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "advance", busy)
        for act in (model.end_step, lambda: model.checkpoint(tmp_path / "kept"),
                    lambda: model.learn_one({"c": "b"}, "yes"), model.end_step):  # fmt: skip
            with pytest.raises(LedgerError, match="busy"):
                act()
        assert not (tmp_path / "kept").exists()
    assert model.predict_proba_one({"c": "a"}) == shown
    model.end_step()  # the same step: it is shown now
    assert model.steps == 1
    assert model.predict_proba_one({"c": "a"}) != shown

    write = Ledger.advance

    def stopped(*words):
        write(*words)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "advance", stopped)
        with pytest.raises(KeyboardInterrupt):
            model.end_step()
    model.end_step()
    assert model.steps == 2


def test_a_crash_within_a_step_shows_nothing_that_a_replay_could_be_compared_with(tmp_path):
    """Records after the last end of a step are lost with the program, and nothing of them was shown."""
    model = begun()
    model.checkpoint(tmp_path / "kept")
    model.end_step()
    at_end, shown = (tmp_path / "kept").read_bytes(), model._live.totals
    for _ in range(5):
        model.learn_one({"c": "b"}, "yes")
    assert (model._live.totals == shown).all()
    assert (tmp_path / "kept").read_bytes() == at_end
    del model
    assert (taken_up(tmp_path / "kept", None)._live.totals == shown).all()


def test_one_program_holds_a_checkpoint(tmp_path):
    model = begun()
    model.checkpoint(tmp_path / "kept")
    assert os.stat(tmp_path / "kept").st_mode & 0o077 == 0
    with pytest.raises(ParameterError, match="held by a program"):
        taken_up(tmp_path / "kept", None)
    (tmp_path / "other").write_text("")
    with pytest.raises(ParameterError, match="there already"):
        begun().checkpoint(tmp_path / "other")
    model.checkpoint(tmp_path / "kept")
    del model
    with pytest.raises(ModelError, match="other parameters"):
        StreamingNaiveBayes(epsilon=0.2, schema=CLOCKED, horizon=4).resume(tmp_path / "kept")
    with pytest.raises(ModelError, match="damaged"):
        taken_up(tmp_path / "other", None)
    with pytest.raises(ParameterError, match="has begun"):
        begun().resume(tmp_path / "kept")
    assert taken_up(tmp_path / "kept", None)


def test_a_checkpoint_names_nobody(tmp_path):
    model = begun(schema=of_persons(most=5), records=50)
    model.checkpoint(tmp_path / "kept")
    assert "4711" not in (tmp_path / "kept").read_text()
    del model
    model = StreamingNaiveBayes(epsilon=0.1, schema=of_persons(most=5), horizon=4).resume(tmp_path / "kept")
    before = model._live.counter._growing.copy()
    model.learn_one({"c": "a", "who": 4711}, "no")  # the person's five records were counted before
    assert (model._live.counter._growing == before).all()


def _end_in_child(model, answer):
    try:
        model.end_step()
        answer.put("released")
    except ParameterError:
        answer.put("refused")


def test_a_forked_process_does_not_go_on():
    """A fork has all of the memory: each child released the same step with noise of its own."""
    context = multiprocessing.get_context("fork")
    answer, model = context.Queue(), begun()
    child = context.Process(target=_end_in_child, args=(model, answer))
    child.start()
    assert answer.get(timeout=600) == "refused"
    child.join()
    model.end_step()


def test_a_clone_is_another_stream_and_pays_for_itself(tmp_path):
    ledger = paying(tmp_path)
    model = begun(ledger=ledger)
    clone(model).learn_one({"c": "a"}, "no")
    assert str(ledger.spent("clinic")) == "ε = 0.2"


def test_a_released_model_file_holds_what_was_released(tmp_path):
    model = begun(records=30)
    model.end_step()
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.predict_proba_one({"c": "a"}) == model.predict_proba_one({"c": "a"})
    assert loaded.guarantee_ == model.guarantee_
    with pytest.raises(ParameterError, match="learns no more"):
        loaded.end_step()


# 2. Steps of so many records, where a record may be absent


STEPS = 64


def moved(every, first):
    """How much of what is released moves if a stream's first record is left out, with ``first`` in its place.

    Both streams draw the same noise, so what differs is exact. It is the L1 distance of all single steps; a
    record that is present or absent may move them by 1 in all.
    """
    one = [{"c": "ab"[place % 2], "y": "no"} for place in range(STEPS)]
    other = [*first, *one[1:], *([] if first else one[:1])]
    steps = [released(records, every) for records in (one, other)]
    return np.abs(steps[0] - steps[1]).sum()


def released(records, every):
    """What each step adds to the counts of a and of b: differences of the totals that are released."""
    model = StreamingNaiveBayes(schema=CLOCKED, horizon=STEPS, every=every, random_state=0)
    model._begin()
    live = model._live
    totals = [live.totals]
    for record in records:
        if record["y"] is not None:
            live.take(record, lambda record=record: model._cells(record, record["y"]))
        if every is None or live.due:
            live.end_step()  # with a clock, whether or not a record came
        totals.append(live.totals)
    return np.diff(totals, axis=0)[:, [0, 2]]


def test_counted_steps_are_refused_where_a_record_may_be_absent(monkeypatch):
    """The attacker compared a stream with the same without its first record: ε ≥ 2.03 at a claim of 1.

    With steps of so many records, every later record moved into another step.
    """
    for schema in (CLOCKED, of_persons()):
        with pytest.raises(ParameterError, match="all later ones move"):
            StreamingNaiveBayes(schema=schema, every=2).learn_one({"c": "a", "who": 1}, "no")
        with pytest.raises(ParameterError, match="all later ones move"):
            StreamingNaiveBayes(schema=schema, every=2).rehearse()
    monkeypatch.setattr(PrivateStream, "_declared", lambda self: self.schema)  # the fault
    assert moved(1, []) == 2 * STEPS


def test_steps_that_a_clock_ends_do_not_move():
    assert moved(None, [{"c": None, "y": None}]) == 1


def test_the_guarantee_says_what_is_proved():
    clocked = StreamingNaiveBayes(schema=CLOCKED).rehearse()
    assert "one record, present or absent" in clocked.headline
    assert any("never by the number of records" in caveat for caveat in clocked.caveats)
    counted = StreamingNaiveBayes(schema=EXCHANGED, every=10).rehearse()
    assert "one record, exchanged for another" in counted.headline
    assert any("how many came" in caveat for caveat in counted.caveats)
    persons = StreamingNaiveBayes(schema=of_persons(3, "replace"), every=10).rehearse()
    assert "one person" in persons.headline
    assert "exchanged for another" in persons.headline
    keep = Schema.of(WHAT, target="y", unit=Unit(id="who", most=2, keep="content"))
    with pytest.raises(SchemaError, match="by content"):
        StreamingNaiveBayes(schema=keep).rehearse()


def test_a_record_that_is_refused_keeps_its_place_in_a_counted_step():
    """If it did not, exchanging a good record for a bad one would move all later ones."""
    model = StreamingNaiveBayes(schema=EXCHANGED, every=3, horizon=4)
    model.learn_one({"c": "a"}, "no")
    for steps in (0, 1):
        with pytest.raises(DataError):
            model.learn_one({"c": "outside"}, "no")
        assert model._live.steps == steps


# 3. Persons who are nobody


@pytest.mark.parametrize(
    "nobody",
    [None, float("nan"), np.float64("nan"), np.float32("nan"), pd.NaT, pd.NA, np.datetime64("NaT")],
    ids=str,
)
def test_records_that_name_nobody_do_not_count(nobody):
    """NaN differs from itself, so each record was a new person: eight of one gave ε ≥ 4.1 at a claim of 1."""
    model = StreamingNaiveBayes(schema=of_persons(), horizon=4)
    model._begin()
    before = model._live.counter._growing.copy()
    for _ in range(8):
        model.learn_one({"c": "a", "who": nobody}, "no")
    assert (model._live.counter._growing == before).all()


def test_one_person_under_many_spellings_counts_once():
    model = StreamingNaiveBayes(schema=of_persons(), horizon=1)
    model._begin()
    before = model._live.counter._growing.copy()
    for who in (1, 1.0, "1", np.int64(1), np.float32(1), np.str_("1"), True, b"1"):
        model.learn_one({"c": "a", "who": who}, "no")
    assert (model._live.counter._growing - before).sum() == 1
    for who in (0.0, -0.0, 0):
        model.learn_one({"c": "a", "who": who}, "no")
    assert (model._live.counter._growing - before).sum() == 2
    for who in (object(), ("a", float("nan")), [1]):  # what may differ from itself is no id
        with pytest.raises(DataError, match="id of a person"):
            model.learn_one({"c": "a", "who": who}, "no")
    assert (model._live.counter._growing - before).sum() == 2


# 4. Refusals of single records


def test_no_record_is_refused_where_a_ledger_pays():
    """A refusal tells that a record is outside the schema: it is counted as missing, or not at all."""
    columns = WHAT | {"age": (0, 120)}
    schema = Schema.of(columns, target="y", unit=Unit("add_remove", "who"), dataset="clinic")
    ledger = Ledger.in_memory()
    ledger.open_account("clinic", budget(1.0), unit=schema.unit)
    model = StreamingNaiveBayes(epsilon=0.5, schema=schema, horizon=2, ledger=ledger)
    odd = ["outside", 3.5, object(), [1], {"a": 1}, b"a", float("inf"), 10**400, "", None]
    for place, value in enumerate(odd):
        model.learn_one({"c": value, "age": 40, "who": f"c{place}"}, "no")
        model.learn_one({"c": "a", "age": value, "who": f"age{place}"}, "no")
        model.learn_one({"c": "a", "age": 40, "who": f"y{place}"}, value)
        model.learn_one({"c": "a", "age": 40, "who": value}, "no")
    model.end_step()
    with pytest.raises(DataError):  # without a ledger, whoever feeds the stream is its owner
        StreamingNaiveBayes(schema=schema, horizon=2).learn_one({"c": "outside", "who": 1}, "no")
