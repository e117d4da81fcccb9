"""The head of a ledger: printed, published to owners, and checked against the history later."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privet.errors import LedgerError, ParameterError
from privet.parameters import File
from privet.service.case import Result
from privet.service.ledgers import LedgerCase, ledger_of
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.budget import Head

__all__ = ["ShowHead"]


@dataclass(frozen=True, kw_only=True)
class ShowHead(LedgerCase):
    """Print the head: note it down elsewhere, and verify against it later.

    A published head is a small file for owners to keep; if they check, they see whether a head that they keep
    is in the history, with every entry up to it unchanged.
    """

    publish: Annotated[Path | None, File("out"), "Write the head to this file, for owners to keep."] = None
    check: Annotated[str | None, "A head that was noted down, or the file that it was published in."] = None

    def run(self, session: Session) -> HeadShown:
        ledger = ledger_of(session)
        noted = None if self.check is None else _noted(self.check)
        if noted is not None:
            ledger.verify(head=noted)
        shown = HeadShown(ledger.head(), noted)
        if self.publish is not None:
            try:
                self.publish.write_text(json.dumps(shown.published(), indent=1) + "\n", encoding="utf-8")
            except OSError as error:
                raise ParameterError(f"The head cannot be written: {error.strerror}.") from None
        return shown


def _noted(text: str) -> Head:
    """The head in a text, or in the file of this name."""
    from privet.budget import Head

    path = Path(text)
    if ":" in text and not path.exists():
        return Head.parse(text)
    try:
        return Head.parse(json.loads(path.read_text(encoding="utf-8"))["head"])
    except (OSError, ValueError, KeyError, TypeError):
        raise LedgerError(
            f"{path.name} is neither a head nor a file with a published one.", "A head looks like  12:3f9a…"
        ) from None


@dataclass(frozen=True)
class HeadShown(Result):
    """The head of a ledger: how many entries it has, and the digest of all of them."""

    head: Head
    checked: Head | None = None

    def published(self) -> dict[str, Any]:
        """What owners keep. It says nothing about the entries but their number."""
        when = datetime.now(UTC).isoformat(timespec="minutes")
        return {"privet_head": 1, "head": str(self.head), "entries": self.head.count, "published": when}

    def to_dict(self) -> dict[str, Any]:
        checked = {} if self.checked is None else {"checked": str(self.checked), "found": True}
        return {"head": str(self.head), "entries": self.head.count} | checked

    def text(self) -> str:
        if self.checked is None:
            return str(self.head)
        return (
            f"The head that you noted is in the history: entry {self.checked.count} of {self.head.count}. "
            f"No entry up to it was changed, removed or put back.\nThe head is now  {self.head}"
        )
