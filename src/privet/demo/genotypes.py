"""Genotypes of people who do not exist: variants without effect, and a few that go with a trait.

The table has the form of a small genome-wide study: 0, 1 or 2 copies of an allele at each variant, and cases
and controls, of whom it is public who is which. Of the variants that matter, three matter much and seven
less, so that the ordered scores fall sharply after the third and after the tenth.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from privet.schema import Category, Schema, Unit

__all__ = ["genotype_knowledge", "genotypes"]

VARIANTS = 300
STRONG, WEAKER = 3, 7
TARGET = "trait"
_COPIES = ("0", "1", "2")


def genotypes(records: int = 300, seed: int = 0) -> pa.Table:
    """Half cases, half controls.

    >>> table = genotypes(100)
    >>> table.num_rows, table.num_columns, table.column_names[-1]
    (100, 301, 'trait')
    """
    draw = np.random.default_rng(seed)
    case = np.arange(records) % 2 == 0
    often = draw.uniform(0.05, 0.5, VARIANTS)
    columns = {}
    for place, name in enumerate(_names()):
        in_cases = in_controls = often[place]
        if place < STRONG + WEAKER:
            in_cases, in_controls = 0.5, 0.15 if place < STRONG else 0.3
        copies = draw.binomial(2, np.where(case, in_cases, in_controls))
        columns[name] = pa.array(np.array(_COPIES)[copies])
    columns[TARGET] = pa.array(np.where(case, "yes", "no"))
    return pa.table(columns)


def _names() -> list[str]:
    """The variants that matter come first in the table; nothing that chooses is told so."""
    return [f"rs{1000 + place}" for place in range(VARIANTS)]


def genotype_knowledge() -> Schema:
    """What is public: the variants and their copies. One person's genome is replaced by another's."""
    columns = (*(Category(name, _COPIES) for name in _names()), Category(TARGET, ("no", "yes")))
    return Schema(
        columns, target=TARGET, unit=Unit("replace"), dataset="generated-genotypes", missing="error"
    )
