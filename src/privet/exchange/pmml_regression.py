"""A sum as PMML's RegressionModel: tables of coefficients, one for each class.

A predictor of a category adds its coefficient where the value is there, and nothing where it is missing. So
the number that a term gives for missing values goes into the intercept, and is taken off all others.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from privet.exchange.form import Bell, Cells, Form, Slope, Sum
from privet.exchange.pmml_fields import Fields, number_text, text_of
from privet.learning.additive.classes import HELD_TO

__all__ = ["regression"]


def regression(parent: Element, form: Form, body: Sum) -> None:
    """The model element, with its fields and tables."""
    fields = Fields(form)
    fields.dictionary(parent)
    model = SubElement(parent, "RegressionModel")
    target = form.target
    model.attrib |= {"modelName": "privet", "targetFieldName": text_of(target.name)}
    if form.classes is None:
        model.attrib |= {"functionName": "regression", "normalizationMethod": "none"}
    else:
        model.attrib |= {"functionName": "classification", "normalizationMethod": "softmax"}
    tables = [Element("RegressionTable") for _ in body.start]
    start = body.start.astype(float).copy()
    numeric: list[list[Element]] = [[] for _ in tables]
    nominal: list[list[Element]] = [[] for _ in tables]
    for term in body.terms:
        start += _add(fields, term, numeric, nominal)
    fields.mining_schema(model)
    if form.classes is None:
        number = form.number(target.name)
        held = SubElement(SubElement(model, "Targets"), "Target", field=text_of(target.name))
        held.attrib |= {
            "optype": "continuous",
            "min": number_text(number.low),
            "max": number_text(number.high),
        }
        if fields.nothing_missing:  # never used, and WEKA takes no bounds without it
            SubElement(held, "TargetValue", defaultValue=number_text(number.midpoint))
    else:
        outputs(model, form, held=body.link == "held")
    if len(fields.derived):
        model.append(fields.derived)
    for place, table in enumerate(tables):
        table.set("intercept", number_text(start[place]))
        if form.classes is not None:
            table.set("targetCategory", text_of(form.classes[place]))
        table.extend([*numeric[place], *nominal[place]])
        model.append(table)


def _add(
    fields: Fields, term: Cells | Slope | Bell, numeric: list[list[Element]], nominal: list[list[Element]]
) -> NDArray[np.float64]:
    """Add a term's predictors; returns what it adds to the intercepts."""
    if isinstance(term, Cells):
        return _cells(fields, term, nominal)
    name = fields.scaled(term.column)
    if isinstance(term, Slope):
        for held, weight in zip(numeric, term.weights, strict=True):
            held.append(_numeric(name, weight))
        return np.zeros(len(numeric))
    known = fields.known(term.column)
    for held, constant, mean, variance in zip(numeric, nominal, term.mean, term.variance, strict=True):
        held.append(_numeric(name, -0.5 / variance, exponent=2))
        held.append(_numeric(name, mean / variance))
        own = -0.5 * (mean**2 / variance + np.log(variance))
        constant.append(_nominal(known, "known", own))
    return np.zeros(len(numeric))


def _cells(fields: Fields, term: Cells, nominal: list[list[Element]]) -> NDArray[np.float64]:
    if len(term.coded) == 1:
        field, values = fields.binned(term.coded[0])
        rows = term.values[list(term.groups[0])]
        base, rows = rows[-1], rows[:-1] - rows[-1]
    else:
        field, values = fields.paired(term)
        base, rows = np.zeros(term.values.shape[1]), term.values
    for value, row in zip(values, rows, strict=True):
        for held, number in zip(nominal, row, strict=True):
            if number:
                held.append(_nominal(field, value, number))
    return np.asarray(base)


def _numeric(name: str, coefficient: float, exponent: int = 1) -> Element:
    return Element(
        "NumericPredictor", name=name, exponent=str(exponent), coefficient=number_text(coefficient)
    )


def _nominal(name: str, value: str, coefficient: float) -> Element:
    return Element("CategoricalPredictor", name=name, value=value, coefficient=number_text(coefficient))


def outputs(model: Element, form: Form, held: bool) -> None:
    """The predicted class and the probability of each; ``held``: corrected, as ``Sum`` says."""
    assert form.classes is not None
    listed = SubElement(model, "Output")
    labels = [text_of(label) for label in form.classes]
    kind = "integer" if form.classes.dtype.kind == "i" else "string"
    name = f"predicted {form.target.name}"
    SubElement(
        listed,
        "OutputField",
        name=text_of(name),
        optype="categorical",
        dataType=kind,
        feature="predictedValue",
    )
    for label in labels:
        field = _output(listed, f"softmax({label})" if held else f"probability({label})", "probability")
        field.set("value", label)
    if not held:
        return
    for label in labels:  # p · max(1, (1 − p) / c), which is then divided by its sum
        field = _output(listed, f"share({label})", "transformedValue")
        whole = SubElement(field, "Apply", function="*")
        SubElement(whole, "FieldRef", field=f"softmax({label})")
        most = SubElement(whole, "Apply", function="max")
        _constant(most, 1.0)
        ratio = SubElement(most, "Apply", function="/")
        rest = SubElement(ratio, "Apply", function="-")
        _constant(rest, 1.0)
        SubElement(rest, "FieldRef", field=f"softmax({label})")
        _constant(ratio, HELD_TO)
    for label in labels:
        field = _output(listed, f"probability({label})", "transformedValue")
        ratio = SubElement(field, "Apply", function="/")
        SubElement(ratio, "FieldRef", field=f"share({label})")
        total = SubElement(ratio, "Apply", function="sum")
        for each in labels:
            SubElement(total, "FieldRef", field=f"share({each})")


def _output(parent: Element, name: str, feature: str) -> Element:
    return SubElement(
        parent, "OutputField", name=name, optype="continuous", dataType="double", feature=feature
    )


def _constant(parent: Element, number: float) -> None:
    SubElement(parent, "Constant", dataType="double").text = number_text(number)
