"""What flows have released, step by step: used again for free.

The steps of a run are written with its release, and *found* only once the run has ended on the public grid:
before that, their being there would tell how long they took, which depends on the records. A run that is lost
leaves none: how far it came would tell where it failed, or how fast it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, insert, select
from sqlalchemy.exc import IntegrityError

from privet.server.database import Database
from privet.server.tables import flow_keys, flow_steps, releases, runs

__all__ = ["KeptSteps"]


@dataclass(frozen=True)
class KeptSteps:
    """The released steps of one dataset under one version of its schema; ``run`` adds some."""

    database: Database
    dataset: str
    version: int
    run: str | None = None
    made: dict[str, str] = field(default_factory=dict)

    def has(self, identity: str) -> bool:
        return self._find(identity) is not None

    def kept(self, identity: str) -> dict[str, Any]:
        row = self._find(identity)
        assert row is not None
        found: dict[str, Any] = json.loads(row.document)
        return found

    def release(self, identity: str) -> str | None:
        """The release that shows a step; None if there is none."""
        row = self._find(identity)
        return None if row is None else row.release

    def keep(self, identity: str, document: dict[str, Any]) -> None:
        """Remember a step until its run is released."""
        self.made[identity] = json.dumps(document)

    def write(self, connection: Connection) -> None:
        """Write the steps of a run, in the transaction that writes its release."""
        for identity, document in self.made.items():
            connection.execute(
                insert(flow_steps).values(
                    run=self.run,
                    identity=identity,
                    dataset=self.dataset,
                    version=self.version,
                    document=document,
                )
            )

    def secret(self, name: str, drawn: Callable[[], str]) -> str:
        """The key of a split, drawn once."""
        mine = (flow_keys.c.dataset == self.dataset, flow_keys.c.name == name)
        try:
            with self.database.write() as connection:
                known = connection.execute(select(flow_keys.c.secret).where(*mine)).scalar()
                if known is not None:
                    return str(known)
                secret = drawn()
                connection.execute(insert(flow_keys).values(dataset=self.dataset, name=name, secret=secret))
                return secret
        except IntegrityError:  # another run drew it at the same moment
            with self.database.read() as connection:
                return str(connection.execute(select(flow_keys.c.secret).where(*mine)).scalar())

    def _find(self, identity: str) -> Row[Any] | None:
        joined = flow_steps.join(runs, runs.c.id == flow_steps.c.run).join(
            releases, releases.c.run == runs.c.id
        )
        found: Any = (
            select(flow_steps.c.document, releases.c.id.label("release"))
            .select_from(joined)
            .where(
                flow_steps.c.dataset == self.dataset,
                flow_steps.c.version == self.version,
                flow_steps.c.identity == identity,
                runs.c.state == "released",
            )
            .order_by(runs.c.place)
            .limit(1)
        )
        with self.database.read() as connection:
            row: Row[Any] | None = connection.execute(found).first()
            return row
