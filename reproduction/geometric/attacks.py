"""Every attack on the weak variant that it was made for, over many draws of data, key and attacker.

An attack report on one table is one draw. Here data, key and attacker are drawn anew for each seed, and what
counts is how often an attack breaks the release, and how large its error is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.audit.perturbation.attack import audit_perturbation
from privet.audit.perturbation.report import AttackReport
from privet.perturbation import AdditiveNoise, Geometric, Rotation
from privet.perturbation.tables import Matrix
from privet.schema import Schema
from reproduction import markdown
from reproduction.geometric import as_published

__all__ = ["VARIANTS", "Outcome", "Variant", "attacked", "numbers", "outcomes", "outcomes_table", "rankings"]

WIDTH, RECORDS = 4, 1500


def independent(generator: np.random.Generator) -> Matrix:
    """Columns that do not depend on each other, each of another shape: what separates them are the shapes."""
    skewed = generator.beta(2, 6, RECORDS) * 2 - 1
    lumps = generator.choice([-0.8, -0.1, 0.7], RECORDS) + generator.uniform(-0.1, 0.1, RECORDS)
    even, right = generator.uniform(-1, 1, RECORDS), 1 - 2 * generator.beta(1, 4, RECORDS)
    return np.column_stack([even, skewed, lumps, right])


def correlated(generator: np.random.Generator) -> Matrix:
    """Columns that say nearly the same, as normal values."""
    together = generator.normal(size=(RECORDS, 1)) * np.array([1.0, -0.8, 0.9, 1.1])
    return np.clip(0.25 * together + 0.02 * generator.normal(size=(RECORDS, WIDTH)), -1, 1)


def ages(generator: np.random.Generator) -> Matrix:
    """Whole numbers that go together moderately, none below 0: what the formula was made for."""
    together = generator.normal(size=(RECORDS, 1))
    years = np.clip(40 + 9 * together + 9 * generator.normal(size=(RECORDS, WIDTH)), 17, 90)
    return np.asarray(np.round(years), dtype=np.float64)


def one_column(generator: np.random.Generator) -> Matrix:
    """A single column of such numbers."""
    return ages(generator)[:, :1]


@dataclass(frozen=True)
class Variant:
    """A weak (or not so weak) release, and the attacks that must break it; no names mean all that apply."""

    name: str
    data: Callable[[np.random.Generator], Matrix]
    release: Callable[[Matrix, Schema, int], Matrix]
    falls_to: tuple[str, ...] = ()
    resists: bool = False
    bounds: tuple[float, float] = (-1.0, 1.0)


def _published(X: Matrix, schema: Schema, seed: int) -> Matrix:
    del schema, seed  # it draws nothing
    return np.column_stack([as_published.perturb(column) for column in X.T])


def _rotated(X: Matrix, schema: Schema, seed: int) -> Matrix:
    return np.asarray(Rotation(schema=schema, random_state=seed).fit_transform(X))


def _noisy(level: float) -> Callable[[Matrix, Schema, int], Matrix]:
    return lambda X, schema, seed: np.asarray(
        AdditiveNoise(schema=schema, level=level, random_state=seed).fit_transform(X)
    )


def _geometric(noise: float) -> Callable[[Matrix, Schema, int], Matrix]:
    return lambda X, schema, seed: np.asarray(
        Geometric(schema=schema, noise=noise, candidates=5, random_state=seed).fit_transform(X)
    )


YEARS = (0.0, 100.0)
VARIANTS = (
    Variant("the published formula, columns that go together", ages, _published, bounds=YEARS),
    Variant("the published formula, one column", one_column, _published, bounds=YEARS),
    Variant(
        "rotation, independent columns",
        independent,
        _rotated,
        ("independent components", "known sample", "distance inference"),
    ),
    Variant(
        "rotation, columns that go together", correlated, _rotated, ("known sample", "distance inference")
    ),
    Variant(
        "little noise, independent columns",
        independent,
        _noisy(0.02),
        ("naive estimation", "record linkage", "known sample"),
    ),
    Variant("noise, columns that go together", correlated, _noisy(0.25), ("spectral filtering",)),
    Variant("noise, one column", one_column, _noisy(0.25), ("spectral filtering",), bounds=YEARS),
    Variant(
        "geometric without noise, independent columns",
        independent,
        _geometric(0.0),
        ("known sample", "distance inference", "independent components"),
    ),
    Variant("geometric, noise 0.15, independent columns", independent, _geometric(0.15), ("known sample",)),
    Variant("geometric, noise 0.6, independent columns", independent, _geometric(0.6), resists=True),
)


@dataclass(frozen=True)
class Outcome:
    """One attack on one variant over the seeds: its errors on the column that it recovers best."""

    variant: str
    attack: str
    made_for: bool
    broken: float
    errors: tuple[float, ...]

    @property
    def shown(self) -> str:
        """The mean error and its standard error, and in how many of the draws it broke the release."""
        if not self.errors:
            return "–"
        mean = float(np.mean(self.errors))
        if mean > 2:
            return f"> 2 · {self.broken:.0%}"
        spread = (
            float(np.std(self.errors, ddof=1) / np.sqrt(len(self.errors))) if len(self.errors) > 1 else 0.0
        )
        text = f"{mean:.3f} ± {spread:.3f} · {self.broken:.0%}"
        return f"**{text}**" if self.made_for else text


def attacked(variant: Variant, seed: int, **how: Any) -> AttackReport:
    """One draw: data, release and attack report.

    >>> rotation = next(v for v in VARIANTS if v.name == "rotation, independent columns")
    >>> attacked(rotation, 0, records=500).resistance < 1e-6
    True
    """
    X = variant.data(np.random.default_rng([seed, 7]))
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = Schema.of(dict.fromkeys(names, variant.bounds))
    Y = variant.release(X, schema, seed)
    return audit_perturbation(X, Y, schema=schema, columns=names, random_state=seed, **how)


def numbers(report: AttackReport) -> dict[str, Any]:
    """A report as plain data, without its sentences; ``AttackReport.from_dict`` reads it."""
    found = report.to_dict()
    attacks = [
        attack
        | {"explanation": "", "note": ""}
        | {
            "errors": attack["errors"]
            and {name: float(f"{error:.6g}") for name, error in attack["errors"].items()}
        }
        for attack in found["attacks"]
    ]
    return found | {"verdict": "", "attacks": attacks}


def outcomes(
    reports: Mapping[str, Sequence[AttackReport]], variants: Sequence[Variant] = VARIANTS
) -> list[Outcome]:
    """Every attack on every variant, over the draws that there are."""
    found = []
    for variant in variants:
        draws = reports[variant.name]
        for place, attack in enumerate(draws[0].attacks):
            results = [report.attacks[place] for report in draws]
            applies = all(result.applies for result in results)
            made_for = (
                applies and not variant.resists and (attack.name in variant.falls_to or not variant.falls_to)
            )
            broken = float(np.mean([result.succeeds for result in results]))
            errors = tuple(result.weakest for result in results) if applies else ()
            found.append(Outcome(variant.name, attack.name, made_for, broken, errors))
    return found


def rankings(reports: Mapping[str, Sequence[AttackReport]]) -> list[tuple[str, float, float]]:
    """Variants by their mean resistance, the weakest first, with its standard error."""
    draws = len(next(iter(reports.values())))
    rows = []
    for name, found in reports.items():
        values = [report.resistance for report in found]
        rows.append((name, float(np.mean(values)), float(np.std(values) / np.sqrt(max(1, draws - 1)))))
    return sorted(rows, key=lambda row: row[1])


def outcomes_table(found: Sequence[Outcome]) -> str:
    """As a Markdown table: variants down, attacks across; bold is what the attack was made for."""
    attacks = list(dict.fromkeys(each.attack for each in found))
    shown = {(each.variant, each.attack): each.shown for each in found}
    variants = dict.fromkeys(each.variant for each in found)
    rows = ([variant, *(shown[variant, attack] for attack in attacks)] for variant in variants)
    return markdown.table(["variant", *attacks], rows)
