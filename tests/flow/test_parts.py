"""Flows over parts of a growing table: composed in parallel or in sequence, priced first, and used again."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from privet.budget import Ledger, Pure, exact
from privet.demo.patients import DATASET, patients, public_knowledge
from privet.errors import BudgetExceeded, ParameterError
from privet.flow import Flow, parts, plan_parts, run_parts, running
from privet.schema import Unit, write_schema
from privet.sources import write_csv

SOURCE = {"do": "source", "data": ["may.csv", "june.csv"], "people": "new"}


def flow(**source):
    steps = {
        "people": SOURCE | source,
        "model": {"do": "naive-bayes", "from": "people"},
    }
    return Flow.from_dict({"name": "clinic", "epsilon": 0.5, "steps": steps})


def write(folder, name, dataset, unit=None):
    known = replace(public_knowledge(), dataset=dataset, **({} if unit is None else {"unit": unit}))
    write_schema(known, folder / f"{name}.schema.toml")
    write_csv(patients(300, seed=len(name)).to_batches(), folder / f"{name}.csv")


def opened(*datasets, limit=1.0):
    ledger = Ledger.in_memory()
    for name in datasets:
        ledger.open_account(name, Pure(exact(limit)), unit=public_knowledge().unit)
    return ledger


def spent(ledger, dataset):
    amount = ledger.balance(dataset).spent
    return 0.0 if amount is None else float(amount.epsilon)


@pytest.fixture
def new(tmp_path):
    """Parts of new people: an account for each."""
    for name in ("may", "june", "july"):
        write(tmp_path, name, f"clinic-{name}")
    return tmp_path


@pytest.fixture
def same(tmp_path):
    """Parts of the same people: one account."""
    for name in ("may", "june"):
        write(tmp_path, name, DATASET)
    return tmp_path


def test_new_people_compose_in_parallel_and_each_part_is_paid_by_its_own(new):
    plan = plan_parts(flow(), new)
    assert plan.total == Pure(exact(0.5))
    assert "parallel" in plan.text()
    ledger = opened("clinic-may", "clinic-june", limit=0.5)
    steps = flow().to_dict()["steps"] | {
        "model": {"do": "one-r", "from": "people"},
        "page": {"do": "report", "from": "model", "output": "page.html"},
    }
    result = run_parts(Flow.from_dict(flow().to_dict() | {"steps": steps}), new, ledger)
    assert [spent(ledger, f"clinic-{name}") for name in ("may", "june")] == [0.5, 0.5]
    assert result["may"].guarantee.epsilon == result["june"].guarantee.epsilon == 0.5
    assert {path.name for path in new.glob("page.*")} == {"page.may.html", "page.june.html"}
    assert "parallel" in result.text()
    json.dumps(result.to_dict())


def test_the_same_people_compose_in_sequence_from_one_account(same):
    plan = plan_parts(flow(people="same"), same)
    assert plan.total == Pure(exact(1))
    assert "sequential" in plan.text()
    ledger = opened(DATASET)
    run_parts(flow(people="same"), same, ledger)
    assert spent(ledger, DATASET) == 1.0


def test_a_part_that_is_added_is_paid_for_alone(new):
    ledger = opened("clinic-may", "clinic-june", "clinic-july")
    run_parts(flow(), new, ledger, new / "kept")
    grown = flow(data=["may.csv", "june.csv", "july.csv"])
    plan = plan_parts(grown, new, new / "kept")
    assert [each.total is None for each in plan.plans.values()] == [True, True, False]
    run_parts(grown, new, ledger, new / "kept")
    assert [spent(ledger, f"clinic-{name}") for name in ("may", "june", "july")] == [0.5] * 3
    assert plan_parts(grown, new, new / "kept").total is None


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"people": None}, "of the same people"),
        ({"people": "old"}, "must be one of"),
        ({"data": []}, "need names of their own"),
        ({"data": ["may.csv", "old/may.csv"]}, "need names of their own"),
        ({"data": ["may.csv", "may.csv"]}, "need names of their own"),
        ({"people": "same"}, "several data sets"),
    ],
)
def test_parts_that_make_no_sense_are_refused_before_anything_is_spent(new, source, said):
    ledger = opened("clinic-may", "clinic-june")
    with pytest.raises(ParameterError, match=said):
        run_parts(flow(**source), new, ledger)
    assert spent(ledger, "clinic-may") == 0


def test_one_account_cannot_pay_once_for_parts_of_new_people(same):
    with pytest.raises(ParameterError, match="paid for by one account"):
        plan_parts(flow(), same)


def test_people_who_are_replaced_cannot_be_counted_by_parts(tmp_path):
    for name in ("may", "june"):
        write(tmp_path, name, f"clinic-{name}", Unit(neighbours="replace"))
    with pytest.raises(ParameterError, match="replaced could leave one part"):
        plan_parts(flow(), tmp_path)


def test_a_second_private_source_would_be_measured_in_each_part(new):
    steps = flow().to_dict()["steps"]
    steps |= {"more": {"do": "source", "data": "july.csv"}, "two": {"do": "naive-bayes", "from": "more"}}
    with pytest.raises(ParameterError, match="one private source"):
        plan_parts(Flow.from_dict({"steps": steps}), new)


@pytest.mark.parametrize("people", ["new", "same"])
def test_nothing_is_spent_if_one_account_cannot_pay(new, same, people):
    ledger = opened("clinic-may", DATASET, limit=0.9) if people == "same" else opened("clinic-may")
    if people == "new":
        for name in ("may", "june"):
            write(new, name, f"clinic-{name}")
        ledger.open_account("clinic-june", Pure(exact(0.1)), unit=public_knowledge().unit)
    with pytest.raises(BudgetExceeded):
        run_parts(flow(people=people), new, ledger)
    assert spent(ledger, "clinic-may") == 0


def test_a_part_that_changes_between_two_parts_of_a_run_is_refused_and_not_paid(new, monkeypatch):
    ledger, real = opened("clinic-may", "clinic-june"), Flow.run

    def changing(self, *given, **more):
        found = real(self, *given, **more)
        with (new / "june.csv").open("a") as file:
            file.write("\n")
        return found

    monkeypatch.setattr(parts.Flow, "run", changing)
    with pytest.raises(ParameterError, match="part 'june' has changed"):
        run_parts(flow(), new, ledger)
    assert (spent(ledger, "clinic-may"), spent(ledger, "clinic-june")) == (0.5, 0)


def test_a_table_that_changes_between_two_steps_is_noticed(same, monkeypatch):
    steps = {
        "people": {"do": "source", "data": "may.csv"},
        "model": {"do": "naive-bayes", "from": "people"},
        "two": {"do": "one-r", "from": "people"},
    }
    real = running.measured

    def changing(step, *rest):
        with (same / "may.csv").open("a") as file:
            file.write("\n")
        return real(step, *rest)

    monkeypatch.setattr(running, "measured", changing)
    with pytest.raises(ParameterError, match="changed while the flow ran, before 'two'"):
        Flow.from_dict({"steps": steps}).run(folder=same)


def test_two_flows_at_once_on_one_account_get_no_more_than_its_limit(tmp_path):
    file = tmp_path / "ledger.db"
    ledger = Ledger.open(file, create=True)
    ledger.open_account(DATASET, Pure(exact(1.5)), unit=public_knowledge().unit)
    steps = {"people": {"do": "source", "data": "x"}, "model": {"do": "naive-bayes", "from": "people"}}
    told = []

    def run(name):
        table = {"people": (patients(500), public_knowledge())}
        made = Flow.from_dict({"name": name, "epsilon": 1.0, "steps": steps})
        try:
            told.append(made.run(table, ledger=Ledger.open(file), store=tmp_path / name).guarantee.epsilon)
        except BudgetExceeded as error:
            told.append(error.message)

    both = [threading.Thread(target=run, args=(name,)) for name in ("one", "two")]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert spent(ledger, DATASET) == 1.0
    assert sorted(type(each).__name__ for each in told) == ["float", "str"]


def test_the_command_line_prices_and_runs_parts(new):
    from click.testing import CliRunner

    from privet.cli import app

    flow().write(new / "clinic.flow.toml")
    planned = CliRunner().invoke(app, ["flow", "plan", str(new / "clinic.flow.toml")])
    assert planned.exit_code == 0, planned.output
    assert "compose in parallel" in planned.output
    run = ["flow", "run", str(new / "clinic.flow.toml"), "--no-ledger", "--yes", "--until", "model"]
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0, done.output
    assert "clinic (june)" in done.output
    assert not (new / "page.may.html").exists(), "it stops after the model"
