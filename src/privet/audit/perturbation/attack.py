"""The attack report: how much of a table comes back from its perturbed release, by real attacks.

A perturbation has no proof, so this is all that can be said for it: seven attacks, each with what its
attacker is taken to know, the error of its reconstruction for each column, and the share of records that it
re-identifies, beside what guessing would reach. An attack that is not among them may do better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from privet import randomness
from privet.audit.perturbation.attacker import ATTACKS, Attacker
from privet.audit.perturbation.report import AttackReport
from privet.errors import DataError, ParameterError
from privet.perturbation.attacks import reversal
from privet.perturbation.attacks.errors import spread_of
from privet.perturbation.tables import numbers_of
from privet.schema import Number, Schema, read_schema
from privet.sources import Source, as_source, open_source

__all__ = ["audit_perturbation", "ranked"]

Progress = Callable[[int, int | None], None]


def audit_perturbation(
    original: Any,
    perturbed: Any,
    *,
    schema: Schema | str | Path,
    columns: Sequence[str] | None = None,
    released: Sequence[str] | None = None,
    known: int | None = None,
    noise: float | None = None,
    records: int = 2000,
    random_state: Any = None,
    progress: Progress | None = None,
) -> AttackReport:
    """Attack a perturbed table with the original at hand. For the owner of the data: it reads both.

    The two tables hold the same records in the same order. ``columns`` are the original columns to recover
    and ``released`` those that they became (found by themselves where names tell); ``known`` records are
    known to the attacker (by default two for each column and at least 20); ``noise`` is the standard
    deviation of added noise in half ranges, where it was published. Attacks run on a random sample of
    ``records``.

    >>> import numpy as np
    >>> from privet.perturbation import Rotation
    >>> schema = Schema.of({"a": (-1.0, 1.0), "b": (-1.0, 1.0), "c": (-1.0, 1.0)})
    >>> X = np.random.default_rng(0).uniform(-1, 1, (800, 3))
    >>> released = Rotation(schema=schema).fit_transform(X)
    >>> report = audit_perturbation(X, released, schema=schema, random_state=0)
    >>> report.resistance < 0.05
    True
    """
    schema = schema if isinstance(schema, Schema) else read_schema(schema)
    before, after = _table(original, schema), _table(perturbed, None, schema)
    if before.num_rows != after.num_rows:
        raise DataError(
            f"The original has {before.num_rows} records and the perturbed table {after.num_rows}.",
            "Attack a release that has one record for each original one, in the same order.",
        )
    chosen, images = _paired(before, after, schema, columns, released)
    generator = randomness.of(random_state).generator()
    rows = np.sort(generator.permutation(before.num_rows)[:records])
    bounds = [schema[name] for name in chosen]
    middle, half = (np.array([getattr(c, side) for c in bounds]) for side in ("midpoint", "half_range"))
    every, image = (
        numbers_of(before, before.column_names, chosen),
        numbers_of(after, after.column_names, images),
    )
    truth, seen = (every[rows] - middle) / half, image[rows]
    whole = ~(np.isnan(truth).any(axis=1) | np.isnan(seen).any(axis=1))
    truth, seen, rows = truth[whole], seen[whole], rows[whole]
    least = 10 + len(chosen)
    if len(truth) < least:
        raise DataError(
            f"Attacks need at least {least} records without missing values.", "Give more records."
        )
    number = min(known or max(20, 2 * len(chosen)), len(truth) // 2)
    attacker = Attacker(truth, seen, number, noise, generator)
    if len(images) == len(chosen):
        attacker.in_units = (seen - middle) / half
        # The one formula that needs whole columns, in their order. Its attacker knows how the release was
        # made, as any attacker may: then every attack works on what comes back from the means alone.
        if (back := reversal.reversed_columns(every, image)) is not None:
            attacker.unreversed = (back[rows] - middle) / half
        if (back := reversal.reversed_columns(every, image, int(rows[attacker.known[0]]))) is not None:
            attacker.reversed = (back[rows] - middle) / half
    results = []
    for place, attack in enumerate(ATTACKS):
        if progress is not None:
            progress(place, len(ATTACKS))
        results.append(attack(attacker))
    if progress is not None:
        progress(len(ATTACKS), len(ATTACKS))
    constant = tuple(name for name, spread in zip(chosen, spread_of(truth), strict=True) if spread == 0)
    return AttackReport(tuple(chosen), len(truth), tuple(results), constant)


def ranked(reports: Mapping[str, AttackReport]) -> list[tuple[str, float]]:
    """Several releases by their resistance, the weakest first."""
    return sorted(((name, report.resistance) for name, report in reports.items()), key=lambda pair: pair[1])


def _table(data: Any, schema: Schema | None, names_of: Schema | None = None) -> pa.Table:
    """Whatever holds rows as an Arrow table; the schema names an array's columns."""
    if isinstance(data, str | Path):
        data = open_source(data, schema)
    elif not isinstance(data, Source) and not hasattr(data, "columns") and np.ndim(data) == 2:
        declared = schema or names_of
        assert declared is not None
        fitting = [c for c in (declared.columns, declared.attributes) if len(c) == np.shape(data)[1]]
        new = [f"released_{place}" for place in range(np.shape(data)[1])]
        data = as_source(data, names=[column.name for column in fitting[0]] if fitting else new)
    source = as_source(data)
    batches = list(source.batches())
    if not batches:
        raise DataError("A table holds no records.", "Check that it is the right file.")
    return pa.Table.from_batches(batches) if len(batches) == 1 else pa.concat_tables(
        [pa.Table.from_batches([batch]) for batch in batches], promote_options="permissive"
    )  # fmt: skip


def _paired(
    before: pa.Table,
    after: pa.Table,
    schema: Schema,
    columns: Sequence[str] | None,
    released: Sequence[str] | None,
) -> tuple[list[str], list[str]]:
    """The original columns to recover, and the released ones to recover them from."""
    numeric = [c.name for c in schema.attributes if isinstance(c, Number) and c.name in before.column_names]
    new = [name for name in after.column_names if name not in before.column_names]
    if columns is None:
        changed = [n for n in numeric if n not in after.column_names or not before[n].equals(after[n])]
        columns = changed or numeric
    for name in columns:
        if name not in numeric:
            raise ParameterError(
                f"'{name}' is not a numeric column of the schema and the table.",
                "Choose among the numeric ones.",
            )
    if released is None:
        released = [name for name in columns if name in after.column_names] or new
        if len(released) < len(columns):
            released = new
    if not released or not columns:
        raise DataError("The perturbed table has no column to attack.", "Name them with  released.")
    return list(columns), list(released)
