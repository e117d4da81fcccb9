"""Several tables that a query puts together, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from privet.schema import Schema
from privet.stats.relations import Base, Chosen, Relation
from privet.stats.views import View

__all__ = ["Tables"]

_NUMBERS = count(1)


@dataclass(frozen=True, eq=False)
class Tables:
    """A relation, and the tables that it is made of: each with its schema, by the name it has in it."""

    relation: Relation
    tables: Mapping[str, tuple[Any, Schema]]

    @classmethod
    def of(cls, data: Any, schema: Schema, view: View) -> Tables:
        """A table, or several, seen through a view."""
        if not isinstance(data, cls):
            name = f"table {next(_NUMBERS)}"
            data = cls(Base(name, schema), {name: (data, schema)})
        return cls(Chosen(data.relation, view), data.tables) if view != View() else data

    @property
    def schemas(self) -> tuple[Schema, ...]:
        return tuple(schema for _, schema in self.tables.values())
