"""Experiments: what was asked for, how far its free cells are, and which runs measure its private ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, or_, select, update

from privet.server.store.moments import now
from privet.server.tables import datasets, experiment_runs, experiments, releases, runs, users

__all__ = ["add", "add_run", "all_of", "change", "find", "runs_of", "study_of", "waiting"]


def add(connection: Connection, **values: Any) -> None:
    connection.execute(insert(experiments).values(created=now(), **values))


def _experiments() -> Any:
    joined = experiments.join(users, users.c.id == experiments.c.user)
    return select(experiments, users.c.name.label("who")).select_from(joined)


def find(connection: Connection, experiment: str) -> Row[Any] | None:
    return connection.execute(_experiments().where(experiments.c.id == experiment)).first()


def all_of(connection: Connection, chosen: Sequence[str], user: str, owned: Sequence[str]) -> list[Row[Any]]:
    """The experiments of these datasets, the latest first: one's own, and all of what one owns."""
    visible = or_(experiments.c.user == user, experiments.c.dataset.in_(owned))
    found = _experiments().where(experiments.c.dataset.in_(chosen), visible)
    return list(connection.execute(found.order_by(experiments.c.created.desc(), experiments.c.id).limit(200)))


def study_of(connection: Connection, experiment: str) -> str | None:
    joined = experiments.join(datasets, datasets.c.id == experiments.c.dataset)
    found = select(datasets.c.study).select_from(joined).where(experiments.c.id == experiment)
    study: str | None = connection.execute(found).scalar()
    return study


def change(connection: Connection, experiment: str, before: Sequence[str], **values: Any) -> bool:
    """Change an experiment that is in one of these states; False if it is not, any more."""
    mine = experiments.c.id == experiment
    done = connection.execute(
        update(experiments).where(mine, experiments.c.state.in_(before)).values(**values)
    )
    return bool(done.rowcount)


def waiting(connection: Connection) -> list[str]:
    """The experiments whose free cells are to be done, the oldest first."""
    found = select(experiments.c.id).where(experiments.c.state == "running")
    return list(connection.execute(found.order_by(experiments.c.created, experiments.c.id)).scalars())


def add_run(connection: Connection, experiment: str, cell: str, run: str) -> None:
    """Note which run measures a cell; the same again changes nothing."""
    known = select(experiment_runs.c.cell).where(
        experiment_runs.c.experiment == experiment, experiment_runs.c.run == run
    )
    if connection.execute(known).first() is None:
        connection.execute(insert(experiment_runs).values(experiment=experiment, cell=cell, run=run))


def runs_of(connection: Connection, experiment: str) -> list[Row[Any]]:
    """The runs of an experiment's private cells, in the order in which they were queued."""
    joined = experiment_runs.join(runs, runs.c.id == experiment_runs.c.run).outerjoin(
        releases, releases.c.run == runs.c.id
    )
    found = select(
        experiment_runs.c.cell,
        runs.c.id,
        runs.c.state,
        runs.c.finished,
        releases.c.id.label("release"),
        releases.c.answer,
    ).select_from(joined)
    found = found.where(experiment_runs.c.experiment == experiment)
    return list(connection.execute(found.order_by(runs.c.place, runs.c.id)))
