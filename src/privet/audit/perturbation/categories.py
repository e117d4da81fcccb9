"""The attack report for categories: what generalised or randomised columns still give away.

Beside each share stands what guessing reaches without the release: the most frequent value of a column, and
a record drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from privet import randomness
from privet.errors import DataError, ParameterError
from privet.perturbation.attacks import categories

__all__ = ["CategoryAttack", "CategoryReport", "audit_categories", "changed_columns"]


@dataclass(frozen=True)
class CategoryAttack:
    """One attack on one column, or on all together: how often it is right, and how often a guess is."""

    name: str
    about: str
    right: float
    baseline: float
    explanation: str

    @property
    def error(self) -> float:
        """0 is always right, 1 is no better than a guess; as for numbers."""
        return 1.0 if self.baseline >= 1 else max(0.0, (1 - self.right) / (1 - self.baseline))

    def to_dict(self) -> dict[str, Any]:
        return {
            "attack": self.name,
            "about": self.about,
            "right": self.right,
            "baseline": self.baseline,
            "error": self.error,
            "explanation": self.explanation,
        }


@dataclass(frozen=True)
class CategoryReport:
    """All attacks on the categories of a release."""

    columns: tuple[str, ...]
    records: int
    attacks: tuple[CategoryAttack, ...]

    @property
    def weakest(self) -> CategoryAttack:
        """The attack on a column that comes closest to the truth."""
        return min((a for a in self.attacks if a.name != "record linkage"), key=lambda attack: attack.error)

    @property
    def verdict(self) -> str:
        """In plain words: which column is weakest, and how weak."""
        attack = self.weakest
        link = next(a for a in self.attacks if a.name == "record linkage")
        return (
            f"The weakest column is '{attack.about}': {attack.name} is right for {attack.right:.1%} of the "
            f"records (guessing: {attack.baseline:.1%}). "
            f"{link.right:.1%} of the records are found again (guessing: {link.baseline:.2%})."
        )

    def rows(self) -> list[list[str]]:
        return [
            [a.name, a.about, f"{a.right:.2%}", f"{a.baseline:.2%}", f"{a.error:.3f}"] for a in self.attacks
        ]

    def text(self) -> str:
        """The report for a reader."""
        cells = [["Attack", "About", "Right", "By guessing", "Error (1 is a guess)"], *self.rows()]
        widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        how = list(dict.fromkeys(f"{a.name}: {a.explanation}" for a in self.attacks))
        end = "This is resistance against these attacks, measured and not proved."
        return "\n".join([self.verdict, "", f"{self.records} records:", "", *table, "", *how, "", end])

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "verdict": self.verdict,
            "weakest_column": self.weakest.about,
            "records": self.records,
            "columns": list(self.columns),
            "attacks": [attack.to_dict() for attack in self.attacks],
        }

    def figure(self) -> Any:
        """A plot: each attack's error, weakest on top."""
        from privet.report import bars

        order = sorted(self.attacks, key=lambda attack: attack.error)
        return bars([f"{a.about} ({a.name})" for a in order], [round(a.error, 4) for a in order],
                    xlabel="error of the attack (0: always right, 1: a guess)")  # fmt: skip

    def page(self) -> Any:
        """The report as a page."""
        from privet.report import Page

        page = Page("Attack report", f"{self.records} records, {len(self.columns)} categories")
        section = page.section("What the attacks found")
        section.text(self.verdict)
        section.figure(self.figure(), alt=self.verdict, caption="The smaller, the more is given away.")
        section.table(
            ["Attack", "About", "Right", "By guessing", "Error"], self.rows(), caption="Shares of records"
        )
        how = page.section("How the attacks work")
        for text in dict.fromkeys(f"{a.name}: {a.explanation}" for a in self.attacks):
            how.text(text)
        return page


def audit_categories(
    original: pa.Table,
    released: pa.Table,
    columns: Sequence[str],
    *,
    sensitive: str | None = None,
    records: int = 2000,
    random_state: Any = None,
) -> CategoryReport:
    """Attack generalised or randomised columns with the original at hand. For the owner of the data.

    The tables hold the same records in the same order; ``columns`` are those that an attacker knows of a
    person, and ``sensitive`` is one that they would like to know.

    >>> before = pa.table({"town": ["Bern", "Thun", "Basel", "Jura"] * 50, "ill": ["flu", "none"] * 100})
    >>> after = before.set_column(0, "town", pa.array(["middle", "middle", "north", "north"] * 50))
    >>> report = audit_categories(before, after, ["town"], sensitive="ill")
    >>> [(a.name, round(a.right, 3), a.baseline) for a in report.attacks]
    [('guess', 0.5, 0.25), ('record linkage', 0.01, 0.005), ('sensitive value', 0.5, 0.5)]
    """
    if original.num_rows != released.num_rows:
        raise DataError(
            f"The original has {original.num_rows} records and the perturbed table {released.num_rows}.",
            "Attack a release that has one record for each original one, in the same order.",
        )
    wanted = [*columns, *([sensitive] if sensitive else [])]
    for name in wanted:
        if name not in original.column_names or name not in released.column_names:
            raise ParameterError(f"One of the tables has no column '{name}'.", "Choose among those of both.")
    if not columns or original.num_rows < 2:
        raise DataError("There is nothing to attack.", "Name at least one column, of at least two records.")
    generator = randomness.of(random_state).generator()
    rows = np.sort(generator.permutation(original.num_rows)[:records])
    before = [categories.coded(original[name].take(rows).to_pylist()) for name in columns]
    after = [categories.coded(released[name].take(rows).to_pylist()) for name in columns]
    found = [
        CategoryAttack("guess", name, categories.guessed(one, other), _most(one), categories.GUESS)
        for name, one, other in zip(columns, before, after, strict=True)
    ]
    share, looked_up, kinds = categories.linked(before, after)
    found.append(CategoryAttack("record linkage", "the record", share, 1 / len(rows), categories.LINKAGE))
    if sensitive is not None:
        hidden = categories.coded(original[sensitive].take(rows).to_pylist())
        shown = categories.coded(released[sensitive].take(rows).to_pylist())
        right = categories.sensitive_guessed(looked_up, kinds, hidden, shown)
        found.append(CategoryAttack("sensitive value", sensitive, right, _most(hidden), categories.SENSITIVE))
    return CategoryReport(tuple(columns), len(rows), tuple(found))


def changed_columns(original: pa.Table, released: pa.Table) -> tuple[list[str], list[str]]:
    """The columns that the release changed: those that are numbers in it (or gone), and those that are texts.

    >>> before = pa.table({"age": [31, 52], "town": ["Bern", "Thun"], "ill": ["no", "yes"]})
    >>> after = pa.table({"age": ["[30, 40)", "[50, 60)"], "town": ["Bern", "Thun"], "ill": ["no", "no"]})
    >>> changed_columns(before, after)
    ([], ['age', 'ill'])
    """
    numbers: list[str] = []
    texts: list[str] = []
    for name in original.column_names:
        if name not in released.column_names:
            numbers.append(name)
        elif _values(original, name) != _values(released, name):
            kind = released.schema.field(name).type
            plain = pa.types.is_integer(kind) or pa.types.is_floating(kind)
            (numbers if plain else texts).append(name)
    return numbers, texts


def _values(table: pa.Table, name: str) -> list[Any]:
    return list(table[name].to_pylist())


def _most(codes: categories.Codes) -> float:
    return float(np.bincount(codes).max() / len(codes))
