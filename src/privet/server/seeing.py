"""The session of a run on the server: a dataset's name stands for the table that its owner has stored here.

Nobody watches rows go by: steps are shown, never counts. In practice the table is one of made-up people,
drawn from the public schema, and no ledger is at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import DataError
from privet.service.session import Session, Watch

if TYPE_CHECKING:
    from privet.schema import Schema
    from privet.sources import GenotypeSource, Source
    from privet.sources.options import ReadOptions

__all__ = ["ServerSession", "steps"]


def steps(tell: Callable[[str], None]) -> Callable[[str, str], AbstractContextManager[Watch | None]]:
    """Progress as a server shows it: what is being done, and never how much of it."""

    def progress(what: str, unit: str) -> AbstractContextManager[Watch | None]:
        tell(what)
        return nullcontext()

    return progress


@dataclass(frozen=True)
class ServerSession(Session):
    """A session about one dataset. ``file`` is its stored table; None in practice, on made-up people."""

    file: Path | None = field(default=None, repr=False)
    #: Whether the rows are in a database, whose address no error may show.
    connected: bool = False
    #: Where the public lists of a study of genotypes lie, beside what is never opened in practice.
    lists: Path | None = field(default=None, repr=False)

    def table(
        self,
        data: str | Path,
        schema: Schema | None,
        engine: str = "auto",
        watch: Watch | None = None,
        options: ReadOptions | None = None,
    ) -> Source:
        if self.file is not None:
            try:
                return super().table(self.file, schema, engine, None, options)
            except DataError:
                if not self.connected:
                    raise
                raise DataError("The database could not be read.", "Ask the owner of the table.") from None
        from privet.service.made_up import made_up_source

        assert schema is not None
        return made_up_source(schema)

    def require_columns(self, data: str | Path, schema: Schema, options: ReadOptions | None = None) -> None:
        """Nothing to ask: the table was compared with its schema when its account was opened."""

    def genotypes(self, study: Path) -> Path | GenotypeSource:
        if self.file is not None:
            return self.file
        from privet.service.gwas.taking_in import made_up_like

        assert self.lists is not None
        return made_up_like(self.lists)
