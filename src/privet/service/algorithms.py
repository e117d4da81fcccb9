"""What can be learned, and with which parameters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

from privet.errors import ParameterError
from privet.parameters import Argument, parameters_of
from privet.registry import ALGORITHMS, Algorithm, algorithm
from privet.service.case import Result, UseCase
from privet.service.session import Session
from privet.service.text import columns

__all__ = ["ShowAlgorithms", "described"]


@dataclass(frozen=True, kw_only=True)
class ShowAlgorithms(UseCase):
    """List the algorithms, or show the parameters of the one called NAME."""

    name: Annotated[str | None, Argument(), "An algorithm; None for all of them."] = None
    json_schema: Annotated[bool, "Print the JSON Schema of the algorithm's parameters."] = False

    def run(self, session: Session) -> Result:
        if self.name is not None:
            entry = algorithm(self.name)
            return SchemaOfOne(entry) if self.json_schema else OneAlgorithm(entry)
        if self.json_schema:
            raise ParameterError("A JSON Schema is that of one algorithm.", "Name the algorithm.")
        return EveryAlgorithm()


@dataclass(frozen=True)
class EveryAlgorithm(Result):
    """The algorithms by their names."""

    def to_dict(self) -> dict[str, Any]:
        return {"algorithms": [{"name": e.name, "family": e.family, "line": e.line} for e in ALGORITHMS]}

    def text(self) -> str:
        rows = [(entry.name, entry.family, entry.line) for entry in ALGORITHMS]
        return columns(("Algorithm", "Family", "What it does"), rows)


@dataclass(frozen=True)
class OneAlgorithm(Result):
    """An algorithm with its parameters."""

    entry: Algorithm

    def to_dict(self) -> dict[str, Any]:
        entry = self.entry
        about = {"name": entry.name, "family": entry.family, "line": entry.line}
        return about | {"parameters": described(entry.load())}

    def text(self) -> str:
        heads = ("Parameter", "Kind", "Limits", "Default", "What it is")
        rows = [
            (p["name"], p["kind"], p["limits"], p["default"], p["help"]) for p in described(self.entry.load())
        ]
        return f"{self.entry.name}: {self.entry.line}\n\n{columns(heads, rows)}"


@dataclass(frozen=True)
class SchemaOfOne(Result):
    """The JSON Schema of an algorithm's parameters."""

    entry: Algorithm

    def to_dict(self) -> dict[str, Any]:
        return self.entry.json_schema()

    def text(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def described(cls: type) -> list[dict[str, Any]]:
    """The declared parameters of an algorithm as plain data."""
    kinds = {float: "number", int: "whole number", bool: "yes or no", str: "text"}
    return [
        {
            "name": p.name,
            "kind": kinds.get(p.kind, "object"),
            "limits": f"one of {', '.join(map(str, p.choices))}" if p.choices else ", ".join(p.limits),
            "default": p.default,
            "help": p.help,
        }
        for p in parameters_of(cls)
    ]
