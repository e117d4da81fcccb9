"""Fitting: planned, rehearsed, paid for, learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privet.budget import Ledger
from privet.curator.currency import event_for
from privet.errors import LedgerError, ParameterError
from privet.parameters import parameters_of
from privet.registry import algorithm as entry_of
from privet.schema import Schema, read_schema
from privet.service.ledgers import account_of
from privet.service.plans import Plan, planned
from privet.service.tables import Watch, database_errors, open_table
from privet.sources import Source

__all__ = ["build", "fit", "paying", "plan_fit", "settled"]


def settled(schema: Schema | str | Path) -> Schema:
    """The schema, from its file where that is what was given; every entry must be confirmed."""
    if not isinstance(schema, Schema):
        schema = read_schema(schema)
    schema.require_confirmed()
    return schema


def build(
    algorithm: str,
    schema: Schema,
    parameters: Mapping[str, Any],
    *,
    ledger: Ledger | None = None,
    seed: int | None = None,
) -> Any:
    """The algorithm of this name with these parameters, not fitted yet."""
    cls: Any = entry_of(algorithm).load()
    declared = {parameter.name for parameter in parameters_of(cls)}
    if unknown := sorted(set(parameters) - declared):
        raise ParameterError(
            f"{algorithm} has no parameter '{unknown[0]}'.", f"privet algorithms {algorithm}  lists them."
        )
    return cls(**{"schema": schema, "ledger": ledger, "random_state": seed} | dict(parameters))


def plan_fit(
    algorithm: str,
    data: str | Path,
    schema: Schema | str | Path,
    parameters: Mapping[str, Any],
    *,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: str = "auto",
    watch: Watch | None = None,
) -> Plan:
    """What a fit would cost, what would be left, and the expected error of each step. Spends nothing.

    The steps come from a rehearsal on an empty table.
    """
    schema = settled(schema)
    estimator = build(algorithm, schema, parameters, ledger=ledger, seed=seed)
    twin = estimator._rehearsed()
    guarantee = twin.guarantee_
    table = open_table(data, schema, engine=engine, watch=watch)
    what = f"fit {algorithm}"
    event = event_for(guarantee.amount, what)
    return planned(what, guarantee, schema, table, [event], ledger, twin._foreseen())


def fit(
    algorithm: str,
    data: str | Path,
    schema: Schema | str | Path,
    parameters: Mapping[str, Any],
    *,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: str = "auto",
    watch: Watch | None = None,
) -> Any:
    """A fitted model with its guarantee. What can be refused is refused before the budget is touched."""
    schema = settled(schema)
    estimator = build(algorithm, schema, parameters, ledger=ledger, seed=seed)
    table = open_table(data, schema, engine=engine, watch=watch)
    with paying(ledger, table, schema):
        return estimator.fit(table)


@contextmanager
def paying(ledger: Ledger | None, table: Source, schema: Schema) -> Iterator[None]:
    """Where the table has no account, an error that says how to open one."""
    try:
        with database_errors():
            yield
    except LedgerError:
        if ledger is not None:
            account_of(ledger, table, schema)
        raise
