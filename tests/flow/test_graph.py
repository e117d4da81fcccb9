"""A flow is refused when it is read if a private edge could leak, or if it makes no sense."""

from __future__ import annotations

import math

import pytest

from privet.errors import ParameterError
from privet.flow import Flow
from privet.flow.layout import layout
from privet.flow.steps import PRIVATE, PUBLIC, TABLE, FlowStep

SOURCE = {"do": "source", "data": "people.csv"}
MODEL = {"do": "naive-bayes", "from": "people"}


def flow(**steps):
    return Flow.from_dict({"epsilon": 1.0, "steps": {"people": SOURCE, **steps}})


@pytest.mark.parametrize("end", ["report", "save"])
@pytest.mark.parametrize("between", [None, "keep", "split", "select-k-best"])
def test_private_rows_end_only_where_they_are_measured(end, between):
    steps = {"page": {"do": end, "from": "people", "output": "page.html"}}
    if between is not None:
        steps["page"]["from"] = "middle.test" if between == "split" else "middle"
        middle = {"do": between, "from": "people"}
        steps = {"middle": middle | ({"columns": ["age"]} if between == "keep" else {}), **steps}
    with pytest.raises(ParameterError, match="private edge can end only at a step that measures"):
        flow(**steps)


def test_what_was_released_may_be_shown():
    made = flow(
        model=MODEL,
        score={"do": "evaluate", "from": ["model", "people"]},
        page={"do": "report", "from": ["model", "score"], "output": "page.html"},
    )
    kinds = {(edge.source, edge.target): edge.kind for edge in made.graph.edges}
    assert kinds["people", "model"] == kinds["people", "score"] == PRIVATE
    assert [step.name for step in made.graph.priced()] == ["model", "score"]


def test_steps_on_public_rows_are_not_priced():
    made = flow(
        open={**SOURCE, "public": True}, model=MODEL, score={"do": "evaluate", "from": ["model", "open"]}
    )
    assert [step.name for step in made.graph.priced()] == ["model"]
    assert {edge.kind for edge in made.graph.edges if edge.source == "open"} == {PUBLIC}
    assert TABLE != PRIVATE


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ({"a": {"do": "keep", "from": "b"}, "b": {"do": "keep", "from": "a"}}, "runs in a circle"),
        (
            {
                "a": {"do": "keep", "from": "b"},
                "b": {"do": "keep", "from": "a"},
                "c": {"do": "keep", "from": "b"},
                "d": {"do": "naive-bayes", "from": "c"},
            },
            "a circle through 'a', 'b'\\.",
        ),
        ({"model": {"do": "naive-bayes", "from": "peple"}}, "no step of the flow"),
        ({"model": {"do": "naive-bayse", "from": "people"}}, "no kind of step"),
        ({"model": {"do": "rotation", "from": "people"}}, "cannot be a step"),
        ({"model": {**MODEL, "bims": 3}}, "no setting 'bims'"),
        ({"model": {**MODEL, "epsilon": -1}}, "above 0"),
        ({"model": {**MODEL, "epsilon": 0.5}}, "mixed kinds"),
        ({"model": {**MODEL, "weight": 2}}, "not divided by weights"),
        ({"score": {"do": "evaluate", "from": "people"}}, "takes from 2"),
        ({"model": MODEL, "score": {"do": "evaluate", "from": ["people", "people"]}}, "private edge"),
        ({"model": MODEL, "two": {"do": "naive-bayes", "from": "model"}}, "gives a model"),
        (
            {"parts": {"do": "split", "from": "people"}, "model": {"do": "naive-bayes", "from": "parts"}},
            "which part",
        ),
        ({"model": {"do": "naive-bayes", "from": "people.train"}}, "has no parts"),
        ({"model": {"from": "people"}}, "does not say what it does"),
        ({"keep": {"do": "keep", "from": "people", "weight": 1}}, "measures nothing"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_reason(steps, said):
    with pytest.raises(ParameterError, match=said):
        flow(**steps)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"allocation": "fair"}, "must be one of"),
        ({"goal": ["fame"]}, "must be one of"),
        ({"name": 5}, "must be text"),
        ({"epsilon": "much"}, "must be a finite number"),
        ({"epsilon": None}, "must be a finite number"),
        ({"epsilon": 10**400}, "must be a finite number"),
        ({"epsilon": -1.0}, "above 0"),
        ({"delta": math.nan}, "must be a finite number"),
        ({"guess": [1]}, "what is guessed"),
        ({"steps": {"people": SOURCE, "model": {**MODEL, "weight": math.nan}}}, "must be a finite number"),
        ({"steps": {"people": SOURCE, "model": {**MODEL, "weight": 10**400}}}, "must be a finite number"),
        ({"allocation": "fixed"}, "has none"),
        ({"colour": 1}, "Unknown entries"),
        ({"flow": 99}, "newer format"),
    ],
)
def test_bad_heads_are_refused(more, said):
    with pytest.raises(ParameterError, match=said):
        Flow.from_dict({"epsilon": 1.0, "steps": {"people": SOURCE, "model": MODEL}} | more)


def test_budgets_of_mixed_kinds_are_refused():
    steps = {"people": SOURCE, "model": {**MODEL, "epsilon": 0.5}}
    with pytest.raises(ParameterError, match="mixed kinds"):
        Flow.from_dict({"delta": 1e-6, "allocation": "fixed", "steps": steps})


def test_it_comes_back_from_its_file_and_from_plain_data(tmp_path):
    made = flow(
        chosen={"do": "select-k-best", "from": "people", "k": 2}, model={**MODEL, "from": "chosen"},
        score={"do": "evaluate", "from": ["model", "people"], "measures": "confusion"},
    )  # fmt: skip
    made.write(tmp_path / "clinic.flow.toml")
    assert Flow.read(tmp_path / "clinic.flow.toml") == made
    assert Flow.from_dict(made.to_dict()) == made
    assert {"nodes", "edges"} <= set(made.to_dict())


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="no flow file"):
        Flow.read(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("steps = [")
    with pytest.raises(ParameterError, match="is not a flow"):
        Flow.read(tmp_path / "bad.toml")


def test_the_picture_names_every_step_and_escapes_names():
    made = flow(**{"<b>": {**MODEL}})
    assert "&lt;b&gt;" in made.svg()
    assert "<b>" not in made.svg()
    assert "people" in made.svg()


def test_an_edge_that_leaps_passes_beside_the_steps_and_no_two_share_a_place():
    names = {"people": (), "parts": ("people",), "chosen": ("parts.train",), "bayes": ("chosen",)}
    names |= {"tree": ("chosen",), "score": ("bayes", "parts.test"), "other": ("tree", "parts.test")}
    places = layout([FlowStep(name, "any", takes) for name, takes in names.items()])
    assert len(set(places.values())) == len(places)
    rooms = {item: at for item, at in places.items() if not isinstance(item, str)}
    assert {x for x, _ in rooms.values()} == {places["chosen"][0], places["bayes"][0]}
    assert all(places[step][0] > max(rooms.values())[0] for step in ("score", "other"))


def test_a_pipeline_of_privets_own_is_a_flow_and_others_are_refused():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from privet import NaiveBayes, SelectKBest

    made = Flow.from_pipeline(make_pipeline(SelectKBest(k=3), NaiveBayes(bins=5)), "people.csv", epsilon=0.5)
    assert [step.do for step in made.steps] == ["source", "select-k-best", "naive-bayes"]
    assert made.steps[2].settings == {"bins": 5}
    assert made.epsilon == 0.5
    with pytest.raises(ParameterError, match="would not be paid for"):
        Flow.from_pipeline(make_pipeline(StandardScaler(), NaiveBayes()), "people.csv")
    with pytest.raises(ParameterError, match="not a pipeline"):
        Flow.from_pipeline(NaiveBayes(), "people.csv")
