"""The study file: what is asked, of whom, for how much, and who is trusted. All parties have the same.

| mode | what a party sends | who is trusted | |---|---|---| | ``trusted`` | its rows, sealed for the
coordinator | the coordinator, who sees them while it counts | | ``party-noise`` | its tables, each with noise
for the whole of ε | nobody | | ``masked`` | its tables under masks, each with a share of the noise | no
single party, and not the coordinator |
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from privet.budget import Pure, exact
from privet.errors import ParameterError, SchemaError
from privet.schema import Schema

__all__ = ["MODES", "PartyStudy", "canonical"]

FORMAT = 1
MODES = ("trusted", "party-noise", "masked")
Mode = Literal["trusted", "party-noise", "masked"]


_KINDS: dict[str, Any] = {
    "name": str, "epsilon": (int, float), "mode": str, "parties": dict, "question": str, "parameters": dict,
    "reach": int, "honest": int, "colluding": int, "split": str, "join": (str, type(None)),
    "coordinator": str,
}  # fmt: skip


def canonical(value: Any) -> bytes:
    """The one way a message is written, so that its digest and its signature are always the same."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


@dataclass(frozen=True)
class PartyStudy:
    """A study. ``parties`` maps each party's name to its public key (Ed25519, as the text of a key file).

    ``reach``: at how many parties one unit of privacy (a record, or a person) may be at most. ``honest``: how
    many parties, of those who send, add their noise and keep it to themselves; ``colluding``: how many may
    hand all they know to the coordinator. Both are for masked sums; the result is made only if at least
    ``honest + colluding`` have sent.

    ``split`` is ``rows`` (each party has other people) or ``columns`` (the same people, other attributes;
    trusted mode only, joined on ``join``).
    """

    name: str
    schema: Schema
    epsilon: float
    mode: Mode
    parties: Mapping[str, str]
    question: str = "naive-bayes"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    reach: int = 1
    honest: int = 0
    colluding: int = 0
    split: Literal["rows", "columns"] = "rows"
    join: str | None = None
    coordinator: str = ""

    def __post_init__(self) -> None:
        Pure(exact(self.epsilon))
        self.schema.require_confirmed()
        number = len(self.parties)
        if self.split not in ("rows", "columns"):
            raise ParameterError(f"There is no split by '{self.split}'.", "Use rows or columns.")
        if self.mode not in MODES:
            raise ParameterError(f"There is no mode '{self.mode}'.", f"Choose one of: {', '.join(MODES)}.")
        if number < 2 or any(not name or "/" in name or name.startswith(".") for name in self.parties):
            raise ParameterError("A study has at least two parties, each with a plain name.")
        if not 1 <= self.reach <= number:
            raise ParameterError("One person is at one party at least, and at all of them at most.")
        if self.mode == "masked":
            if self.honest < 2 or self.colluding < 0 or self.honest + self.colluding > number:
                raise ParameterError(
                    f"{self.honest} honest and {self.colluding} colluding do not fit {number} parties.",
                    "At least two are honest, and both together are not more than there are.",
                )
        elif self.honest or self.colluding:
            raise ParameterError("Only masked sums need a number of honest parties.", "Leave it out.")
        if self.split == "columns" and (self.mode != "trusted" or not self.join):
            raise ParameterError(
                "Different columns of the same people need a trusted coordinator, who joins them.",
                "Use the mode trusted, and name the column that says who a person is.",
            )
        if self.split == "columns" and self.schema.unit.id != self.join:
            raise SchemaError(
                "Who is joined on a column is protected as a person, so the schema's unit must say so.",
                f'Write  id = "{self.join}"  under [unit].',
            )
        if self.mode != "trusted" and self.schema.missing == "error":
            raise SchemaError(
                'missing = "error"  would refuse one party\'s table, and tell everybody why.',
                'Use  missing = "skip".',
            )

    @property
    def needed(self) -> int:
        """How many must agree and reveal: so many that two different lists never both get through.

        n parties of which c collude: two lists would each need the word of t − c of the n − c others, who
        give it once. With t > (n + c)/2 that is 2(t − c) > n − c: impossible.
        """
        return (len(self.parties) + self.colluding) // 2 + 1

    @property
    def least(self) -> int:
        """How many must have sent before there is a result."""
        return self.honest + self.colluding if self.mode == "masked" else 1 if self.split == "rows" else 2

    @property
    def loss(self) -> Pure:
        """What a person can lose by the whole study."""
        times = self.reach if self.mode == "party-noise" else 1
        return Pure(exact(self.epsilon) * times)

    def trusts(self) -> str:
        """Whom this mode trusts, in a sentence."""
        if self.mode == "trusted":
            return "The coordinator is trusted: it sees the rows while it counts. Others see the result only."
        if self.mode == "party-noise":
            return "Nobody is trusted: each party adds all the noise before anything leaves it."
        return (
            "No single party and not the coordinator is trusted: the loss holds against the coordinator "
            f"together with any {self.colluding} of the parties, if at least {self.honest} others send, add "
            "their noise and keep their masks."
        )

    @property
    def digest(self) -> str:
        """What every message of this study names, so that it fits no other."""
        return hashlib.sha256(canonical(self.to_dict())).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        return {
            "privet_study": FORMAT,
            "name": self.name,
            "schema": self.schema.to_dict(),
            "order": list(self.schema.names),
            "epsilon": self.epsilon,
            "mode": self.mode,
            "parties": dict(self.parties),
            "question": self.question,
            "parameters": dict(self.parameters),
            "reach": self.reach,
            "honest": self.honest,
            "colluding": self.colluding,
            "split": self.split,
            "join": self.join,
            "coordinator": self.coordinator,
        }

    @classmethod
    def from_dict(cls, data: Any) -> PartyStudy:
        if not isinstance(data, dict) or data.get("privet_study") != FORMAT:
            raise ParameterError("This is not a study of several parties.", "Ask for its file.")
        try:
            kept = {name: value for name, value in data.items() if name not in ("privet_study", "order")}
            schema = dict(kept["schema"])
            schema["columns"] = {name: schema["columns"][name] for name in data["order"]}
            for name, kind in _KINDS.items():
                if not isinstance(kept[name], kind) or isinstance(kept[name], bool):
                    raise TypeError(name)
            if not all(isinstance(text, str) for pair in kept["parties"].items() for text in pair):
                raise TypeError("parties")
            return cls(**kept | {"schema": Schema.from_dict(schema)})
        except (KeyError, TypeError, AttributeError, OverflowError):
            raise ParameterError("The study file lacks a part, or a part has the wrong form.") from None
