"""Who runs a use case: whose ledger pays, under which name, and who watches."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.schema import Schema
    from privet.service.flow_tables import Kept
    from privet.sources import GenotypeSource, Source
    from privet.sources.options import ReadOptions

__all__ = ["Progress", "Session", "Tell", "Watch"]

# Called with how much is done so far, and out of how much, once that is known.
Watch = Callable[[int, int | None], None]
# What is being done, and in which unit it is counted; gives the Watch to call, or None if nobody looks.
Progress = Callable[[str, str], AbstractContextManager[Watch | None]]
# Hears what a run says while it works: a text, and what kind of text it is.
Tell = Callable[[str, str], None]


def _unheard(text: str, kind: str) -> None:
    """Nobody listens."""


def _unwatched(what: str, unit: str) -> AbstractContextManager[Watch | None]:
    return nullcontext()


@dataclass(frozen=True)
class Session:
    """What a run needs besides its own parameters. The command line makes one for each command.

    ``ledger`` is a ledger, its file or its ``postgresql://`` address; None means that nobody keeps count.
    ``idle`` is a ledger that does not pay, but may know the people: then their owner's word is needed.
    ``stdin`` and ``stdout`` are the file descriptors of a run that filters a stream. ``note`` and
    ``warn`` reach whoever watches.

    >>> Session().opened_ledger() is None
    True
    """

    ledger: Ledger | str | Path | None = None
    analyst: str | None = None
    progress: Progress = field(default=_unwatched, compare=False)
    tell: Tell = field(default=_unheard, compare=False)
    idle: Ledger | str | Path | None = None
    stdin: int = 0
    stdout: int = 1
    #: Whose tables are compared when an account is opened. On a server that is one study: an owner of
    #: another one could otherwise guess a table, and see whether it is recognised.
    scope: str = ""
    #: Where the releases of flows are kept, to be used again; None if they are not.
    kept: Kept | None = field(default=None, compare=False, repr=False)

    @property
    def ledger_place(self) -> str | None:
        """Where the ledger is, as people and files may see it: a path, or an address without its password."""
        from privet.budget import Ledger, shown

        return None if self.ledger is None or isinstance(self.ledger, Ledger) else shown(self.ledger)

    def note(self, text: str) -> None:
        """Something that a person should know while the run goes on."""
        self.tell(text, "note")

    def warn(self, text: str) -> None:
        """Something that a person must not overlook."""
        self.tell(text, "warning")

    def opened_ledger(self, *, create: bool = False) -> Ledger | None:
        """The ledger that pays, used under the analyst's name."""
        from privet.budget import Ledger
        from privet.service.accounts import open_ledger

        if self.ledger is None:
            return None
        if isinstance(self.ledger, Ledger):
            return self.ledger.as_analyst(self.analyst) if self.analyst else self.ledger
        return open_ledger(self.ledger, self.analyst, create=create)

    def unpaid(self, schema: Schema, what: str, owner_says: str | None) -> None:
        """Refuse a run that nobody pays for if the ledger knows the people and their owner says nothing."""
        from privet.budget import Ledger, is_database
        from privet.curator.owner import require_word

        place = self.idle if self.ledger is None else self.ledger
        if place is not None and (isinstance(place, Ledger) or is_database(place) or Path(place).exists()):
            known = replace(self, ledger=place).opened_ledger()
            require_word(known, schema, what, owner_says)

    def table(
        self,
        data: str | Path,
        schema: Schema | None,
        engine: str = "auto",
        watch: Watch | None = None,
        options: ReadOptions | None = None,
    ) -> Source:
        """The table that a use case's parameter names: here, a file."""
        from privet.service.tables import open_table

        return open_table(data, schema, engine=engine, watch=watch, options=options)

    def require_columns(self, data: str | Path, schema: Schema, options: ReadOptions | None = None) -> None:
        """Refuse a table that is not there, or has not the schema's columns. No record is read."""
        from privet.service.tables import require_columns

        require_columns(data, schema, options)

    def genotypes(self, study: Path) -> Path | GenotypeSource:
        """The genotypes that a use case's parameter names: here, those of a file or a folder."""
        return study
