"""Forecasts and made-up tables: what can be known before anything is read or spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Le

from privet.errors import ParameterError
from privet.parameters import Alias, Argument, File
from privet.registry import algorithm as entry_of
from privet.registry import algorithms_with
from privet.service.building import build, settled
from privet.service.case import Result, UseCase
from privet.service.common import Force, Guesses, Report, SchemaFile, Settings
from privet.service.reports import Reported, written
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.report import Chart
    from privet.schema import Schema

__all__ = ["ForecastMade", "ForecastRun", "MakeUp", "foretold_from_look", "people_of"]

#: How many people are drawn for a forecast from what was released.
DRAWN = 10_000

#: To these families a first look says enough: what they learn of is each column given the class.
_OF_THE_CLASS = ("classify", "select")

SchemaOrData = Annotated[
    Path, File(), Argument(), "A schema's file, or the table that it lies beside. The table is not read."
]


@dataclass(frozen=True, kw_only=True)
class ForecastRun(UseCase):
    """Forecast how good a model of DATA would be at each epsilon, on made-up people.

    People are made up from the schema and your guesses: records=20000, attainable=0.85 (what a good model
    without privacy reaches), share:yes=0.2 (the share of the class yes). DATA itself is not read.
    """

    algorithm: Annotated[str, "What would learn."]
    data: SchemaOrData
    parameters: Settings = field(default_factory=dict)
    schema: SchemaFile = None
    epsilon: Annotated[tuple[float, ...], "The epsilons to try."] = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
    guess: Guesses = field(default_factory=dict)
    released: Annotated[
        Path | None,
        File(),
        "A table that was released already (a synthetic one), or that is public: drawn from instead.",
    ] = None
    worlds: Annotated[int, Ge(2), Le(200), "How many made-up worlds at most."] = 8
    seconds: Annotated[float, Ge(0.5), Le(3600), "About how many seconds to try worlds for."] = 4.0
    output: Report = None

    def run(self, session: Session) -> ForecastMade:
        from privet.evaluation.forecast import forecast
        from privet.service.tables import read_table
        from privet.worlds import Guess

        entry_of(self.algorithm, algorithms_with("forecast"))
        schema = public_schema(self.data, self.schema)
        guess = Guess.from_text(self.guess)
        estimator = build(self.algorithm, schema, self.parameters)
        released = None
        if self.released is not None:
            if self.released.absolute() == self.data.absolute():
                raise ParameterError(
                    "The private table itself was named as one that was released already.",
                    "Name a synthetic or public table, or leave it out: people are made up then.",
                    "released",
                )
            released = read_table(self.released, schema)
        found = forecast(
            estimator,
            schema,
            guess,
            epsilons=self.epsilon,
            released=released,
            worlds=self.worlds,
            seconds=self.seconds,
            name=self.algorithm,
        )
        return written(ForecastMade(found=found), self.output)


@dataclass(frozen=True, kw_only=True)
class ForecastMade(Reported):
    """A forecast, and its chart."""

    def charts(self) -> tuple[Chart, ...]:
        return (self.found.chart(),)


@dataclass(frozen=True, kw_only=True)
class MakeUp(UseCase):
    """Write a table of people who do not exist, with the columns of a schema: to practise on.

    Nothing is read but the schema. The same schema, number and seed give the same people.
    """

    data: SchemaOrData
    schema: SchemaFile = None
    records: Annotated[int, Ge(1), Le(10_000_000), "How many people."] = 1000
    output: Annotated[Path, File("out"), Alias("o"), "Where the table goes: CSV, Parquet or ARFF."]
    seed: Annotated[int, Ge(0), "Make up the same people again."] = 0
    force: Force = False

    def run(self, session: Session) -> MadeUp:
        from privet.service.outputs import check_place
        from privet.service.writers import writer_for
        from privet.worlds import made_up

        schema = public_schema(self.data, self.schema)
        check_place(self.output, force=self.force)
        writer_for(self.output)(made_up(schema, self.records, self.seed).to_batches(), self.output)
        return MadeUp(self.output, self.records)


@dataclass(frozen=True)
class MadeUp(Result):
    """A table of made-up people, and where it is."""

    place: Path
    records: int

    def to_dict(self) -> dict[str, Any]:
        return {"made_up": True, "table": str(self.place), "records": self.records}

    def text(self) -> str:
        return f"{self.records:,} made-up people were written to {self.place}. None of them exists."


def public_schema(data: Path, schema: Path | None) -> Schema:
    """The schema that is named, that ``data`` is itself, or that lies beside it; no record is read."""
    return settled(data if schema is None and data.suffix == ".toml" else schema, data)


def people_of(synthesiser: Path, schema: Path, place: Path) -> Path | None:
    """People drawn from a released synthesiser for a forecast, in a file; None if its columns are others."""
    from privet.model import load_model
    from privet.service.writers import writer_for

    model = load_model(synthesiser)
    if list(model.schema_.columns) != list(public_schema(schema, None).columns):
        return None
    writer_for(place)(model.sample(DRAWN, random_state=0).to_batches(), place)
    return place


def foretold_from_look(
    case: ForecastRun, looks: Sequence[Mapping[str, Any]], bins: int | None, place: Path, session: Session
) -> ForecastMade:
    """The forecast on people as a released first look saw them, or on made-up ones if that says too little.

    ``looks`` and ``bins`` are those of ``Describe``; the people are written to ``place``.
    """
    from privet.queries.redrawn import people_like
    from privet.service.querying import Describe
    from privet.service.writers import writer_for

    schema = public_schema(case.data, case.schema)
    try:
        if entry_of(case.algorithm).family not in _OF_THE_CLASS:
            raise ParameterError("It says nothing about how columns hang together apart from the class.")
        people, records = people_like(looks, schema, Describe.bins if bins is None else bins, DRAWN)
    except ParameterError as error:
        why = f"A first look was paid for, but is not used here. {error.message}"
        return _resting_on(case.run(session), (), why)
    writer_for(place)(people.to_batches(), place)
    guess, counted = dict(case.guess), tuple[str, ...]()
    if "records" not in guess:
        guess["records"] = max(records, 10)
        counted = (f"About {guess['records']:,} records, as a first look counted them.",)
    why = (
        "That table was drawn from the first look that was paid for: from how common each class is, and from "
        "each column given the class, with their noise. What columns tell only together is not in it."
    )
    return _resting_on(replace(case, guess=guess, released=place).run(session), counted, why)


def _resting_on(made: ForecastMade, first: tuple[str, ...], last: str) -> ForecastMade:
    """The same forecast with a sentence more; and with other words for its guesses, if there are any."""
    said = made.found.rests_on
    return ForecastMade(found=replace(made.found, rests_on=(*first, *said[len(first) :], last)))
