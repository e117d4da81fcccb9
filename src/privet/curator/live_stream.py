"""A running stream: its counters and its persons, with one holder, through crashes and restarts.

**What could go wrong.** A node's noise is drawn before its records are read (``ContinualCounter``), so going
on twice from one state draws nothing twice. But if two holders count *different* records from there and both
release, the difference of their releases is exact, for the noise is the same. So of all that may go on from
a state, one may release.

**With a ledger: proof.** Each state after a step has a random name. Before what a step releases is shown,
the ledger passes from the name of the state that the step began with to its new one, in one atomic step,
and refuses if it is not at the former. So the steps that are shown form one chain, each computed from the
one before and the records that its holder took in: one run of the counter, on those records. Holders that
were refused have shown nothing of theirs. It does not matter whether the copies came from a fork, a copied
file, a backup or a machine that was put back to an earlier state. Records may differ when a step is fed
again after a crash: what counts is what the one that was shown had read, and ``ContinualCounter`` allows
records that are chosen by somebody who sees the releases.

**Without a ledger** the same is true as far as a program and its file go: copies of the running stream and
forked processes are refused, a checkpoint is locked by its holder, and it is written anew at the end of each
step, *before* that is shown. So a crash loses records of a step of which nothing was shown. It is not true of
a checkpoint that was copied or put back, and the guarantee says so.

**Crash and restart.** Records that came after the checkpoint was last written are lost, and are to be fed
again. A name that was written to the file and not yet to the ledger is entered when the file is taken up.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.budget import Approximate, Ledger, Pure
from privet.curator.checkpoint import CheckpointFile
from privet.curator.one_holder import OneHolder
from privet.curator.persons import Persons
from privet.curator.stream import ContinualCounter, Counts
from privet.errors import DataError, LedgerError, ModelError
from privet.randomness import Randomness
from privet.schema import Unit

__all__ = ["LiveStream", "StreamPlan"]


@dataclass(frozen=True)
class StreamPlan:
    """What is counted, for how long, and at which price: all that is settled before the first record.

    ``every`` is the number of records in a step; None if steps are ended by the caller. ``about`` says what
    the cells stand for.
    """

    size: int
    horizon: int
    amount: Pure | Approximate
    l1: int
    squared_l2: int
    unit: Unit
    windows: bool = False
    every: int | None = None
    about: str = ""

    def counter(self, randomness: Randomness) -> ContinualCounter:
        return ContinualCounter(
            self.size,
            horizon=self.horizon,
            amount=self.amount,
            randomness=randomness,
            l1=self.l1,
            squared_l2=self.squared_l2,
            unit=self.unit,
        )

    def digest(self) -> str:
        """A checkpoint is taken up with the plan that it was made with, and no other."""
        plain = asdict(self) | {"amount": str(self.amount.to_dict()), "unit": self.unit.to_dict()}
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


class LiveStream(OneHolder):
    """The one holder of a stream's state. Everything that it returns is a release."""

    def __init__(
        self,
        plan: StreamPlan,
        randomness: Randomness,
        *,
        ledger: Ledger | None = None,
        dataset: str | None = None,
    ) -> None:
        super().__init__()
        self.plan = plan
        self._randomness = randomness
        self._persons = Persons(plan.unit)
        self._previous: Counts | None = None
        self._counter = plan.counter(randomness)
        self._waiting = 0
        self._ended = 0  # steps of windows that are over
        self._file: CheckpointFile | None = None
        self._more: dict[str, Any] = {}
        self._name = secrets.token_hex(16)
        self._state_before: str | None = None
        self._state = secrets.token_hex(16)
        self._unsettled: str | None = None  # the name of a state that neither file nor ledger knows for sure
        self._ledger, self._dataset = ledger, dataset

    def begin(self) -> None:
        """Tell the ledger of the stream."""
        if self._ledger is not None:
            self._ledger.advance(str(self._dataset), self._name, None, self._state)

    @property
    def counter(self) -> ContinualCounter:
        """The counter of the present window."""
        return self._counter

    @property
    def steps(self) -> int:
        """How many steps are over."""
        return self._ended + self._counter.steps

    @property
    def over(self) -> bool:
        """Whether all steps are over: then nothing more is read."""
        return not self.plan.windows and self._counter.steps >= self.plan.horizon

    @property
    def totals(self) -> Counts:
        """The noisy totals after the last step; with windows, of the last full window and the present one."""
        totals = self._counter.totals
        return totals if self._previous is None else np.asarray(totals + self._previous)

    @property
    def due(self) -> bool:
        """Whether the step has all its records."""
        return self.plan.every is not None and self._waiting >= self.plan.every

    def take(self, record: Mapping[str, Any], cells: Callable[[], Iterable[int]]) -> None:
        """Count a record in its cells, if its person may.

        A record that is refused or does not count takes its place in the step as any other does.
        """
        self.require_holder()
        self._settle()
        try:
            counted = list(cells()) if self._admits(record) else []
            if not self.over:
                self._counter.count(counted)
        finally:
            self._waiting += 1

    def _admits(self, record: Mapping[str, Any]) -> bool:
        """Whether the record's person may count; with a ledger, what is no id is nobody's, and no error."""
        try:
            return self._persons.admit(record)
        except (DataError, ValueError, OverflowError):
            if self._ledger is None:
                raise
            return False

    def end_step(self) -> None:
        """End the step. The totals may be shown once this returns, and not if it raises.

        If it raises because the file or the ledger could not be written, calling it again tries that again.
        """
        self.require_holder()
        if self._unsettled is not None:
            self._settle()
            return
        self._waiting = 0
        if self.over:
            return
        totals = self._counter.end_step()
        if self.plan.windows and self._counter.steps == self.plan.horizon:
            self._previous, self._counter = totals, self.plan.counter(self._randomness)
            self._ended += self.plan.horizon
        self._unsettled = secrets.token_hex(16)
        self._settle()

    def _settle(self) -> None:
        """Give the state after a step its name, in the file and in the ledger: only then may it be shown."""
        if self._unsettled is None:
            return
        before, after = self._state, self._unsettled
        if self._file is not None:
            self._file.write(self._document(before, after))
        # Names are random: if the ledger is at this one, it was this holder who was stopped just after.
        if self._ledger is not None and self._ledger.state_of(self._name) != after:
            self._ledger.advance(str(self._dataset), self._name, before, after)
        self._state_before, self._state, self._unsettled = before, after, None

    def keep(self, file: CheckpointFile, more: dict[str, Any]) -> None:
        """Write the state to a file now, and again at the end of each step."""
        self.require_holder()
        self._settle()
        if self._file is not None and self._file is not file:
            self._file.release()
        self._file, self._more = file, more
        file.write(self._document(self._state_before, self._state))

    @property
    def file(self) -> CheckpointFile | None:
        return self._file

    def _document(self, before: str | None, after: str) -> dict[str, Any]:
        return {
            "plan": self.plan.digest(),
            "name": self._name,
            "before": before,
            "state": after,
            "in_ledger": self._ledger is not None,
            "waiting": self._waiting,
            "ended": self._ended,
            "previous": None if self._previous is None else self._previous.tolist(),
            "counter": self._counter.state(),
            "persons": self._persons.state(),
            "more": self._more,
        }

    def take_up(self, path: str | Path) -> dict[str, Any]:
        """Go on from a checkpoint, if nobody has gone on from it; returns what was kept with it."""
        file = CheckpointFile(path)
        try:
            self._take_up(file)
        except BaseException:
            file.release()
            raise
        self._file = file
        return self._more

    def _take_up(self, file: CheckpointFile) -> None:
        document = file.read()
        if document.get("plan") != self.plan.digest():
            raise ModelError(
                f"{file.path.name} was made with other parameters or another schema.",
                "Take it up with those that the stream began with.",
            )
        try:
            self._name, self._state = str(document["name"]), str(document["state"])
            self._state_before = document["before"]
            self._waiting, self._ended = int(document["waiting"]), int(document["ended"])
            previous = document["previous"]
            self._previous = None if previous is None else np.array(previous, dtype=np.int64)
            self._counter.take_up(document["counter"])
            self._persons.take_up(document["persons"])
            self._more = dict(document["more"])
        except (LookupError, TypeError, ValueError, AttributeError):
            raise file.damaged() from None
        self._require_latest(bool(document.get("in_ledger")))

    def _require_latest(self, in_ledger: bool) -> None:
        if in_ledger != (self._ledger is not None):
            raise LedgerError(
                "The stream was paid for from a ledger, and can only go on with it."
                if in_ledger
                else "The stream began without a ledger, and no ledger knows it.",
                "Give the ledger with which it began." if in_ledger else "Take it up without one.",
            )
        if self._ledger is None:
            return
        known = self._ledger.state_of(self._name)
        if known is not None and known == self._state_before:  # it stopped between the file and the ledger
            self._ledger.advance(str(self._dataset), self._name, known, self._state)
        elif known != self._state:
            raise LedgerError(
                "The checkpoint is not the latest: the stream has gone on from there.",
                "Take up the latest. To go on from an older one would give its records away.",
            )
