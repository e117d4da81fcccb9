"""Nodes of an ONNX graph, one operation a method; names are counted, so that they are the same each time.

Numbers are 64-bit floats throughout: 32 bits would move records that lie near a cut to its other side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import MissingExtra
from privet.exchange.form import Form, label_text, whole_numbers
from privet.schema import Category, Column
from privet.stats import Coded

__all__ = ["Graph"]

MISSING = ""  # a text that stands for a missing value


class Graph:
    """The nodes and constants that a form needs, in the order in which they are asked for."""

    def __init__(self, form: Form) -> None:
        try:
            from onnx import helper, numpy_helper
        except ImportError:
            raise MissingExtra.of("exchange", "Writing ONNX") from None
        self._helper, self._numpy = helper, numpy_helper
        self.form = form
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[Any, str] = {}

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """The result of an operation."""
        name = f"privet/{len(self.nodes)}"
        self.nodes.append(
            self._helper.make_node(kind, inputs, [name], name=f"{name}/{kind}", domain=domain, **attributes)
        )
        return name

    def constant(self, value: NDArray[Any]) -> str:
        """An array as a constant; texts too."""
        name = f"privet/constant/{len(self.constants)}"
        value = value.astype(object) if value.dtype.kind == "U" else value
        self.constants.append(self._numpy.from_array(value, name))
        return name

    def whole(self, *numbers: int) -> str:
        """Whole numbers as a constant."""
        return self.constant(np.array(numbers, np.int64))

    def real(self, number: float) -> str:
        """A single number as a constant."""
        return self.constant(np.array(number, np.float64))

    def raw(self, name: str) -> str:
        """A column's cells: one for each record."""
        return self._once(("raw", name), lambda: self.op("Reshape", name, self.whole(-1)))

    def missing(self, name: str) -> str:
        """Whether a number is missing."""
        return self._once(("missing", name), lambda: self.op("IsNaN", self.raw(name)))

    def clamped(self, name: str) -> str:
        """A number within its public bounds, the midpoint where it is missing."""
        column = self.form.number(name)

        def make() -> str:
            known = self.op("Where", self.missing(name), self.real(column.midpoint), self.raw(name))
            return self.op("Clip", known, self.real(float(column.low)), self.real(float(column.high)))

        return self._once(("clamped", name), make)

    def scaled(self, name: str) -> str:
        """A number from −1 to 1, a column of them; 0 where it is missing."""
        column = self.form.number(name)

        def make() -> str:
            off = self.op("Sub", self.clamped(name), self.real(column.midpoint))
            z = self.op("Div", off, self.real(column.half_range))
            return self.op("Unsqueeze", self.op("Clip", z, self.real(-1.0), self.real(1.0)), self.whole(1))

        return self._once(("scaled", name), make)

    def codes(self, coded: Coded) -> str:
        """The code of each record, as ``Rows.codes`` gives it: missing comes last."""
        column = self.form.schema[coded.column]
        if isinstance(column, Category):
            return self._once(coded, lambda: self._category(column))
        return self._once(coded, lambda: self._binned(coded))

    def _binned(self, coded: Coded) -> str:
        number = self.op("Unsqueeze", self.raw(coded.column), self.whole(1))
        last = self.whole(len(coded.cuts) + 1)
        if coded.cuts:
            above = self.op("GreaterOrEqual", number, self.constant(np.array([coded.cuts], np.float64)))
            count = self.op("ReduceSum", self.op("Cast", above, to=7), self.whole(1), keepdims=0)
        else:
            count = self.whole(0)
        return self.op("Where", self.missing(coded.column), last, count)

    def _category(self, column: Category) -> str:
        missing = column.size
        kind = "int64s" if whole_numbers(column) else "strings"
        labels = list(column.labels) if whole_numbers(column) else [*map(label_text, column.labels)]
        codes, unknown = list(range(column.size)), missing
        if column.other is not None:
            # Values that are not listed are `other`; only an empty text is missing.
            unknown = column.size - 1
            if MISSING not in labels:
                labels, codes = [*labels, MISSING], [*codes, missing]
        table = {f"keys_{kind}": labels, "values_int64s": codes, "default_int64": unknown}
        return self.op("LabelEncoder", self.raw(column.name), domain="ai.onnx.ml", **table)

    def inputs(self) -> list[Any]:
        """A column vector for each column that is read."""
        return [
            self._helper.make_tensor_value_info(column.name, self._type(column), ["records", 1])
            for column in self.form.inputs
        ]

    @staticmethod
    def _type(column: Column) -> int:
        if not isinstance(column, Category):
            return 11  # DOUBLE
        return 7 if whole_numbers(column) else 8  # INT64 or STRING

    def _once(self, key: Any, make: Any) -> str:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]
