"""Studies of several parties, with this server as the place where their messages meet.

A message stands once it is there. The server checks who signed it, so nobody can take another party's
place. In masked sums and with noise at the party, nothing that stands here says anything about a single
party's table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ValidationError

from privet.server.guests import Asking, Caller, Serving
from privet.server.problems import Refusal
from privet.server.shapes import Sent
from privet.server.state import Server
from privet.server.store import audit, studies
from privet.server.uploads import spooled

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


_TO_STAND = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ToStand"}}},
    }
}


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    """The document, if it is JSON that can be given back as it came."""
    try:
        json.dumps(document, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Refusal(
            422, "This is not plain JSON", "It holds text or numbers that JSON does not have.", "Correct it."
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
    if name == "result":
        exchange.forget()
    with server.database.write() as connection:
        audit.note(connection, caller.name, study, "coordinated a study of several parties", name=name)
    return Standing(document=exchange.get(name))


@router.get("/studies/{study}/submissions/{step}/{party}")
def show_submission(server: Serving, caller: Asking, study: str, step: Step, party: PartyName) -> Standing:
    """What a party said in a step. Parties need what others say for masked sums, and only then see it.

    Rows that are sealed for the coordinator would still say how many there are.
    """
    exchange = _exchange(server, study)
    with server.database.read() as connection:
        role = studies.role_of(connection, study, caller.id)
    if role != "owner" and exchange.get("study") is not None and exchange.study.mode != "masked":
        raise Refusal(
            403,
            "This is for the coordinator",
            "In this study, what a party sends is for the study's owner alone.",
            "Your own receipts say what you have sent.",
        )
    return Standing(document=exchange.get(f"{step}/{party}"))


@router.put("/studies/{study}/submissions/{step}/{party}", openapi_extra=_TO_STAND, response_model=Standing)
async def submit(
    request: Request, server: Serving, caller: Asking, study: str, step: Step, party: PartyName
) -> StreamingResponse:
    """Say this as a party, once. It must be signed with that party's key."""
    limit = server.settings.limits.submission_bytes
    too_large = Refusal(
        413,
        "This is too large for one submission",
        f"At most {limit:,} bytes are taken.",
        "Ask the coordinator for noise at the party, or for masked sums: they need little room.",
    )
    place = await spooled(server, request, limit, too_large, ".json")
    try:
        async with server.one_submission:
            kept = await run_in_threadpool(_submit, server, caller, study, step, party, place)
    finally:
        place.unlink(missing_ok=True)
    return StreamingResponse(_standing(kept), media_type="application/json")


def _standing(kept: BinaryIO) -> Iterator[bytes]:
    """A ``Standing`` of what lies in this file, in pieces."""
    with kept:
        yield b'{"document":'
        while chunk := kept.read(1 << 20):
            yield chunk
        yield b"}"


def _sent(place: Path) -> dict[str, Any]:
    """The document that was sent."""
    try:
        return ToStand.model_validate_json(place.read_bytes()).document
    except ValidationError as error:
        found = [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(found) from None


def _submit(server: Server, caller: Caller, study: str, step: Step, party: str, place: Path) -> BinaryIO:
    """Let what was sent stand; returns the file in which it does."""
    from privet.parties.messages import Message

    document = _plain(_sent(place))
    exchange = _exchange(server, study)
    if exchange.get("study") is None:
        raise Refusal(
            409, "There is no study of several parties yet", "Its file comes first.", "Wait for it."
        )
    declared = exchange.study
    if party not in declared.parties:
        raise Refusal(409, "There is no such party", "The study's file does not name it.", "Check the name.")
    late = Refusal(409, "The result is there already", "It was made without this.", "Ask for another study.")
    if step == "send" and exchange.get("result") is not None:
        raise late
    exchange.say(Message.read(declared, document, party, step))
    if step == "send" and exchange.get("result") is not None:  # it came in between: nobody will delete this
        exchange.forget()
        raise late
    with server.database.write() as connection:
        audit.note(connection, caller.name, study, "submitted to a study", step=step, party=party)
    try:
        return (exchange.folder / step / f"{party}.json").open("rb")
    except FileNotFoundError:
        raise late from None
