"""What can be learned, and with which settings: forms are made from these answers."""

from __future__ import annotations

from fastapi import APIRouter

from privet.errors import ParameterError
from privet.families import FAMILIES, Family
from privet.registry import ALGORITHMS, Algorithm, algorithm
from privet.schema import Number, Schema
from privet.server.cases import FORETOLD, PLANNABLE, algorithm_schema, use_case_schema
from privet.server.guests import Asking, Caller, DatasetId, Serving, missing
from privet.server.shapes import AlgorithmInFull, AlgorithmShown, FamilyShown, UseCaseShown
from privet.server.state import Server
from privet.server.store import datasets, studies
from privet.service.catalogue import entry_of

__all__ = ["reason_against", "router", "schema_for"]

router = APIRouter(tags=["algorithms"])


@router.get("/families")
def show_families(server: Serving, caller: Asking) -> list[FamilyShown]:
    """The kinds of algorithms, and what each is for."""
    return [_family(family) for family in FAMILIES.values()]


def _family(family: Family) -> FamilyShown:
    commands = [command for command in family.commands if command in PLANNABLE]
    usable = [entry.name for entry in ALGORITHMS if entry.family == family.name]
    return FamilyShown(
        name=family.name,
        title=family.name.capitalize(),
        line=family.line,
        target=family.target,
        commands=commands,
        of_models=[command for command in family.model_commands if command in PLANNABLE],
        use_case=commands[0] if commands and usable else None,
        default=family.first or next(iter(usable), None),
    )


@router.get("/use-cases")
def show_use_cases(server: Serving, caller: Asking) -> list[UseCaseShown]:
    """What may be planned here, with the JSON Schema of its parameters (besides those of its algorithm)."""
    return [
        UseCaseShown(
            name=entry.name,
            line=entry.line,
            per_algorithm=entry.per_algorithm,
            forecast=entry.name in FORETOLD,
            json_schema=use_case_schema(entry),
        )
        for entry in map(entry_of, PLANNABLE)
    ]


@router.get("/algorithms")
def show_algorithms(server: Serving, caller: Asking, dataset: DatasetId = None) -> list[AlgorithmShown]:
    """The algorithms; for a dataset, whether each can be used on it, and if not, why."""
    schema = schema_for(server, caller, dataset)
    return [_shown(entry, schema) for entry in ALGORITHMS]


@router.get("/algorithms/{name}")
def show_algorithm(server: Serving, caller: Asking, name: str, dataset: DatasetId = None) -> AlgorithmInFull:
    """One algorithm with its parameters as JSON Schema, from which a form can be made."""
    try:
        entry = algorithm(name)
    except ParameterError:
        raise missing() from None
    shown = _shown(entry, schema_for(server, caller, dataset))
    return AlgorithmInFull(**shown.model_dump(), json_schema=algorithm_schema(entry))


def schema_for(server: Server, caller: Caller, dataset: str | None) -> Schema | None:
    if dataset is None:
        return None
    with server.database.read() as connection:
        row = datasets.find(connection, dataset)
        role = None if row is None else studies.role_of(connection, row.study, caller.id)
    if row is None or role in (None, "contributor") or (row.state == "draft" and role != "owner"):
        raise missing()
    return datasets.schema_of(row)


def _shown(entry: Algorithm, schema: Schema | None) -> AlgorithmShown:
    command = next((c for c in FAMILIES[entry.family].commands if c in (*PLANNABLE, "perturb")), "")
    reason = reason_against(entry, schema) if command else "It is for the command line or for Python."
    return AlgorithmShown(
        name=entry.name,
        title=entry.title,
        family=entry.family,
        line=entry.line,
        command=command or FAMILIES[entry.family].commands[0],
        usable=reason is None,
        reason=reason,
    )


def reason_against(entry: Algorithm, schema: Schema | None) -> str | None:
    """Why an algorithm cannot be used under a schema; None if it can, as far as its target tells."""
    needed = FAMILIES[entry.family].target
    if schema is None or needed is None:
        return None
    if schema.target is None:
        return f"It needs a target, a {'category' if needed == 'class' else 'number'}, and none is declared."
    number = isinstance(schema[schema.target], Number)
    if needed == "class" and number:
        return f"It predicts a category, and the target '{schema.target}' is a number."
    if needed == "number" and not number:
        return f"It predicts a number, and the target '{schema.target}' is a category."
    return None
