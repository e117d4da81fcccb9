"""Questions to a table, in SQL, and a first look at one: planned, paid for, and shown with error bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge, Gt, Le

from privet.errors import ParameterError, PrivetError
from privet.parameters import Alias, Argument, Delta, Epsilon, File
from privet.service.building import said, settled
from privet.service.case import Shown
from privet.service.common import Data, EngineName, Force, OwnerSays, SchemaFile, SeedNumber
from privet.service.paying import Paid, until_in_words
from privet.service.reading import OfTable
from privet.service.reports import Reported, written
from privet.service.session import Session
from privet.service.text import columns

if TYPE_CHECKING:
    from privet.queries import Answer, Program
    from privet.queries.describe import Description
    from privet.release import Guarantee
    from privet.report import Chart, Page
    from privet.schema import Schema
    from privet.service.plans import Plan

__all__ = ["Answered", "AskQuery", "Describe", "Described"]


@dataclass(frozen=True, kw_only=True)
class _Asking(Paid, OfTable):
    """What asking in SQL and a first look share."""

    data: Data
    epsilon: Epsilon = 1.0
    delta: Delta = 0.0
    schema: SchemaFile = None
    report: Annotated[Path | None, File("out"), "Write an HTML report with a picture of each answer."] = None
    force: Force = False
    engine: EngineName = "auto"
    seed: SeedNumber = None
    owner_says: OwnerSays = None

    what: ClassVar[str] = "query"

    def plan(self, session: Session) -> Plan:
        """What it would cost, and the expected error of each question. No record is read."""
        from privet.service.plans import planned

        self._check()
        self.require_columns(session, self._schema)
        program, ledger = self._program(None, None), session.opened_ledger()
        guarantee = program.plan(self._spent, self.delta)
        event = program.event(self._spent, self.delta)
        for schema in self._others.values():  # each account pays the whole, and may refuse
            planned(self.what, guarantee, schema[1], [event], ledger)
        return planned(self.what, guarantee, self._schema, [event], ledger, self._why)

    def _released(self, session: Session) -> list[Answer]:
        self._check()
        with (
            self.paid(session, self._schema, self.what) as ledger,
            session.progress("Asking the table", ""),
        ):
            for _, schema in self._others.values() if ledger is None else ():
                session.unpaid(schema, self.what, self.owner_says)
            table = self.opened(session, self._schema, self.engine, ledger)
            program = self._program(table, ledger)
            return list(program.release(self._spent, self.delta, self.seed, getattr(self, "until", None)))

    @property
    def _others(self) -> Mapping[str, tuple[Path, Schema]]:
        """More private tables that are read, by name: where each is, and what is public about it."""
        return {}

    @property
    def _spent(self) -> float:
        """The epsilon that is asked with."""
        return self.epsilon

    @property
    def _why(self) -> str:
        """Why it is this one, where it was not given."""
        return ""

    def _check(self) -> None:
        """A budget that is spent does not come back: everything that can fail later is tried first."""
        from privet.service.outputs import check_place

        if self.report is not None:
            check_place(self.report, force=self.force)

    @cached_property
    def _schema(self) -> Schema:
        return settled(self.schema, self.data)

    def _program(self, table: Any, ledger: Any) -> Program:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class AskQuery(_Asking):
    """Ask the table DATA a question in SQL: counts, sums, means, deviations and quantiles, by group.

    The table is called data. Each answer comes with an error bar. Public tables can be joined by a key, and
    other private ones.
    """

    title: ClassVar[str] = "A question"

    data: Data
    sql: Annotated[str, Argument(), "One SELECT."]
    public: Annotated[
        tuple[str, ...],
        Alias("join"),
        "Public tables to join, each as NAME=FILE. Nobody in them is protected.",
    ] = ()
    tables: Annotated[
        tuple[str, ...],
        Alias("table"),
        "More private tables to join or put together, each as NAME=FILE. What is public about each is in its "
        "own schema beside it, and its account pays, too.",
    ] = ()
    per_key: Annotated[
        tuple[str, ...],
        "How many records of each key a private table keeps in a join, as NAME=NUMBER: 1 unless stated.",
    ] = ()
    error: Annotated[
        float | None,
        Gt(0),
        "Instead of an epsilon: how far off each figure may be (95 %). The smallest epsilon for it is taken.",
    ] = None

    until: Annotated[
        float | None,
        Gt(0),
        "Add precision step by step until each figure is off by at most this much (95 %); epsilon is a "
        "limit, and what is not needed is given back.",
    ] = None

    @property
    def always_planned(self) -> bool:  # type: ignore[override]  # the parameters do not say what is spent
        return self.error is not None

    @cached_property
    def _spent(self) -> float:
        from privet.queries.goal import epsilon_for_error

        if self.until is not None:
            from privet.curator import require_pure
            from privet.queries.program import require_gradual

            if self.error is not None:
                raise ParameterError("An error was given, and one to stop at too.", "Give one of the two.")
            asked = self._program(None, None)._asked()
            require_gradual([question for _, question, _ in asked], self.until)
            require_pure(self.delta)
        if self.error is None:
            return self.epsilon
        if self.epsilon != 1.0:
            raise ParameterError("An error was given, and an epsilon too.", "Give one of the two.")
        return epsilon_for_error(self._program(None, None), self.error, self.delta)

    @property
    def _why(self) -> str:
        if self.until is not None:
            return until_in_words(f"no figure is off by more than {self.until:g}")
        if self.error is None:
            return ""
        return (
            f"epsilon = {self._spent:g} was chosen: the smallest with which no figure is off by more than "
            f"{self.error:g} in 95 % of cases. No record was read to know this."
        )

    def run(self, session: Session) -> Answered:
        [answer] = self._released(session)
        return written(Answered(found=answer, sql=self.sql), self.report)

    def _program(self, table: Any, ledger: Any) -> Program:
        from privet.queries import query
        from privet.queries.sql import from_sql

        private = {
            name: query(None if table is None else self._opened(place, schema), schema, ledger=ledger)
            for name, (place, schema) in self._others.items()
        }
        try:
            data = query(table, self._schema, ledger=ledger)
            return from_sql(self.sql, data, self._public, private, self._most).program()
        except PrivetError as error:
            error.parameter = error.parameter or "sql"
            raise

    def _opened(self, place: Path, schema: Schema) -> Any:
        from privet.service.tables import open_table

        return open_table(place, schema, engine=self.engine, options=self.options)

    @cached_property
    def _others(self) -> dict[str, tuple[Path, Schema]]:
        from privet.sources.address import as_path

        found = {}
        for name, place in _named(self.tables, "private table"):
            found[name] = (as_path(place), settled(None, place))
        return found

    @cached_property
    def _most(self) -> dict[str, int]:
        found = {}
        for name, number in _named(self.per_key, "number of records"):
            if not number.isdigit() or name not in {"data", *self._others}:
                raise ParameterError(f"'{name}={number}' names no private table of this question.")
            found[name] = int(number)
        return found

    @cached_property
    def _public(self) -> dict[str, Any]:
        import pyarrow as pa

        from privet.service.tables import open_table

        found = {}
        for name, place in _named(self.public, "public table"):
            if not Path(place).is_file():
                raise ParameterError(
                    f"'{name}={said(place)}' names no public table.", "Write it as NAME=FILE."
                )
            found[name] = pa.Table.from_batches(list(open_table(Path(place), None).batches()))
        return found


def _named(entries: Sequence[str], what: str) -> list[tuple[str, str]]:
    """Entries of the form NAME=…, each name once."""
    pairs = [(name, held) for name, _, held in (entry.partition("=") for entry in entries)]
    if not all(name and held for name, held in pairs) or len(dict(pairs)) < len(pairs):
        raise ParameterError(f"Each {what} is named once, as NAME=…")
    return pairs


@dataclass(frozen=True, kw_only=True)
class Answered(Reported):
    """The answer to a question: a row per group, each figure with its error bar."""

    sql: str

    @property
    def answer(self) -> Answer:
        found: Answer = self.found
        return found

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        return self.answer.guarantee

    def to_dict(self) -> dict[str, Any]:
        return {"sql": self.sql} | self.answer.to_dict()

    def charts(self) -> tuple[Chart, ...]:
        return self.answer.charts()

    def tables(self) -> tuple[Shown, ...]:
        return (Shown("The answer", self.answer.header, self.answer.cells()),) if self.answer.rows else ()

    def in_words(self) -> str:
        """A single row is said in full; of more, what they are."""
        answer = self.answer
        question = f"\nThe question: {self.sql}"
        if not answer.rows:
            return f"No group is shown.{question}"
        if not answer.keys:
            [(_, figures)] = answer.rows
            told = [f"{name}: {figure}" for name, figure in zip(answer.measures, figures, strict=True)]
            return f"{', '.join(told)}{question}"
        return f"{', '.join(answer.measures)} by {', '.join(answer.keys)}{question}"

    def text(self) -> str:
        shown = columns(self.answer.header, self.answer.cells()) if self.answer.rows else "No group is shown."
        return "\n".join([shown, self.guarantee.headline])

    def page(self) -> Page:
        from privet.report import Page

        page = Page("Answers with a guarantee", self.guarantee.headline)
        section = page.section("The question")
        section.code(self.sql)
        section.table(
            self.answer.header, self.answer.cells(), "The answer; ± holds the noise in 95 % of cases"
        )
        for chart in self.charts():
            section.chart(chart)
        page.section("Guarantee").prose(self.guarantee.text())
        return page


@dataclass(frozen=True, kw_only=True)
class Describe(_Asking):
    """Take a first look at the table DATA: histograms, two-way tables with the target, quartiles and means.

    All of it is one bundle at one price.
    """

    title: ClassVar[str] = "A first look"

    what: ClassVar[str] = "describe"
    bins: Annotated[int, Ge(2), Le(100), "How many bins a number gets where the schema declares no cuts."] = (
        10
    )

    def run(self, session: Session) -> Described:
        from privet.queries.describe import Description

        answers = tuple(self._released(session))
        titles = tuple(look.title for look in self._looks)
        return written(Described(found=Description(titles, answers, answers[0].guarantee)), self.report)

    def _program(self, table: Any, ledger: Any) -> Program:
        from privet.queries import Program

        return Program(table, self._schema, tuple(look.selection for look in self._looks), ledger=ledger)

    @cached_property
    def _looks(self) -> list[Any]:
        from privet.queries.describe import described

        return described(self._schema, self.bins)


@dataclass(frozen=True, kw_only=True)
class Described(Reported):
    """A first look at a table."""

    @property
    def description(self) -> Description:
        found: Description = self.found
        return found

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        return self.description.guarantee

    def charts(self) -> tuple[Chart, ...]:
        return self.description.charts()

    def tables(self) -> tuple[Shown, ...]:
        """What has no picture: quartiles and means."""
        pairs = zip(self.description.titles, self.description.answers, strict=True)
        return tuple(
            Shown(
                title,
                ["Figure", "Value"],
                [list(row) for row in zip(one.header, one.cells()[0], strict=True)],
            )
            for title, one in pairs
            if not one.charts()
        )

    def in_words(self) -> str:
        number = len(self.charts())
        return f"A first look at {number} column{'s' * (number != 1)}, each figure with its error bar"

    def text(self) -> str:
        parts = []
        for title, answer in zip(self.description.titles, self.description.answers, strict=True):
            parts += [f"{title}:", columns(answer.header, answer.cells()), ""]
        return "\n".join([*parts, self.guarantee.headline])

    def page(self) -> Page:
        from privet.report import Page

        page = Page("A first look", self.guarantee.headline)
        charts = list(self.charts())
        for title, answer in zip(self.description.titles, self.description.answers, strict=True):
            section = page.section(title)
            if answer.charts():
                section.chart(charts.pop(0))
            else:
                section.table(answer.header, answer.cells(), title)
        page.section("Guarantee").prose(self.guarantee.text())
        return page
