"""Questions about disjoint parts of a table: the dearest part is what they cost.

**Proof.** A record has one value of the key, so it is in one part at most. Let the noise of every question
be for a unit that changes c records, and let a unit change cᵢ records of part i, Σcᵢ ≤ c. Part i is asked for
the share wᵢ of the budget.

* *Pure ε.* A measured statistic moves by cᵢ/c of its L1 sensitivity at most, and scores of a choice by cᵢ/c
  of theirs (both add up record by record: ``stats.base``, ``stats.scores``). So part i loses at most
  wᵢε·cᵢ/c, and all parts together Σwᵢε·cᵢ/c ≤ max wᵢ·ε.
* *zCDP, add_remove.* Squared L2 sensitivities and squared ranges shrink by (cᵢ/c)²: Σwᵢρ(cᵢ/c)² ≤ max wᵢ·ρ.
* *zCDP, replace.* With at most k records that go and k that come, gᵢ and hᵢ of them in part i, a statistic
  with non-negative contributions moves by at most gᵢ² + hᵢ² squared norms, of 2k² that the noise is for; one
  with any by at most (gᵢ + hᵢ)² ≤ 2gᵢ² + 2hᵢ², of 4k². As Σgᵢ² ≤ k² and Σhᵢ² ≤ k², the sum is at most
  max wᵢ·ρ again. Choices: as under add_remove, with c = 2k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.curator.ask import Choose, Measure, Question
from privet.errors import ParameterError
from privet.schema import Category, Schema
from privet.stats.views import Field, IsIn, Viewed

__all__ = ["Apart"]


@dataclass(frozen=True)
class Apart:
    """Which part each of some questions is about: the records with this label of the category ``key``."""

    key: str
    labels: tuple[str, ...]

    def price(self, asked: Sequence[tuple[Question[Any], Fraction]], schema: Schema) -> Fraction:
        """What all of them cost together: the shares of the dearest part.

        It is certain then that each question looks at the records of its own part only. The key is a column
        of the table: a view cannot make another of its name (``View.schema``), so it means the same in all.
        """
        if type(self.key) is not str or self.key not in schema or type(schema[self.key]) is not Category:
            raise ParameterError(
                "A table is divided by one of its own categories.",
                "A column that a query makes could be another one in each part: group by it instead.",
            )
        labels = tuple(self.labels)
        if len(asked) != len(labels) or any(type(label) is not str for label in labels):
            raise ParameterError("Each question must say which part it is about.")
        shares: dict[str, Fraction] = {}
        for (question, share), label in zip(asked, labels, strict=True):
            if type(question) not in (Measure, Choose):
                raise ParameterError("Parts are asked for measurements and choices only.")
            if not all(self._is_of(statistic, label) for statistic in question.statistics):
                raise ParameterError(
                    f"A question about the part '{label}' would look at other records, too.",
                    f"Ask it of the records whose '{self.key}' is '{label}'.",
                )
            shares[label] = shares.get(label, Fraction(0)) + share
        return max(shares.values(), default=Fraction(0))

    def _is_of(self, statistic: Any, label: str) -> bool:
        """Whether it looks at records with this label only."""
        return type(statistic) is Viewed and any(
            type(each) is IsIn
            and type(each.one) is Field
            and each.one.name == self.key
            and tuple(map(str, each.values)) == (label,)
            for each in statistic.view.where
        )
