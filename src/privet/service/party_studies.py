"""Studies of several parties: made and run by a coordinator, contributed to by each party."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from privet.errors import ParameterError
from privet.parameters import Alias, Argument, Consent, File, Named
from privet.service.case import Result, UseCase
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.parties import Party
    from privet.parties.party import Said
    from privet.release import Guarantee
    from privet.schema import Schema
    from privet.sources import Source

__all__ = ["ContributeToStudy", "MakeStudy", "RunStudy"]

Folder = Annotated[
    str, Argument(), "A folder that all parties can use, or https://SERVER/studies/ID (with PRIVET_TOKEN)."
]


@dataclass(frozen=True, kw_only=True)
class MakeStudy(UseCase):
    """Make a study of several parties in FOLDER: what is asked, of whom, for how much, and who is trusted.

    Modes: trusted (the coordinator sees rows while it counts), party-noise (each party adds all the noise),
    masked (tables are hidden by masks that cancel in the sum, and the parties add the noise together).
    """

    folder: Folder
    schema: Annotated[Path, File(), Alias("s"), "The schema file: what is public about the tables."]
    parties: Annotated[
        Mapping[str, Any], Named("NAME=FILE"), Alias("party"), "A party and its public key's file."
    ] = field(default_factory=dict)
    epsilon: Annotated[float, "What the study costs each person."]
    mode: Annotated[Literal["masked", "party-noise", "trusted"], "Who sees what, and adds the noise."] = (
        "masked"
    )
    question: Annotated[
        Literal["naive-bayes", "tables", "histograms", "selection"], "What the study is to find."
    ] = "naive-bayes"
    name: Annotated[str, "What the study is called."] = "study"
    reach: Annotated[int, "At how many parties one person may have records, at most."] = 1
    honest: Annotated[
        int | None, "Masked: how many parties add noise and keep it; None for all but the colluding."
    ] = None
    colluding: Annotated[int, "Masked: how many parties may tell the coordinator all they know."] = 0
    join: Annotated[
        str | None, "Trusted: parties have different columns of the same people, joined on this column."
    ] = None
    secret: Annotated[Path | None, File("out"), "Trusted: where the coordinator's private key goes."] = None

    def run(self, session: Session) -> StudyMade:
        from privet.masking import OneTimeKey
        from privet.parties import PartyStudy
        from privet.schema import read_schema
        from privet.service.exchanges import exchange_at

        exchange = exchange_at(self.folder)
        if exchange.get("study") is not None:
            raise ParameterError("There is a study in that place already.", "Choose another one.")
        keys = {name: _key_text(Path(place)) for name, place in self.parties.items()}
        coordinator = b""
        if self.mode == "trusted":
            if self.secret is None:
                raise ParameterError(
                    "Rows are sealed for a key of the coordinator's.", "Name its file: secret."
                )
            key = OneTimeKey.make()
            coordinator = key.public
        masked = self.mode == "masked"
        honest = len(keys) - self.colluding if self.honest is None else self.honest
        study = PartyStudy(
            name=self.name,
            schema=read_schema(self.schema),
            epsilon=self.epsilon,
            mode=self.mode,
            parties=keys,
            question=self.question,
            reach=self.reach,
            honest=honest if masked else 0,
            colluding=self.colluding if masked else 0,
            split="columns" if self.join else "rows",
            join=self.join,
            coordinator=coordinator.hex(),
        )
        if self.mode == "trusted":
            assert self.secret is not None
            _write_secret(self.secret, key.private)
        exchange.begin(study)
        return StudyMade(self.folder, study.trusts(), str(study.loss), list(keys))


def _key_text(place: Path) -> str:
    try:
        return place.read_text(encoding="ascii")
    except (OSError, ValueError):
        raise ParameterError(f"The public key {place.name} cannot be read.", "Check its path.") from None


def _write_secret(place: Path, secret: bytes) -> None:
    try:
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secret.hex() + "\n")
    except FileExistsError:
        raise ParameterError(f"{place.name} is there already, and a key is never replaced.") from None


@dataclass(frozen=True)
class StudyMade(Result):
    """A new study."""

    folder: str
    trusts: str
    loss: str
    parties: list[str]

    def to_dict(self) -> dict[str, Any]:
        return vars(self).copy()

    def text(self) -> str:
        return (
            f"The study is in {self.folder}, for {', '.join(self.parties)}.\n{self.trusts}\n"
            f"Each person loses at most {self.loss}."
        )


@dataclass(frozen=True, kw_only=True)
class ContributeToStudy(UseCase):
    """Do a party's next step in the study in FOLDER: join, send (from your table), agree, reveal.

    What will be sent is shown first. What was sent is kept in your receipts, and is never made twice. Rows
    leave only in the mode trusted, sealed for the coordinator.
    """

    folder: Folder
    party: Annotated[str, Alias("as"), "Which party you are."]
    key: Annotated[Path, File(), "Your private key's file."]
    data: Annotated[Path | None, File(), "Your table; needed when its part is to be sent."] = None
    receipts: Annotated[Path | None, File("out"), "Your receipts; None for NAME.receipts beside the key."] = (
        None
    )
    pay_from: Annotated[
        str | None, "A ledger of your own that keeps count of what your people lose: a file or an address."
    ] = None
    yes: Annotated[
        bool,
        Consent("Send this?", "Nothing was sent."),
        Alias("y"),
        "Say that you have seen what is sent.",
    ] = False

    @property
    def _party(self) -> Party:
        from privet.parties import Party
        from privet.service.exchanges import exchange_at

        receipts = self.receipts or self.key.with_name(f"{self.party}.receipts")
        return Party(exchange_at(self.folder), self.party, self.key, receipts)

    def plan(self, session: Session) -> WillSend | None:
        party = self._party
        return WillSend(party.preview()) if party.sends_next else None

    def run(self, session: Session) -> Contributed:
        from privet.service.accounts import open_ledger

        party = self._party
        if party.sends_next and not self.yes:
            raise ParameterError(
                f"{party.preview()}\nNothing was sent.", "Say that you have seen it.", "consent-to-sending"
            )
        ledger = None if self.pay_from is None else open_ledger(self.pay_from, session.analyst)

        def opened(schema: Schema | None) -> Source:
            assert self.data is not None
            return session.table(self.data, schema)

        said = party.step(opened if self.data is not None else None, ledger)
        return Contributed(self.party, said, str(party.receipts))


@dataclass(frozen=True)
class WillSend:
    """What a party is about to send."""

    words: str

    def to_dict(self) -> dict[str, Any]:
        return {"will_send": self.words}

    def text(self) -> str:
        return self.words


@dataclass(frozen=True)
class Contributed(Result):
    """A step of a party."""

    party: str
    said: Said
    receipts: str

    @property
    def guarantee(self) -> Guarantee | None:  # type: ignore[override]
        return self.said.guarantee

    def to_dict(self) -> dict[str, Any]:
        return {
            "party": self.party,
            "step": self.said.step,
            "words": self.said.words,
            "receipts": self.receipts,
        }

    def text(self) -> str:
        return f"{self.said.words} Receipts: {self.receipts}"


@dataclass(frozen=True, kw_only=True)
class RunStudy(UseCase):
    """Do the coordinator's next step in the study in FOLDER; at the end, make the result for all parties."""

    folder: Folder
    close: Annotated[bool, "Go on without the parties that are missing, if enough are there."] = False
    secret: Annotated[Path | None, File(), "Trusted: the coordinator's private key."] = None
    pay_from: Annotated[str | None, "Trusted: the ledger that keeps count, a file or an address."] = None
    output: Annotated[Path | None, File("out"), Alias("o"), "Where the model goes, if there is one."] = None

    def run(self, session: Session) -> StudyStep:
        from privet.model import save_model
        from privet.parties import Coordinator
        from privet.service.accounts import open_ledger
        from privet.service.exchanges import exchange_at

        ledger = None if self.pay_from is None else open_ledger(self.pay_from, session.analyst)
        coordinator = Coordinator(exchange_at(self.folder), self._secret())
        outcome = coordinator.step(close=self.close, ledger=ledger)
        if outcome.model is not None and self.output is not None:
            save_model(outcome.model, self.output)
        if outcome.result is not None:
            coordinator.forget()
        return StudyStep(outcome.words, outcome.refused, outcome.result)

    def _secret(self) -> bytes | None:
        if self.secret is None:
            return None
        try:
            return bytes.fromhex(self.secret.read_text())
        except (OSError, ValueError):
            raise ParameterError(
                f"{self.secret.name} is not the coordinator's key.", "Check its path."
            ) from None


@dataclass(frozen=True)
class StudyStep(Result):
    """A step of the coordinator; at the end, the result."""

    words: str
    refused: dict[str, str]
    result: dict[str, Any] | None

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.refused.values())

    def to_dict(self) -> dict[str, Any]:
        return {"words": self.words, "refused": self.refused, "result": self.result}

    def text(self) -> str:
        if self.result is None:
            return self.words
        losses = [
            f"  {party}: each person loses at most {loss}" for party, loss in self.result["losses"].items()
        ]
        lines = [self.words, f"Mode {self.result['mode']}. {self.result['trusts']}", *losses]
        for name, score in self.result.get("scores", {}).items():
            lines.append(f"  {name}: {score:.3f} bits about the target")
        return "\n".join([*lines, self.result["guarantee"]["headline"]])
