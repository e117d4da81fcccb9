"""Walking through a flow, step by step: the same for a rehearsal on no records and for the real run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from privet.curator.folds import Folds, in_order
from privet.curator.run import Run
from privet.errors import ParameterError
from privet.estimator import WholeTableEstimator
from privet.estimator.tables import cut
from privet.evaluation.holdout import evaluated
from privet.flow.outcomes import outcomes
from privet.flow.steps import FlowStep
from privet.randomness import Randomness
from privet.schema import Column, Number, Schema

__all__ = ["Given", "Measured", "RowsAt", "estimator_for", "measured", "passed_on"]

#: So many outcomes of several choices behind each other are looked at.
MOST_CASES = 8
_PUBLIC = "The rows are public: a source that is declared so, or made-up records that were released."


@dataclass(frozen=True, eq=False)
class RowsAt:
    """Rows on an edge: where they are, what is public about them, and which columns are sure to be there.

    ``others`` are schemas that they may have instead, if a private choice goes otherwise (``outcomes``).
    """

    source: Any
    schema: Schema
    private: bool
    certain: frozenset[str]
    dropped_by: str = ""
    others: tuple[Schema, ...] = ()


@dataclass(frozen=True, eq=False)
class Measured:
    """What a measuring step gave: a fitted model, or a score; and its guarantee."""

    model: Any = None
    score: Any = None

    def show_in(self, section: Any) -> None:
        """What was released, in words and pictures, in a section of a page."""
        if self.score is not None:
            section.code(self.score.text())
        else:
            if words := self.model.in_words():
                section.code(words)
            for chart in self.model.pictures():
                section.chart(chart)
        section.prose(self.guarantee.text())

    @property
    def guarantee(self) -> Any:
        return self.model.guarantee_ if self.model is not None else self.score.guarantee


Given = Any  # RowsAt | dict of the parts of a split | Measured


def estimator_for(step: FlowStep, schema: Schema, run: Run) -> Any:
    """The algorithm of a step, not fitted, with what it gets of the budget."""
    assert step.kind.algorithm is not None
    settings = {name: value for name, value in step.settings.items() if name != "records"}
    amount = run.amount
    return step.kind.algorithm.load()(
        **settings, schema=schema, epsilon=float(amount.epsilon), delta=float(amount.delta)
    )


def measured(step: FlowStep, given: list[Given], run: Run) -> Measured:
    """Do what a measuring step does, in this run."""
    if step.do == "evaluate":
        model, rows = given[0].model, given[1]
        lacking = [c.name for c in model.schema_.columns if c.name not in rows.schema]
        if lacking:
            raise ParameterError(
                f"'{step.name}' needs the column '{lacking[0]}', which the rows that it takes do not have.",
                "Take the rows from an earlier step.",
            )
        return Measured(score=evaluated(model, rows.source, run, step.settings.get("measures", "all")))
    rows = given[0]
    estimator = estimator_for(step, rows.schema, run)
    if isinstance(estimator, WholeTableEstimator):
        estimator.columns_ = rows.schema.names
    else:
        estimator.columns_ = tuple(c.name for c in rows.schema.attributes)
        estimator.n_features_in_ = len(estimator.columns_)
    estimator._run(rows.source, run)
    return Measured(model=estimator)


def run_schema(step: FlowStep, given: list[Given]) -> Schema:
    """The schema that a measuring step reads its rows through.

    A score reads the columns that its model knows. Whom it protects, and who pays, is said by the rows: the
    model may have learned from others, whose unit of privacy can be a smaller one.
    """
    rows: Schema = given[-1].schema
    if step.do != "evaluate":
        return rows
    learned: Schema = given[0].model.schema_
    return replace(learned, dataset=rows.dataset, unit=rows.unit)


def public_run(step: FlowStep, schema: Schema) -> Run:
    """The run of a step on rows that are public: it costs nothing and promises nothing."""
    return Run.declared_public(schema, _PUBLIC, step.kind.searches)


def passed_on(step: FlowStep, given: list[Given], found: Measured | None, key: Randomness | None) -> Given:
    """What a step gives to those after it."""
    if step.do == "keep":
        return _kept(step, given[0])
    if step.do == "clip":
        return _clipped(step, given[0])
    if step.do == "split":
        return _split(step, given[0], key)
    if found is None:
        return None
    entry = step.kind.algorithm
    if entry is None or entry.family not in ("select", "prepare", "synthesise"):
        return found
    if entry.family == "synthesise":
        from privet.curator.tables import as_source

        table = found.model.sample(int(step.settings.get("records", 1000)))
        schema = found.model.schema_
        return RowsAt(as_source(table), schema, False, frozenset(schema.names))
    rows: RowsAt = given[0]
    if entry.family == "select":
        chosen = cut(rows.schema, found.model.chosen_)
        others = tuple(each for case in (rows.schema, *rows.others) for each in outcomes(found.model, case))
        return replace(
            rows, schema=chosen, certain=_target_alone(rows), dropped_by=step.name, others=others[:MOST_CASES]
        )
    after = replace(
        rows, source=found.model.mapped(rows.source), schema=found.model.schema_after(rows.schema)
    )
    if found.model.may_drop:
        return replace(after, certain=_target_alone(rows), dropped_by=step.name, others=())
    return replace(after, others=tuple(map(found.model.schema_after, rows.others)))


def _target_alone(rows: RowsAt) -> frozenset[str]:
    """What is sure to be there after a private choice among the attributes."""
    return rows.certain & frozenset(() if rows.schema.target is None else (rows.schema.target,))


def _kept(step: FlowStep, rows: RowsAt) -> RowsAt:
    columns = step.settings["columns"]
    for name in columns:
        _require_sure(step, rows, name)
    others = tuple(cut(each, columns) for each in rows.others)
    kept = replace(rows, schema=cut(rows.schema, columns), others=others)
    return replace(kept, certain=rows.certain & frozenset(kept.schema.names))


def _clipped(step: FlowStep, rows: RowsAt) -> RowsAt:
    """The rows with numbers clamped to constants of the flow's file: whoever reads them clamps to these."""
    bounds: Mapping[str, Any] = step.settings["bounds"]
    if not bounds:
        raise ParameterError(
            f"'{step.name}' does not say what it clips.", "For example: bounds = {age = [18, 90]}"
        )
    for name in bounds:
        _require_sure(step, rows, name)
    columns = tuple(_clip(step, c, bounds[c.name]) if c.name in bounds else c for c in rows.schema.columns)
    return replace(rows, schema=replace(rows.schema, columns=columns))


def _clip(step: FlowStep, column: Column, bounds: Any) -> Column:
    pair = isinstance(bounds, list | tuple) and len(bounds) == 2 and all(map(_is_number, bounds))
    if not isinstance(column, Number) or not pair:
        raise ParameterError(
            f"'{step.name}' clips numbers, each to a pair of bounds, and not '{column.name}' so.",
            "For example: bounds = {age = [18, 90]}",
        )
    low, high = max(bounds[0], column.low), min(bounds[1], column.high)
    if low >= high:
        raise ParameterError(
            f"'{step.name}' clips '{column.name}' to bounds between which its declared ones leave nothing.",
            "Give a lower bound below the upper one, within what the schema declares.",
        )
    cuts = tuple(cut for cut in column.cuts if low < cut < high)
    return replace(column, low=low, high=high, cuts=cuts)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -math.inf < value < math.inf


def _require_sure(step: FlowStep, rows: RowsAt, name: str) -> None:
    """Refuse a column that is not there, or that a private choice may have dropped."""
    if name in rows.certain:
        return
    if rows.dropped_by:
        raise ParameterError(
            f"'{step.name}' needs the column '{name}', which '{rows.dropped_by}' may drop: its choice "
            "is not known before it is paid for.",
            f"Put '{step.name}' before '{rows.dropped_by}', or name only the target.",
        )
    raise ParameterError(f"'{step.name}' needs the column '{name}', which its rows do not have.")


def _split(step: FlowStep, rows: RowsAt, key: Randomness | None) -> dict[str, RowsAt]:
    folds = step.settings.get("folds", 4)
    if key is None:  # a rehearsal
        return {"train": rows, "test": rows}
    drawn = Folds(in_order(rows.source, rows.schema), rows.schema, folds, key)
    return {"train": replace(rows, source=drawn.outside(0)), "test": replace(rows, source=drawn.inside(0))}


def taken(step: FlowStep, outputs: Mapping[str, Given]) -> list[Given]:
    """What a step takes from those before it."""
    found = []
    for name in step.inputs:
        whole, _, part = name.partition(".")
        found.append(outputs[whole][part] if part else outputs[whole])
    return found
