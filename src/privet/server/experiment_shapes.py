"""What requests and answers about experiments look like."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from privet.server.shapes import AmountShown, Id, Meter, RunState, Sent

__all__ = [
    "CellShown",
    "EntryShown",
    "ExperimentInFull",
    "ExperimentParts",
    "ExperimentShown",
    "GridRow",
    "MeasureAsked",
    "NewExperiment",
    "PresetShown",
    "PriceRow",
    "PriceShown",
    "TablePrice",
    "TableShown",
    "WinnerShown",
]

State = Literal["running", "paused", "done", "failed"]


class NewExperiment(Sent):
    """An experiment about a dataset: as plain data, or as the text of its file."""

    dataset: Id
    document: Annotated[dict[str, Any], Field(max_length=50)] | None = None
    text: Annotated[str, StringConstraints(max_length=200_000)] | None = None


class MeasureAsked(Sent):
    """``agreed`` is the price that was shown: if it is another one by now, nothing is queued."""

    agreed: Annotated[str, StringConstraints(max_length=200)]


class TableShown(BaseModel):
    """A table that can be put into an experiment, and the entry that stands for it."""

    name: str
    title: str
    line: str
    private: bool
    entry: dict[str, Any]


class PresetShown(BaseModel):
    name: str
    title: str
    line: str
    document: dict[str, Any]


class AlgorithmChoice(BaseModel):
    name: str
    title: str
    line: str


class ExperimentParts(BaseModel):
    """What an experiment about a dataset can be made of; ``json_schema`` is of all else that it says."""

    tables: list[TableShown]
    algorithms: list[AlgorithmChoice]
    presets: list[PresetShown]
    document: dict[str, Any]
    json_schema: dict[str, Any]


class PriceRow(BaseModel):
    """A line of the matrix: what each algorithm costs on a table at an ε; "free" where it costs nothing."""

    data: str
    private: bool
    epsilon: float
    prices: list[str]


class TablePrice(BaseModel):
    """What all private cells of one table cost together."""

    dataset: str
    name: str
    cells: int
    again: int
    price: AmountShown
    left: AmountShown
    left_after: AmountShown | None
    meter: Meter
    state: Literal["fits", "too_much", "empty", "ask_owner"]
    words: str


class PriceShown(BaseModel):
    """The price of an experiment before anything runs, and the experiment as it was understood."""

    name: str
    cells: int
    free: int
    labels: list[str]
    rows: list[PriceRow]
    tables: list[TablePrice]
    total: str
    words: str
    document: dict[str, Any]
    text: str


class ExperimentShown(BaseModel):
    id: str
    dataset: str
    name: str
    who: str
    state: State
    problem: str | None
    cells: int
    created: str


class EntryShown(BaseModel):
    """One place of the table: how much of it is measured, what it says, and the mark of WEKA's test."""

    label: str
    done: int
    of: int
    text: str
    mark: Literal["", "v", "*"]


class GridRow(BaseModel):
    data: str
    private: bool
    epsilon: float
    entries: list[EntryShown]


class CellShown(BaseModel):
    """A private cell that was asked for: a run like any other, with its state on the public grid."""

    data: str
    label: str
    epsilon: float
    repetition: int
    run: str
    state: RunState
    release: str | None


class WinnerShown(BaseModel):
    """The best at an ε on tables that cost nothing, and what a run of it for real would be."""

    epsilon: float
    label: str
    algorithm: str
    family: str
    settings: dict[str, Any]
    words: str


class ExperimentInFull(ExperimentShown):
    done: int
    measure: str
    labels: list[str]
    rows: list[GridRow]
    marks: list[str]
    explained: list[str]
    charts: list[dict[str, Any]]
    winners: list[WinnerShown]
    private: list[CellShown]
    price: PriceShown
    document: dict[str, Any]
    text: str
