"""The audit of algorithms: a search for violations of the privacy that they claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Gt, Lt

from privet.errors import ParameterError
from privet.parameters import Alias, Argument, Delta, Epsilon, File
from privet.registry import algorithm, audited_algorithms
from privet.service.case import UseCase
from privet.service.common import Report
from privet.service.reports import Reported, written
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.audit import Audit
    from privet.audit.processes import Process
    from privet.report import Page
    from privet.schema import Schema

__all__ = ["AuditAlgorithm", "Audits"]

RUNS = 4_000
#: A deep audit has many claims: of what is released, and of other tables, it makes fewer runs.
FEW = 1_200
#: Where answers are many and each has a small part of ε, only more runs show half of it.
PATIENCE = 5
#: A computed ratio says with few runs what events need many for.
SEARCH, FEWER = 40, 8


@dataclass(frozen=True)
class Claim:
    """What is audited: words for it, the thing itself, what it claims, and the tables it is run on."""

    words: str
    thing: Any
    epsilon: float
    delta: float
    schema: Schema
    runs: int = RUNS
    search_runs: int = SEARCH


@dataclass(frozen=True, kw_only=True)
class AuditAlgorithm(UseCase):
    """Search for a violation of the privacy that the algorithm NAME claims.

    Neighbouring tables are made from the schema, the algorithm is run on both many times, and the event that
    tells them apart best gives a lower bound on the true ε: for the model, and for the noisy answers that it
    was made from. No private data is read, nothing is spent. Ends
    with exit code 1 if a claim was refuted.
    """

    name: Annotated[str | None, Argument(), "The algorithm."] = None
    every: Annotated[bool, Alias("all"), "Audit every registered algorithm that claims privacy."] = False
    deep: Annotated[
        bool, "Every setting and several schemas for each algorithm, at four times the ε, and (ε, δ) too."
    ] = False
    epsilon: Annotated[Epsilon, "The claim to test."] = 1.0
    delta: Annotated[Delta, "The claim to test."] = 0.0
    runs: Annotated[
        int | None,
        Ge(40),
        f"Runs on the final pair (left out: {RUNS}; in a deep audit {FEW} for most).",
    ] = None
    search_runs: Annotated[
        int | None,
        Ge(8),
        f"Runs on each table of every candidate pair, before that (left out: {SEARCH}; {FEWER} for answers).",
    ] = None
    confidence: Annotated[
        float, Gt(0), Lt(1), "Probability that no false alarm is raised, over all audits together."
    ] = 0.999
    schema: Annotated[
        Path | None, File(), Alias("s"), "Audit on tables of this schema; no table is read."
    ] = None
    jobs: Annotated[int, Ge(1), "Processes that work at once."] = 2
    folder: Annotated[
        Path | None,
        File("out"),
        "A folder to keep the runs in: an audit that was stopped continues from there.",
    ] = None
    output: Annotated[Report, "Write an HTML report (or into a folder), and JSON to repeat it beside."] = None

    def run(self, session: Session) -> Audits:
        claims = self._claims
        found = {claim.words: self._audited(claim, len(claims), session) for claim in claims}
        place = self.output
        if place is not None:
            place = place if place.suffix else place / "audit.html"
            place.parent.mkdir(parents=True, exist_ok=True)
        return written(Audits(found=found), place, figures=True)

    @property
    def _names(self) -> list[str]:
        from privet.audit.processes import PROCESSES

        if self.every == (self.name is not None):
            raise ParameterError("An audit is of one algorithm, or of all.", "Name one, or ask for all.")
        if self.name is None:
            return [*(entry.name for entry in audited_algorithms()), *PROCESSES]
        _refuse_file(self.name)
        if self.name in PROCESSES:
            return [self.name]
        return [algorithm(self.name, audited_algorithms()).name]

    @cached_property
    def _claims(self) -> list[Claim]:
        """What to audit of each algorithm."""
        from privet.audit.processes import PROCESSES
        from privet.schema import read_schema

        declared = None if self.schema is None else read_schema(self.schema)
        found: list[Claim] = []
        for name in self._names:
            if name in PROCESSES:
                found += self._claims_of_process(name, PROCESSES[name])
            else:
                found += self._claims_of(name, declared)
        return found

    def _claims_of_process(self, name: str, process: Process) -> list[Claim]:
        from privet.audit import Transcript

        times = 4 if self.deep else 1
        epsilon = times * self.epsilon
        thing = process.of(epsilon)
        search = FEWER if isinstance(thing, Transcript) else SEARCH
        return [Claim(_words(name, "", times, 0), thing, epsilon, 0.0, process.schema, RUNS, search)]

    def _claims_of(self, name: str, declared: Schema | None) -> list[Claim]:
        """The model as it is released, and the noisy answers that it was made from."""
        from privet.audit import Transcript
        from privet.audit.examples import deep_schemas, open_schema, quick_schema, wider_schema
        from privet.audit.settings import chooses, small_settings

        kind = algorithm(name).load()
        schema = declared or quick_schema(kind())
        found: list[Claim] = []

        def add(
            what: str,
            schema: Schema,
            chosen: dict[str, Any],
            *,
            times: int = 1,
            delta: float = self.delta,
            runs: int = RUNS,
        ) -> None:
            epsilon = times * self.epsilon
            model = kind(epsilon=epsilon, delta=delta, schema=schema, **chosen)
            released = what.startswith("model")
            words = _words(name, what, times, delta)
            search = FEWER if self.deep or not released else SEARCH
            thing = model if released else Transcript(model)
            found.append(Claim(words, thing, epsilon, delta, schema, runs, search))

        opened = open_schema(kind()) if declared is None else None
        loose = self.delta or 1e-3
        if opened is not None:
            times = 4 if self.deep else 1
            add("answers, an open category", opened, {}, times=times, delta=loose)
        if not self.deep:
            add("model", schema, {})
            add("answers", schema, {})
            return found
        # The larger the ε, the fewer runs show a part of it: noise scales with ε, and so would a fault of it.
        claim = {"epsilon": 4 * self.epsilon, "delta": self.delta}
        wider = None if declared is not None else wider_schema(kind())
        settings = small_settings(kind, schema, **claim)
        add("model", schema, settings[""], times=4, runs=FEW)
        for words, chosen in settings.items():
            add(f"answers {words}".strip(), schema, chosen, times=4)
            if wider is not None and chooses(kind(schema=wider, **chosen, **claim)):
                add(f"answers {words}".strip() + ", two categories", wider, chosen, times=4)
        if declared is not None:
            small = small_settings(kind, schema, **claim | {"delta": loose})[""]
            add("answers", schema, small, times=4, delta=loose, runs=FEW)
            return found
        _, persons, mixed = deep_schemas(kind()).items()
        for (words, other), delta in ((persons, self.delta), (mixed, loose)):
            small = small_settings(kind, other, **claim | {"delta": delta})[""]
            add(f"answers, {words}", other, small, times=4, delta=delta, runs=FEW)
        return found

    def _audited(self, claim: Claim, claims: int, session: Session) -> Audit:
        from privet.audit import audit

        with session.progress(f"Auditing {claim.words}", "runs") as watch:
            return audit(
                claim.thing,
                schema=claim.schema,
                epsilon=claim.epsilon,
                delta=claim.delta,
                runs=self.runs or claim.runs,
                search_runs=self.search_runs or claim.search_runs,
                # Each audit gets its share of the probability of a false alarm (Bonferroni).
                confidence=1 - (1 - self.confidence) / claims,
                jobs=self.jobs,
                folder=self.folder,
                progress=watch,
                patience=PATIENCE if claim.runs == RUNS and self.deep else 1,
            )


def _words(name: str, what: str, times: int, delta: float) -> str:
    """``naive-bayes: answers, 4ε``; an algorithm by its name alone is what it releases."""
    about = ["" if what == "model" else what, f"{times}ε" if times > 1 else "", "(ε, δ)" if delta else ""]
    more = ", ".join(part for part in about if part)
    return f"{name}: {more}" if more else name


def _refuse_file(name: str) -> None:
    """If somebody names a file instead of an algorithm, say what can be done with it."""
    model = Path(name).suffix == ".json"
    if any(entry.name == name for entry in audited_algorithms()) or not (model or Path(name).is_file()):
        return
    raise ParameterError(
        f"'{name}' is a file, and what is audited here is an algorithm, by its name.",
        "Audit the inversion of a model, or the algorithm that it names."
        if model
        else "Audit the perturbation of a table, with the original at hand.",
        "audit-model" if model else "audit-perturbation",
    )


@dataclass(frozen=True, kw_only=True)
class Audits(Reported):
    """The audits by the words for what was audited."""

    found: Mapping[str, Audit]

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        return 1 if self.trouble or any(each.violated for each in self.found.values()) else 0

    def to_dict(self) -> dict[str, Any]:
        return {words: each.to_dict() for words, each in self.found.items()}

    def text(self) -> str:
        return "\n".join(f"{words}\n{each.text()}\n" for words, each in self.found.items())

    def page(self) -> Page:
        from privet.audit.page import report

        return report(self.found)
