"""Learning from a stream: planned, paid for once, fed record by record, and released step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge, Gt

from privet.errors import ParameterError
from privet.parameters import Alias, Argument, File
from privet.registry import algorithm as entry_of
from privet.service.building import build, settled
from privet.service.common import Force, OwnerSays, SchemaFile, SeedNumber, Settings
from privet.service.fitting import Fitted
from privet.service.reading import OfTable
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.schema import Schema
    from privet.service.plans import Plan

__all__ = ["Stream", "Streamed"]

STANDARD_INPUT = Path("-")


@dataclass(frozen=True, kw_only=True)
class Stream(OfTable):
    """Learn from the records in DATA as they come; - is CSV from standard input, which need not end.

    The whole stream costs one epsilon, however often the model is released. A step ends with DATA, by the
    clock (seconds), or, if the schema's unit is one that is exchanged, after a fixed number of records
    (every). With a checkpoint the next run continues where this one ended, and costs nothing more.
    """

    spends: ClassVar[bool] = True
    uses_ledger: ClassVar[bool] = True
    stdout_name: ClassVar[str] = "model.json"

    algorithm: Annotated[str, "What learns."]
    data: Annotated[Path, File(stdout=True), Argument(), "The records."]
    parameters: Settings = field(default_factory=dict)
    schema: SchemaFile = None
    output: Annotated[
        Path | None, File("out", stdout=True, kept=True), Alias("o"), "Where the model goes."
    ] = None
    seconds: Annotated[float | None, Gt(0), "Steps end by the clock, after this many seconds."] = None
    write_every: Annotated[
        int | None, Ge(1), "Write the model whenever this many steps have ended, and at the end."
    ] = None
    checkpoint: Annotated[
        Path | None,
        File("out"),
        "Keep the stream there, for its owner alone; if one is there already, continue from it.",
    ] = None
    force: Force = False
    sign_key: Annotated[Path | None, File(), "Sign the model with this private key."] = None
    seed: SeedNumber = None
    owner_says: OwnerSays = None

    def plan(self, session: Session) -> Plan | None:
        """What the stream would cost; None if it has begun already, and is paid for."""
        from privet.service.plans import planned

        self._check_places()
        if self._goes_on:
            return None
        guarantee = self._model(None).rehearse()
        return planned(self._what, guarantee, self._schema, None, session.opened_ledger())

    def run(self, session: Session) -> Streamed:
        """The model as it was last released, written to its file; also if the stream was interrupted."""
        from privet.service.accounts import account_of

        self._check_places()
        ledger = session.opened_ledger()
        if ledger is None:
            session.unpaid(self._schema, self._what, self.owner_says)
        else:
            account_of(ledger, self._schema)
        model = self._model(ledger)
        if self.checkpoint is not None:
            if self._goes_on:
                model.resume(self.checkpoint)
            else:
                model.checkpoint(self.checkpoint)
        try:
            self._feed(model, session)
            if self.checkpoint is not None:
                model.checkpoint(self.checkpoint)  # with the records of a step that is not over
        except KeyboardInterrupt:
            session.note("The stream was interrupted: the model is the one that was released last.")
        return Streamed(found=model, algorithm=self.algorithm, place=self.output, document=self._saved(model))

    def _feed(self, model: Any, session: Session) -> None:
        written = model.steps
        with session.progress(f"Learning ({self.algorithm})", "steps") as watch:
            for record in self._records(session):
                if record is None:
                    model.end_step()
                else:
                    model.learn_one(record)
                if watch is not None:
                    watch(model.steps, None)  # each was released; how many records there were was not
                if self.write_every is not None and model.steps >= written + self.write_every:
                    written = model.steps
                    self._saved(model)
        if model.every is None:
            model.end_step()

    def _records(self, session: Session) -> Iterator[dict[str, Any] | None]:
        """The records, and None whenever the clock ends a step."""
        if self.data == STANDARD_INPUT:
            from privet.service.arrivals import arriving

            counts = session.opened_ledger() is not None
            yield from arriving(session.stdin, self._schema, self.options, self.seconds, counts=counts)
            return
        source = self.opened(session, self._schema, ledger=session.opened_ledger())
        wanted = [name for name in (*self._schema.names, self._schema.unit.id) if name is not None]
        for batch in source.batches(list(dict.fromkeys(wanted))):
            yield from batch.to_pylist()

    @property
    def _what(self) -> str:
        return f"stream {self.algorithm}"

    @property
    def _goes_on(self) -> bool:
        return self.checkpoint is not None and self.checkpoint.exists()

    @cached_property
    def _schema(self) -> Schema:
        if self.data == STANDARD_INPUT and self.schema is None:
            raise ParameterError(
                "Standard input has no schema beside it.", "Name the schema's file.", "draft-schema"
            )
        return settled(self.schema, self.data)

    def _model(self, ledger: Ledger | None) -> Any:
        model = build(self.algorithm, self._schema, self.parameters, ledger=ledger, seed=self.seed)
        if self.seconds is not None and (model.every is not None or self.data != STANDARD_INPUT):
            raise ParameterError(
                "A clock can end only the steps of standard input, and only where they are not counted.",
                "Leave out the seconds, or read standard input with steps that are not counted.",
            )
        return model

    def _saved(self, model: Any) -> dict[str, Any] | None:
        from privet.service.outputs import save

        return None if self.output is None else save(model, self.output, key=self.sign_key)

    def _check_places(self) -> None:
        """Everything that can fail later is tried before a budget is spent."""
        from privet.service.outputs import check_key, check_place

        entry_of(self.algorithm)
        if self.output is not None:
            check_place(self.output, force=self.force or self._goes_on)
        if self.checkpoint is not None:
            check_place(self.checkpoint, force=True)
        if self.sign_key is not None:
            check_key(self.sign_key)
        _ = self._schema


@dataclass(frozen=True, kw_only=True)
class Streamed(Fitted):
    """The model as it was last released, and the document that was written of it."""

    def text(self) -> str:
        written = f" and written to {self.place}" if self.place else ""
        steps = f"{self.model.steps} step{'' if self.model.steps == 1 else 's'}"
        return f"{self.algorithm} was released after {steps}{written}.\n{self.guarantee.headline}"
