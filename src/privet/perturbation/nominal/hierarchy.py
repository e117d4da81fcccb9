"""Generalisation hierarchies: what a value may be coarsened to, step by step, up to "anything"."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from privet.errors import ParameterError, SchemaError
from privet.schema import Category, Number, Schema

__all__ = ["ANYTHING", "Hierarchy", "hierarchies_of", "read_hierarchies"]

ANYTHING = "*"


@dataclass(frozen=True)
class Hierarchy:
    """The ancestors of each value, nearest first, or the widths of nested ranges of a number.

    Above the last level is always ``*``. Level 0 is the value itself.

    >>> town = Hierarchy("town", {"Basel": ("north", ), "Bern": ("middle", )})
    >>> [town.general("Bern", level) for level in range(town.height + 1)]
    ['Bern', 'middle', '*']
    >>> age = Hierarchy("age", widths=(5, 20))
    >>> [age.general(33, level) for level in range(age.height + 1)]
    ['33', '[30, 35)', '[20, 40)', '*']
    """

    column: str
    ancestors: Mapping[str, tuple[str, ...]] | None = None
    widths: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if (self.ancestors is None) == (not self.widths):
            raise SchemaError(
                f"The hierarchy of '{self.column}' needs ancestors of its values, or widths of ranges.",
                "Give one of the two.",
            )
        if self.ancestors is not None:
            depths = {len(chain) for chain in self.ancestors.values()}
            if len(depths) != 1:
                raise SchemaError(
                    f"In the hierarchy of '{self.column}' values have different numbers of ancestors.",
                    "Give each value one ancestor for each level.",
                )
            seen: dict[tuple[int, str], str] = {}
            for chain in self.ancestors.values():
                for level, (one, above) in enumerate(pairwise(chain)):
                    if seen.setdefault((level, one), above) != above:
                        raise SchemaError(
                            f"In the hierarchy of '{self.column}' one group lies in two larger ones.",
                            "Let every group have a single ancestor.",
                        )
        elif any(width <= 0 for width in self.widths) or any(
            not math.isclose(wide / narrow, round(wide / narrow)) or wide <= narrow
            for narrow, wide in pairwise(self.widths)
        ):
            raise SchemaError(
                f"The widths of '{self.column}' must grow, each a multiple of the one before.",
                "For example: widths = [5, 10, 40]",
            )

    @property
    def height(self) -> int:
        """The level of ``*``."""
        if self.ancestors is not None:
            return len(next(iter(self.ancestors.values()))) + 1
        return len(self.widths) + 1

    def general(self, value: Any, level: int) -> str:
        """A value at a level; one that is missing or unknown to the hierarchy is ``*``."""
        if level >= self.height:
            return ANYTHING
        missing = value is None or value != value
        if self.ancestors is not None:
            chain = self.ancestors.get(str(value))
            if missing or chain is None:
                return ANYTHING
            return str(value) if level == 0 else chain[level - 1]
        try:
            number = math.nan if missing else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            return ANYTHING
        if level == 0:
            return f"{number:g}"
        width = self.widths[level - 1]
        start = math.floor(number / width) * width
        return f"[{start:g}, {start + width:g})"


def read_hierarchies(path: str | Path) -> dict[str, Hierarchy]:
    """Hierarchies from TOML: under [COLUMN] ``widths = […]``, or ``VALUE = [ancestors …]`` lines."""
    name = Path(path).name
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ParameterError(f"There is no file {name}.", "Check its path.") from None
    except (OSError, ValueError):
        raise SchemaError(
            f"{name} is not a TOML file of hierarchies.", "Check its quotes and brackets."
        ) from None
    found = {}
    for column, entry in data.items():
        if not isinstance(entry, dict):
            raise SchemaError(
                f"{name}: '{column}' must be a section.", f"Write  [{column}]  and its lines below."
            )
        widths = entry.get("widths")
        if isinstance(widths, Sequence) and all(isinstance(width, int | float) for width in widths):
            found[column] = Hierarchy(column, widths=tuple(float(width) for width in widths))
        elif all(isinstance(chain, list) for chain in entry.values()):
            found[column] = Hierarchy(
                column, {value: tuple(map(str, chain)) for value, chain in entry.items()}
            )
        else:
            raise SchemaError(
                f"{name}: the entries of '{column}' must be lists.", 'For example: Bern = ["middle"]'
            )
    return found


def hierarchies_of(schema: Schema, columns: Collection[str] = ()) -> tuple[Hierarchy, ...]:
    """Hierarchies made from what is public: ranges that double twice, and categories or anything.

    Without ``columns``, of all attributes. The target stays as it is. Where there are many, numbers have one
    range, so that not too many combinations of levels are to be tried.

    >>> ladder, _ = hierarchies_of(Schema.of({"age": (0, 120), "sex": ["f", "m"]}))
    >>> [ladder.general(33, level) for level in range(ladder.height + 1)]
    ['33', '[30, 37.5)', '[30, 45)', '[30, 60)', '*']
    """
    chosen = [column for column in schema.attributes if not columns or column.name in columns]
    shares = (1 / 16, 1 / 8, 1 / 4) if len(chosen) <= 4 else (1 / 8,)
    found = []
    for column in chosen:
        if isinstance(column, Number):
            widths = tuple((column.high - column.low) * share for share in shares)
            found.append(Hierarchy(column.name, widths=widths))
        elif isinstance(column, Category):
            found.append(Hierarchy(column.name, {str(value): () for value in column.values}))
    return tuple(found)
