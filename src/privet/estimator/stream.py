"""What learners of streams share: records one by one, a release after each step, one ε for all of them.

**The ledger.** The one ε of the whole stream is reserved when it begins, before a record is read, and is
committed at once with the guarantee: nothing more will ever be asked for, and a stream that is broken off
has spent it. The ledger then keeps the name of the stream's latest state, so that of all copies of a stream
one goes on (``LiveStream``).

**When steps end.** By default whoever feeds the stream ends each step, by a clock or another event that is
public: ``end_step``. With ``every``, a step is so many records. Then a record that is added or removed would
move all later ones, so the unit must be one that is exchanged for another (``replace``), at the same place.

**Copies** (``copy``, ``pickle``, ``joblib``) hold what was released so far. They predict, and learn no more.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from annotated_types import Ge
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from privet import randomness
from privet.budget import Ledger, budget
from privet.curator.checkpoint import CheckpointFile
from privet.curator.live_stream import LiveStream, StreamPlan
from privet.curator.owner import as_read
from privet.curator.run import Run
from privet.errors import ParameterError, SchemaError
from privet.estimator.base import LedgerParameter, SchemaParameter
from privet.parameters import Delta, Epsilon, Seed, validate, with_parameters
from privet.release import Guarantee, Step
from privet.schema import Schema, read_schema

__all__ = ["PrivateStream"]

_BY_CLOCK = (
    "Steps end by a clock or another public event, never by the number of records: when they end is public."
)
_BY_COUNT = (
    "Steps end after a fixed number of records: how many came, and at which places one person's did, is "
    "public; their values are protected."
)
_MEMORY = (
    "The running program's memory and its checkpoint, seen together with later releases, give away the "
    "records in between: guard them as you guard the stream."
)
_COPIES = "No ledger knows the stream: whoever takes up two copies of a checkpoint voids the guarantee."
_WINDOWS = "Windows compose in parallel: a record is in one of them, and the ε is that of all."


@with_parameters
class PrivateStream(BaseEstimator):
    """Base of the learners of streams: subclasses write ``_tables``, ``_cells`` and ``_learn``."""

    family: ClassVar[str] = "stream"

    every: Annotated[
        int | None,
        Ge(1),
        "Records in a step, for units that are exchanged; None for steps that a clock or the caller ends.",
    ] = None
    horizon: Annotated[int, Ge(1), "Steps of the stream or window: more cost a little more noise."] = 1024
    windows: Annotated[bool, "After the horizon, start again (for drift) instead of learning no more."] = (
        False
    )
    epsilon: Epsilon = 1.0
    delta: Delta = 0.0
    schema: SchemaParameter = None
    ledger: LedgerParameter = None
    random_state: Seed = None

    def in_words(self) -> str:
        """What was learned, for a reader; "" if that cannot be said in a few lines."""
        return ""

    @abstractmethod
    def _tables(self, schema: Schema) -> tuple[int, int, str]:
        """How many cells there are, in how many of them one record counts at most, and what they are."""

    @abstractmethod
    def _cells(self, record: Mapping[str, Any], label: Any) -> list[int]:
        """The cells in which a record counts, each once."""

    @abstractmethod
    def _learn(self, totals: NDArray[np.int64]) -> None:
        """Make the model of released totals; store what was learned in attributes that end in ``_``."""

    def learn_one(self, x: Mapping[str, Any], y: Any = None) -> None:
        """Learn from one record; ``y`` is its class, or it is in ``x`` under the target's name."""
        live = self._begun()
        label = x.get(str(self.schema_.target)) if y is None else y
        try:
            live.take(x, lambda: self._cells(x, label))
        finally:  # a record that is refused has its place in the step, too
            if live.due:
                self.end_step()

    def fit(self, X: Any, y: Any = None) -> Any:
        """Begin with a batch. A stream that has begun goes on with ``partial_fit``."""
        if hasattr(self, "guarantee_"):
            raise ParameterError(
                "This stream has begun.", "Go on with  partial_fit,  or clone it to start again."
            )
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any = None) -> Any:
        """Learn from a mini-batch, record by record. Unless steps are counted, a batch is a step."""
        live = self._begun()
        labels = None if y is None else list(y)
        for place, record in enumerate(records_of(X, [c.name for c in self.schema_.attributes])):
            self.learn_one(record, None if labels is None else labels[place])
        if live.plan.every is None:
            self.end_step()
        return self

    def end_step(self) -> None:
        """End the present step: the model is released again. When that is must not depend on the records."""
        live = self._begun()
        live.end_step()
        self._learn(live.totals)

    @property
    def steps(self) -> int:
        """How many steps are over: the model is what was released after the last of them."""
        return self._begun().steps

    def checkpoint(self, path: str | Path) -> None:
        """Keep the stream in this file from now on: it is written now, and at the end of each step.

        The file is for the owner alone: see the guarantee. One program holds it; ``resume`` takes it up.
        """
        live = self._begun()
        same = live.file is not None and live.file.path == Path(path)
        file = live.file if same and live.file is not None else CheckpointFile(path)
        if not same and file.path.exists():
            file.release()
            raise ParameterError(f"{file.path.name} is there already.", "Take it up, or choose another name.")
        live.keep(file, {"guarantee": self.guarantee_.to_dict()})

    def resume(self, path: str | Path) -> Any:
        """Continue from a checkpoint, from which nobody else may have continued. It is paid for already.

        Records that came after the file was last written are lost: feed them again.
        """
        if hasattr(self, "guarantee_"):
            raise ParameterError("This stream has begun.", "Take up a checkpoint before the first record.")
        schema = self._declared()
        _, live = self._planned(schema, self.ledger)
        kept = live.take_up(path)
        self._started(schema, live, Guarantee.from_dict(kept["guarantee"]))
        return self

    def rehearse(self) -> Guarantee:
        """What a stream would cost and how large its errors would be, without beginning or spending."""
        with self._planned(self._declared(), None)[0] as run:
            pass
        return run.guarantee

    def _begun(self) -> LiveStream:
        """The running stream, begun with the first call; refused if this is a copy."""
        self._begin()
        live: LiveStream | None = getattr(self, "_live", None)
        if live is None:
            raise ParameterError(
                "This is a stream as it was released: it predicts, and learns no more.",
                "Learn with the stream itself, or take up its checkpoint.",
            )
        return live

    def _begin(self) -> None:
        if hasattr(self, "guarantee_"):
            return
        schema = self._declared()
        run, live = self._planned(schema, self.ledger)
        with run:
            live.begin()  # the one ε of the whole stream: it is spent, whatever the stream brings
        self._started(schema, live, run.guarantee)

    def _started(self, schema: Schema, live: LiveStream, guarantee: Guarantee) -> None:
        # A refusal would tell of a record: what is outside the schema counts as the owner wants it.
        self.schema_, self._live, self.guarantee_ = as_read(schema, self.ledger), live, guarantee
        self._learn(live.totals)

    def _declared(self) -> Schema:
        validate(self)
        if not isinstance(self.schema, Schema | str | Path) or self.schema == "infer":
            raise SchemaError("A stream needs a declared schema.", "Give a Schema or its file.")
        schema = self.schema if isinstance(self.schema, Schema) else read_schema(self.schema)
        schema.require_confirmed()
        if self.every is not None and schema.unit.neighbours == "add_remove":
            raise ParameterError(
                "Steps of a fixed number of records are not private if a record is present or absent: "
                "without one, all later ones move.",
                'End steps by a clock (leave out every), or declare  neighbours = "replace"  under [unit].',
            )
        if schema.unit.keep == "content":
            raise SchemaError(
                "Which records of a person come first by content is not known before the stream ends.",
                'Remove  keep = "content"  under [unit]: of a stream, the first ones are kept.',
            )
        return schema

    def _planned(self, schema: Schema, ledger: Ledger | None) -> tuple[Run, LiveStream]:
        """The whole stream, past and future, as one run; and its beginning."""
        size, cells, what = self._tables(schema)
        amount, source = budget(float(self.epsilon), float(self.delta)), randomness.of(self.random_state)
        about = json.dumps([type(self).__name__, what, size, schema.to_dict()], sort_keys=True, default=str)
        plan = StreamPlan(
            size, self.horizon, amount, cells, cells, schema.unit, self.windows, self.every, about
        )
        live = LiveStream(plan, source, ledger=ledger, dataset=schema.dataset)
        run = Run(schema, amount, ledger=ledger, randomness=source, what=f"stream {type(self).__name__}")
        counter = live.counter
        how = f"{counter.mechanism.event.mechanism} noise on a binary tree of {counter.levels} levels"
        run.steps.append(Step(what, how, run.currency, 1.96 * counter.largest_standard_deviation))
        for caveat in (
            _BY_CLOCK if self.every is None else _BY_COUNT,
            _MEMORY,
            *(() if ledger is not None else (_COPIES,)),
            *((_WINDOWS,) if self.windows else ()),
        ):
            run.admit(caveat)
        return run, live

    def __getstate__(self) -> dict[str, Any]:
        """What a copy holds: the parameters, and what was released."""
        parameters = self.get_params(deep=False)
        learned = {k: v for k, v in vars(self).items() if k.endswith("_") and not k.startswith("_")}
        return parameters | learned

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def records_of(X: Any, names: list[str]) -> Iterator[Mapping[str, Any]]:
    """Rows as mappings: of a frame or an Arrow table by their names, of an array by the schema's order."""
    if isinstance(X, pa.Table | pa.RecordBatch):
        return iter(X.to_pylist())
    if hasattr(X, "to_dict"):
        return iter(X.to_dict("records"))
    rows = np.asarray(X, dtype=object)
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise ParameterError(f"Expected rows of {len(names)} attributes.", "Give them in the schema's order.")
    return (dict(zip(names, row, strict=True)) for row in rows)
