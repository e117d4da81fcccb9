"""What a contributor runs: reads the study and its own table, and says the next thing that is to be said.

What a party has said is kept in a file of its own (its *receipts*), with the secrets of this study, readable
by its owner alone. Asked again, it says the very same: never two answers with different noise.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from privet.budget import Ledger, Pure, exact
from privet.curator import Contribute, Curator
from privet.errors import DataError, ParameterError
from privet.masking import OneTimeKey, seal
from privet.parties import masked
from privet.parties.exchange import Exchange
from privet.parties.messages import Message, encoded
from privet.parties.questions import asked_by
from privet.release import Guarantee
from privet.schema import Schema
from privet.sources.base import Source

__all__ = ["Party", "Said", "shape_of"]

#: Opens the party's table, as the schema declares it (None: whatever columns it has), when it is needed.
OpenTable = Callable[[Schema | None], Source]


@dataclass(frozen=True)
class Said:
    """What was said in this step, in words, and the receipt."""

    step: str
    words: str
    guarantee: Guarantee | None = None


class Party:
    """One party of a study, with its key's file and the file of its receipts."""

    def __init__(self, exchange: Exchange, name: str, key: str | Path, receipts: str | Path) -> None:
        self.exchange, self.name, self.key = exchange, name, key
        self.study = exchange.study
        self.receipts = Path(receipts)
        if name not in self.study.parties:
            raise ParameterError(
                f"'{name}' is no party of this study.", f"Its parties are {', '.join(self.study.parties)}."
            )

    def preview(self) -> str:
        """What this party will send, before anything is read."""
        study, plan = self.study, asked_by(self.study)
        lines = [f"Study '{study.name}', mode {study.mode}. {study.trusts()}"]
        if study.mode == "trusted":
            lines.append(f"You send your rows, sealed for the coordinator: {', '.join(self._columns())}.")
        else:
            cells = sum(int(np.prod(shape_of(q.statistic, study.schema))) for q, _ in plan)
            share = "under masks, with a share of the noise"
            kind = share if study.mode == "masked" else "with all of the noise"
            lines.append(f"You send {len(plan)} tables of counts, {cells} numbers, {kind}. No row leaves.")
            lines += [f"  - {question.what}" for question, _ in plan]
        lines.append(f"Each person loses at most {study.loss} by this study.")
        return "\n".join(lines)

    @property
    def sends_next(self) -> bool:
        """Whether the next step sends something that is made of the table."""
        state = self._state()
        return "send" not in state and (self.study.mode != "masked" or "join" in state)

    def step(self, table: OpenTable | None = None, ledger: Ledger | None = None) -> Said:
        """Say what is next."""
        if self.study.mode != "masked":
            return self._send(table, ledger)
        state = self._state()
        if "join" not in state:
            return self._join(state)
        if "send" not in state:
            return self._send(table, ledger)
        if "agree" not in state:
            return self._agree(state)
        return self._reveal(state)

    # The steps

    def _join(self, state: dict[str, Any]) -> Said:
        key = OneTimeKey.make()
        state |= {"one_time": key.private.hex(), "own": masked.new_seed().hex()}
        self._say(state, "join", {"public": key.public.hex()})
        return Said("join", "You have joined the study, with a key made for it.")

    def _send(self, table: OpenTable | None, ledger: Ledger | None) -> Said:
        state = self._state()
        if "send" in state:  # said once; the same again, in case it was lost
            if self.exchange.get("result") is not None:  # sealed rows were deleted, and stay so
                return Said("send", "You have sent already, and the result is there.")
            self._repeat(state, "send")
            return Said("send", "You have sent already, and sent the very same again.")
        if (
            self.exchange.get("result") is not None
        ):  # it would be of no use, and with one's own noise it is out
            raise DataError("The result was made without you. Nothing is sent.", "Ask for another study.")
        if table is None:
            raise ParameterError("Now your table is needed.", "Name its file.")
        body, guarantee = self._body(state, table, ledger)
        self._say(state, "send", body)
        return Said("send", "You have sent your part. The receipt is kept.", guarantee)

    def _body(
        self, state: dict[str, Any], table: OpenTable, ledger: Ledger | None
    ) -> tuple[dict[str, Any], Guarantee | None]:
        study = self.study
        if study.mode == "trusted":
            return self._sealed_rows(table), None
        schema, plan = replace(study.schema, outside="count"), asked_by(study)
        masks = None
        if study.mode == "masked":
            roll = self._roll()
            key = OneTimeKey(bytes.fromhex(state["one_time"]))
            masks = masked.masks_of(study, self.name, key, bytes.fromhex(state["own"]), roll)
        what = f"study {study.name}"
        curator = Curator(table(schema), schema, Pure(exact(study.epsilon)), ledger=ledger, what=what)
        with curator:
            if masks is None:
                numbers = [release.value for release in curator.ask_together(plan)]
                parts = [encoded(np.asarray(n, "<i8").tobytes()) for n in numbers]
                return {"parts": parts}, curator.guarantee
            asked = [
                (Contribute(q.statistic, q.what, n, masks, study.honest, study.reach), share)
                for n, (q, share) in enumerate(plan)
            ]
            told = curator.ask_together(asked)
            parts = [encoded(each.masked.astype("<u8").tobytes()) for each in told]
            return {"parts": parts} | masked.pieces_for(study, self.name, key, masks, roll), curator.guarantee

    def _sealed_rows(self, table: OpenTable) -> dict[str, Any]:
        """The declared columns of all rows, as Arrow's own format, sealed for the coordinator's key."""
        names = self._columns()
        # A party that holds only some of the columns cannot be checked for all of them.
        source = table(self.study.schema if self.study.split == "rows" else None)
        wanted = [name for name in names if name in source.names]
        if (self.study.join and self.study.join not in wanted) or len(wanted) < (2 if self.study.join else 1):
            raise DataError(
                "Your table does not have the columns of this study.", f"It needs {', '.join(names)}."
            )
        rows = pa.Table.from_batches(list(source.batches(wanted))).select(wanted)
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
        key = OneTimeKey.make()
        label = f"{self.study.digest} rows of {self.name}"
        sealed = seal(key, bytes.fromhex(self.study.coordinator), sink.getvalue(), label)
        return {"public": key.public.hex(), "rows": encoded(sealed)}

    def _columns(self) -> list[str]:
        study = self.study
        person = study.join or study.schema.unit.id
        return [*([person] if person and person not in study.schema.names else []), *study.schema.names]

    def _agree(self, state: dict[str, Any]) -> Said:
        found = self.exchange.get("submitted")
        if found is None:
            raise DataError("The coordinator has not yet named who has sent.", "Wait, then run this again.")
        submitted = _names(found)
        sent, _ = self.exchange.said(self.study, "send")
        if len(submitted) < self.study.least:
            raise DataError(
                f"Only {len(submitted)} parties have sent, and this study needs {self.study.least}.",
                "Do not agree: with fewer, the noise would be too small.",
            )
        if self.name not in submitted or not set(submitted) <= set(sent) & set(self._roll()):
            raise DataError("The list leaves you out, or names one who has not sent.", "Ask why.")
        roll = masked.roll_digest(self._roll())
        if any(sent[name].body.get("roll") != roll for name in submitted):
            raise DataError("Some were shown a different roll from yours.", "Do not agree; ask why.")
        self._say(state, "agree", {"submitted": submitted, "roll": roll})
        return Said("agree", f"You have agreed that these have sent: {', '.join(submitted)}.")

    def _reveal(self, state: dict[str, Any]) -> Said:
        if "reveal" in state:
            self._repeat(state, "reveal")
            return Said("reveal", "You have done all that is to be done.")
        agreements, _ = self.exchange.said(self.study, "agree")
        submitted = masked.agreed_list(self.study, agreements)
        if submitted != state["agree"]["body"]["submitted"]:
            raise DataError(
                "The others have agreed on a different list from yours.", "Reveal nothing; ask why."
            )
        sent, _ = self.exchange.said(self.study, "send")
        key = OneTimeKey(bytes.fromhex(state["one_time"]))
        body = masked.revealed(self.study, self.name, key, self._roll(), sent, submitted)
        self._say(state, "reveal", {"pieces": body})
        return Said("reveal", "You have revealed what takes the masks off the sum, and off nothing else.")

    def _roll(self) -> dict[str, str]:
        """The one-time keys of those who take part: each signed by its party."""
        found = self.exchange.get("roll")
        if found is None:
            raise DataError("The coordinator has not yet closed the roll.", "Wait, then run this again.")
        joined, _ = self.exchange.said(self.study, "join")
        roll = {name: joined[name].body["public"] for name in _names(found) if name in joined}
        least = max(self.study.needed, self.study.least)
        if self.name not in roll or len(roll) != len(_names(found)) or len(roll) < least:
            raise DataError(
                "The roll leaves you out, is too short, or names one who has not joined.", "Ask why."
            )
        state = self._state()
        if state.setdefault("roll", roll) != roll:
            raise DataError("The roll has changed since you sent.", "Do nothing more; ask why.")
        self._keep(state)
        return roll

    # Receipts

    def _state(self) -> dict[str, Any]:
        try:
            state = json.loads(self.receipts.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {"study": self.study.digest, "party": self.name}
        except (OSError, ValueError):
            raise DataError(f"The receipts {self.receipts.name} cannot be read.", "Check the file.") from None
        if (state.get("study"), state.get("party")) != (self.study.digest, self.name):
            raise DataError("These receipts are of another study or party.", "Name another file for them.")
        return dict(state)

    def _keep(self, state: dict[str, Any]) -> None:
        partial = self.receipts.with_name(self.receipts.name + ".partial")
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.receipts)

    def _say(self, state: dict[str, Any], step: str, body: dict[str, Any]) -> None:
        """Keep first, then send: what was sent can always be sent again, and is never made twice."""
        message = Message.signed(self.study, self.name, step, body, self.key)
        kept = self._state() | state
        kept[step] = message.to_dict()
        self._keep(kept)
        self.exchange.say(message)

    def _repeat(self, state: dict[str, Any], step: str) -> None:
        self.exchange.say(Message.read(self.study, state[step], self.name, step))


def _names(found: Any) -> list[str]:
    names = found.get("parties") if isinstance(found, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError("The coordinator's list cannot be read.", "Ask for it again.")
    return names


def shape_of(statistic: Any, schema: Schema) -> tuple[int, ...]:
    return tuple(statistic.finish(statistic.start(schema), schema).shape)
