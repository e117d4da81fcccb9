"""Plans, runs and releases. The table of runs is the queue.

A run is *taken* by a worker while it is still queued, which costs nothing and can be undone; it is
*running* from the moment at which it is paid for, which is written in the ledger's own transaction
(``mark_paid``). A worker that dies before that leaves a queued run for the next one; one that dies after it
leaves a lost run, never repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, or_, select, update

from privet.errors import LedgerError
from privet.server.credentials import new_id
from privet.server.store.moments import now
from privet.server.tables import datasets, plans, releases, runs, users

__all__ = [
    "ENDED",
    "add_plan",
    "add_release",
    "add_run",
    "all_releases",
    "all_runs",
    "already",
    "answer_of",
    "by_key",
    "change",
    "find",
    "find_plan",
    "find_release",
    "mark_paid",
    "settle",
    "study_of_plan",
    "study_of_release",
    "study_of_run",
    "take",
    "unended",
    "waiting",
    "working",
]

ENDED = ("released", "lost", "refused", "cancelled")
PAID = "measuring"
MOST_SHOWN = 500
_ALLOWED = (
    "EXISTS (SELECT 1 FROM plans JOIN datasets ON datasets.id = plans.dataset "
    "JOIN members ON members.study = datasets.study "
    "WHERE plans.id = runs.plan AND members.user = runs.user AND members.role IN ('owner', 'analyst') "
    "AND datasets.state = 'open' AND datasets.version = plans.version)"
)


def add_plan(connection: Connection, **values: Any) -> tuple[str, str]:
    """Keep a plan: its name, and when it was made."""
    plan, moment = new_id(), now()
    connection.execute(_ADD_PLAN, {"id": plan, "created": moment, **values})
    return plan, moment


def find_plan(connection: Connection, plan: str) -> Row[Any] | None:
    return connection.execute(select(plans).where(plans.c.id == plan)).first()


def add_run(connection: Connection, plan: Row[Any], user: str, key: str, state: str) -> str:
    run = new_id()
    place = connection.execute(select(func.coalesce(func.max(runs.c.place), 0) + 1)).scalar()
    connection.execute(
        insert(runs).values(
            id=run,
            plan=plan.id,
            user=user,
            dataset=plan.dataset,
            key=key,
            state=state,
            step="waiting for the owner" if state == "approval" else "waiting",
            place=place,
            created=now(),
        )
    )
    return run


def by_key(connection: Connection, user: str, key: str) -> Row[Any] | None:
    return connection.execute(_runs().where(runs.c.user == user, runs.c.key == key)).first()


def find(connection: Connection, run: str) -> Row[Any] | None:
    return connection.execute(_runs().where(runs.c.id == run)).first()


def all_runs(
    connection: Connection, chosen: Sequence[str], user: str, owned: Sequence[str] = ()
) -> list[Row[Any]]:
    """The latest runs; practice of others in what one owns only. It is left out before they are counted:
    else somebody who practises much would push out what all may see."""
    visible = or_(plans.c.practice.is_(False), runs.c.user == user, runs.c.dataset.in_(owned))
    found = _runs().where(runs.c.dataset.in_(chosen), visible)
    ended = runs.c.state.in_(ENDED)  # what waits for somebody's word comes first, however much is cancelled
    return list(connection.execute(found.order_by(ended, runs.c.place.desc()).limit(MOST_SHOWN)))


def waiting(connection: Connection, user: str) -> int:
    """How many runs of somebody have not ended."""
    count = select(func.count()).select_from(runs)
    return connection.execute(count.where(runs.c.user == user, runs.c.state.not_in(ENDED))).scalar() or 0


def _runs() -> Any:
    released = releases.c.id.label("release")
    joined = (
        runs.join(plans, plans.c.id == runs.c.plan)
        .join(users, users.c.id == runs.c.user)
        .outerjoin(releases, releases.c.run == runs.c.id)
    )
    more = (plans.c.practice, plans.c.price, plans.c.document, plans.c.version, plans.c.hash)
    return select(runs, released, users.c.name.label("who"), *more).select_from(joined)


def change(connection: Connection, run: str, before: Sequence[str], **values: Any) -> bool:
    """Change a run that is in one of these states; False if it is not, any more."""
    done = connection.execute(update(runs).where(runs.c.id == run, runs.c.state.in_(before)).values(**values))
    return bool(done.rowcount)


def take(connection: Connection, worker: str) -> str | None:
    """Take the first run that waits; None if there is none."""
    first = (
        select(runs.c.id)
        .where(runs.c.state == "queued", runs.c.worker.is_(None))
        .order_by(runs.c.place, runs.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    run: str | None = connection.execute(first).scalar()
    if run is not None:
        connection.execute(update(runs).where(runs.c.id == run).values(worker=worker, step="starting"))
    return run


def mark_paid(connection: Any, run: str, worker: str, number: int, *, sqlite: bool) -> None:
    """In the transaction of the ledger that reserves: the run is paid for, and running. Otherwise neither.

    Whoever asked is still in the study, and the dataset is still open with the schema of the plan: a worker
    has looked before, but an owner may have changed that in the meantime.
    """
    mark = "?" if sqlite else "%s"
    done = connection.execute(
        f"UPDATE runs SET state = 'running', step = '{PAID}', reservation = {mark} "
        f"WHERE id = {mark} AND worker = {mark} AND state = 'queued' AND reservation IS NULL AND {_ALLOWED}",
        (number, run, worker),
    )
    if done.rowcount != 1:
        raise LedgerError(
            "The run was cancelled or is paid for already, or its dataset or study has changed. "
            "Nothing was spent."
        )


def unended(connection: Connection, dataset: str | None = None) -> set[int]:
    """The reservations of runs that go on, as far as anybody can see: their end waits for the public grid."""
    found = select(runs.c.reservation).where(runs.c.state == "running")
    if dataset is not None:
        found = found.where(runs.c.dataset == dataset)
    return {int(number) for number in connection.execute(found).scalars() if number is not None}


def working(connection: Connection) -> list[str]:
    """The workers that hold a run which has not ended."""
    found = select(runs.c.worker).where(runs.c.worker.is_not(None), runs.c.state.in_(("queued", "running")))
    return list(connection.execute(found.distinct()).scalars())


def settle(connection: Connection, worker: str) -> None:
    """What a worker that is gone has left: queued if unpaid, released if stored, and else lost for good."""
    mine = runs.c.worker == worker
    stored = select(releases.c.run)
    connection.execute(update(runs).where(mine, runs.c.state == "queued").values(worker=None, step="waiting"))
    running = update(runs).where(mine, runs.c.state == "running")
    connection.execute(
        running.where(runs.c.id.in_(stored)).values(state="released", step="done", finished=now())
    )
    connection.execute(
        running.where(runs.c.id.not_in(stored)).values(
            state="lost",
            step="done",
            finished=now(),
            problem="The server was stopped while this ran. Nothing was released, and it is never repeated.",
            detail="the worker ended",
        )
    )


def add_release(connection: Connection, **values: Any) -> None:
    connection.execute(insert(releases).values(created=now(), **values))


def _releases() -> Any:
    joined = releases.join(runs, runs.c.id == releases.c.run)
    shown = runs.c.finished.label("shown")
    return select(releases, shown).select_from(joined).where(runs.c.state == "released")


#: Made once: they are used with every plan.
_ADD_PLAN = insert(plans)
_ALREADY = (
    _releases()
    .with_only_columns(releases.c.id, maintain_column_froms=True)
    .where(releases.c.plan_hash == bindparam("hash"))
    .order_by(runs.c.place.desc())
    .limit(1)
)


def find_release(connection: Connection, release: str) -> Row[Any] | None:
    """A release that is out: its run has ended."""
    return connection.execute(_releases().where(releases.c.id == release)).first()


def all_releases(connection: Connection, chosen: Sequence[str], user: str) -> list[dict[str, Any]]:
    """The latest releases; practice is one's own."""
    visible = or_(releases.c.practice.is_(False), runs.c.user == user)
    found = _releases().where(releases.c.dataset.in_(chosen), visible)
    latest = found.order_by(runs.c.place.desc()).limit(MOST_SHOWN)
    return [answer_of(row) for row in connection.execute(latest)]


def newest(connection: Connection, dataset: str, **what: Any) -> Row[Any] | None:
    """The newest release about these people, made for real, whose answer says all of this."""
    # The text is looked through first, so that only answers that may say so are read.
    parts = (json.dumps({name: value})[1:-1] for name, value in what.items())
    may = [releases.c.answer.contains(part, autoescape=True) for part in parts]
    found = _releases().where(releases.c.dataset == dataset, ~releases.c.practice, *may)
    ordered = connection.execute(found.order_by(runs.c.place.desc()).limit(100))
    return next((row for row in ordered if what.items() <= _said(row, what).items()), None)


def _said(row: Row[Any], names: Iterable[str]) -> dict[str, Any]:
    answer = json.loads(row.answer)
    return {name: answer[name] for name in names}


def answer_of(row: Row[Any]) -> dict[str, Any]:
    """What is shown of a release. Its time is that of its run's end on the public grid, not of its making."""
    return {**json.loads(row.answer), "created": row.shown or row.created}


def already(connection: Connection, plan_hash: str) -> str | None:
    """The latest release of a plan that is equal to this one; None if there is none."""
    found = connection.execute(_ALREADY, {"hash": plan_hash}).scalar()
    return None if found is None else str(found)


def study_of_plan(connection: Connection, plan: str) -> str | None:
    joined = plans.join(datasets, datasets.c.id == plans.c.dataset)
    return connection.execute(select(datasets.c.study).select_from(joined).where(plans.c.id == plan)).scalar()


def study_of_run(connection: Connection, run: str) -> str | None:
    joined = runs.join(datasets, datasets.c.id == runs.c.dataset)
    return connection.execute(select(datasets.c.study).select_from(joined).where(runs.c.id == run)).scalar()


def study_of_release(connection: Connection, release: str) -> str | None:
    joined = releases.join(datasets, datasets.c.id == releases.c.dataset)
    return connection.execute(
        select(datasets.c.study).select_from(joined).where(releases.c.id == release)
    ).scalar()
