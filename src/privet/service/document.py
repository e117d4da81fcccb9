"""The run document: a small JSON text that says what was run, from which scripts and commands are made.

It holds the use case's name and its parameters, and who pays: no result, no noise, nothing from the table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from privet.errors import ParameterError
from privet.parameters import parameters_of
from privet.registry import algorithm
from privet.service.case import UseCase
from privet.service.catalogue import use_case
from privet.service.session import Session

__all__ = ["RunDocument"]

FORMAT = 1


@dataclass(frozen=True)
class RunDocument:
    """What was run: a use case by its name, its parameters as plain data, and the ledger's file.

    >>> from privet.service import Fit
    >>> case = Fit(algorithm="naive-bayes", data="people.csv", schema="people.schema.toml")
    >>> document = RunDocument.of("fit", case, Session(ledger="privet-ledger.db"))
    >>> sorted(document.parameters), document.parameters["parameters"]
    (['algorithm', 'data', 'parameters', 'schema'], {'epsilon': 1.0})
    >>> RunDocument.read_dict(document.to_dict()).case.schema == case.schema
    True
    """

    use_case: str
    parameters: dict[str, Any]
    ledger: str | None = None
    #: Text files that its parameters name, such as that of a flow.
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, case: UseCase, session: Session) -> RunDocument:
        """The document of a run; parameters that have their default value are left out."""
        defaults = {p.name: p.default for p in parameters_of(type(case))}
        given = {f.name: getattr(case, f.name) for f in fields(case)}
        kept = {n: v for n, v in given.items() if v != defaults[n] and v not in (None, {}, ())}
        if "algorithm" in given:  # said even if it is the usual one: its parameters mean nothing without it
            kept = {"algorithm": given["algorithm"]} | kept
        if "algorithm" in given and "parameters" in given:
            usual = {p.name: p.default for p in parameters_of(algorithm(given["algorithm"]).load())}
            own = {n: v for n, v in given["parameters"].items() if v != usual.get(n)}
            if isinstance(usual.get("epsilon"), float) and "epsilon" not in given:  # its cost is always said
                own = {"epsilon": usual["epsilon"]} | own
            kept.pop("parameters", None)
            kept |= {"parameters": own} if own else {}
        plain = {n: _plain(v) for n, v in kept.items()}
        return cls(name, plain, session.ledger_place if case.uses_ledger else None)

    @property
    def case(self) -> UseCase:
        """The use case, ready to be run again."""
        cls = use_case(self.use_case)
        kinds = {p.name: p for p in parameters_of(cls)}
        if unknown := sorted(set(self.parameters) - set(kinds)):
            raise ParameterError(f"The use case '{self.use_case}' has no parameter '{unknown[0]}'.")
        if missing := [p.name for p in kinds.values() if p.required and p.name not in self.parameters]:
            raise ParameterError(f"The run document lacks the parameter '{missing[0]}'.")
        return cls(**self.parameters)

    def session(self) -> Session:
        return Session(ledger=self.ledger)

    def to_dict(self) -> dict[str, Any]:
        return {
            "privet_run": FORMAT,
            "use_case": self.use_case,
            "parameters": self.parameters,
            "ledger": self.ledger,
        } | ({"files": self.files} if self.files else {})

    def write(self, path: str | Path) -> None:
        Path(path).write_text(
            json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )

    @classmethod
    def read(cls, path: str | Path) -> RunDocument:
        """The document in a file."""
        name = Path(path).name
        try:
            return cls.read_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except OSError:
            raise ParameterError(f"There is no run document {name}.", "Check its path.") from None
        except ValueError as error:
            if isinstance(error, ParameterError):
                raise
            raise ParameterError(f"{name} is not a run document: it is not valid JSON.") from None

    @classmethod
    def read_dict(cls, data: Any) -> RunDocument:
        if not isinstance(data, dict) or "privet_run" not in data:
            raise ParameterError("This is not a run document.", "Save one with the run that it describes.")
        if data["privet_run"] != FORMAT:
            raise ParameterError("This run document is in a newer format.", "Update Privet to read it.")
        name: Any = data.get("use_case")
        parameters: Any = data.get("parameters")
        ledger: Any = data.get("ledger")
        files: Any = data.get("files", {})
        whole = isinstance(name, str) and isinstance(parameters, dict) and isinstance(ledger, str | None)
        whole = whole and isinstance(files, dict) and all(map(_is_file, files.items()))
        if not whole or not all(isinstance(key, str) for key in parameters):
            raise ParameterError("The run document lacks a part, or a part has the wrong form.")
        return cls(name, parameters, ledger, files)


def _is_file(entry: tuple[Any, Any]) -> bool:
    """Whether this is the plain name of a file, and its text: a document reaches into no other folder."""
    name, text = entry
    plain = isinstance(name, str) and name not in ("", ".", "..") and not set(name) & set("/\\\0")
    return plain and isinstance(text, str)


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        from privet.sources.address import without_password

        return without_password(value)
    if isinstance(value, str):
        from privet.service.building import said

        name, equals, place = value.partition("=")  # a table and where it is: people=postgresql://…
        return f"{name}={said(place)}" if equals and name.isidentifier() and "://" in place else value
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
