"""Use cases on a server: the same commands, with the name of a dataset there instead of a file.

Plans are the server's. What comes back is what it released.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import ParameterError
from privet.parameters import File, OfAlgorithm, parameters_of
from privet.service.case import Preview, Result, UseCase
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.client import Client

__all__ = ["REMOTE", "run_remotely"]

#: The commands that a server can do for this one.
REMOTE = (
    "fit", "evaluate", "diagnose", "compare-models", "cross-validate", "select",
    "ledger show", "ledger history", "ledger head", "ledger verify",
)  # fmt: skip
_HERE = {"algorithm", "data", "schema", "model", "engine", "force", "seed", "owner_says", "public"}

#: Shows a plan; says whether to go on.
GoAhead = Callable[[Preview], bool]


def run_remotely(
    name: str, case: UseCase, server: str, token_file: Path | None, session: Session, go_ahead: GoAhead
) -> Result | None:
    """Do it on the server. None if it was planned only."""
    from privet.client import connect

    if name not in REMOTE:
        raise ParameterError(
            f"'{name}' is done on this machine, not on a server.", f"A server does: {', '.join(REMOTE)}."
        )
    given: Any = case
    with connect(server, token_file=token_file) as client:
        if name.startswith("ledger"):
            return _about_ledger(name, given, client)
        dataset = client.dataset(str(given.data))
        judged = name in ("evaluate", "diagnose", "compare-models")
        release = str(given.model) if judged else None
        other = str(given.other) if name == "compare-models" else None
        algorithm = getattr(given, "algorithm", None)
        plan = dataset.plan_by_name(name, algorithm, _to_send(case), release=release, other=other)
        if not go_ahead(plan):
            return None
        release = dataset.run(plan, watch=lambda state, step: session.note(f"{state}: {step}"))
        shown = dataset.release(release)
        place = getattr(given, "output", None)
        if place is not None and shown["has_model"]:
            Path(place).write_text(client._ask.text(f"/releases/{release}/model"), encoding="utf-8")
        elif place is not None:
            Path(place).write_text(json.dumps(shown, indent=1), encoding="utf-8")
        return Told(f"{shown['text']}\nRelease {release}", shown)


def _about_ledger(name: str, given: Any, client: Client) -> Told:
    if name == "ledger show":
        accounts = client.accounts()
        return Told("\n".join(_line(each) for each in accounts) or "No account.", {"accounts": accounts})
    if name == "ledger history":
        if given.dataset is None:
            raise ParameterError("A server shows one account's history.", "Name the dataset.")
        history = client.history(given.dataset)
        return Told("\n".join(f"{e['when']}  {e['who']}  {e['what']}" for e in history["entries"]), history)
    noted = given.check if name == "ledger head" else given.head
    if name == "ledger head" and noted is None:
        head = client.head()
        return Told(head, {"head": head})
    found = client.verify(noted)
    return Told(found["detail"] or f"The ledger is intact: {found['head']}", found, not found["intact"])


def _line(found: dict[str, Any]) -> str:
    account = {name: found["account"][name]["text"] for name in ("spent", "limit", "left")}
    return f"{found['name']}: {account['spent']} spent of {account['limit']}, {account['left']} left"


def _to_send(case: UseCase) -> dict[str, Any]:
    """The parameters of the use case and of its algorithm that are not the usual ones."""
    sent: dict[str, Any] = {}
    for parameter in parameters_of(type(case)):
        value = getattr(case, parameter.name)
        if parameter.marker(OfAlgorithm):
            sent |= {name: each for name, each in value.items() if each is not None}
        elif parameter.name not in _HERE and parameter.marker(File) is None and value != parameter.default:
            sent[parameter.name] = value
    return sent


@dataclass(frozen=True)
class Told(Result):
    """What a server has answered."""

    words: str
    document: dict[str, Any]
    bad: bool = False

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        return 6 if self.bad else 0

    def to_dict(self) -> dict[str, Any]:
        return self.document

    def text(self) -> str:
        return self.words
