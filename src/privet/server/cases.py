"""Use cases over the API: which there are, what may be said about them, and how one is made from a plan.

A plan is JSON: the name of a use case, an algorithm, and parameters. Paths, code, seeds, and words that
only an owner at the machine may say are no parameters here, whatever a use case declares: the list is of
what is allowed.
"""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from privet.parameters import File, OfAlgorithm, Parameter, parameters_of
from privet.registry import Algorithm, algorithm, algorithms_with
from privet.server.problems import Refusal
from privet.service import Session, UseCase
from privet.service.case import restored
from privet.service.catalogue import USE_CASES, Command, entry_of
from privet.service.document import RunDocument
from privet.service.experimenting import experiment_schema

__all__ = [
    "FORETOLD",
    "PLANNABLE",
    "Asked",
    "Model",
    "algorithm_schema",
    "head_schema",
    "is_open",
    "perturbation",
    "require_plain",
    "trimmed",
    "use_case_schema",
]

#: What may be planned over the API: use cases that are paid for from a ledger and release nothing but what
#: they measure. Not ``aggregate``, which runs the caller's own code, and not what reads or writes files or
#: streams.
_CASES = (
    "fit", "evaluate", "diagnose", "compare-models", "cross-validate", "select", "prepare", "describe",
    "query", "flow run", "gwas top-snps", "gwas count-significant",
)  # fmt: skip
PLANNABLE = tuple(entry.name for entry in USE_CASES if entry.name in _CASES)
#: What can be foretold on made-up people.
FORETOLD = ("fit", "select", "cross-validate", "gwas top-snps")
#: Parameters that are the server's to set, or an owner's at the machine.
_OWN = {
    "algorithm", "data", "decimal", "delimiter", "encoding", "engine", "force", "ledger", "model", "newlines",
    "owner_says", "parameters", "people", "per_key", "public", "random_state", "schema", "seed", "store",
    "tables",
}  # fmt: skip
#: Whose genotypes are paid for is said by the plan. What passes quality control is read off them, exactly:
#: a caller who could set the thresholds could ask which variants pass, for nothing.
_OWN |= {"allele_count", "call_rate", "dataset", "hwe", "maf", "subject_missing"}
#: What a run's document calls the file that holds the result, so that the command it becomes keeps it.
_OUTPUT = {"fit": "model.json", "prepare": "prepared.schema.toml"}


def _read(case: type[UseCase]) -> set[str]:
    """The parameters of a use case but those that name files to be written."""
    markers = {p.name: p.marker(File) for p in parameters_of(case)}
    return {name for name, marker in markers.items() if marker is None or marker.role == "in"}


#: A search is for an owner at the machine, too: whoever waits for it learns from its time how many trials
#: there were, which its guarantee needs to be secret (``mechanisms.random_trials``), whatever the grid.
_SEARCH = {"tune", "grid", "trials"}
#: What is meant where nobody says anything and the use case itself has no default.
_MEANT = {"cross-validate": {"score_epsilon": 0.1}}
#: A goal for accuracy takes a forecast of some seconds, which has a route of its own; plans answer at once.
_FORECAST = {"accuracy", "by", "guess"}
#: What is given back when enough is known would move the account at the moment at which the run really ends,
#: before the public grid says that it has.
_GIVING_BACK = {"until"}
_CLOSED = _SEARCH | _FORECAST | _GIVING_BACK


def is_open(parameter: Parameter) -> bool:
    """Whether a caller may set this."""
    return parameter.name not in _OWN and parameter.marker(File) is None and parameter.typed


def _declared(case: type[UseCase]) -> list[Parameter]:
    """What a caller may set of a use case itself."""
    return [p for p in parameters_of(case) if is_open(p) and p.name not in _CLOSED]


@dataclass(frozen=True)
class Model:
    """A released model: its file's text, and what a comparison calls it."""

    name: str
    text: str

    @classmethod
    def of(cls, answer: dict[str, Any], text: str) -> Model:
        """The model of a release, called after its algorithm and its price."""
        epsilon = (answer.get("guarantee") or {}).get("epsilon")
        price = "" if epsilon is None else f" (ε = {epsilon:g})"
        return cls(answer["title"].partition(" · ")[0] + price, text)

    def called(self, more: str) -> Model:
        return replace(self, name=f"{self.name}, {more}")


@dataclass(frozen=True)
class Asked:
    """What somebody asks for: a use case on a dataset, with parameters as plain JSON."""

    use_case: str
    dataset: str
    version: int
    algorithm: str | None
    release: str | None
    parameters: dict[str, Any]
    practice: bool
    other: str | None = None  # the release of a second model, where two are compared

    def __post_init__(self) -> None:
        if self.use_case not in PLANNABLE:
            raise Refusal(
                422,
                "This cannot be planned here",
                "The use case is unknown, or is not for a server.",
                f"Choose one of: {', '.join(PLANNABLE)}.",
                "use_case",
            )
        require_plain(self.parameters)

    @property
    def entry(self) -> Command:
        return entry_of(self.use_case)

    @property
    def genotypes(self) -> bool:
        """Whether it is about a study of genotypes, and not about a table."""
        return self.entry.words[0] == "gwas"

    @property
    def chosen(self) -> Algorithm | None:
        if not self.entry.per_algorithm:
            return None
        among = algorithms_with(self.entry.words[0])
        return algorithm(self.algorithm or self.entry.default or "", among)

    @property
    def title(self) -> str:
        """What a release of it is called."""
        plain = self.entry.load().title or self.use_case.capitalize()
        return plain if self.chosen is None else self.chosen.title

    def values(self) -> dict[str, Any]:
        """The parameters as the use case declares them: its own, and those of its algorithm."""
        return dict(self._values)

    @cached_property
    def _values(self) -> dict[str, Any]:
        case, chosen = self.entry.load(), self.chosen
        declared = {p.name: p for p in _declared(case)}
        holder = next((p.name for p in parameters_of(case) if p.marker(OfAlgorithm)), None)
        inner = {} if chosen is None else {p.name: p for p in parameters_of(chosen.load()) if is_open(p)}
        own = {name: value for name, value in self.parameters.items() if name in declared}
        own = _MEANT.get(self.use_case, {}) | own
        rest = {name: value for name, value in self.parameters.items() if name not in declared}
        if unknown := sorted(set(rest) - set(inner)):
            raise Refusal(
                422,
                "There is no such parameter",
                f"'{unknown[0][:80]}' is no parameter of this.",
                f"Its parameters: {', '.join(sorted({*declared, *inner}))}.",
                f"parameters.{unknown[0][:80]}",
            )
        if missing := [name for name, each in declared.items() if each.required and name not in own]:
            raise Refusal(
                422,
                "A parameter is missing",
                f"'{missing[0]}' is needed.",
                "Give it a value.",
                f"parameters.{missing[0]}",
            )
        for name, value in self.parameters.items():  # here, because here it is known which field is at fault
            parameter = declared.get(name) or inner[name]
            if fault := parameter.fault(restored(parameter, value)):
                raise Refusal(
                    422,
                    "A setting has a value that it cannot have",
                    f"{name} {fault}.",
                    "Change it, or go back to the default.",
                    f"parameters.{name}",
                )
        if chosen is not None:
            own["algorithm"] = chosen.name
        if holder is not None and chosen is not None:
            own[holder] = rest
        return own

    @contextmanager
    def case(self, schema: Path, model: Model | None = None, other: Model | None = None) -> Iterator[UseCase]:
        """The use case, ready to be planned and run in a session that knows the dataset."""
        cls = self.entry.load()
        names = _read(cls)
        values: dict[str, Any] = {**self._where(Path(self.dataset)), **self.values()}
        if "schema" in names:
            values["schema"] = schema
        with _folder("model" in names or "other" in names) as folder:
            given = (("model", "release", self.release, model), ("other", "other", self.other, other))
            for file, name, release, found in given:
                if file not in names:
                    if release is not None:
                        raise Refusal(
                            422, "No release is needed", f"This takes no {file}.", "Leave it out.", name
                        )
                    continue
                if found is None:
                    raise Refusal(422, "Which model?", "Name the release whose model it is.", "", name)
                values[file] = folder / f"{found.name}.json"
                values[file].write_text(found.text, encoding="utf-8")
            yield cls(**values)

    def _where(self, place: Path, account: str | None = None) -> dict[str, Any]:
        """What names the table; or the study, with the account of its people."""
        if self.genotypes:
            return {"study": place, "dataset": account or self.dataset}
        return {"data": place}

    def document(self, name: str) -> RunDocument:
        """The run as a document that another machine can use: files by plain names, no path of this one."""
        cls = self.entry.load()
        names = {p.name for p in parameters_of(cls)}
        place = Path(f"{name}.bed" if self.genotypes else f"{name}.csv")
        values: dict[str, Any] = {**self._where(place, name), **self.values()}
        if "schema" in names:
            values["schema"] = Path(f"{name}.schema.toml")
        models = [file for file in ("model", "other") if file in _read(cls)]
        values |= {file: Path(f"{file}.json") for file in models}
        if not models and "output" in names and self.use_case in _OUTPUT:
            values["output"] = Path(_OUTPUT[self.use_case])
        ledger = None if self.practice else Path("privet-ledger.db")
        return RunDocument.of(self.use_case, cls(**values), Session(ledger=ledger))

    def require_price(self, case: UseCase, session: Session, agreed: str) -> None:
        """Refuse a run whose price has changed. It cannot: it follows from the parameters and the schema."""

    def to_dict(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def hash(self) -> str:
        """Equal for plans that would do the same, whoever asks and however the defaults were spelt."""
        document = self.document("data").to_dict()["parameters"]
        said = [self.use_case, self.dataset, self.version, self.release, self.practice, document]
        said += [self.other] if self.other is not None else []
        plain = json.dumps(said, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()


@contextmanager
def _folder(needed: bool) -> Iterator[Path]:
    """A folder for models, if there will be any."""
    if not needed:
        yield Path()
        return
    with tempfile.TemporaryDirectory(prefix="privet-") as folder:
        yield Path(folder)


def perturbation(name: str, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A perturbation and its settings, checked: those that a caller may set."""
    chosen = algorithm(name, algorithms_with("perturb"))
    require_plain(parameters)
    declared = {p.name: p for p in parameters_of(chosen.load()) if is_open(p)}
    for given, value in parameters.items():
        parameter = declared.get(given)
        fault = "is no setting of this" if parameter is None else parameter.fault(restored(parameter, value))
        if fault:
            raise Refusal(
                422,
                "A setting has a value that it cannot have",
                f"{given[:80]} {fault}.",
                "Change it, or go back to the default.",
                f"parameters.{given[:80]}",
            )
    return chosen.name, parameters


def require_plain(value: Any, depth: int = 0) -> None:
    """Refuse what JSON or a database cannot hold: infinities, halves of characters, nests without end."""
    wrong = depth > 8
    if isinstance(value, float):
        wrong = not math.isfinite(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        wrong = abs(value) > 2**53
    elif isinstance(value, str):
        wrong = "\0" in value or any(0xD800 <= ord(c) <= 0xDFFF for c in value)
    elif isinstance(value, dict | list):
        for each in (*value, *value.values()) if isinstance(value, dict) else value:
            require_plain(each, depth + 1)
    if wrong:
        raise Refusal(
            422,
            "A parameter has a value that it cannot have",
            "It is no plain number or text.",
            "",
            "parameters",
        )


def use_case_schema(entry: Command) -> dict[str, Any]:
    """The JSON Schema of what a caller may set, besides the algorithm's own parameters."""
    found = trimmed(entry.json_schema(), {p.name for p in _declared(entry.load())})
    for name, value in _MEANT.get(entry.name, {}).items():
        found["properties"][name] |= {"default": value, "basic": True, "advanced": False}
    return found


def algorithm_schema(entry: Algorithm) -> dict[str, Any]:
    """The JSON Schema of an algorithm's parameters; ``basic`` marks those that most people look at."""
    return trimmed(entry.json_schema(), {p.name for p in parameters_of(entry.load()) if is_open(p)})


#: What a form of an experiment asks for: not its seed, which is for repeating what is public.
_HEAD = {"name", "epsilons", "delta", "repetitions", "folds", "measure", "score_epsilon"}


def head_schema() -> dict[str, Any]:
    """The JSON Schema of what an experiment says besides its tables and algorithms."""
    found = trimmed(experiment_schema(), _HEAD)
    found["properties"]["score_epsilon"] |= {"basic": True, "advanced": False}
    return found


def trimmed(schema: dict[str, Any], names: set[str]) -> dict[str, Any]:
    properties = {}
    for name, about in schema["properties"].items():
        if name in names:
            basic = name == "epsilon" or ("x-applies-when" not in about and about.get("default") is not None)
            basic = (basic and name not in ("delta", "score_delta")) or name in schema["required"]
            properties[name] = about | {"basic": basic, "advanced": not basic, "help": about["description"]}
    required = [name for name in schema["required"] if name in names]
    return schema | {"properties": properties, "required": required}
