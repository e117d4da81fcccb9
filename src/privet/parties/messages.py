"""What parties say: signed, for one study, about one step. Another party's message fits nobody else."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet import signing
from privet.errors import DataError, ModelError
from privet.parties.study import PartyStudy, canonical

__all__ = ["Message", "decoded", "encoded"]


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError):
        raise DataError("A message is damaged.", "Ask for it again.") from None


@dataclass(frozen=True)
class Message:
    """One step of one party, signed with its key."""

    study: str
    party: str
    step: str
    body: dict[str, Any]
    signature: str = ""

    @classmethod
    def signed(
        cls, study: PartyStudy, party: str, step: str, body: dict[str, Any], key: str | Path
    ) -> Message:
        plain = cls(study.digest, party, step, body)
        return cls(study.digest, party, step, body, signing.sign(plain._text(), key))

    def _text(self) -> bytes:
        return canonical({"study": self.study, "party": self.party, "step": self.step, "body": self.body})

    def to_dict(self) -> dict[str, Any]:
        return vars(self).copy()

    @classmethod
    def read(cls, study: PartyStudy, data: Any, party: str, step: str) -> Message:
        """The message, if this party has signed it for this study and step; refused otherwise."""
        names = ("study", "party", "step", "body", "signature")
        if not isinstance(data, dict) or set(data) != set(names) or not isinstance(data["body"], dict):
            raise DataError(f"What '{party}' has sent is not a message.", "It must be sent again.")
        message = cls(*(data[name] for name in names))
        if (message.study, message.party, message.step) != (study.digest, party, step):
            raise DataError(
                f"What stands for '{party}' belongs to another party, step or study.",
                "It is not counted. Ask the party to send its own.",
            )
        try:
            signing.verify(message._text(), str(message.signature), study.parties[party].encode())
        except ModelError:
            raise DataError(
                f"'{party}' has not signed what stands in its name.", "It is not counted."
            ) from None
        return message
