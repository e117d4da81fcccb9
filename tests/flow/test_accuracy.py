"""A goal in the place of an epsilon: the smallest of the whole flow, chosen from what is public alone."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from privet.budget import Ledger, budget
from privet.cli import app
from privet.demo.patients import patients, public_knowledge
from privet.errors import ParameterError
from privet.evaluation.score_goal import epsilon_for_accuracy
from privet.flow import Flow
from privet.schema import write_schema
from privet.sources import write_csv
from privet.worlds import Guess

GUESS = {"records": 40_000, "attainable": 0.8}
STEPS = {
    "people": {"do": "source", "data": "people.csv"},
    "parts": {"do": "split", "from": "people"},
    "model": {"do": "naive-bayes", "from": "parts.train"},
    "score": {"do": "evaluate", "from": ["model", "parts.test"]},
}


def flow(steps=None, **more):
    return Flow.from_dict(
        {"name": "clinic", "accuracy": 0.03, "guess": GUESS, "steps": steps or STEPS} | more
    )


class Sealed:
    """A table that must not be read."""

    def __getattr__(self, name):
        raise AssertionError(f"the table was asked for {name}")


@pytest.fixture(scope="module")
def plan():
    return flow().plan({"people": (Sealed(), public_knowledge())})


def test_each_step_gets_what_it_needs_and_the_whole_no_more(plan):
    needed = epsilon_for_accuracy(public_knowledge(), 0.03, Guess(records=10_000, attainable=0.8)).epsilon
    model, score = (float(plan.amount_of(name).epsilon) for name in ("model", "score"))
    assert needed <= score <= 1.03 * needed
    assert float(plan.total.epsilon) == pytest.approx(model + score)
    assert f"epsilon = {plan.flow.epsilon:g} was chosen for the whole flow" in plan.text()
    assert plan.flow.accuracy is None
    assert plan.flow.epsilon == float(plan.total.epsilon)


def test_the_goal_and_the_guesses_are_in_the_file():
    assert "accuracy = 0.03" in flow().text()
    assert "epsilon" not in flow().text()
    back = Flow.from_dict(flow().to_dict())
    assert (back.accuracy, dict(back.guess)) == (0.03, GUESS)
    with pytest.raises(ParameterError, match="epsilon too"):
        flow(epsilon=1.0)
    given = Flow.from_dict({"epsilon": 1.0, "guess": GUESS, "steps": STEPS})  # they serve the division, too
    assert Flow.from_dict(given.to_dict()) == given


def test_a_goal_that_no_epsilon_reaches_is_refused_with_the_records_that_are_needed():
    with pytest.raises(ParameterError, match=r"Even without privacy .* ± 0.031 .* more would be needed"):
        flow(accuracy=0.02, guess={"records": 3000}).plan({"people": (Sealed(), public_knowledge())})


@pytest.mark.parametrize(
    ("steps", "more", "said"),
    [
        (
            {"filled": {"do": "impute", "from": "people"}, "model": {"do": "one-r", "from": "filled"}},
            {},
            "'filled'",
        ),
        (
            {"best": {"do": "select-k-best", "from": "people"}, "model": {"do": "one-r", "from": "best"}},
            {},
            "'best'",
        ),
        ({"model": {"do": "one-r", "from": "people", "epsilon": 1}}, {"allocation": "fixed"}, "fixed parts"),
        ({"model": {"do": "one-r", "from": "people"}}, {"delta": 1e-6}, "a delta"),
        ({"cuts": {"do": "standardise", "from": "people"}}, {}, "no model"),
    ],
)
def test_what_nobody_can_foretell_is_refused_with_the_reason(steps, more, said):
    given = flow({"people": STEPS["people"], **steps}, **more)
    with pytest.raises(ParameterError, match=said):
        given.plan({"people": (Sealed(), public_knowledge())})


def test_the_command_spends_what_it_has_planned(tmp_path):
    known = public_knowledge()
    write_schema(known, tmp_path / "people.schema.toml")
    write_csv(patients(300).to_batches(), tmp_path / "people.csv")
    steps = {"people": STEPS["people"], "model": {"do": "one-r", "from": "people"}}
    Flow.from_dict({"steps": steps}).write(tmp_path / "clinic.flow.toml")
    ledger = Ledger.open(tmp_path / "ledger.db", create=True)
    ledger.open_account(known.dataset, budget(10.0), unit=known.unit, schema=known)
    words = [
        "flow",
        "run",
        str(tmp_path / "clinic.flow.toml"),
        "--accuracy",
        "0.05",
        "--guess",
        "records=20000",
    ]
    done = CliRunner().invoke(app, [*words, "--ledger", str(tmp_path / "ledger.db"), "--yes"])
    assert done.exit_code == 0, (done.output, done.exception)
    spent = float(ledger.balance(known.dataset).spent.epsilon)
    assert 0 < spent < 10
    assert f"epsilon = {spent:g} was chosen" in done.output
