"""Every use case is declared well enough for a command, a form and a document to follow from it."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from typing import Any

import click
import pytest

from privet.cli import app
from privet.parameters import Argument, Consent, parameters_of
from privet.registry import ALGORITHMS, FAMILIES, algorithms_with
from privet.service import USE_CASES, UseCase, use_case
from privet.service.catalogue import GROUPS, Command, entry_of

each_use_case = pytest.mark.parametrize("entry", USE_CASES, ids=lambda entry: entry.name)


def test_no_two_use_cases_share_a_name_or_a_home():
    for what in ("name", "home"):
        found = [getattr(entry, what) for entry in USE_CASES]
        assert sorted(found) == sorted(set(found))
    assert {entry.words[0] for entry in USE_CASES if len(entry.words) == 2} == set(GROUPS)


@each_use_case
def test_it_is_a_frozen_value_with_help_for_every_parameter(entry: Command):
    cls = entry.load()
    assert issubclass(cls, UseCase)
    assert is_dataclass(cls)
    assert cls.__dataclass_params__.frozen
    assert cls.__doc__
    assert "--" not in cls.__doc__, "a docstring is shown by every face"
    assert not cls.__doc__.startswith(f"{cls.__name__}("), "dataclasses make up a docstring if there is none"
    for parameter in parameters_of(cls):
        assert parameter.help, parameter.name
        assert "--" not in parameter.help, parameter.name
        assert parameter.kind is not object, f"{parameter.name}: no face but Python could give it"


@each_use_case
def test_its_command_has_an_option_or_an_argument_for_every_parameter(entry: Command):
    command = command_of(entry)
    context = click.Context(command)
    given = {param.name: param for param in command.get_params(context)}
    assert "--json" in given["json"].opts
    assert command.help
    named = {"algorithm", "parameters"} if entry.per_algorithm else set()
    first = algorithms_with(entry.words[0])[0] if entry.per_algorithm else None
    chosen, commands = (first.load(), first.commands) if first else (object, ())
    for parameter in parameters_of(entry.load()):
        if not parameter.applies_to(chosen, commands):
            assert parameter.name not in given
        elif parameter.name not in named:
            is_argument = isinstance(given[parameter.name], click.Argument)
            assert is_argument == (parameter.marker(Argument) is not None)


def command_of(entry: Command) -> click.Command:
    words = entry.words
    if entry.per_algorithm:
        words = (*words, algorithms_with(words[0])[0].word)
    command: Any = app
    for word in words:
        command = command.get_command(click.Context(command), word)
    return command


@each_use_case
def test_its_json_schema_is_one(entry: Command):
    check_json_schema(entry.json_schema())


@pytest.mark.parametrize("entry", ALGORITHMS, ids=lambda entry: entry.name)
def test_the_json_schema_of_every_algorithm_is_one(entry):
    schema = entry.json_schema()
    check_json_schema(schema)
    assert schema["title"] == entry.name
    assert "epsilon" in schema["properties"] or not FAMILIES[entry.family].audited


def test_what_a_person_must_agree_to_is_said_in_the_schema():
    [asked] = [p for p in parameters_of(use_case("schema confirm")) if p.marker(Consent)]
    assert entry_of("schema confirm").json_schema()["properties"][asked.name]["x-consent"].endswith("?")


TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
LIMITS = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
}
WORDS = {"type", "enum", "items", "description", "default", *LIMITS}


def check_json_schema(schema: dict[str, Any]) -> None:
    """That this is a schema of draft 2020-12, of the words that Privet uses, and that its defaults fit."""
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema["title"]
    assert schema["description"]
    assert set(schema["required"]) <= set(schema["properties"])
    for name, property in schema["properties"].items():
        check_property(property)
        assert property["description"], name
        assert ("default" in property) == (name not in schema["required"]), name
        if "default" in property:
            assert obeys(property["default"], property), (name, property)


def check_property(property: dict[str, Any]) -> None:
    assert {word for word in property if not word.startswith("x-")} <= WORDS
    types = property["type"] if isinstance(property["type"], list) else [property["type"]]
    assert set(types) <= set(TYPES)
    assert len(types) == len(set(types))
    assert isinstance(property.get("enum", []), list)
    assert property.get("enum", [True]), "an empty enum allows nothing"
    assert all(isinstance(property[word], int | float) for word in LIMITS if word in property)
    assert ("items" in property) == ("array" in types)
    if "items" in property:
        check_property(property["items"])


def obeys(value: Any, property: dict[str, Any]) -> bool:
    types = property["type"] if isinstance(property["type"], list) else [property["type"]]
    kinds = ["boolean"] if isinstance(value, bool) else [k for k in TYPES if isinstance(value, TYPES[k])]
    if not set(kinds) & set(types) or ("enum" in property and value not in property["enum"]):
        return False
    if isinstance(value, list):
        return all(obeys(each, property["items"]) for each in value)
    limits = {word: limit for word, limit in property.items() if word in LIMITS}
    return value is None or all(LIMITS[word](value, limit) for word, limit in limits.items())


def test_the_checker_rejects_what_is_not_a_schema():
    good = USE_CASES[0].json_schema()
    check_json_schema(good)
    for name, wrong in (("most", {"minimum": 2}), ("target", {"type": "text"}), ("most", {"bounds": [1]})):
        properties = good["properties"] | {name: good["properties"][name] | wrong}
        with pytest.raises(AssertionError):
            check_json_schema(good | {"properties": properties})
