"""One dataset on a server: plans and rehearsals for nothing, fits and scores that are paid for there.

The rows stay on the server. What comes back is what was released: a model is a local estimator with its
guarantee.
"""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.client.connection import Connection
from privet.errors import BudgetExceeded, ParameterError, PrivetError, ServerError
from privet.model import load_model
from privet.parameters import parameters_of
from privet.registry import name_of

__all__ = ["RemoteDataset", "RemotePlan"]

ENDED = ("released", "lost", "refused", "cancelled")
Watch = Callable[[str, str], None]


@dataclass(frozen=True)
class RemotePlan:
    """What a run would cost and do; priced by the server from public knowledge alone. Free."""

    document: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def epsilon(self) -> float:
        return float(self.document["price"]["epsilon"])

    @property
    def fits(self) -> bool:
        """Whether the budget allows it, as things stand."""
        return str(self.document["state"]) in ("fits", "ask_owner")

    @property
    def already(self) -> str | None:
        """The release that answers the very same already, for nothing."""
        return self.document.get("already")

    def to_dict(self) -> dict[str, Any]:
        return self.document

    def text(self) -> str:
        return str(self.document["words"])

    __str__ = text


class RemoteDataset:
    """A dataset, as this token's holder may use it. Made by ``client.dataset(…)``."""

    def __init__(self, connection: Connection, document: dict[str, Any]) -> None:
        self._ask, self._document = connection, document
        self.id, self.name = str(document["id"]), str(document["name"])

    def __repr__(self) -> str:
        return f"<RemoteDataset {self.name!r} on {self._ask.url}>"

    @property
    def account(self) -> dict[str, Any] | None:
        """The limit, what is spent and what is left, as of now."""
        found: dict[str, Any] | None = self._ask.get(f"/datasets/{self.id}")["account"]
        return found

    # Free

    def plan(self, estimator: Any, use_case: str = "fit", **parameters: Any) -> RemotePlan:
        """What a fit (or another use case) with this estimator would cost. Nothing is spent."""
        return self.plan_by_name(use_case, name_of(estimator), parameters_to_send(estimator) | parameters)

    def plan_by_name(
        self,
        use_case: str,
        algorithm: str | None,
        parameters: dict[str, Any],
        *,
        release: str | None = None,
        other: str | None = None,
        practice: bool = False,
    ) -> RemotePlan:
        body = {
            "use_case": use_case,
            "dataset": self.id,
            "algorithm": algorithm,
            "parameters": parameters,
            "practice": practice,
            "release": release,
            "other": other,
        }
        sent = {name: value for name, value in body.items() if value is not None}
        return RemotePlan(self._ask.post("/plans", sent))

    def rehearse(self, estimator: Any, *, watch: Watch | None = None) -> Any:
        """Fit to made-up people of the same schema, to see how a fit would look. Nothing is spent."""
        plan = self.plan_by_name("fit", name_of(estimator), parameters_to_send(estimator), practice=True)
        return self.model(self.run(plan, watch=watch))

    # Paid for

    def fit(self, estimator: Any, *, watch: Watch | None = None) -> Any:
        """A fitted local estimator with its guarantee, learned on the server and paid for there.

        What was paid for before is given again for nothing.
        """
        return self.model(self.run(self.plan(estimator), watch=watch))

    def evaluate(self, model: Any, *, watch: Watch | None = None, **parameters: Any) -> dict[str, Any]:
        """Score a model that this server has released (or its release's id) on this dataset."""
        plan = self.plan_by_name("evaluate", None, parameters, release=_release_of(model))
        return self.release(self.run(plan, watch=watch))

    def diagnose(self, model: Any, *, watch: Watch | None = None, **parameters: Any) -> dict[str, Any]:
        """The curves of a model that this server has released, or its residuals, on this dataset."""
        plan = self.plan_by_name("diagnose", None, parameters, release=_release_of(model))
        return self.release(self.run(plan, watch=watch))

    def compare_models(
        self, model: Any, other: Any, *, watch: Watch | None = None, **parameters: Any
    ) -> dict[str, Any]:
        """Which of two models that this server has released is better on this dataset, and by how much."""
        release, second = _release_of(model), _release_of(other)
        plan = self.plan_by_name("compare-models", None, parameters, release=release, other=second)
        return self.release(self.run(plan, watch=watch))

    def run(self, plan: RemotePlan, *, watch: Watch | None = None, key: str | None = None) -> str:
        """Run a plan and wait for it; returns the release's id. ``key`` is the run's own, else drawn."""
        if plan.already is not None:
            return plan.already
        if not plan.fits and not plan.document["practice"]:
            refused = BudgetExceeded.__new__(BudgetExceeded)
            most = plan.document.get("most")
            advice = f"At most ε = {most:g} fits." if most else "Ask the owner for a larger budget."
            PrivetError.__init__(refused, f"{plan.text()} Nothing was spent.", advice)
            raise refused
        run = self._ask.post("/runs", {"plan": plan.id}, key=key or secrets.token_urlsafe(24))
        return self.wait(str(run["id"]), watch=watch)

    def wait(self, run: str, *, watch: Watch | None = None, patience: float = 3600.0) -> str:
        """Wait until a run has ended, by the server's events, or by asking; returns the release's id."""
        end, seen = time.monotonic() + patience, ("", "")
        while True:
            for event in self._ask.events(f"/runs/{run}/events"):
                seen = self._told(watch, seen, event)
            found = self._ask.get(f"/runs/{run}")
            seen = self._told(watch, seen, found)
            if found["state"] in ENDED:
                break
            if time.monotonic() > end:
                raise ServerError(f"Run {run} has not ended yet.", f'Wait for it with  wait("{run}").')
            time.sleep(0.5)
        if found["state"] != "released":
            words = f"The run was {found['state']}. {found['problem'] or ''} {found['cost']}"
            raise ServerError(" ".join(words.split()), "It is not run again by itself.")
        return str(found["release"])

    def _told(self, watch: Watch | None, seen: tuple[str, str], event: dict[str, Any]) -> tuple[str, str]:
        now = (str(event.get("state")), str(event.get("step")))
        if watch is not None and now != seen:
            watch(*now)
        return now

    # What was released

    def releases(self) -> list[dict[str, Any]]:
        """What was released of this dataset, the latest first. Reading it again is free."""
        return list(self._ask.get("/releases", dataset=self.id))

    def release(self, release: str) -> dict[str, Any]:
        """One release in full: figures, words, charts, guarantee."""
        return dict(self._ask.get(f"/releases/{release}"))

    def model(self, release: str) -> Any:
        """The model of a release, as a local estimator with its guarantee; its digest is checked."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            path.write_text(self._ask.text(f"/releases/{release}/model"), encoding="utf-8")
            model = load_model(path)
        model._release = release
        return model


def parameters_to_send(estimator: Any) -> dict[str, Any]:
    """An estimator's parameters that are not the usual ones; ε always, because it is what is paid."""
    if getattr(estimator, "random_state", None) is not None:
        raise ParameterError(
            "A seed would take the noise away: the server draws it securely.", "Leave random_state out."
        )
    if getattr(estimator, "ledger", None) is not None or isinstance(getattr(estimator, "schema", None), Path):
        raise ParameterError("The server has the ledger and the schema.", "Leave them out.")
    own = ("schema", "ledger", "random_state")
    declared = [p for p in parameters_of(type(estimator)) if p.name not in own]
    return {
        p.name: getattr(estimator, p.name)
        for p in declared
        if p.name == "epsilon" or getattr(estimator, p.name) != p.default
    }


def _release_of(model: Any) -> str:
    """The release that a model came from, or its id."""
    release = model if isinstance(model, str) else getattr(model, "_release", None)
    if release is None:
        raise ParameterError(
            "Only a model that the server has released can be scored there.", "Fit it on the server first."
        )
    return str(release)
