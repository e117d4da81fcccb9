"""What is public about a column whose cells are sets: baskets, diagnoses, words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.errors import SchemaError
from privet.schema.columns import DECLARED, Category

__all__ = ["Items", "items_from_dict", "set_columns", "sets_refused"]

MOST = 1000


@dataclass(frozen=True)
class Items(Category):
    """A set of items out of a public list, in each record: ``values`` are the items that are known.

    A cell is a list (Arrow, Parquet), or text with the items one after the other, ``between`` which there is
    this; " " is any white space. Items that are not listed are left out, so that nothing is refused because
    of what a record holds. ``most`` is the length to which sets are cut where their items are combined.

    It is a category to whoever draws or shows the list of values. Questions about categories do not take it:
    the curator refuses them (``Statistic.reads_sets``).

    >>> Items("basket", ("milk", "bread"), most=5).to_dict()["kind"]
    'items'
    """

    most: int = 10
    between: str = ","

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.other is not None:
            raise SchemaError(
                f"Column '{self.name}': a set has no `other`; items that are not listed are left out.",
                "Remove the line  other = ….",
            )
        if isinstance(self.most, bool) or not isinstance(self.most, int) or not 1 <= self.most <= MOST:
            raise SchemaError(
                f"Column '{self.name}': most must be a whole number between 1 and {MOST}.",
                "It is how many items of a record are combined, for example: most = 10",
            )
        if not isinstance(self.between, str) or len(self.between) != 1:
            raise SchemaError(
                f"Column '{self.name}': between must be one character.", 'For example: between = ","'
            )
        if any(self._split_by(str(value)) for value in self.values):
            raise SchemaError(
                f"Column '{self.name}': an item holds the character between items, or blanks at an end.",
                "Choose another character for  between.",
            )

    def _split_by(self, text: str) -> bool:
        return (
            text != text.strip()
            or not text
            or (any(map(str.isspace, text)) if self.between == " " else self.between in text)
        )

    def to_dict(self) -> dict[str, Any]:
        origin = {"origin": self.origin}
        return {
            "kind": "items",
            "values": list(self.values),
            "most": self.most,
            "between": self.between,
        } | origin


def items_from_dict(name: str, data: dict[str, Any]) -> Items:
    """A set-valued column from its entry in a schema file."""
    return Items(
        name,
        data.get("values", ()),
        other=data.get("other"),
        origin=data.get("origin", DECLARED),
        most=data.get("most", 10),
        between=data.get("between", ","),
    )


def set_columns(columns: Any) -> list[Items]:
    """Those of the columns that hold sets."""
    return [column for column in columns if isinstance(column, Items)]


def sets_refused(name: str) -> SchemaError:
    """The error of whoever meets a set and does not know sets."""
    return SchemaError(
        f"Column '{name}' holds sets of items, which only frequent-itemsets and association-rules take.",
        "Leave the column out of the schema that you use here.",
    )
