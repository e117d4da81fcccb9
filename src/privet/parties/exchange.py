"""Where messages meet: a folder that all parties can read and write (a shared drive, a synchronised folder).

``study.json`` is the study; ``STEP/PARTY.json`` what each party said; ``roll.json``, ``submitted.json`` and
``result.json`` what the coordinator did. A message stands once it is there: a second one that differs is
refused.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

from privet.errors import DataError, ParameterError
from privet.parties.messages import Message
from privet.parties.study import PartyStudy

__all__ = ["Exchange"]


class Exchange:
    """The folder of one study."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @classmethod
    def make(cls, folder: str | Path, study: PartyStudy) -> Exchange:
        """A new folder for a study."""
        exchange = cls(folder)
        exchange.begin(study)
        return exchange

    def begin(self, study: PartyStudy) -> None:
        """Put the study there, for all to see."""
        self.put("study", study.to_dict())

    @property
    def study(self) -> PartyStudy:
        found = self.get("study")
        if found is None:
            raise ParameterError(f"There is no study in {self.folder.name}.", "Check the folder.")
        return PartyStudy.from_dict(found)

    def get(self, name: str) -> Any:
        """What stands under this name; None if nothing does."""
        try:
            return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            raise DataError(f"{name}.json cannot be read.", "It must be sent again.") from None

    def put(self, name: str, content: Any) -> None:
        """Let this stand under this name, for good. The same again is fine; something else is refused."""
        path = self.folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        partial.write_text(json.dumps(content), encoding="utf-8")
        try:
            os.link(partial, path)  # all of it or nothing, and never over another
        except FileExistsError:
            if self.get(name) != content:
                raise DataError(
                    f"{name}.json stands already, and differs. The first one counts.", "Nothing was sent."
                ) from None
        finally:
            partial.unlink()

    def say(self, message: Message) -> None:
        self.put(f"{message.step}/{message.party}", message.to_dict())

    def forget(self) -> None:
        """Delete rows that were sealed for a trusted coordinator: after the result nobody needs them."""
        study = self.study
        for name in study.parties if study.mode == "trusted" else ():
            (self.folder / "send" / f"{name}.json").unlink(missing_ok=True)

    def said(self, study: PartyStudy, step: str) -> tuple[dict[str, Message], dict[str, str]]:
        """What each party said in this step; and why what stands for others does not count."""
        found, refused = {}, {}
        for party in study.parties:
            try:
                if (data := self.get(f"{step}/{party}")) is not None:
                    found[party] = Message.read(study, data, party, step)
            except DataError as error:
                refused[party] = error.message
        return found, refused
