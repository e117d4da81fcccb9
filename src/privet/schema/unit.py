"""The unit of privacy: what counts as one person's contribution, and which tables are neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from privet.errors import SchemaError

__all__ = ["DerivedUnit", "Keep", "Neighbours", "Unit"]

Neighbours = Literal["add_remove", "replace"]
Keep = Literal["first", "content"]


@dataclass(frozen=True)
class Unit:
    """One record, or one person with at most ``most`` records named by the column ``id``.

    ``add_remove``: neighbouring tables differ by one unit present or absent; how many there are is private.
    ``replace``: one unit changes into another; how many there are is public.

    A statistic states what *one record* can do to it; the unit scales that: a person's ``most`` records all
    add up in the worst case, and under ``replace`` one contribution goes and another comes.

    ``keep`` says which records of a person stay who has more: the ``first`` ones, or those chosen by a fixed
    hash of their ``content``. By default it is the first ones of files, frames and arrays, which have an
    order, and content for tables of a database, which have none.

    >>> Unit(id="patient", most=3).describe()
    "one person (all records with the same 'patient', at most 3 of them), present or absent"
    """

    neighbours: Neighbours = "add_remove"
    id: str | None = None
    most: int = 1
    keep: Keep | None = None

    def __post_init__(self) -> None:
        if self.neighbours not in ("add_remove", "replace"):
            raise SchemaError(
                f"Unknown neighbour relation {self.neighbours!r}.", 'Use "add_remove" or "replace".'
            )
        if self.id is not None and not (isinstance(self.id, str) and self.id):
            raise SchemaError("The id of a person must be a column's name.", 'For example: id = "patient_id"')
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 1:
            raise SchemaError("A person must be allowed at least one record.", "Set  most = 1  or more.")
        if self.id is None and self.most != 1:
            raise SchemaError(
                f"At most {self.most} records per person needs a column that says who the person is.",
                'Name it under [unit]:  id = "patient_id"',
            )

        if self.keep not in (None, "first", "content"):
            raise SchemaError(f"Unknown rule {self.keep!r} for keeping records.", 'Use "first" or "content".')
        if self.id is None and self.keep is not None:
            raise SchemaError(
                "Which records of a person to keep needs a column that says who the person is.",
                'Name it under [unit]:  id = "patient_id"',
            )

    def describe(self) -> str:
        who = (
            "one record"
            if self.id is None
            else f"one person (all records with the same '{self.id}', at most {self.most} of them)"
        )
        return f"{who}, {'present or absent' if self.neighbours == 'add_remove' else 'exchanged for another'}"

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"neighbours": self.neighbours}
        if self.id is not None:
            data |= {"id": self.id, "most": self.most}
        return data if self.keep is None else data | {"keep": self.keep}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Unit:
        if not isinstance(data, dict):
            raise SchemaError(
                "[unit] must be a section.", 'Write  [unit]  and under it  neighbours = "add_remove"'
            )
        if surplus := sorted(set(data) - {"neighbours", "id", "most", "keep"}):
            raise SchemaError(
                f"[unit]: unknown entries {surplus}.", "Known ones are neighbours, id, most, keep."
            )
        neighbours, most = data.get("neighbours", "add_remove"), data.get("most", 1)
        return cls(neighbours, data.get("id"), most, data.get("keep"))


@dataclass(frozen=True)
class DerivedUnit(Unit):
    """A unit of the tables that a table was made of: at most ``most`` of its records go or come with it.

    Some may go and some may come. That is a path of ``most`` tables, each with one record more or less than
    the one before, so whatever holds for a person with ``most`` records under ``add_remove`` by adding up
    what single records do holds here. Nobody's records are left out any more: ``id`` is None.
    """

    def __post_init__(self) -> None:
        whole = isinstance(self.most, int) and not isinstance(self.most, bool)
        if self.neighbours != "add_remove" or self.id is not None or not whole or self.most < 1:
            raise SchemaError("A derived unit says how many records it changes, and nothing else.")

    def describe(self) -> str:
        return f"one unit of the tables that this was made of (at most {self.most} records here)"
