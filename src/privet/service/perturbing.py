"""Perturbing: tables of every format, and streams of CSV that need never end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge

from privet.errors import DataError, ParameterError
from privet.parameters import Alias, Argument, ColumnOf, File, IfAlgorithm, When, parameters_of
from privet.registry import algorithm, algorithms_with
from privet.service.building import made
from privet.service.case import Result, UseCase
from privet.service.common import Force, Settings
from privet.service.session import Session
from privet.service.text import columns

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.perturbation import Key
    from privet.release import Guarantee
    from privet.schema import Schema
    from privet.service.keeping import KeyKeeper

__all__ = ["Perturb", "Perturbed"]

STREAM = Path("-")


@dataclass(frozen=True, kw_only=True)
class Perturb(UseCase):
    """Perturb the table DATA and write it to OUT (.csv, .arff, .parquet).

    Without the two files, or with - for both, CSV is filtered from standard input to standard output, and
    need not end. What a method promises is shown with the result, and before a stream begins. Most methods
    promise nothing: how well they resist attacks can only be measured.
    """

    filters: ClassVar[bool] = True

    algorithm: Annotated[str, "What perturbs."]
    data: Annotated[Path, File(stdout=True), Argument(), "The table."] = STREAM
    out: Annotated[Path, File("out", stdout=True), Argument(), "Where the perturbed table goes."] = STREAM
    parameters: Settings = field(default_factory=dict)
    schema: Annotated[
        Path | None,
        File(),
        Alias("s"),
        IfAlgorithm("schema"),
        "What is public about the table (not needed with a key).",
    ] = None
    columns: Annotated[
        tuple[str, ...],
        ColumnOf("data"),
        Alias("c"),
        Alias("column"),
        IfAlgorithm("columns"),
        "Perturb this column (left out: all that the method is for).",
    ] = ()
    key: Annotated[
        Path | None,
        File("out"),
        IfAlgorithm("key"),
        "Use this key; if there is none yet, draw it and keep it there.",
    ] = None
    recoding: Annotated[
        Path | None,
        File("out"),
        IfAlgorithm("take_up"),
        "Keep the levels and groups there; a stream takes them from there.",
    ] = None
    row_by_row: Annotated[
        bool,
        When("data", STREAM),
        IfAlgorithm("csv_filter"),
        "In a stream: write each row before the next one is read.",
    ] = False
    rekey_every: Annotated[
        int | None,
        Ge(1),
        When("data", STREAM),
        IfAlgorithm("rekey"),
        "In a stream: draw a new key after this many rows.",
    ] = None
    delimiter: Annotated[
        str | None,
        When("data", STREAM),
        IfAlgorithm("csv_filter"),
        "In a stream: what is between cells (left out: found in the header).",
    ] = None
    statistics: Annotated[
        bool, IfAlgorithm("figures"), "Show mean and deviation of the perturbed numbers: free."
    ] = False
    public: Annotated[
        bool,
        IfAlgorithm("figures"),
        "The table is public: show its exact statistics beside the perturbed ones. Never say this of private "
        "data.",
    ] = False
    seed: Annotated[
        int | None,
        IfAlgorithm("random_state"),
        "Repeatable draws, for tests only: whoever knows it can undo them.",
    ] = None
    force: Force = False

    def run(self, session: Session) -> Perturbed:
        from privet.service.keeping import KeyKeeper

        streamed = self._is_stream()
        model, schema = self._model()
        keeper = KeyKeeper(self.key, getattr(model, "key", None), continued=self.rekey_every is not None)
        if self.seed is not None:
            session.warn("whoever knows the seed can undo what is drawn: there is NO privacy guarantee.")
        if streamed:
            return self._filtered(model, keeper, session)
        return self._written(model, schema, keeper, session)

    def _is_stream(self) -> bool:
        """Whether there are no files; what does not fit the algorithm or a table is refused."""
        loaded = algorithm(self.algorithm, algorithms_with("perturb")).load()
        streamed = self.data == STREAM and self.out == STREAM
        if not streamed and STREAM in (self.data, self.out):
            raise ParameterError(
                "A stream has neither a file that is read nor one that is written.",
                "Name both DATA and OUT, or neither of them.",
            )
        if streamed and not hasattr(loaded, "csv_filter"):
            raise ParameterError(
                f"{self.algorithm} needs a whole table, and cannot filter a stream.", "Name DATA and OUT."
            )
        commands = algorithm(self.algorithm).commands
        for parameter in parameters_of(type(self)):
            if getattr(self, parameter.name) == parameter.default:
                continue
            if not parameter.applies_to(loaded, commands):
                raise ParameterError(f"{parameter.name} does nothing for {self.algorithm}.", "Leave it out.")
            if not streamed and parameter.marker(When) is not None:
                raise ParameterError(f"{parameter.name} is for streams.", "Leave it out, or name no files.")
        return streamed

    def _model(self) -> tuple[Any, Schema | None]:
        """The perturbation, and the schema that it was given."""
        from privet.perturbation import Key

        key = Key.load(self.key) if self.key is not None and self.key.exists() else None
        schema, chosen = self._declared(key)
        given = {
            "schema": schema,
            "columns": chosen or None,
            "key": key,
            "random_state": self.seed,
        }
        return made(self.algorithm, given, self.parameters), schema

    def _declared(self, key: Key | None) -> tuple[Schema | None, tuple[str, ...]]:
        """The schema, and the columns: a key that is there brings both along."""
        from privet.schema import Number, Schema, read_schema

        if self.schema is not None:
            return read_schema(self.schema), self.columns
        if key is not None:
            schema = Schema(tuple(map(Number, key.columns, key.low, key.high)))
            return schema, self.columns or key.columns
        if any(p.name == "schema" for p in parameters_of(algorithm(self.algorithm).load())):
            raise ParameterError(
                "Without a schema it is not known what is public about the table.",
                "Name the schema's file, or that of a key which exists.",
            )
        return None, self.columns

    def _filtered(self, model: Any, keeper: KeyKeeper, session: Session) -> Perturbed:
        """Filter the stream until it ends; an interruption leaves whole rows."""
        from privet.perturbation.nominal import Recoding
        from privet.service.interruption import between_writes

        if hasattr(model, "take_up"):
            if self.recoding is None:
                raise ParameterError(
                    "A stream is generalised as a table was before.", "Name the recoding that was kept of it."
                )
            model.take_up(Recoding.load(self.recoding))
        session.note(model.announcement())
        if self.key is None and hasattr(model, "rekey"):
            session.note("The key is thrown away at the end.")
        work = model.csv_filter(
            delimiter=self.delimiter,
            row_by_row=self.row_by_row,
            rekey_every=self.rekey_every,
            keep=keeper.keep,
        )
        try:
            with between_writes(work):
                rows = work.run(session.stdin, session.stdout)
        finally:  # also if the stream was interrupted, or broke off at a bad row
            keeper.settle(model)
        return Perturbed(place=None, records=rows, guarantee=model.guarantee_)

    def _written(self, model: Any, schema: Schema | None, keeper: KeyKeeper, session: Session) -> Perturbed:
        """Write the perturbed table; its file is replaced in one step."""
        from privet.perturbation.nominal.recoding import require_new
        from privet.perturbation.parts import whole_table
        from privet.service.outputs import check_place
        from privet.service.writers import takes_schema, writer_for
        from privet.sources import open_source

        check_place(self.out, force=self.force)
        if self.recoding is not None:
            require_new(self.recoding)
        write = writer_for(self.out)
        wanted = self.statistics or self.public
        before: list[pa.RecordBatch] | None = [] if self.public else None
        after: list[pa.RecordBatch] | None = [] if wanted else None
        rows = 0

        def perturbed(watch: Any) -> Iterator[pa.RecordBatch]:
            nonlocal rows
            source = _some_records(open_source(self.data, schema).batches())
            for batch in model.in_parts(_kept(source, before)):
                rows += batch.num_rows
                if watch is not None:
                    watch(rows, None)
                yield batch

        with session.progress(f"Perturbing ({self.algorithm})", "rows") as watch:
            batches = _kept(perturbed(watch), after)
            if takes_schema(write):
                write(batches, self.out, schema)
            else:
                write(batches, self.out)
        if hasattr(model, "key_"):
            keeper.keep(0, model.key_)
        if self.recoding is not None:
            model.recoding_.save(self.recoding)
        more = model.described()
        if hasattr(model, "key_"):
            more["key"] = str(self.key) if self.key is not None else None
        if after is not None:
            more["statistics"] = model.figures(
                whole_table(after), None if before is None else whole_table(before)
            )
        return Perturbed(place=self.out, records=rows, guarantee=model.guarantee_, more=more)


def _some_records(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    first = next(batches, None)
    if first is None or not first.num_rows:
        raise DataError("The table holds no records.", "Check that it is the right file, and all of it.")
    return chain([first], batches)


def _kept(batches: Iterator[pa.RecordBatch], into: list[pa.RecordBatch] | None) -> Iterator[pa.RecordBatch]:
    """The batches, each of which is kept in a list as well, if there is one."""
    for batch in batches:
        if into is not None:
            into.append(batch)
        yield batch


@dataclass(frozen=True, kw_only=True)
class Perturbed(Result):
    """How many records were perturbed, and where they are (None for a stream)."""

    place: Path | None
    records: int
    guarantee: Guarantee
    more: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "output": str(self.place) if self.place else None,
            "records": self.records,
            "guarantee": self.guarantee.to_dict(),
            **self.more,
        }

    def text(self) -> str:
        where = f"were written to {self.place}" if self.place else "were perturbed"
        lines = [self.guarantee.text(), "", f"{self.records} records {where}."]
        if table := self.more.get("statistics"):
            lines.append(columns(list(table[0]), [[_shown(cell) for cell in row.values()] for row in table]))
        return "\n".join(lines)


def _shown(cell: Any) -> str:
    if isinstance(cell, tuple):  # before and after
        return " → ".join(_shown(part) for part in cell)
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
