"""Experiments on a server: which tables they may name, what they cost as a whole, and what they have found.

Names in an experiment's file stand for datasets of the study (``made_up = "clinic.schema.toml"``, ``file =
"clinic.csv"``), so the same file runs elsewhere. A price is made from schemas alone. What is shown of a
private cell is the state of its run, which changes on the public grid, and what was released.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from privet.budget import Amount, Sequential, rounded_down
from privet.errors import BudgetExceeded
from privet.registry import algorithm, algorithms_with
from privet.schema import read_schema
from privet.server.cases import Asked, require_plain
from privet.server.experiment_shapes import (
    CellShown,
    EntryShown,
    ExperimentInFull,
    ExperimentShown,
    GridRow,
    PriceRow,
    PriceShown,
    TablePrice,
    WinnerShown,
)
from privet.server.experimenter import folder_of
from privet.server.guests import Caller
from privet.server.meters import meter_of
from privet.server.planning import left_for, schema_file, sum_of
from privet.server.problems import FREE, Refusal
from privet.server.releasing import finite
from privet.server.shapes import amount
from privet.server.state import Server
from privet.server.store import datasets, experiments, studies
from privet.service.experimenting import Desk, experiment_from

__all__ = ["Laid", "asked_cells", "desk_of", "laid_out", "price_of", "shown", "shown_in_full"]

MOST_CELLS = 20_000
MOST_RECORDS = 100_000
#: Runs that ended without a release: their cells can be asked for again, and are paid for again if lost.
_AGAIN = ("lost", "refused", "cancelled")


@dataclass(frozen=True)
class Laid:
    """An experiment whose tables were found. ``tables`` gives the dataset and version of each that is one."""

    desk: Desk
    tables: Mapping[str, tuple[str, int]]
    texts: Mapping[str, str]


def laid_out(
    server: Server, row: Row[Any], folder: Any, document: Mapping[str, Any] | None, text: str | None
) -> Laid:
    """The experiment that somebody sends, with the tables that it names, checked as a plan would be."""
    if document is not None:
        require_plain(document)
    found = experiment_from(document, text)
    if not found.name.strip() or not found.name.isprintable() or len(found.name) > 200:
        raise Refusal(422, "The name cannot be used", "A name has 1 to 200 printable characters.", "", "name")
    if found.size > MOST_CELLS:
        raise Refusal(
            422,
            "The experiment is too large for a server",
            f"It has {found.size:,} cells, and at most {MOST_CELLS:,} are run here.",
            "Take fewer repetitions, or run its file on a machine of your own.",
        )
    tables, texts, schemas = {}, {}, {}
    with server.database.read() as connection:
        known = {datasets.slug(each.name): each for each in reversed(_open(connection, row.study))}
    known[datasets.slug(row.name)] = row
    for dataset in found.data:
        if dataset.kind == "generated":
            _require_records(dataset.records)
            continue
        name = dataset.place.removesuffix(".schema.toml" if dataset.kind == "made-up" else ".csv")
        beside = f"{name}.schema.toml"
        if dataset.kind == "public" or name not in known or dataset.schema not in (None, beside):
            raise Refusal(
                422,
                "There is no such table here",
                "A table is named after a data set of this study, and none on a server is public.",
                "Choose one of: " + ", ".join(f"{each}.csv, {each}.schema.toml" for each in known) + ".",
                "data",
            )
        _require_records(dataset.records)
        place = schema_file(server, known[name].id, known[name].version)
        texts[beside] = place.read_text(encoding="utf-8")
        tables[dataset.name] = known[name].id, known[name].version
        if dataset.private:
            schemas[dataset.name] = read_schema(place)
    for contender in found.algorithms:
        settings, case = _parameters(found, contender.settings, found.epsilons[0]), "cross-validate"
        if contender.algorithm in [entry.name for entry in algorithms_with("select")]:
            case = "select"
            settings = {**contender.settings, "epsilon": found.epsilons[0]}
        Asked(case, row.id, row.version, contender.algorithm, None, settings, False).values()
    return Laid(Desk(folder, found, schemas), tables, texts)


def _open(connection: Any, study: str) -> list[Row[Any]]:
    return [each for each in datasets.in_studies(connection, [study]) if each.state == "open"]


def _require_records(records: int | None) -> None:
    if records is not None and records > MOST_RECORDS:
        raise Refusal(
            422, "Too many records", f"At most {MOST_RECORDS:,} people are made up here.", "", "records"
        )


def _parameters(found: Any, settings: Mapping[str, Any], epsilon: float) -> dict[str, Any]:
    """The parameters of an algorithm's cross-validation."""
    more = {"delta": found.delta} if found.delta else {}
    if found.score_epsilon is not None:
        more["score_epsilon"] = found.score_epsilon
    return {**settings, "epsilon": epsilon, "folds": found.folds, **more}


def desk_of(server: Server, row: Row[Any]) -> Desk:
    """The desk of a stored experiment."""
    found = experiment_from(json.loads(row.document), None)
    tables, folder = json.loads(row.tables), folder_of(server, row.id)
    private = [dataset.name for dataset in found.data if dataset.private]
    return Desk(folder, found, {name: read_schema(schema_file(server, *tables[name])) for name in private})


def asked_cells(server: Server, row: Row[Any], desk: Desk, settled: set[str]) -> list[tuple[str, Asked]]:
    """The private cells that are left, each as a run that can be planned."""
    tables, found = json.loads(row.tables), desk.experiment
    asked = []
    for key, cell in desk.private_cells().items():
        if key not in settled:
            contender = found.contender(cell.contender)
            values = _parameters(found, contender.settings, cell.epsilon)
            dataset, version = tables[cell.data]
            asked.append(
                (key, Asked("cross-validate", dataset, version, contender.algorithm, None, values, False))
            )
    return asked


def settled_of(cells: list[Row[Any]]) -> set[str]:
    """The cells that wait, run or are released: they are not asked for again."""
    return {each.cell for each in cells if each.state not in _AGAIN}


def price_of(
    server: Server, caller: Caller, desk: Desk, tables: Mapping[str, Any], runs: list[Row[Any]]
) -> PriceShown:
    """What is left of an experiment costs, table by table and as a whole. No record is read."""
    found, settled = desk.experiment, settled_of(runs)
    plan = desk.plan(settled)
    lost = Counter(desk.cells[key].data for key in {e.cell for e in runs if e.state == "lost"} - settled)
    places = {
        (price.dataset.name, label, epsilon): cost
        for price in plan.prices
        for (label, epsilon), cost in price.places.items()
    }
    labels = [contender.label for contender in found.algorithms]
    rows = [
        PriceRow(
            data=dataset.name,
            private=dataset.private,
            epsilon=epsilon,
            prices=[
                ("nothing more" if (c := places.get((dataset.name, label, epsilon))) is None else str(c))
                if dataset.private
                else "free"
                for label in labels
            ],
        )
        for dataset in found.data
        for epsilon in found.epsilons
    ]
    accounts: dict[str, list[Any]] = {}
    for price in plan.prices:
        accounts.setdefault(tables[price.dataset.name][0], []).append(price)
    priced = [
        _table_price(
            server, caller, found.name, dataset, prices, sum(lost[price.dataset.name] for price in prices)
        )
        for dataset, prices in accounts.items()
    ]
    total = ", ".join(f"{each.price.text} of {each.name}" for each in priced) or "nothing"
    words = f"{found.size:,} cells, of which {plan.free:,} are free and not done yet."
    return PriceShown(
        name=found.name,
        cells=found.size,
        free=plan.free,
        labels=labels,
        rows=rows,
        tables=priced,
        total=total,
        words=words,
        document=found.to_dict(),
        text=found.text(),
    )


def _table_price(
    server: Server, caller: Caller, name: str, dataset: str, prices: list[Any], lost: int
) -> TablePrice:
    ledger = server.database.ledger
    with server.database.read() as connection:
        row = datasets.find(connection, dataset)
        assert row is not None
        study = studies.find(connection, row.study)
        assert study is not None
        role = studies.role_of(connection, row.study, caller.id)
    total: Amount | None = prices[0].amount
    for price in prices[1:]:
        total = sum_of(total, price.amount)
    event = Sequential(tuple(price.event(f"experiment {name}") for price in prices))
    before, after, state = ledger.balance(dataset), None, "fits"
    words = f"{sum(price.cells for price in prices)} cross-validations cost {total} together."
    try:
        after = ledger.as_analyst(caller.name).preview(
            dataset, event, unit=prices[0].schema.unit, asked=total
        )
    except BudgetExceeded as error:
        state = "empty" if left_for(server, dataset, caller.name) is None else "too_much"
        words = f"{error.message} {error.advice}".strip()
    if state == "fits" and study.approval and role != "owner":
        state = "ask_owner"
    return TablePrice(
        dataset=dataset,
        name=row.name,
        cells=sum(price.cells for price in prices),
        again=lost,
        price=amount(total),
        left=amount(None if before.left is None else rounded_down(before.left)),
        left_after=amount(after.left) if after is not None else None,
        meter=meter_of(before.limit, before.spent, total),
        state=state,  # type: ignore[arg-type]
        words=f"{words} {FREE}" if after is None else words,
    )


def shown(row: Row[Any], cells: int) -> ExperimentShown:
    return ExperimentShown(
        id=row.id,
        dataset=row.dataset,
        name=row.name,
        who=row.who,
        state=row.state,
        problem=row.problem,
        cells=cells,
        created=row.created,
    )


def released_of(runs: list[Row[Any]]) -> dict[str, Any]:
    """What was released of private cells, by cell; nothing of a run that has not ended on the grid."""
    return {each.cell: json.loads(each.answer) for each in runs if each.state == "released" and each.answer}


def shown_in_full(server: Server, caller: Caller, row: Row[Any]) -> ExperimentInFull:
    """An experiment as far as it is."""
    with server.database.read() as connection:
        cells = experiments.runs_of(connection, row.id)
    desk, tables = desk_of(server, row), json.loads(row.tables)
    found, results = desk.experiment, desk.results(released_of(cells))
    own = [name for name, (dataset, _) in tables.items() if dataset == row.dataset]
    known = desk.cells
    return ExperimentInFull(
        **shown(row, found.size).model_dump(),
        done=len(results.cells),
        measure=results.measure.replace("_", " "),
        labels=list(results.labels),
        rows=[_row(found, dataset, epsilon, entries) for dataset, epsilon, entries in results.rows()],
        marks=list(results.marks()) if found.free() is not None else [],
        explained=list(results.explained()),
        charts=[finite(chart.to_dict()) for chart in results.charts()],
        winners=[_winner(each, results.measure) for each in desk.winners(results, own)],
        private=[
            CellShown(
                data=known[each.cell].data,
                label=known[each.cell].contender,
                epsilon=known[each.cell].epsilon,
                repetition=known[each.cell].repetition + 1,
                run=each.id,
                state=each.state,
                release=each.release if each.state == "released" else None,
            )
            for each in cells
            if each.cell in known
        ],
        price=price_of(server, caller, desk, tables, cells),
        document=found.to_dict(),
        text=found.text(),
    )


def _row(found: Any, dataset: Any, epsilon: float, entries: Any) -> GridRow:
    each = found.repetitions * (1 if dataset.private else found.folds)
    return GridRow(
        data=dataset.name,
        private=dataset.private,
        epsilon=epsilon,
        entries=[
            EntryShown(
                label=contender.label,
                done=entry.cells,
                of=each,
                text=entry.bare if entry.cells else "",
                mark=entry.mark,
            )
            for contender, entry in zip(found.algorithms, entries, strict=True)
        ],
    )


def _winner(each: Any, measure: str) -> WinnerShown:
    return WinnerShown(
        epsilon=each.epsilon,
        label=each.label,
        algorithm=each.algorithm,
        family=algorithm(each.algorithm).family,
        settings=dict(each.settings),
        words=f"At ε = {each.epsilon:g}: {each.label} ({measure.replace('_', ' ')} {each.mean:.3g}).",
    )
