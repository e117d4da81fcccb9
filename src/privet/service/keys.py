"""A pair of keys to sign models with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from privet.errors import ParameterError
from privet.parameters import Argument, File
from privet.service.case import Result, UseCase
from privet.service.session import Session

__all__ = ["Keys", "MakeKeys"]


@dataclass(frozen=True, kw_only=True)
class MakeKeys(UseCase):
    """Make a pair of keys: FILE, which signs models and stays with you, and FILE.pub, which checks them."""

    file: Annotated[Path, File("out"), Argument(), "Where the private key goes."]

    def run(self, session: Session) -> Keys:
        from privet.service.outputs import check_place
        from privet.signing import make_keys

        for place in (self.file, Path(f"{self.file}.pub")):
            if place.exists():
                raise ParameterError(
                    f"{place} is there already, and a key is never replaced.", "Choose another name."
                )
            check_place(place)
        return Keys(*make_keys(self.file))


@dataclass(frozen=True)
class Keys(Result):
    """Where the two keys are."""

    private: Path
    public: Path

    def to_dict(self) -> dict[str, Any]:
        return {"private": str(self.private), "public": str(self.public)}

    def text(self) -> str:
        return f"{self.private} signs (keep it secret); {self.public} checks (give it away)."
