"""A run elsewhere: as a Python script, a notebook, or a command, made from its document alone."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from privet.parameters import Alias, Argument, File, OfAlgorithm, Parameter, parameters_of
from privet.registry import algorithm
from privet.service.case import Result, UseCase
from privet.service.catalogue import entry_of
from privet.service.common import Force
from privet.service.document import RunDocument
from privet.service.session import Session

__all__ = ["Export", "Exported", "command_of", "notebook_of", "script_of"]


@dataclass(frozen=True, kw_only=True)
class Export(UseCase):
    """Turn the run document RUN into a Python script, a notebook, or the equivalent command."""

    document: Annotated[Path, File(), Argument(), "The run document."]
    form: Annotated[Literal["python", "notebook", "cli"], Alias("as"), "What to make of it."] = "python"
    output: Annotated[Path | None, File("out"), Alias("o"), "Where it goes."] = None
    force: Force = False

    def run(self, session: Session) -> Exported:
        from privet.service.outputs import check_place

        document = RunDocument.read(self.document)
        make = {"python": script_of, "notebook": notebook_of, "cli": command_of}[self.form]
        written = make(document)
        if self.output is not None:
            check_place(self.output, force=self.force).write_text(written, encoding="utf-8")
        return Exported(self.form, written, self.output)


@dataclass(frozen=True)
class Exported(Result):
    """The text that was made, and the file that it was written to."""

    form: str
    made: str
    place: Path | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"form": self.form, "text": self.made, "file": str(self.place) if self.place else None}

    def text(self) -> str:
        return self.made.rstrip("\n") if self.place is None else f"Written to {self.place}."


def _parts(document: RunDocument) -> list[str]:
    """The script in pieces: the imports, the case, its plan, its run."""
    case = document.case  # what cannot be run is refused here
    name = type(case).__name__
    session = f"Session(ledger={document.ledger!r})" if document.ledger else "Session()"
    arguments = "".join(f"    {key}={value!r},\n" for key, value in document.parameters.items())
    written = "".join(
        f"Path({file!r}).write_text({text!r}, encoding='utf-8')\n" for file, text in document.files.items()
    )
    parts = [
        *([f"from pathlib import Path\n\n{written}"] if written else []),
        f"from privet.service import {name}, Session\n",
        f"session = {session}\ncase = {name}(\n{arguments})\n",
    ]
    if case.spends:
        parts.append("plan = case.plan(session)  # costs nothing\nprint(plan.text() if plan else 'Free.')\n")
    return [*parts, "result = case.run(session)\nprint(result.text())\n"]


def script_of(document: RunDocument) -> str:
    """A Python script that does the same."""
    head = f'"""privet {document.use_case}, as a script."""\n'
    return "\n".join([head, *_parts(document)])


def notebook_of(document: RunDocument) -> str:
    """A Jupyter notebook (nbformat 4.5) that does the same, one piece per cell."""
    case = document.case
    cells: list[dict[str, Any]] = [_cell("markdown", f"# privet {document.use_case}", "title")]
    if case.spends:
        cells.append(_cell("markdown", "Running the last cell spends privacy budget, each time.", "warning"))
    cells += [_cell("code", part, f"part-{place}") for place, part in enumerate(_parts(document))]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, source: str, name: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": source.strip("\n")}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def command_of(document: RunDocument) -> str:
    """The equivalent command."""
    entry, case = entry_of(document.use_case), document.case
    values = dict(document.parameters)
    words: list[str] = ["privet", *entry.words]
    options: list[str] = []
    declared = parameters_of(type(case))
    if entry.per_algorithm:
        name = str(values.pop("algorithm", getattr(case, "algorithm", "")))
        words.append(algorithm(name).word)
        holder = next((p.name for p in declared if p.marker(OfAlgorithm)), None)
        own = {p.name: p for p in parameters_of(algorithm(name).load())}
        for key, value in (values.pop(holder, {}) if holder else {}).items():
            options += _words(own[key], value)
    for parameter in declared:
        if parameter.name not in values:
            continue
        value = values[parameter.name]
        if parameter.marker(Argument):
            words += [str(each) for each in (value if isinstance(value, list) else [value])]
        else:
            options += _words(parameter, value)
    if document.ledger is not None:
        options += ["--ledger", document.ledger]
    elif case.spends:
        options.append("--no-ledger")
    if case.spends:
        options.append("--yes")
    files = "".join(f"printf %s {shlex.quote(t)} > {shlex.quote(f)}\n" for f, t in document.files.items())
    return files + shlex.join([*words, *options]) + "\n"


def _words(parameter: Parameter, value: Any) -> list[str]:
    flag = parameter.flags[-1]
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag[2:]}"]
    if isinstance(value, Mapping):
        pairs = ((n, ",".join(map(str, v)) if isinstance(v, list) else v) for n, v in value.items())
        return [word for name, each in pairs for word in (flag, f"{name}={each}")]
    if isinstance(value, list) and parameter.kind in (int, float):
        return [flag, ",".join(map(str, value))]
    if isinstance(value, list) and parameter.kind in (int, float):
        return [flag, ",".join(map(str, value))]
    if isinstance(value, list):
        return [word for each in value for word in (flag, str(each))]
    return [flag, str(value)]
