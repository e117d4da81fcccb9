"""Flows over the API: one more use case that is planned, paid for and run like every other.

What is asked for is the document of a flow, without paths, seeds, or words that only an owner at the machine
may say. Its settings are checked against the same list of what is allowed as an algorithm's. A source may
name a public table, which the owner has put beside the dataset, or datasets as its parts; never a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from privet.server.cases import Asked, Model, is_open, trimmed
from privet.server.problems import Refusal
from privet.service import Session, UseCase
from privet.service.document import RunDocument
from privet.service.flow_tables import FlowOnTable, StepKind, flow_of, here, portable, step_kinds
from privet.service.flows import RunFlow

__all__ = ["FLOW", "AskedFlow", "asked_for", "kinds", "parts_in", "plain_document", "settings_schema"]

FLOW = "flow run"
_HEAD = ("name", "epsilon", "delta", "allocation", "goal", "steps", "flow")
_OF_A_STEP = ("do", "from", "weight", "epsilon")
_OF_A_SOURCE = ("data", "public", "people")
MOST_PARTS = 24


@cache
def kinds() -> dict[str, StepKind]:
    """Every kind of step, by what it does."""
    return {kind.do: kind for kind in step_kinds()}


def settings_schema(kind: StepKind) -> dict[str, Any]:
    """The JSON Schema of what a caller may set of a step."""
    return trimmed(kind.json_schema, {each.name for each in kind.settings if is_open(each)})


def plain_document(sent: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a flow, if it says nothing that is not a caller's to say."""
    if unknown := sorted(set(sent) - set(_HEAD)):
        raise _refused(f"'{unknown[0][:80]}' is no entry of a flow.", f"Its entries: {', '.join(_HEAD)}.", "")
    steps = sent.get("steps")
    if not isinstance(steps, Mapping):
        raise _refused("The flow has no steps.", "Begin with a source.", "steps")
    for name, entry in steps.items():
        place = f"steps.{name[:80]}"
        if not isinstance(entry, Mapping):
            raise _refused("A step is no object with settings.", "Say what it does.", place)
        kind = kinds().get(str(entry.get("do")))
        allowed = set(settings_schema(kind)["properties"]) if kind is not None else set()
        if entry.get("do") == "source":
            _check_source(entry, place)
            allowed |= set(_OF_A_SOURCE)
        for key in entry:
            if kind is not None and key not in _OF_A_STEP and key not in allowed:
                told, word = ", ".join(sorted(allowed)) or "none", key[:80]
                raise _refused(
                    f"The step has no setting '{word}' here.",
                    f"Its settings: {told}.",
                    f"{place}.{word}",
                )
    return dict(sent)


def _check_source(entry: Mapping[str, Any], place: str) -> None:
    data = entry.get("data")
    if entry.get("public") is True:
        fine = isinstance(data, str) and "people" not in entry
    elif data is None:
        fine = "people" not in entry
    else:
        fine = isinstance(data, list) and 0 < len(data) <= MOST_PARTS
        fine = fine and all(isinstance(each, str) for each in data) and len(set(data)) == len(data)
    if not fine:
        raise _refused(
            "A source stands for this dataset, names a public table, or names datasets as its parts.",
            f"At most {MOST_PARTS} parts; say then whether their people are new.",
            f"{place}.data",
        )


def parts_in(document: Mapping[str, Any]) -> list[str]:
    """The datasets that a flow is run on, one after the other; none if it is not in parts."""
    listed = [entry.get("data") for entry in document["steps"].values() if entry.get("do") == "source"]
    return next((list(each) for each in listed if isinstance(each, list)), [])


def _refused(detail: str, advice: str, place: str) -> Refusal:
    return Refusal(422, "This is no flow for a server", detail, advice, f"parameters.{place or 'flow'}")


@dataclass(frozen=True)
class AskedFlow(Asked):
    """A flow on a dataset: its document, its epsilon if that is said beside it, and where to stop."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if unknown := sorted(set(self.parameters) - {"flow", "until", "epsilon"}):
            raise _refused(
                f"'{unknown[0][:80]}' is no parameter of this.", "Send flow, until and epsilon.", ""
            )
        if not isinstance(self.parameters.get("flow"), Mapping):
            raise _refused("The document of the flow is missing.", "Send it as the parameter 'flow'.", "flow")
        if not isinstance(self.until, str | None):
            raise _refused("A flow stops at the name of a step.", "Name one.", "until")

    @property
    def until(self) -> Any:
        return self.parameters.get("until")

    def flow(self) -> dict[str, Any]:
        """The document, with the epsilon that is asked for."""
        document = plain_document(self.parameters["flow"])
        if self.parameters.get("epsilon") is not None and document.get("allocation") != "fixed":
            document["epsilon"] = self.parameters["epsilon"]
        if (parts := parts_in(document)) and self.dataset not in parts:
            raise _refused("This dataset is none of the flow's parts.", "Run it on one of them.", "flow")
        return document

    @property
    def title(self) -> str:
        name = str(self.parameters["flow"].get("name", ""))
        return "Flow" if name.lower() == "flow" else f"Flow {name}".strip()

    @contextmanager
    def case(self, schema: Path, model: Model | None = None, other: Model | None = None) -> Iterator[UseCase]:
        if self.release is not None or self.other is not None:
            raise Refusal(422, "No release is needed", "A flow takes no model.", "Leave it out.", "release")
        yield FlowOnTable(data=Path(self.dataset), schema=schema, flow=self.flow(), until=self.until)

    def document(self, name: str) -> RunDocument:
        text = portable(here(flow_of(self.flow())), name).text()
        file = f"{name}.flow.toml"
        ledger = None if self.practice else Path("privet-ledger.db")
        found = RunDocument.of(FLOW, RunFlow(flow=Path(file), until=self.until), Session(ledger=ledger))
        return RunDocument(found.use_case, found.parameters, found.ledger, {file: text})

    def hash(self) -> str:
        flow = here(flow_of(self.flow())).to_dict()
        said = [FLOW, self.dataset, self.version, self.practice, self.until, flow]
        plain = json.dumps(said, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()

    def require_price(self, case: UseCase, session: Session, agreed: str) -> None:
        """Refuse a run whose price is not that of its plan: steps may have been released in between."""
        now: Any = case.plan(session)
        if ("nothing" if now is None else str(now.amount)) != agreed:
            raise Refusal(
                409,
                "The price has changed",
                "Steps of this flow were released since it was planned, so its price has changed.",
                "Plan it again: it costs less now.",
            )


def asked_for(**values: Any) -> Asked:
    """What somebody asks for, whatever it is."""
    return (AskedFlow if values["use_case"] == FLOW else Asked)(**values)
