"""Options follow from declared parameters."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import click
import pytest
from annotated_types import Ge, Lt
from click.testing import CliRunner

from privet.cli import app
from privet.cli.forms import option_for
from privet.errors import ParameterError
from privet.parameters import File, parameters_of
from privet.registry import ALGORITHMS, algorithm, algorithms_with
from privet.schema import Schema, write_schema
from privet.service import Session
from privet.service.preparing import Prepare


class Toy:
    def __init__(
        self,
        *,
        number_of_rules: Annotated[int, Ge(1), Lt(9), "How many."] = 3,
        share: Annotated[float, Ge(0), "A share."] = 0.5,
        most: Annotated[int | None, Ge(1), "At most."] = None,
        prune: Annotated[bool, "Whether to prune."] = True,
        way: Annotated[Literal["up", "down"], "Which way."] = "up",
        name: Annotated[str, "A name."] = "toy",
        schema: Annotated[Any, "Not for the command line."] = None,
    ) -> None: ...


@pytest.fixture
def call():
    got: dict[str, Any] = {}
    options = [option for p in parameters_of(Toy) if (option := option_for(p))]
    command = click.Command("toy", callback=lambda **values: got.update(values), params=options)

    def invoke(*words: str, code: int = 0) -> dict[str, Any]:
        result = CliRunner().invoke(command, words)
        assert result.exit_code == code, result.output
        return dict(got)

    return invoke


def test_defaults_and_values(call):
    defaults = {"number_of_rules": 3, "share": 0.5, "most": None, "prune": True, "way": "up", "name": "toy"}
    assert call() == defaults
    given = call("--number-of-rules", "8", "--share", "0", "--most", "2", "--no-prune", "--way", "down")
    assert given == defaults | {"number_of_rules": 8, "share": 0.0, "most": 2, "prune": False, "way": "down"}


@pytest.mark.parametrize(
    "words",
    [
        ("--number-of-rules", "9"),
        ("--number-of-rules", "2.5"),
        ("--share", "-0.1"),
        ("--share", "nan"),
        ("--share", "inf"),
        ("--share", "x"),
        ("--most", "0"),
        ("--way", "left"),
        ("--schema", "s"),
    ],
)
def test_bad_values(call, words):
    call(*words, code=2)


@pytest.mark.parametrize("entry", ALGORITHMS, ids=lambda entry: entry.name)
def test_every_plain_parameter_of_every_algorithm_has_an_option(entry):
    for parameter in parameters_of(entry.load()):
        option = option_for(parameter)
        # What only Python can give has none, unless a file can stand for it.
        assert (option is None) == (parameter.kind is object and parameter.marker(File) is None)
        if option is not None:
            assert option.name == parameter.name
            assert option.help


def test_a_name_of_one_letter_is_an_option_of_one_letter():
    [option] = [option_for(p) for p in parameters_of(algorithm("select-k-best").load()) if p.name == "k"]
    assert option.opts == ["-k", "--k"]


@pytest.mark.parametrize(
    "entry", algorithms_with("fit") + algorithms_with("prepare"), ids=lambda entry: entry.name
)
def test_a_command_offers_no_option_that_its_algorithm_refuses(entry):
    """Settings are tried where something can be scored, and an accuracy serves where there is a forecast."""
    word = "prepare" if "prepare" in entry.commands else "fit"
    shown = CliRunner().invoke(app, [word, entry.word, "--help"]).output
    assert ("--tune" in shown) == ("--trials" in shown) == ("cross-validate" in entry.commands)
    assert ("--accuracy" in shown) == ("--guess" in shown) == ("forecast" in entry.commands)


def test_an_accuracy_is_refused_where_there_is_no_forecast(tmp_path):
    place, data = tmp_path / "people.schema.toml", tmp_path / "people.csv"
    data.write_text("age,ill\n50,no\n")
    write_schema(Schema.of({"age": (0, 120), "ill": ["no", "yes"]}), place)
    case = Prepare(algorithm="bounds", data=data, schema=place, accuracy=0.1)
    with pytest.raises(ParameterError, match="no forecast"):
        case.plan(Session())
