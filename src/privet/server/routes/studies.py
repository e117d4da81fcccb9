"""Studies: who has which role, and the log of what was done."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from privet.server.guests import Asking, Serving, missing
from privet.server.problems import Refusal
from privet.server.shapes import AuditEntry, AuditShown, MemberShown, NewRole, NewStudy, StudyShown
from privet.server.store import audit, people, studies

__all__ = ["router"]

router = APIRouter(tags=["studies"])
MemberName = Annotated[str, Path(max_length=200)]


@router.get("/studies")
def show_studies(server: Serving, caller: Asking) -> list[StudyShown]:
    """Your studies, with your role in each."""
    with server.database.read() as connection:
        found = studies.all_of(connection, caller.id)
    return [StudyShown(id=s.id, name=s.name, role=s.role, approval=s.approval) for s in found]


@router.post("/studies", status_code=201)
def make_study(server: Serving, caller: Asking, body: NewStudy) -> StudyShown:
    """Begin a study, as its owner. With ``approval``, each run of an analyst waits for an owner's word."""
    with server.database.write() as connection:
        study = studies.add(connection, body.name, body.approval, caller.id)
        audit.note(connection, caller.name, study, "began the study", approval=body.approval)
    return StudyShown(id=study, name=body.name, role="owner", approval=body.approval)


@router.get("/studies/{study}")
def show_study(server: Serving, caller: Asking, study: str) -> StudyShown:
    """One study; its owners and auditors see who is in it."""
    with server.database.read() as connection:
        row = studies.find(connection, study)
        role = studies.role_of(connection, study, caller.id)
        found = studies.members_of(connection, study)
    assert row is not None
    members = None
    if role in ("owner", "auditor"):
        members = [MemberShown(name=m.name, role=m.role) for m in found]
    return StudyShown(id=study, name=row.name, role=role, approval=row.approval, members=members)  # type: ignore[arg-type]


@router.put("/studies/{study}/members/{name}")
def set_member(server: Serving, caller: Asking, study: str, name: MemberName, body: NewRole) -> MemberShown:
    """Give somebody a role in the study."""
    with server.database.write() as connection:
        user = None if "\0" in name else people.named(connection, name)
        if user is None:
            raise Refusal(404, "There is no such user", "Nobody here has this name.", "Check the spelling.")
        if user.operator:
            raise Refusal(
                409,
                "An operator has no role in a study",
                "Whoever runs the machine can spend nothing.",
                "Use another account.",
            )
        studies.set_member(connection, study, user.id, body.role)
        audit.note(connection, caller.name, study, "set a role", name=name, role=body.role)
    return MemberShown(name=name, role=body.role)


@router.delete("/studies/{study}/members/{name}", status_code=204)
def remove_member(server: Serving, caller: Asking, study: str, name: MemberName) -> Response:
    """Take somebody out of the study. What they have spent stays spent."""
    with server.database.write() as connection:
        user = None if "\0" in name else people.named(connection, name)
        if user is None or not studies.remove_member(connection, study, user.id):
            raise missing()
        audit.note(connection, caller.name, study, "took out a member", name=name)
    return Response(status_code=204)


@router.get("/studies/{study}/audit")
def show_audit(request: Request, server: Serving, caller: Asking, study: str) -> AuditShown:
    """What was done in the study, each entry sealed with the one before it."""
    with server.database.read() as connection:
        return AuditShown(
            intact=audit.intact(connection),
            entries=[AuditEntry(**entry) for entry in audit.entries(connection, study)],
        )
