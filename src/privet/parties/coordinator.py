"""What the coordinator does: closes the roll, names who has sent, and makes the result for all parties.

In masked sums and with noise at the party it sees nothing that the parties may not see, too. In the trusted
mode it opens the sealed rows, in memory, while it counts; ``forget`` deletes them from the folder afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.budget import Ledger, Pure, exact
from privet.curator import Curator
from privet.errors import DataError, ParameterError
from privet.masking import OneTimeKey, open_sealed
from privet.mechanisms import noise_for
from privet.mechanisms.noise_shares import GeometricShare
from privet.model import model_from_dict, model_to_dict
from privet.parties import masked
from privet.parties.exchange import Exchange
from privet.parties.messages import Message, decoded
from privet.parties.party import shape_of
from privet.parties.questions import Answered, Asked, asked_by, finish, guarantee_of
from privet.parties.study import PartyStudy
from privet.release import Release, Step

__all__ = ["Coordinator", "Outcome"]


@dataclass(frozen=True)
class Outcome:
    """What a step of the coordinator came to: words, and at the end the result and the model."""

    words: str
    refused: dict[str, str]
    result: dict[str, Any] | None = None
    model: Any = None


class Coordinator:
    """Runs a study in its folder. ``secret`` is the private key that rows are sealed for (trusted mode)."""

    def __init__(self, exchange: Exchange, secret: bytes | None = None) -> None:
        self.exchange, self.study, self._secret = exchange, exchange.study, secret

    def step(self, *, close: bool = False, ledger: Ledger | None = None) -> Outcome:
        """Do what is next. ``close``: go on without the parties that are missing."""
        if (made := self.exchange.get("result")) is not None:  # with other noise it would be a second release
            model = None if made["model"] is None else model_from_dict(made["model"])
            return Outcome("The result was made already, and is never made twice.", {}, made, model)
        if self.study.mode == "masked":
            if (roll := self.exchange.get("roll")) is None:
                return self._close("join", "roll", list(self.study.parties), close)
            if self.exchange.get("submitted") is None:
                return self._close("send", "submitted", roll["parties"], close)
            return self._result(*self._masked_sums())
        sent, refused = self.exchange.said(self.study, "send")
        missing = [name for name in self.study.parties if name not in sent]
        if missing and not close:
            return Outcome(f"Waiting for {', '.join(missing)}.", refused)
        if len(sent) < self.study.least:
            raise DataError("Too few parties have sent.", "Wait for more.")
        if self.study.mode == "trusted":
            return self._trusted(sent, refused, ledger)
        parts = {}
        for name, message in sent.items():
            try:
                parts[name] = self._parts(message, "<i8")
            except DataError as error:
                refused[name] = error.message
        sums = [np.sum(np.stack(same), axis=0) for same in zip(*parts.values(), strict=True)]
        return self._result(sums, list(parts), refused)

    def _close(self, step: str, name: str, expected: list[str], close: bool) -> Outcome:
        """Name those who have said something usable in this step, once all have, or when told to."""
        said, refused = self.exchange.said(self.study, step)
        there = []
        for party in expected:
            try:
                if party in said:
                    _ = self._parts(said[party], "<u8") if step == "send" else _public(said[party])
                    there.append(party)
            except DataError as error:
                refused[party] = error.message
        missing = [party for party in expected if party not in there]
        if missing and not close:
            return Outcome(f"Waiting for {', '.join(missing)} to {step}.", refused)
        if len(there) < max(self.study.least, self.study.needed):
            least = max(self.study.least, self.study.needed)
            raise DataError(f"{len(there)} parties are too few: this study needs {least}.", "Wait for more.")
        self.exchange.put(name, {"parties": sorted(there)})
        return Outcome(f"Closed the list of those who {step}: {', '.join(sorted(there))}.", refused)

    def _parts(self, message: Message, kind: str) -> list[NDArray[Any]]:
        """The numbers of a message; refused unless they have the shapes that were asked for."""
        parts, plan = message.body.get("parts"), self._plan
        if not isinstance(parts, list) or len(parts) != len(plan):
            raise DataError(f"What '{message.party}' has sent has the wrong shape.", "It is not counted.")
        found = []
        for text, (question, _) in zip(parts, plan, strict=True):
            data, size = decoded(text), int(np.prod(shape_of(question.statistic, self.study.schema)))
            if len(data) != 8 * size:
                raise DataError(f"What '{message.party}' has sent has the wrong shape.", "It is not counted.")
            found.append(np.frombuffer(data, kind))
        if kind == "<u8" and set(message.body) != {"parts", "sealed", "digests", "roll"}:
            raise DataError(f"What '{message.party}' has sent lacks a part.", "It is not counted.")
        return found

    @property
    def _plan(self) -> Asked:
        if not hasattr(self, "_planned"):
            self._planned = asked_by(self.study)
        return self._planned

    def _masked_sums(self) -> tuple[list[NDArray[np.int64]], list[str], dict[str, str]]:
        agreements, refused = self.exchange.said(self.study, "agree")
        submitted = masked.agreed_list(self.study, agreements)
        roll_names = self.exchange.get("roll")["parties"]
        joined, _ = self.exchange.said(self.study, "join")
        roll = {name: joined[name].body["public"] for name in roll_names}
        sent, _ = self.exchange.said(self.study, "send")
        found, more = self.exchange.said(self.study, "reveal")
        pieces = {who: message.body["pieces"] for who, message in found.items()}
        if len(pieces) < self.study.needed:
            waiting = [name for name in submitted if name not in pieces]
            raise DataError(
                f"{self.study.needed} parties must reveal their pieces, and {len(pieces)} have.",
                f"Wait for {', '.join(waiting)}.",
            )
        senders = {name: sent[name] for name in submitted}
        seed = masked.seeds_from(self.study, roll, senders, pieces)
        parts = {name: self._parts(message, "<u8") for name, message in senders.items()}
        return masked.unmasked(roll, parts, seed), submitted, refused | more

    def _result(self, sums: list[NDArray[Any]], parties: list[str], refused: dict[str, str]) -> Outcome:
        """Everything from here on is post-processing of the noisy sums."""
        study, amount = self.study, Pure(exact(self.study.epsilon))
        releases = []
        for (question, share), total in zip(self._plan, sums, strict=True):
            statistic, part = question.statistic, amount.share(share)
            norm = statistic.sensitivity(study.schema).l1
            if study.mode == "masked":
                shares = GeometricShare(part.epsilon, study.reach * norm, study.honest)
                deviation, error = shares.deviation_of(len(parties)), shares.error_of(len(parties))
                kind = f"geometric noise in {len(parties)} shares, of which {study.honest} suffice"
            else:
                noise: Any = noise_for(part, norm, norm)
                deviation = noise.standard_deviation * len(parties) ** 0.5
                error = GeometricShare(part.epsilon, norm, 1).error_of(len(parties))
                kind = f"geometric noise at each of {len(parties)} parties"
            step = Step(question.what, kind, part, error / statistic.scale, statistic.unit)
            value = total.reshape(shape_of(statistic, study.schema))
            value = value / statistic.scale if statistic.scale != 1 else value
            releases.append(Release(value, deviation / statistic.scale, error / statistic.scale, step))
        curator = cast(Answered, Answered.rehearsal(replace(study.schema, outside="count"), amount))
        curator.give(self._plan, releases)
        with curator:
            data, model = finish(study, curator)
        return self._finished(data, model, curator, parties, refused)

    def _trusted(self, sent: dict[str, Message], refused: dict[str, str], ledger: Ledger | None) -> Outcome:
        study = self.study
        if self._secret is None:
            raise ParameterError("The rows are sealed for the coordinator's key.", "Name its file.")
        tables = {}
        for name, message in sent.items():
            try:
                tables[name] = _opened(study, name, message, OneTimeKey(self._secret))
            except DataError as error:
                refused[name] = error.message
        if len(tables) < study.least:
            raise DataError("Too few parties have sent a table that can be used.", "Wait for more.")
        try:
            table = _stacked(tables) if study.split == "rows" else _joined(study, tables)
        except pa.ArrowException:  # its text may name what stands in a table
            raise DataError(
                "A column is of different kinds in the parties' tables, such as numbers in one and words in "
                "another, so they cannot be put together. Nothing was counted.",
                "The parties agree on one kind for each column, and for the id above all.",
            ) from None
        schema, amount = replace(study.schema, outside="count"), Pure(exact(study.epsilon))
        curator = Curator(table, schema, amount, ledger=ledger, what=f"study {study.name}")
        with curator:
            data, model = finish(study, curator)
        return self._finished(data, model, curator, list(tables), refused)

    def _finished(
        self, data: dict[str, Any], model: Any, curator: Curator, parties: list[str], refused: dict[str, str]
    ) -> Outcome:
        study, guarantee = self.study, guarantee_of(self.study, curator)
        if model is not None:
            model.guarantee_ = guarantee
        result = {
            "privet_result": 1,
            "study": study.digest,
            "mode": study.mode,
            "trusts": study.trusts(),
            "losses": _losses(study, parties, refused),
            "guarantee": guarantee.to_dict(),
            "model": None if model is None else model_to_dict(model),
        } | data
        self.exchange.put("result", result)
        return Outcome(f"The result is made, from {len(parties)} parties.", refused, result, model)

    def forget(self) -> None:
        """Delete the sealed rows: they are not needed any more."""
        self.exchange.forget()


def _losses(study: PartyStudy, counted: list[str], refused: dict[str, str]) -> dict[str, str]:
    """What a person at each party loses. Numbers with a party's own noise are out once sent, used or not."""
    own_noise = study.mode == "party-noise"
    out = {*counted, *(refused if own_noise else ())}
    none = f"nothing, or {study.loss} if it has sent too late" if own_noise else "nothing"
    return {name: str(study.loss) if name in out else none for name in study.parties}


def _public(message: Message) -> str:
    text = message.body.get("public")
    if not isinstance(text, str) or len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise DataError(f"The key of '{message.party}' is not a key.", "It is not counted.")
    return text


def _opened(study: Any, name: str, message: Message, key: OneTimeKey) -> pa.Table:
    """A party's rows: text and numbers in Arrow's format, which runs no code when it is read."""
    sealed = decoded(message.body.get("rows"))
    data = open_sealed(key, bytes.fromhex(_public(message)), sealed, f"{study.digest} rows of {name}")
    try:
        table = pa.ipc.open_stream(data).read_all()
        table.validate(full=True)
    except (pa.ArrowInvalid, OSError):
        raise DataError(f"What '{name}' has sent is not a table.", "It is not counted.") from None
    person = study.join or study.schema.unit.id
    allowed = {*study.schema.names, *([person] if person else [])}
    if not set(table.column_names) <= allowed or len(set(table.column_names)) < table.num_columns:
        raise DataError(f"The table of '{name}' has columns that the study lacks.", "It is not counted.")
    if study.split == "rows" and not set(study.schema.names) <= set(table.column_names):
        raise DataError(f"The table of '{name}' lacks columns of the study.", "It is not counted.")
    return pa.table({each: _plain(table[each]) for each in table.column_names})


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as plain words: files are read as numbers of words, and each party numbers them anew."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _stacked(tables: dict[str, pa.Table]) -> pa.Table:
    names = next(iter(tables.values())).column_names
    return pa.concat_tables([t.select(names) for t in tables.values()], promote_options="permissive")


def _joined(study: Any, tables: dict[str, pa.Table]) -> pa.Table:
    """One row for each person whom all parties have; a person who stands twice in a table counts once."""
    whole: pa.Table | None = None
    for table in tables.values():
        once = table.group_by(study.join, use_threads=False).aggregate(
            [(name, "first") for name in table.column_names if name != study.join]
        )
        names = [name if name == study.join else name.removesuffix("_first") for name in once.column_names]
        once = once.rename_columns(names)
        if whole is not None and (twice := set(names) & set(whole.column_names) - {study.join}):
            raise DataError(f"Two parties have sent the column '{min(twice)}'.", "One of them leaves it out.")
        whole = once if whole is None else whole.join(once, keys=study.join, join_type="inner")
    assert whole is not None
    if missing := sorted(set(study.schema.names) - set(whole.column_names)):
        raise DataError(f"No party has the column '{missing[0]}'.", "The study must wait for who has it.")
    return whole
