"""A flow is priced as a whole, paid for once, kept, and taken up where it stopped."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget import Ledger, Pure, budget, exact, rho_for
from privet.curator.currency import currency_of
from privet.demo.patients import DATASET, patients, public_knowledge
from privet.errors import BudgetExceeded, LedgerError, ParameterError
from privet.flow import Flow, running
from privet.flow.allocation import amounts, shares
from privet.flow.steps import FlowStep
from privet.schema import Number

STEPS = {
    "people": {"do": "source", "data": "people.csv"},
    "parts": {"do": "split", "from": "people"},
    "chosen": {"do": "select-k-best", "from": "parts.train", "k": 4},
    "model": {"do": "naive-bayes", "from": "chosen"},
    "score": {"do": "evaluate", "from": ["model", "parts.test"], "measures": "confusion"},
}
TABLES = {"people": (patients(3000), public_knowledge())}


def flow(**more):
    return Flow.from_dict({"epsilon": 1.0, "steps": STEPS} | more)


def account(limit=5):
    ledger = Ledger.in_memory()
    ledger.open_account(DATASET, Pure(exact(limit)), unit=public_knowledge().unit)
    return ledger


def spent(ledger):
    amount = ledger.balance(DATASET).spent
    return 0.0 if amount is None else float(amount.epsilon)


@pytest.mark.parametrize("allocation", ["auto", "equal"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_parts_never_add_up_to_more_than_the_whole(allocation, delta):
    plan = flow(allocation=allocation, delta=delta).plan(TABLES)
    parts = [step.amount for step in plan.steps if step.amount is not None]
    assert len(parts) == 3
    if delta:
        assert sum(currency_of(part).rho for part in parts) <= rho_for(exact(1.0), exact(delta))
    else:
        assert sum(part.epsilon for part in parts) == 1
    assert plan.total == budget(1.0, delta)


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=12), st.booleans())
@settings(max_examples=60, deadline=None)
def test_automatic_shares_are_exact_and_add_up_to_one(errors, pure):
    steps = [FlowStep(f"s{place}", "naive-bayes") for place in range(len(errors))]
    named = {step.name: error for step, error in zip(steps, errors, strict=True)}
    found = shares(steps, "auto", "model", named, pure=pure)
    assert sum(found.values()) == 1
    assert all(isinstance(share, Fraction) and share > 0 for share in found.values())


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.floats(0.1, 20), st.floats(1e-12, 1e-5))
@settings(max_examples=40, deadline=None)
def test_parts_of_rho_add_up_to_no_more_than_that_of_the_whole(grains, epsilon, delta):
    whole = budget(epsilon, delta)
    found = amounts(whole, {str(i): Fraction(grain, sum(grains)) for i, grain in enumerate(grains)})
    assert sum(currency_of(part).rho for part in found.values()) <= rho_for(whole.epsilon, whole.delta)


def test_weights_and_fixed_parts():
    steps = STEPS | {n: STEPS[n] | {"weight": w} for n, w in (("chosen", 1), ("model", 2), ("score", 1))}
    plan = flow(allocation="weights", steps=steps).plan(TABLES)
    assert plan.amount_of("model").epsilon == Fraction(1, 2)
    steps = STEPS | {
        n: STEPS[n] | {"epsilon": e} for n, e in (("chosen", 0.1), ("model", 0.3), ("score", 0.2))
    }
    plan = flow(allocation="fixed", steps=steps).plan(TABLES)
    assert plan.total == Pure(Fraction(6, 10))
    with pytest.raises(ParameterError, match="has none"):
        flow(allocation="weights").plan(TABLES)


def test_it_is_paid_for_once_and_gives_what_its_steps_give():
    ledger = account()
    result = flow().run(TABLES, ledger=ledger)
    assert spent(ledger) == 1.0
    assert result.guarantee.epsilon == 1.0
    assert len(result["chosen"].chosen_) == 4
    assert 0.4 < result["score"].accuracy.value < 1.2
    assert result["model"].guarantee_.epsilon < 1.0
    assert [entry.kind for entry in ledger.history()].count("reserve") == 1
    assert "has run" in result.text()
    assert result.to_dict()["steps"]["score"]["score"]


def test_too_small_an_account_refuses_all_of_it_before_anything_is_read():
    ledger = account(0.5)
    with pytest.raises(BudgetExceeded):
        flow().run(TABLES, ledger=ledger)
    assert spent(ledger) == 0


def test_what_was_released_is_used_again_and_not_paid_again(tmp_path):
    ledger = account()
    first = flow().run(TABLES, ledger=ledger, store=tmp_path)
    again = flow().run(TABLES, ledger=ledger, store=tmp_path)
    assert spent(ledger) == 1.0
    assert again.guarantee is None
    assert again.reused == ("chosen", "model", "score")
    assert again["chosen"].chosen_ == first["chosen"].chosen_
    assert again["score"].to_dict() == first["score"].to_dict()
    assert flow().plan(TABLES, store=tmp_path).total is None
    # One step changes: only what depends on it is paid for.
    changed = flow(steps=STEPS | {"score": STEPS["score"] | {"measures": "all"}})
    before = spent(ledger)
    assert "chosen" not in {s.name for s in changed.plan(TABLES, store=tmp_path).steps if not s.amount}
    changed.run(TABLES, ledger=ledger, store=tmp_path)
    assert spent(ledger) > before


def interrupted(monkeypatch, tmp_path, ledger, at):
    real = running.measured

    def failing(step, *rest):
        if step.name == at:
            raise KeyboardInterrupt
        return real(step, *rest)

    monkeypatch.setattr(running, "measured", failing)
    with pytest.raises(KeyboardInterrupt):
        flow().run(TABLES, ledger=ledger, store=tmp_path)
    monkeypatch.setattr(running, "measured", real)


def test_an_interrupted_flow_goes_on_and_only_the_step_that_was_begun_is_paid_again(monkeypatch, tmp_path):
    ledger = account()
    interrupted(monkeypatch, tmp_path, ledger, "model")
    assert spent(ledger) == 1.0
    result = flow().run(TABLES, ledger=ledger, store=tmp_path)
    model = float(flow().plan(TABLES).amount_of("model").epsilon)
    assert result.reused == ("chosen",)
    assert spent(ledger) == pytest.approx(1 + model)
    assert result.guarantee.epsilon == pytest.approx(1 + model)
    assert flow().run(TABLES, ledger=ledger, store=tmp_path).guarantee is None


def test_steps_that_were_not_begun_are_paid_for_by_the_first_reservation(monkeypatch, tmp_path):
    ledger, real = account(1), running._Running._begin

    def stopped(self, step):
        if step.name == "model":
            raise KeyboardInterrupt
        real(self, step)

    monkeypatch.setattr(running._Running, "_begin", stopped)
    with pytest.raises(KeyboardInterrupt):
        flow().run(TABLES, ledger=ledger, store=tmp_path)
    monkeypatch.setattr(running._Running, "_begin", real)
    assert flow().plan(TABLES, store=tmp_path).total is None, "nothing more is to be paid"
    result = flow().run(TABLES, ledger=ledger, store=tmp_path)
    assert spent(ledger) == 1.0
    assert result.guarantee.epsilon == 1.0
    assert [entry.state for entry in ledger.history() if entry.kind == "reserve"] == ["committed"]


def test_an_unpaid_beginning_does_not_pay_for_the_rest(monkeypatch, tmp_path):
    interrupted(monkeypatch, tmp_path, None, "model")
    ledger = account()
    result = flow().run(TABLES, ledger=ledger, store=tmp_path)
    left = sum(float(flow().plan(TABLES).amount_of(name).epsilon) for name in ("model", "score"))
    assert result.reused == ("chosen",)
    assert spent(ledger) == pytest.approx(left)


def test_a_copy_of_the_store_cannot_spend_the_same_reservation(monkeypatch, tmp_path):
    import shutil

    ledger = account()
    interrupted(monkeypatch, tmp_path / "one", ledger, "model")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    flow().run(TABLES, ledger=ledger, store=tmp_path / "one")
    with pytest.raises(LedgerError):
        flow().run(TABLES, ledger=ledger, store=tmp_path / "two")


def test_a_table_that_changed_in_between_is_refused(monkeypatch, tmp_path):
    from privet.schema import write_schema
    from privet.sources import write_csv

    write_schema(public_knowledge(), tmp_path / "people.schema.toml")
    write_csv(patients(500).to_batches(), tmp_path / "people.csv")
    ledger, real = account(), running.measured
    monkeypatch.setattr(running, "measured", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        flow().run(folder=tmp_path, ledger=ledger, store=tmp_path / "kept")
    monkeypatch.setattr(running, "measured", real)
    write_csv(patients(501).to_batches(), tmp_path / "people.csv")
    with pytest.raises(ParameterError, match="has changed"):
        flow().run(folder=tmp_path, ledger=ledger, store=tmp_path / "kept")
    assert spent(ledger) == 1.0


def test_two_programs_do_not_run_one_flow_at_once(tmp_path):
    from privet.flow.store import Store

    with Store(tmp_path).held(), pytest.raises(ParameterError, match="is running"):
        flow().run(TABLES, store=tmp_path)


def test_a_column_that_a_choice_may_drop_cannot_be_counted_on():
    steps = {
        "people": STEPS["people"],
        "chosen": {"do": "select-k-best", "from": "people", "k": 2},
        "some": {"do": "keep", "from": "chosen", "columns": ["age"]},
        "model": {"do": "naive-bayes", "from": "some"},
    }
    with pytest.raises(ParameterError, match="'age', which 'chosen' may drop"):
        flow(steps=steps).plan(TABLES)
    early = steps | {
        "some": {"do": "keep", "from": "people", "columns": ["age", "bmi"]},
        "chosen": {"do": "select-k-best", "from": "some", "k": 1},
        "model": {"do": "naive-bayes", "from": "chosen"},
    }
    assert len(flow(steps=early).plan(TABLES).steps) == 4


def test_a_choice_that_cannot_give_enough_is_refused_in_the_plan():
    steps = {
        "people": STEPS["people"],
        "two": {"do": "select-k-best", "from": "people", "k": 2},
        "five": {"do": "select-k-best", "from": "two", "k": 5},
    }
    with pytest.raises(ParameterError, match="k = 5"):
        flow(steps=steps).plan(TABLES)


def test_one_account_pays_for_all_private_sources():
    from dataclasses import replace

    steps = STEPS | {
        "others": {"do": "source", "data": "others.csv"},
        "second": {"do": "naive-bayes", "from": "others"},
    }
    other = replace(public_knowledge(), dataset="another")
    with pytest.raises(ParameterError, match="one account pays"):
        flow(steps=steps).plan(TABLES | {"others": (patients(10), other)})


def test_public_rows_need_the_owners_word_where_the_ledger_knows_the_people():
    steps = {
        "people": STEPS["people"],
        "open": {"do": "source", "data": "x.csv", "public": True},
        "model": {"do": "naive-bayes", "from": "people"},
        "score": {"do": "evaluate", "from": ["model", "open"]},
    }
    ledger = account()
    with pytest.raises(LedgerError, match="would not be paid"):
        flow(steps=steps).run(TABLES | {"open": TABLES["people"]}, ledger=ledger)
    assert spent(ledger) == 0
    result = flow(steps=steps).run(TABLES | {"open": TABLES["people"]})
    assert result["score"].guarantee.voided
    assert result.guarantee.epsilon == 1.0


def test_reports_and_models_are_written_and_bad_places_refused_first(tmp_path):
    from privet import load_model

    steps = STEPS | {
        "page": {"do": "report", "from": ["model", "score"], "output": "page.html"},
        "file": {"do": "save", "from": "model", "output": "model.json"},
    }
    flow(steps=steps).run(TABLES, folder=tmp_path)
    assert "Guarantee" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert load_model(tmp_path / "model.json").guarantee_.epsilon < 1
    ledger = account()
    with pytest.raises(ParameterError, match="cannot write"):
        flow(steps=steps).run(TABLES, folder=tmp_path / "nowhere", ledger=ledger)
    assert spent(ledger) == 0


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ({"file": {"do": "save", "from": "made", "output": "people.csv"}}, "would write over people.csv"),
        ({"file": {"do": "save", "from": "made", "output": "../here/people.csv"}}, "would write over"),
        ({"file": {"do": "save", "from": "made", "output": "people.schema.toml"}}, "must end in|end in .csv"),
        ({"page": {"do": "report", "from": "made", "output": "ledger.db"}}, "end in .html"),
        ({"file": {"do": "save", "from": "made"}}, "names no file"),
        (
            {name: {"do": "report", "from": "made", "output": "page.html"} for name in ("one", "two")},
            "another step",
        ),
    ],
)
def test_a_flow_writes_over_nothing_that_it_reads_or_that_is_no_page_table_or_model(tmp_path, ends, said):
    """Before: the owner's table was replaced by made-up records, after these were paid for."""
    from privet.schema import write_schema
    from privet.sources import write_csv

    here = tmp_path / "here"
    here.mkdir()
    write_schema(public_knowledge(), here / "people.schema.toml")
    write_csv(patients(500).to_batches(), here / "people.csv")
    before, ledger = (here / "people.csv").read_bytes(), account()
    steps = {"people": STEPS["people"], "made": {"do": "synthesiser", "from": "people", "records": 20}} | ends
    with pytest.raises(ParameterError, match=said):
        flow(steps=steps).run(folder=here, ledger=ledger)
    assert spent(ledger) == 0
    assert (here / "people.csv").read_bytes() == before


def test_seeded_noise_is_not_kept(tmp_path):
    with pytest.raises(ParameterError, match="Seeded noise"):
        flow().run(TABLES, store=tmp_path, random_state=1)
    assert flow().run(TABLES, random_state=1).guarantee.voided


def test_ten_steps_are_planned_with_one_budget():
    steps = {"people": STEPS["people"]}
    for place in range(9):
        steps[f"model{place}"] = {"do": "naive-bayes", "from": "people"}
    plan = flow(steps=steps).plan(TABLES)
    assert sum(step.amount.epsilon for step in plan.steps if step.amount) == 1


def test_clipping_is_free_and_refused_where_a_column_may_be_gone():
    steps = {
        "people": STEPS["people"],
        "clipped": {"do": "clip", "from": "people", "bounds": {"age": [30, 60]}},
        "model": {"do": "naive-bayes", "from": "clipped"},
    }
    plan = flow(steps=steps).plan(TABLES)
    assert "one record" in next(step.free for step in plan.steps if step.name == "clipped")
    result = flow(steps=steps).run(TABLES)
    assert (result["model"].schema_["age"].low, result["model"].schema_["age"].high) == (30, 60)
    for bounds, said in (
        ({"sex": [0, 1]}, "clips numbers"),
        ({"shoe": [0, 1]}, "do not have"),
        ({}, "what it clips"),
    ):
        with pytest.raises(ParameterError, match=said):
            flow(steps=steps | {"clipped": steps["clipped"] | {"bounds": bounds}}).plan(TABLES)


def test_a_step_that_needs_what_a_choice_may_not_give_is_refused_before_anything_is_paid():
    """Found by running it: components of a choice that had left no number failed when half was spent."""
    steps = {
        "people": STEPS["people"],
        "chosen": {"do": "select-k-best", "from": "people", "k": 1},
        "scaled": {"do": "bounds", "from": "chosen"},
        "parts": {"do": "pca", "from": "scaled", "components": 1},
        "model": {"do": "naive-bayes", "from": "parts"},
    }
    with pytest.raises(ParameterError, match=r"'parts' .* 'chosen' may not give: .*no number"):
        flow(steps=steps).plan(TABLES)
    fewer = {
        "people": STEPS["people"],
        "chosen": {"do": "informative", "from": "people"},
        "two": {"do": "select-k-best", "from": "chosen", "k": 2},
        "model": {"do": "naive-bayes", "from": "two"},
    }
    with pytest.raises(ParameterError, match=r"'two' .* 'chosen' may not give"):
        flow(steps=fewer).plan(TABLES)
    numbers = [c.name for c in TABLES["people"][1].attributes if isinstance(c, Number)]
    sure = {"some": {"do": "keep", "from": "people", "columns": numbers}}
    assert flow(steps=steps | sure | {"chosen": steps["chosen"] | {"from": "some"}}).plan(TABLES).total


def test_a_model_is_not_scored_on_rows_that_another_choice_may_have_cut():
    steps = {
        "people": STEPS["people"],
        "one": {"do": "select-k-best", "from": "people", "k": 2},
        "two": {"do": "select-k-best", "from": "people", "k": 2},
        "model": {"do": "naive-bayes", "from": "one"},
        "score": {"do": "evaluate", "from": ["model", "two"], "measures": "confusion"},
    }
    with pytest.raises(ParameterError, match="'score' scores a model on rows of which 'two' may drop"):
        flow(steps=steps).plan(TABLES)
    same = {**steps, "score": steps["score"] | {"from": ["model", "one"]}}
    assert flow(steps=same | {"two": {"do": "bounds", "from": "people"}}).plan(TABLES).total


def test_a_narrow_interval_gets_more_for_the_score_and_the_model_less():
    for_model, for_interval = (flow(goal=goal).plan(TABLES) for goal in ("model", "interval"))
    assert for_interval.amount_of("score").epsilon > 2 * for_model.amount_of("score").epsilon
    assert for_interval.amount_of("model").epsilon < for_model.amount_of("model").epsilon
    narrow, wide = (
        next(s.buys[0].error for s in plan.steps if s.name == "score") for plan in (for_interval, for_model)
    )
    assert narrow < wide / 2, "and the plan says what that buys"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_score_gets_what_makes_it_worth_reading_and_the_plan_says_what_that_buys(delta):
    steps = {
        "people": STEPS["people"],
        "model": {"do": "naive-bayes", "from": "people"},
        "score": {"do": "evaluate", "from": ["model", "people"], "measures": "confusion"},
    }

    def score(records):
        given = {"epsilon": 0.2, "delta": delta, "guess": {"records": records}, "steps": steps}
        return Flow.from_dict(given).plan(TABLES).steps[-1]

    shares = {records: float(score(records).share) for records in (500, 2000, 5000, 2_000_000)}
    assert shares[500] == shares[2_000_000] < 0.05, "too few records for any part, and so many that all do"
    assert 0.09 < shares[5000] < 0.12
    assert "± 0.05 (" in score(5000).expected
    assert "about 5,000 test records" in score(5000).expected
    assert shares[2000] == pytest.approx(0.15, abs=0.001), "not ± 0.05, but the most that is given buys ± 0.1"
