"""What a draft sees of one column, batch by batch, and whether the column looks like a name or an id.

The rules err on the side of leaving out: a person can still declare the column by hand, and a name that gets
into a domain is published with every model.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError
from privet.schema.columns import DRAFTED, Category, Column, Number
from privet.schema.item_sets import Items

__all__ = ["MOST_CLASSES", "MOST_VALUES", "Role", "Seen"]

Role = Literal["attribute", "target", "class"]

MOST_VALUES = 1000
# A target with more different numbers than this is a quantity to be predicted, and not a class.
MOST_CLASSES = 20
# Text: this many different values, and more than one to four records, are those of a name.
_FEWEST_NAMES, _RECORDS_A_NAME = 10, 4
# So few records with a different text each are names as well; with fewer, nothing can be said.
_FEWEST_RECORDS = 5
# Whole numbers: so many that all differ are looked at; no more than the second number are remembered.
_FEWEST_NUMBERS, _MOST_NUMBERS = 20, 100_000
_LONG_NUMBER = 10**8
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_IDENTIFIER = re.compile(
    r"(^|[^a-z])(id|ids|uid|uuid|guid|key|ssn|nr|no|number|phone|index|iban|mrn)($|[^a-z])", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

EMPTY = "it is empty in every record"
CONSTANT = "it has the same value in every record, so nothing can be learned from it"
MANY = f"it has more than {MOST_VALUES} different values, so it looks like a name or an id"
UNIQUE = "nearly every record has a value of its own, so it looks like a name or an id"
EMAILS = "it holds e-mail addresses"
NUMBERED = "every record has a number of its own, so it looks like an id"
# What may stand between the items of a text; without any of them, white space does.
BETWEEN = (";", ",", "|", "\t")
NOTHING_BETWEEN = "its items hold every character that could stand between them"


@dataclass
class Seen:
    """What has been seen of one column so far."""

    name: str
    role: Role
    records: int = 0
    low: float = math.inf
    high: float = -math.inf
    numeric: bool = False
    integer: bool = True
    many: bool = False
    #: Whether a cell is a set of items: a list is, and a text if it is said to be one.
    sets: bool = False
    between: str | None = None
    values: dict[Any, None] = field(default_factory=dict)
    #: The whole numbers so far, while they all differ; then None.
    numbers: set[int] | None = field(default_factory=set)

    def see(self, array: pa.Array) -> None:
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        array = self._items(array.drop_null()) if self._holds_sets(array.type) else array.drop_null()
        if pa.types.is_floating(array.type):
            array = array.filter(pc.is_finite(array))
        if len(array) == 0:
            return
        self.records += len(array)
        kind = array.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            if self.role != "class" and not self.sets:
                self._see_numbers(array)
                return
        elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_boolean(kind)):
            raise DataError(
                f"Column '{self.name}' holds {kind}, which Privet does not mine.",
                'Sets of items are declared by hand, with  kind = "items"  and their values. Turn anything '
                "else into a number or a category first, or leave it out.",
            )
        if not self.many:
            self.values.update(dict.fromkeys(pc.unique(array).to_pylist()))
            self.many = len(self.values) > MOST_VALUES

    def _holds_sets(self, kind: pa.DataType) -> bool:
        lists = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
        self.sets |= lists and self.role == "attribute" and not pa.types.is_nested(kind.value_type)
        return self.sets

    def _items(self, array: pa.Array) -> pa.Array:
        """All items of these sets, one after the other."""
        if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
            if self.between is None and len(array):
                held = (sign for sign in BETWEEN if pc.any(pc.match_substring(array, sign)).as_py())
                self.between = next(held, " ")
            sign = self.between or " "
            array = pc.utf8_split_whitespace(array) if sign == " " else pc.split_pattern(array, sign)
        items = array.flatten().drop_null()
        if pa.types.is_dictionary(items.type):
            items = items.dictionary_decode()
        if pa.types.is_string(items.type) or pa.types.is_large_string(items.type):
            items = pc.utf8_trim_whitespace(items)
            items = items.filter(pc.not_equal(items, ""))
        return items

    def _see_numbers(self, array: pa.Array) -> None:
        ends = pc.min_max(array)
        self.numeric = True
        self.integer &= pa.types.is_integer(array.type)
        self.low = min(self.low, float(ends["min"].as_py()))
        self.high = max(self.high, float(ends["max"].as_py()))
        if self.role == "target":
            if len(self.values) <= MOST_CLASSES:
                self.values.update(dict.fromkeys(pc.unique(array).to_pylist()))
        elif self.numbers is not None and len(self.numbers) < _MOST_NUMBERS:
            self._see_whole(array)

    def _see_whole(self, array: pa.Array) -> None:
        assert self.numbers is not None
        distinct = pc.unique(array)
        whole = pa.types.is_integer(array.type) or bool(pc.all(pc.equal(pc.floor(array), array)).as_py())
        before = len(self.numbers)
        if whole and len(distinct) == len(array):
            self.numbers.update(int(number) for number in distinct.to_pylist())
        if len(self.numbers) < before + len(array):
            self.numbers = None

    @property
    def empty(self) -> bool:
        return self.records == 0

    def reason(self, everything: bool = False) -> str | None:
        """Why this column is left out of a draft, in words without a value; None if it is not.

        With ``everything``, only what cannot be drafted at all is left out.
        """
        if self.empty:
            return EMPTY
        if self.many:
            return MANY
        if self.sets and self._sign() is None:
            return NOTHING_BETWEEN
        if everything or self.role != "attribute":
            return None
        if self.sets:
            return UNIQUE if self._names() else None
        if self.records > 1 and (self.low == self.high if self.numeric else len(self.values) == 1):
            return CONSTANT
        if self.numeric:
            return NUMBERED if self._numbered() else None
        return EMAILS if self._emails() else UNIQUE if self._names() else None

    def _names(self) -> bool:
        number = len(self.values)
        if number == self.records >= _FEWEST_RECORDS:
            return True
        return number >= _FEWEST_NAMES and number * _RECORDS_A_NAME > self.records

    def _emails(self) -> bool:
        found = sum(isinstance(value, str) and bool(_EMAIL.fullmatch(value)) for value in self.values)
        return 2 * found > len(self.values)

    def _numbered(self) -> bool:
        """Whether whole numbers all differ, and either are called an id, or are long, or differ by design.

        Of n numbers drawn from R, all differ with a probability of at most exp(-n(n-1)/2R): a thousandth,
        if n² > 14R.
        """
        if self.numbers is None or len(self.numbers) < _FEWEST_NUMBERS:
            return False
        called = _IDENTIFIER.search(_CAMEL.sub(" ", self.name)) is not None
        long = max(abs(self.low), abs(self.high)) >= _LONG_NUMBER
        return called or long or len(self.numbers) ** 2 > 14 * (self.high - self.low + 1)

    def _sign(self) -> str | None:
        """What stands between items, or could: no item holds it."""
        items = [str(value) for value in self.values]
        free = (sign for sign in (",", *BETWEEN) if not any(sign in item for item in items))
        return self.between or next(free, None)

    def column(self) -> Column:
        """The drafted column, if there is no reason against it."""
        if self.numeric and not 0 < len(self.values) <= MOST_CLASSES:
            if self.low == self.high:  # one value, and it is wanted: bounds must differ
                self.high = self.low + max(1.0, abs(self.low))
            if self.integer and max(abs(self.low), abs(self.high)) < 2**53:
                return Number(self.name, int(self.low), int(self.high), integer=True, origin=DRAFTED)
            return Number(self.name, self.low, self.high, origin=DRAFTED)
        values = tuple(sorted(self.values, key=lambda v: (str(type(v)), v)))
        if self.sets:
            return Items(self.name, values, origin=DRAFTED, between=self._sign() or ",")
        return Category(self.name, values, origin=DRAFTED)
