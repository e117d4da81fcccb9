"""``privet forecast``, ``privet made-up``, ``privet prepare`` and ``privet flow`` on a table of people."""

from __future__ import annotations

from pathlib import Path

from privet.schema import read_schema

FLOW = """
epsilon = 1.0

[steps.people]
do = "source"
data = "DATA"
schema = "people.toml"

[steps.model]
do = "naive-bayes"
from = "people"

[steps.score]
do = "evaluate"
from = ["model", "people"]
measures = "confusion"

[steps.page]
do = "report"
from = ["model", "score"]
output = "page.html"
"""


def test_a_flow_is_shown_planned_run_and_used_again(account, run, answer):
    Path("clinic.flow.toml").write_text(FLOW.replace("DATA", str(account)), encoding="utf-8")
    run("flow", "show", "clinic.flow.toml", "-o", "clinic.svg")
    assert Path("clinic.svg").read_text(encoding="utf-8").startswith("<svg")
    assert answer("flow", "show", "clinic.flow.toml")["edges"][0]["kind"] == "private rows"
    plan = answer("flow", "plan", "clinic.flow.toml")
    assert plan["price"]["total"] == {"kind": "pure", "epsilon": "1"}
    assert "after: ε = 1 spent" in run("flow", "run", "clinic.flow.toml", "--dry-run").stdout
    found = answer("flow", "run", "clinic.flow.toml", "-y")
    assert found["guarantee"]["epsilon"] == 1.0
    assert Path("page.html").exists()
    assert "free" in run("flow", "plan", "clinic.flow.toml").stdout
    again = answer("flow", "run", "clinic.flow.toml", "-y")
    assert again["guarantee"] is None
    assert all(step["reused"] for step in again["steps"].values())


def test_a_flow_that_would_leak_is_refused(run):
    Path("leak.flow.toml").write_text(
        '[steps.people]\ndo = "source"\ndata = "people.csv"\n'
        '[steps.page]\ndo = "report"\nfrom = "people"\noutput = "page.html"\n',
        encoding="utf-8",
    )
    assert "private edge can end only" in run("flow", "show", "leak.flow.toml", code=2).stderr
    run("flow", "run", "leak.flow.toml", "-y", code=2)


def test_a_forecast_reads_no_table(account, run, answer):
    Path(account).unlink()  # its schema is enough
    words = ("forecast", "naive-bayes", account, "-s", "people.toml", "--epsilon", "0.1,1,10")
    found = answer(
        *words, "--guess", "records=500", "--guess", "share:yes=0.3", "--worlds", 2, "-o", "f.html"
    )
    assert [point["epsilon"] for point in found["points"]] == [0.1, 1.0, 10.0]
    assert Path("f.html").exists()
    run(*words, "--guess", "luck=3", code=2)
    run(*words, "--released", account, code=2)


def test_made_up_people_fit_the_schema(account, run):
    run("made-up", "people.toml", "--records", 30, "-o", "practice.csv")
    assert len(Path("practice.csv").read_text(encoding="utf-8").splitlines()) == 31
    run("made-up", "people.toml", "-o", "practice.csv", code=2)
    run("schema", "check", "practice.csv", "-s", "people.toml")


def test_bounds_are_bought_into_a_schema(account, run, answer):
    found = answer(
        "prepare", "bounds", account, "-s", "people.toml", "-o", "bought.toml", "--model", "b.json", "-y"
    )
    assert found["guarantee"]["epsilon"] == 1.0
    assert "measured privately" in read_schema("bought.toml")["age"].origin
    assert "measured privately" in run("schema", "show", "bought.toml").stdout
    assert "ε = 1" in run("model", "show", "b.json").stdout
    run("prepare", "impute", account, "-s", "people.toml", "--bins", "1", "-o", "x.toml", "-y", code=2)
