"""The fields of a PMML file: what a model reads and how, and what it derives before it adds up.

How a cell is read is said at the field, and readers do it: numbers outside their public bounds become the
bound on their side, and categories outside their domain are missing, or ``other``. In a sum, missing values
are replaced at the field where that changes nothing (by a value of its own for a category, the midpoint for a
slope), because some readers predict nothing for a record in which a cell is missing.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement

from privet.errors import ModelError
from privet.exchange.form import Cells, Form, Slope, Sum, label_text, whole_numbers
from privet.schema import Category, Column
from privet.schema.columns import Value
from privet.stats import Coded

__all__ = ["Fields", "number_text", "text_of"]

# What XML 1.0 cannot hold, escaped or not.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def text_of(value: Value) -> str:
    """A value as PMML writes it; refused where XML cannot hold it."""
    text = label_text(value)
    if _FORBIDDEN.search(text):
        raise ModelError(
            "A column's name or value holds a control character, which XML cannot hold.",
            "Write the model as ONNX instead.",
        )
    return text


def number_text(number: float) -> str:
    """A number with all its digits: the shortest text that is read back as the same one.

    >>> number_text(0.1), number_text(3.0)
    ('0.1', '3.0')
    """
    return repr(float(number))


class Fields:
    """What stands before the model: the dictionary, the mining schema, and the fields that are derived."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.derived = Element("LocalTransformations")
        self._names: dict[object, str] = {}
        self._taken = {column.name for column in form.schema.columns}
        terms = form.body.terms if isinstance(form.body, Sum) else ()
        self._slopes = {term.column for term in terms if isinstance(term, Slope)}

    def dictionary(self, parent: Element) -> None:
        columns = (*self.form.inputs, self.form.target)
        held = SubElement(parent, "DataDictionary", numberOfFields=str(len(columns)))
        for column in columns:
            field = SubElement(held, "DataField", name=text_of(column.name))
            if not isinstance(column, Category):
                field.attrib |= {"optype": "continuous", "dataType": "double"}
                continue
            kind = "integer" if whole_numbers(column) else "string"
            field.attrib |= {"optype": "categorical", "dataType": kind}
            values = [*self.labels(column), *self._stand_in(column)] if column in self.form.inputs else ()
            for label in values or self.labels(column):
                SubElement(field, "Value", value=label)

    @staticmethod
    def labels(column: Category) -> list[str]:
        """The domain as it is written."""
        return [text_of(label) for label in column.labels]

    def mining_schema(self, parent: Element) -> None:
        held = SubElement(parent, "MiningSchema")
        for column in self.form.inputs:
            field = SubElement(held, "MiningField", name=text_of(column.name), usageType="active")
            field.attrib |= self._treatment(column)
        SubElement(held, "MiningField", name=text_of(self.form.target.name), usageType="predicted")

    def _stand_in(self, column: Category) -> list[str]:
        """The value that stands for a missing one, where the model is a sum: none of the domain's."""
        if not isinstance(self.form.body, Sum):
            return []
        if whole_numbers(column):
            return [str(max(int(label) for label in column.labels) + 1)]
        found = "(missing)"
        while found in self.labels(column):
            found += "_"
        return [found]

    @property
    def nothing_missing(self) -> bool:
        """Whether every missing value is replaced at its field."""
        return all(isinstance(c, Category) or c.name in self._slopes for c in self.form.inputs)

    def _treatment(self, column: Column) -> dict[str, str]:
        if not isinstance(column, Category):
            bounds = {"lowValue": number_text(column.low), "highValue": number_text(column.high)}
            found = {"outliers": "asExtremeValues", **bounds, "invalidValueTreatment": "asMissing"}
            if column.name in self._slopes:
                found |= _replaced(number_text(column.midpoint))
            return found
        found = {"invalidValueTreatment": "asMissing"}
        if column.other is not None:
            found = {"invalidValueTreatment": "asValue", "invalidValueReplacement": text_of(column.other)}
        for stand_in in self._stand_in(column):
            found |= _replaced(stand_in)
        return found

    def scaled(self, name: str) -> str:
        """The field of a number scaled from its bounds to [−1, 1]; 0 where it is missing."""
        if ("scaled", name) not in self._names:
            column = self.form.number(name)
            made = self._new(("scaled", name), f"{name} scaled", "continuous", "double")
            norm = SubElement(
                made, "NormContinuous", field=text_of(name), mapMissingTo="0", outliers="asExtremeValues"
            )
            for at, to in ((column.low, -1), (column.high, 1)):
                SubElement(norm, "LinearNorm", orig=number_text(at), norm=number_text(to))
        return self._names["scaled", name]

    def binned(self, coded: Coded) -> tuple[str, list[str]]:
        """The field that holds a column's code, and the values it may have; missing stays missing."""
        column = self.form.schema[coded.column]
        if isinstance(column, Category):
            return text_of(coded.column), self.labels(column)
        names = [f"bin{place}" for place in range(len(coded.cuts) + 1)]
        if coded not in self._names:
            made = self._new(coded, f"{coded.column} in {len(names)}", "categorical", "string")
            cut = SubElement(made, "Discretize", field=text_of(coded.column))
            # Numbers are clamped to the bounds before.
            number = self.form.number(coded.column)
            edges = [number.low, *coded.cuts, number.high]
            for place, name in enumerate(names):
                _interval(cut, name, *edges[place : place + 2], last=place == len(coded.cuts))
        return self._names[coded], names

    def paired(self, term: Cells) -> tuple[str, list[str]]:
        """The field that holds the cell of a pair, by a table of both codes."""
        sizes = [max(groups) + 1 for groups in term.groups]
        names = [f"cell{place}" for place in range(len(term.values))]
        key = (term.coded, term.groups)
        if key not in self._names:
            sides = [self._side(coded) for coded in term.coded]
            made = self._new(key, " with ".join(term.columns), "categorical", "string")
            table = SubElement(made, "MapValues", outputColumn="cell", dataType="string")
            for which, (field, _) in zip("ab", sides, strict=True):
                SubElement(table, "FieldColumnPair", field=field, column=which)
            rows = SubElement(table, "InlineTable")
            for one, first in zip(sides[0][1], term.groups[0], strict=True):
                for other, second in zip(sides[1][1], term.groups[1], strict=True):
                    row = SubElement(rows, "row")
                    cell = names[first * sizes[1] + second]
                    for tag, text in (("a", one), ("b", other), ("cell", cell)):
                        SubElement(row, tag).text = text
        return self._names[key], names

    def _side(self, coded: Coded) -> tuple[str, list[str]]:
        """A column's code with a name for missing, too: a table of values has no row for what is missing."""
        field, values = self.binned(coded)
        codes = [f"code{place}" for place in range(len(values))]
        key = ("side", coded)
        if key not in self._names:
            made = self._new(key, f"{field} or missing", "categorical", "string")
            table = SubElement(
                made, "MapValues", outputColumn="code", dataType="string", mapMissingTo="missing"
            )
            SubElement(table, "FieldColumnPair", field=field, column="value")
            rows = SubElement(table, "InlineTable")
            column = self.form.schema[coded.column]
            gone = self._stand_in(column) if isinstance(column, Category) else []
            for value, code in zip([*values, *gone], [*codes, *("missing" for _ in gone)], strict=True):
                row = SubElement(rows, "row")
                SubElement(row, "value").text = value
                SubElement(row, "code").text = code
        return self._names[key], [*codes, "missing"]

    def known(self, name: str) -> str:
        """A field that has the one value ``known`` where a number is there."""
        key = ("known", name)
        if key not in self._names:
            made = self._new(key, f"{name} is known", "categorical", "string")
            cut = SubElement(made, "Discretize", field=text_of(name))
            column = self.form.number(name)
            _interval(cut, "known", column.low, column.high, last=True)
        return self._names[key]

    def _new(self, key: object, name: str, optype: str, kind: str) -> Element:
        name = text_of(name)
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        self._names[key] = name
        return SubElement(self.derived, "DerivedField", name=name, optype=optype, dataType=kind)


def _interval(parent: Element, name: str, low: float, high: float, *, last: bool) -> None:
    held = SubElement(parent, "DiscretizeBin", binValue=name)
    interval = SubElement(held, "Interval", closure="closedClosed" if last else "closedOpen")
    interval.attrib |= {"leftMargin": number_text(low), "rightMargin": number_text(high)}


def _replaced(value: str) -> dict[str, str]:
    return {"missingValueReplacement": value, "missingValueTreatment": "asValue"}
