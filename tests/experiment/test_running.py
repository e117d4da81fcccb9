"""Experiments that run: the same anywhere, never twice, never half, and paid for as a whole."""

from __future__ import annotations

import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pytest

from privet.budget import Ledger, budget
from privet.demo.patients import patients, public_knowledge
from privet.errors import BudgetExceeded, LedgerError, ParameterError
from privet.experiment import Contender, Experiment
from privet.experiment.files import cells_table, write_results
from privet.experiment.running import figures_of_any
from privet.experiment.store import Store
from privet.experiment.workers import _batches
from privet.schema import Schema, write_schema
from privet.sources import ArrowSource, write_csv
from privet.sources.spark import SparkMap

ROOT = Path(__file__).parents[2]
PUBLIC = {
    "epsilons": [0.5, 2.0],
    "folds": 3,
    "repetitions": 2,
    "data": {
        "clinic": {"generated": "clinic", "records": 600},
        "other": {"generated": "clinic", "records": 400, "seed": 5},
    },
    "algorithms": {"naive-bayes": {}, "one-r": {}},
}
PRIVATE = {
    "epsilons": [0.5],
    "folds": 2,
    "repetitions": 2,
    "score_epsilon": 0.25,
    "data": {"people": {"file": "people.csv"}},
    "algorithms": {"naive-bayes": {}, "one-r": {}},
}


@pytest.fixture
def folder(tmp_path):
    write_csv(ArrowSource(patients(500)), tmp_path / "people.csv")
    write_schema(public_knowledge(), tmp_path / "people.schema.toml")
    return tmp_path


def opened(limit: float) -> Ledger:
    ledger = Ledger.in_memory()
    schema = public_knowledge()
    ledger.open_account(schema.dataset, budget(limit), unit=schema.unit, schema=schema)
    return ledger


def figures(results):
    return [(cell["cell"], cell["figures"]) for cell in results.cells]


def test_any_map_gives_the_same_figures_and_nothing_is_measured_twice(tmp_path):
    experiment = Experiment.from_dict(PUBLIC)
    store = tmp_path / "results.jsonl"
    here = experiment.run(store=store)
    assert len(here.cells) == experiment.size == len(store.read_text().splitlines())
    with ThreadPoolExecutor(2) as pool:
        elsewhere = experiment.run(map=pool.map)
    assert figures(elsewhere) == figures(here)
    before = store.read_bytes()
    assert figures(experiment.run(store=store)) == figures(here)
    assert store.read_bytes() == before
    more = Experiment.from_dict(PUBLIC | {"epsilons": [0.5, 2.0, 4.0]})
    assert more.plan(store=store).done == experiment.size


class Usual:
    """Not an algorithm of Privet: it always says what most training records are."""

    def __init__(self, schema, epsilon, delta, random_state, offset=0):
        self.given = schema, epsilon, delta, random_state

    def fit(self, table):
        values = table["diabetes"].to_pylist()
        self.usual = max(sorted(set(values)), key=values.count)
        return self

    def predict(self, table):
        assert "diabetes" not in table.column_names
        return [self.usual] * table.num_rows


class Counted(Usual):
    def figures(self, table):
        return {"accuracy": 0.25, "told": table.num_rows}


def test_a_class_of_python_is_compared_on_public_tables_and_taken_up(tmp_path):
    plain = Experiment.from_dict(PUBLIC | {"data": {"clinic": PUBLIC["data"]["clinic"]}})
    own = (Contender.of("usual", Usual), Contender.of("counted", Counted, {"offset": 1}))
    experiment = replace(plain, algorithms=(*plain.algorithms, *own))
    store = tmp_path / "results.jsonl"
    here = experiment.run(store=store, processes=2)
    assert len(here.cells) == experiment.size
    table = patients(600, 0)["diabetes"].to_pylist()
    share = max(map(table.count, set(table))) / 600
    usual, counted = (here.entry(experiment.data[0], 0.5, label) for label in ("usual", "counted"))
    assert usual.mean == pytest.approx(share, abs=0.01)  # folds hold the classes evenly
    assert (counted.mean, here.cells[-1]["figures"]["told"]) == (0.25, 200)
    assert figures(experiment.run(store=store)) == figures(here)
    assert plain.plan(store=store).done == plain.size
    other = replace(experiment, algorithms=(Contender.of("counted", Counted, {"offset": 2}),))
    assert other.plan(store=store).done == 0


@dataclass
class Says:
    """What it is told to predict, in order."""

    told: list

    def predict(self, table):
        return self.told[: table.num_rows]


@pytest.mark.filterwarnings("ignore")  # as an experiment does
@pytest.mark.parametrize(
    ("target", "truth", "told", "found"),
    [
        (["a", "b"], list("aabb"), list("abbb"), {"records": 4, "accuracy": 0.75, "kappa": 0.5}),
        (["a", "b"], ["a", "a", None], list("aab"), {"records": 2, "accuracy": 1, "kappa": None}),
        (["a", "b"], [None], ["a"], {"records": 0}),
        (
            (0, 9),
            [1.0, 2.0, 3.0],
            [1.0, 2.0, 5.0],
            {
                "records": 3,
                "r2": -1,
                "mean_absolute_error": 2 / 3,
                "root_mean_squared_error": math.sqrt(4 / 3),
            },
        ),
        (
            (0, 9),
            [2.0, 2.0],
            [2.0, 2.0],
            {"records": 2, "r2": None, "mean_absolute_error": 0, "root_mean_squared_error": 0},
        ),
        ((0, 9), [2.0, 2.0], [2.0, math.nan], {"records": 2}),
    ],
)
def test_the_figures_of_a_class_of_python(target, truth, told, found):
    schema = Schema.of({"x": (0, 1), "y": target}, target="y")
    table = pa.table({"x": [0.0] * len(truth), "y": truth})
    assert figures_of_any(Says(told), table, schema) == pytest.approx(found, nan_ok=True)


def test_a_class_of_python_gets_no_private_table_and_stands_in_no_file(folder):
    own = (Contender.of("usual", Usual),)
    with pytest.raises(ParameterError, match="not an algorithm of Privet"):
        replace(Experiment.from_dict(PRIVATE), algorithms=own)
    written = replace(Experiment.from_dict(PUBLIC), algorithms=own).text()
    with pytest.raises(ParameterError, match="Usual"):
        Experiment.parse(written).plan()


def test_the_executors_of_a_spark_cluster_give_the_same_figures(spark):
    experiment = Experiment.from_dict(PUBLIC | {"data": {"clinic": PUBLIC["data"]["clinic"]}})
    assert figures(experiment.run(map=SparkMap(spark))) == figures(experiment.run())


def test_results_are_shown_and_written(tmp_path):
    results = Experiment.from_dict(PUBLIC).run()
    assert "(v/ /*)" in results.text()
    assert "Nemenyi" in results.text()
    assert [chart.kind for chart in results.charts()] == ["lines", "lines"]
    for name, expected in (
        ("a.csv", "naive-bayes"),
        ("a.arff", "@attribute algorithm {naive-bayes,one-r}"),
        ("a.tex", r"\begin{tabular}"),
        ("a.html", "<svg"),
    ):
        assert expected in write_results(results, tmp_path / name).read_text(encoding="utf-8")
    assert cells_table(results).num_rows == len(results.cells)
    json.dumps(results.to_dict(), allow_nan=False)
    with pytest.raises(ParameterError):
        write_results(results, tmp_path / "a.docx")


def test_a_killed_run_repeats_and_loses_nothing(tmp_path):
    experiment = Experiment.from_dict(PUBLIC | {"repetitions": 8})
    experiment.write(tmp_path / "grid.toml")
    store = tmp_path / "results.jsonl"
    program = (
        "from privet.experiment import Experiment\n"
        "if __name__ == '__main__':\n"
        "    Experiment.read('grid.toml').run(store='results.jsonl', processes=2)\n"
    )
    (tmp_path / "program.py").write_text(program)
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}"}
    started = subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, env=environment)
    try:
        while started.poll() is None and (not store.exists() or store.read_bytes().count(b"\n") < 5):
            time.sleep(0.01)
    finally:
        started.send_signal(signal.SIGKILL)
        started.wait()
    kept = store.read_bytes()
    whole = kept[: kept.rfind(b"\n") + 1]
    assert whole.count(b"\n") >= 5
    results = experiment.run(store=store)
    assert store.read_bytes().startswith(whole)
    cells = [json.loads(line)["cell"] for line in store.read_text().splitlines()]
    assert len(cells) == len(set(cells)) == experiment.size == len(results.cells)


def test_small_cells_are_handed_out_in_batches_and_do_not_wait_for_the_disk(tmp_path, monkeypatch):
    """Each wait for the disk costs as much as several small cells; private cells wait all the same."""
    synced = []
    monkeypatch.setattr("privet.experiment.store.os.fsync", synced.append)
    monkeypatch.setattr("privet.experiment.store.SYNC_SECONDS", 1e9)
    experiment, store = Experiment.from_dict(PUBLIC), Store(tmp_path / "results.jsonl")
    experiment.run(store=store.path)
    assert len(synced) == 1  # when it is let go
    with store.held():
        store.add({"cell": "private", "begun": True})
        assert len(synced) == 2
    sizes = [len(batch) for batch in _batches(list(range(1000)), 16, 2)]
    assert sum(sizes) == 1000
    assert len(sizes) < 100
    assert sizes[-4:] == [1, 1, 1, 1]


def test_half_a_line_is_taken_away_and_a_damaged_one_is_said(tmp_path):
    store = Store(tmp_path / "results.jsonl")
    with store.held():
        store.add({"cell": "a", "figures": {}})
    with store.path.open("ab") as file:
        file.write(b'{"cell": "b", "fi')
    with store.held():
        store.add({"cell": "c", "figures": {}})
    assert sorted(store.results()) == ["a", "c"]
    store.path.write_bytes(b"nonsense\n" + store.path.read_bytes())
    with pytest.raises(ParameterError, match="Line 1"):
        store.results()


def test_two_programs_do_not_write_at_once(tmp_path):
    store = Store(tmp_path / "results.jsonl")
    with store.held(), pytest.raises(ParameterError, match="already"), Store(store.path).held():
        pass


def test_private_cells_are_priced_as_a_whole_and_paid_for(folder):
    experiment = Experiment.from_dict(PRIVATE)
    [price] = experiment.plan(folder=folder).prices
    assert price.amount == budget(3.0)  # 2 algorithms, 2 repetitions, each one fit of 0.5 and scores of 0.25
    ledger, store = opened(3.0), folder / "results.jsonl"
    results = experiment.run(folder=folder, store=store, ledger=ledger)
    assert ledger.balance(price.schema.dataset).spent == budget(3.0)
    entry = results.entry(experiment.data[0], 0.5, "naive-bayes")
    assert entry.error > 0
    assert entry.mark == ""
    assert "no test is made" in results.text()
    assert "seconds" not in results.cells[0]
    assert "ε = 0.75" in results.guarantees()[0]
    assert not experiment.plan(folder=folder, store=store).prices
    experiment.run(folder=folder, store=store, ledger=ledger)
    assert ledger.balance(price.schema.dataset).spent == budget(3.0)


def test_one_private_table_at_several_epsilons_is_a_learning_curve_with_error_bars(folder):
    grid = PRIVATE | {"epsilons": [0.2, 5.0], "repetitions": 1, "algorithms": {"naive-bayes": {}}}
    experiment, ledger = Experiment.from_dict(grid), opened(6.0)
    assert experiment.plan(folder=folder).prices[0].amount == budget(5.7)  # 0.2 and 5 for fits, twice 0.25
    [curve] = experiment.run(folder=folder, ledger=ledger).charts()
    assert curve.at == (0.2, 5.0)
    assert all(error > 0 for error in curve.series[0].errors)
    assert "holds the noise" in curve.note


def test_too_little_for_all_of_it_and_none_of_it_is_begun(folder):
    ledger, store = opened(2.9), folder / "results.jsonl"
    with pytest.raises(BudgetExceeded):
        Experiment.from_dict(PRIVATE).run(folder=folder, store=store, ledger=ledger)
    assert ledger.balance(public_knowledge().dataset).spent is None
    assert not store.read_text()


def test_tables_of_the_same_people_are_priced_together(folder):
    twice = PRIVATE | {"data": {"one": {"file": "people.csv"}, "two": {"file": "people.csv"}}}
    ledger = opened(5.0)
    with pytest.raises(BudgetExceeded):
        Experiment.from_dict(twice).run(folder=folder, ledger=ledger)
    assert ledger.balance(public_knowledge().dataset).spent is None


def test_a_private_cell_that_was_begun_is_paid_for_again(folder):
    experiment, store = Experiment.from_dict(PRIVATE), folder / "results.jsonl"
    experiment.run(folder=folder, store=store)
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:-1]))  # killed between the beginning of the last cell and its result
    plan = experiment.plan(folder=folder, store=store)
    assert plan.prices[0].again == 1
    assert plan.prices[0].amount == budget(0.75)
    assert "paid for again" in plan.text()


def test_a_table_that_changed_is_not_mixed_with_what_it_was(folder):
    experiment, store = Experiment.from_dict(PRIVATE | {"repetitions": 1}), folder / "results.jsonl"
    experiment.run(folder=folder, store=store)
    write_csv(ArrowSource(patients(510)), folder / "people.csv")
    with pytest.raises(ParameterError, match="has changed"):
        experiment.run(folder=folder, store=store)


def test_a_table_that_the_ledger_knows_is_public_by_its_owners_word_only(folder):
    declared = PUBLIC | {"data": {"people": {"file": "people.csv", "public": True}}, "repetitions": 1}
    ledger = opened(1.0)
    with pytest.raises(LedgerError, match="account"):
        Experiment.from_dict(declared).run(folder=folder, ledger=ledger)
    found = Experiment.from_dict(declared).run(folder=folder, ledger=ledger, owner_says="Ann: generated.")
    assert len(found.cells) == 12


def test_private_rows_are_not_sent_along_with_the_work_on_public_ones():
    both = PRIVATE | {"data": {"people": {"file": "-"}, "clinic": {"generated": "clinic", "records": 200}}}
    experiment, sent = Experiment.from_dict(both | {"repetitions": 1}), []

    def spread(work, tasks):
        sent.append(pickle.dumps(work))
        return map(pickle.loads(sent[0]), tasks)

    table = patients(300).append_column("name", pa.array(["Zacharias Zilch"] * 300))
    results = experiment.run({"people": (table, public_knowledge())}, map=spread)
    assert len(results.cells) == experiment.size
    assert b"Zilch" not in sent[0]
