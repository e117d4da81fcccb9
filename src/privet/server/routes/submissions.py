"""Studies of several parties, with this server as the place where their messages meet.

A message stands once it is there. The server checks who signed it, so nobody can take another party's
place. In masked sums and with noise at the party, nothing that stands here says anything about a single
party's table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi import Path as InPath
from pydantic import BaseModel

from privet.server.guests import Asking, Serving
from privet.server.problems import Refusal
from privet.server.shapes import Sent
from privet.server.state import Server
from privet.server.store import audit

__all__ = ["router"]

router = APIRouter(tags=["submissions"])
Step = Literal["join", "send", "agree", "reveal"]
Document = Literal["study", "roll", "submitted", "result"]
PartyName = Annotated[str, InPath(max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]


class Standing(BaseModel):
    """What stands under a name; null if nothing does."""

    document: dict[str, Any] | None


class ToStand(Sent):
    """What is to stand under a name, for good."""

    document: dict[str, Any]


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    """The document, if it is JSON that can be given back as it came."""
    try:
        json.dumps(document, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Refusal(
            422, "This is not plain JSON", "It holds text or numbers that JSON has not.", "Correct it."
        ) from None
    return document


def _exchange(server: Server, study: str) -> Any:
    from privet.parties import Exchange

    folder: Path = server.settings.home / "submissions" / study
    return Exchange(folder)


@router.get("/studies/{study}/coordination/{name}")
def show_coordination(server: Serving, caller: Asking, study: str, name: Document) -> Standing:
    """The study's file, who takes part, who has sent, or the result for all parties."""
    return Standing(document=_exchange(server, study).get(name))


@router.put("/studies/{study}/coordination/{name}")
def coordinate(server: Serving, caller: Asking, study: str, name: Document, body: ToStand) -> Standing:
    """Say this as the coordinator, once."""
    from privet.parties import PartyStudy

    exchange = _exchange(server, study)
    if name == "study":
        PartyStudy.from_dict(_plain(body.document))
        exchange.folder.mkdir(parents=True, exist_ok=True)
    elif exchange.get("study") is None:
        raise Refusal(
            409, "There is no study of several parties yet", "Its file comes first.", "Put it there."
        )
    exchange.put(name, _plain(body.document))
    with server.database.write() as connection:
        audit.note(connection, caller.name, study, "coordinated a study of several parties", name=name)
    return Standing(document=exchange.get(name))


@router.get("/studies/{study}/submissions/{step}/{party}")
def show_submission(server: Serving, caller: Asking, study: str, step: Step, party: PartyName) -> Standing:
    """What a party said in a step."""
    return Standing(document=_exchange(server, study).get(f"{step}/{party}"))


@router.put("/studies/{study}/submissions/{step}/{party}")
def submit(
    server: Serving, caller: Asking, study: str, step: Step, party: PartyName, body: ToStand
) -> Standing:
    """Say this as a party, once. It must be signed with that party's key."""
    from privet.parties.messages import Message

    exchange = _exchange(server, study)
    if exchange.get("study") is None:
        raise Refusal(
            409, "There is no study of several parties yet", "Its file comes first.", "Wait for it."
        )
    declared = exchange.study
    if party not in declared.parties:
        raise Refusal(409, "There is no such party", "The study's file does not name it.", "Check the name.")
    exchange.say(Message.read(declared, _plain(body.document), party, step))
    with server.database.write() as connection:
        audit.note(connection, caller.name, study, "submitted to a study", step=step, party=party)
    return Standing(document=exchange.get(f"{step}/{party}"))
