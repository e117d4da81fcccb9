"""What the attacks on a perturbed table found: as text, as a table, as a plot and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["AttackReport", "AttackResult"]

# Below these errors (1 is guessing) a column counts as in the clear, as mostly and as partly recovered.
CLEAR, MOSTLY, PARTLY = 0.1, 0.5, 0.9


@dataclass(frozen=True)
class AttackResult:
    """One attack: how it works, its error for each column (1 is guessing), and whom it found."""

    name: str
    explanation: str
    errors: tuple[float, ...]
    reidentified: float
    baseline: float
    note: str = ""

    @property
    def applies(self) -> bool:
        """Whether the attack could be tried on this release at all."""
        return bool(self.errors)

    @property
    def weakest(self) -> float:
        """The error for the column that it recovers best."""
        return min(self.errors, default=1.0)

    @property
    def succeeds(self) -> bool:
        """Whether it beats guessing: some column is partly recovered, or records are found far too often."""
        return self.applies and (self.weakest < PARTLY or self.reidentified > max(10 * self.baseline, 0.02))

    def to_dict(self, columns: tuple[str, ...]) -> dict[str, Any]:
        return {
            "attack": self.name,
            "explanation": self.explanation,
            "applies": self.applies,
            "succeeds": self.succeeds,
            "errors": dict(zip(columns, self.errors, strict=True)) if self.applies else None,
            "reidentified": self.reidentified,
            "baseline": self.baseline,
            "note": self.note,
        }


@dataclass(frozen=True)
class AttackReport:
    """All attacks on one release. ``resistance`` is the error of the best attack on the weakest column."""

    columns: tuple[str, ...]
    records: int
    attacks: tuple[AttackResult, ...]
    constant: tuple[str, ...] = field(default=())

    @property
    def by_column(self) -> dict[str, tuple[float, str]]:
        """For each column the smallest error, and the attack that reaches it."""
        tried = [attack for attack in self.attacks if attack.applies]
        return {
            column: min((attack.errors[place], attack.name) for attack in tried)
            for place, column in enumerate(self.columns)
        }

    @property
    def weakest(self) -> str:
        """The column that comes back best."""
        found = {c: e for c, e in self.by_column.items() if c not in self.constant} or self.by_column
        return min(found, key=lambda column: found[column][0])

    @property
    def resistance(self) -> float:
        return self.by_column[self.weakest][0]

    @property
    def reidentified(self) -> float:
        """The largest share of records that an attack found."""
        return max(attack.reidentified for attack in self.attacks)

    @property
    def verdict(self) -> str:
        """In plain words: which column is weakest, and how weak."""
        error, attack = self.by_column[self.weakest]
        if error < CLEAR:
            how = "is as good as in the clear"
        elif error < MOSTLY:
            how = "is mostly recovered"
        elif error < PARTLY:
            how = "is partly recovered"
        else:
            how = "is hardly recovered better than by guessing"
        best = max(self.attacks, key=lambda each: each.reidentified)
        people = (
            f"{best.reidentified:.1%} of the records are found again by {best.name} "
            f"(guessing: {best.baseline:.2%})."
            if best.reidentified > 3 * best.baseline
            else "No attack finds records again much more often than guessing does."
        )
        return (
            f"The weakest column is '{self.weakest}': by {attack} it {how} "
            f"(error {error:.2f}, where 0 is exact and 1 is a guess). {people}"
        )

    def rows(self) -> list[list[Any]]:
        """The table: one row an attack, then its error for each column."""
        rows = []
        for attack in self.attacks:
            errors = [f"{error:.3f}" for error in attack.errors] or ["–"] * len(self.columns)
            rows.append([attack.name, *errors, f"{attack.reidentified:.2%}", f"{attack.baseline:.2%}"])
        return rows

    @property
    def heads(self) -> list[str]:
        return ["Attack", *self.columns, "Found", "By guessing"]

    def text(self) -> str:
        """The report for a reader."""
        cells = [self.heads, *self.rows()]
        widths = [max(len(str(row[place])) for row in cells) for place in range(len(self.heads))]
        table = [
            "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in cells
        ]
        lines = [
            self.verdict,
            "",
            "Error of each attack for each column, in standard deviations of that column (0 "
            "exact, 1 a guess);",
            f"and the share of {self.records} records that it finds again:",
            "",
            *table,
            "",
        ]
        lines += [f"{attack.name}: {attack.explanation} {attack.note}".rstrip() for attack in self.attacks]
        if self.constant:
            lines.append(f"Without spread, so with nothing to recover: {', '.join(self.constant)}.")
        lines += ["", "This is resistance against these attacks, not a guarantee: the guarantee is NONE."]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "guarantee": "none",
            "verdict": self.verdict,
            "weakest_column": self.weakest,
            "resistance": self.resistance,
            "records": self.records,
            "columns": list(self.columns),
            "constant": list(self.constant),
            "attacks": [attack.to_dict(self.columns) for attack in self.attacks],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AttackReport:
        """A report again from its plain data."""
        attacks = [
            AttackResult(
                each["attack"],
                each["explanation"],
                tuple((each["errors"] or {}).values()),
                each["reidentified"],
                each["baseline"],
                each["note"],
            )
            for each in data["attacks"]
        ]
        return cls(tuple(data["columns"]), data["records"], tuple(attacks), tuple(data["constant"]))

    def figure(self) -> Any:
        """A plot: the best attack's error for each column, weakest on top."""
        from privet.report import bars

        order = sorted(self.by_column.items(), key=lambda item: item[1][0])
        labels = [f"{column} ({attack})" for column, (_, attack) in order]
        return bars(labels, [float(np.round(error, 4)) for _, (error, _) in order],
                    xlabel="error of the best attack (0: exact, 1: a guess)")  # fmt: skip

    def page(self) -> Any:
        """The report as a page: verdict, plot, table and explanations."""
        from privet.report import Page

        page = Page("Attack report", f"{self.records} records, {len(self.columns)} perturbed columns")
        section = page.section("What the attacks found")
        section.note(
            "Guarantee: NONE. This is resistance against these attacks, measured and not proved.", "warning"
        )
        section.text(self.verdict)
        section.figure(
            self.figure(), alt=self.verdict, caption="The smaller, the better the column is recovered."
        )
        section.table(self.heads, self.rows(), caption="Error of each attack for each column (1 is a guess)")
        how = page.section("How the attacks work")
        for attack in self.attacks:
            how.text(f"{attack.name}: {attack.explanation} {attack.note}".rstrip())
        return page
