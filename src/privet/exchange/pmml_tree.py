"""A partition as PMML's TreeModel: rules become a tree of one level, in which the first that holds is taken.

A comparison with a missing value is false (``missingValueStrategy="none"``), as conditions are in Privet.
"""

from __future__ import annotations

from itertools import groupby
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from privet.exchange.form import Form, RuleParts, TreeForm
from privet.exchange.pmml_fields import Fields, number_text, text_of
from privet.exchange.pmml_regression import outputs
from privet.schema import Category
from privet.stats import Coded
from privet.stats.conditions import Between, Condition, OneOf

__all__ = ["tree"]


def tree(parent: Element, form: Form, body: RuleParts | TreeForm) -> None:
    """The model element, with its nodes."""
    fields = Fields(form)
    fields.dictionary(parent)
    model = SubElement(parent, "TreeModel", modelName="privet", functionName="classification")
    model.attrib |= {
        "missingValueStrategy": "none",
        "noTrueChildStrategy": "returnLastPrediction",
        "splitCharacteristic": "multiSplit",
    }
    fields.mining_schema(model)
    outputs(model, form, held=False)
    writer = _Nodes(form)
    if isinstance(body, RuleParts):
        writer.rules(model, body)
    else:
        writer.tree(model, body)


class _Nodes:
    """Writes nodes and counts them."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.count = 0

    def rules(self, parent: Element, body: RuleParts) -> None:
        root = self._node(parent, body.shares[-1])
        SubElement(root, "True")
        self._distribution(root, body.shares[-1])
        for conditions, shares in zip(body.rules, body.shares, strict=False):
            node = self._node(root, shares)
            _all([self._condition(condition) for condition in conditions], node)
            self._distribution(node, shares)

    def tree(self, parent: Element, body: TreeForm) -> None:
        leaf = {node: place for place, node in enumerate(body.parts.leaves)}
        nodes = body.parts.nodes

        def below(place: int) -> NDArray[np.float64]:
            """The shares of a node: a leaf's own, or, for readers who stop there, its last leaf's."""
            node = nodes[place]
            return body.shares[leaf[place]] if node is None else below(node.children[-1])

        def write(parent: Element, place: int, predicate: Element) -> None:
            shares = below(place)
            made = self._node(parent, shares)
            made.append(predicate)
            self._distribution(made, shares)
            node = nodes[place]
            if node is None:
                return
            for child in dict.fromkeys(node.children):
                codes = [code for code, to in enumerate(node.children) if to == child]
                write(made, child, self._codes(node.coded, codes))

        write(parent, 0, Element("True"))

    def _node(self, parent: Element, shares: NDArray[np.float64]) -> Element:
        assert self.form.classes is not None
        score = text_of(self.form.classes[int(np.log(shares).argmax())])
        self.count += 1
        return SubElement(parent, "Node", id=str(self.count), score=score, recordCount="1")

    def _distribution(self, node: Element, shares: NDArray[np.float64]) -> None:
        assert self.form.classes is not None
        for label, share in zip(self.form.classes, shares, strict=True):
            held = SubElement(node, "ScoreDistribution", value=text_of(label))
            held.attrib |= {"recordCount": number_text(share), "probability": number_text(share)}

    def _codes(self, coded: Coded, codes: list[int]) -> Element:
        """Whether a record's code is one of these."""
        column = self.form.schema[coded.column]
        last = coded.size(self.form.schema) - 1
        missing = last in codes
        if isinstance(column, Category):
            values = tuple(column.labels[code] for code in codes if code != last)
            return self._condition(OneOf(column.name, (*values, None) if missing else values))
        edges = [None, *coded.cuts, None]
        runs = _runs([code for code in codes if code != last])
        found = [self._condition(Between(column.name, edges[a], edges[b + 1], below=True)) for a, b in runs]
        if missing:
            found.append(_simple(column.name, "isMissing"))
        return _compound("or", found)

    def _condition(self, condition: Condition) -> Element:
        name = condition.column
        column = self.form.schema[name]
        if isinstance(condition, OneOf):
            values = (
                [text_of(v) for v in condition.values if v is not None]
                if isinstance(column, Category)
                else []
            )
            found = [_is_in(name, values)] if values else []
            if None in condition.values:
                found.append(_simple(name, "isMissing"))
            return _compound("or", found)
        found = []
        if condition.low is not None:
            found.append(_simple(name, "greaterOrEqual", number_text(condition.low)))
        if condition.high is not None:
            kind = "lessThan" if condition.below else "lessOrEqual"
            found.append(_simple(name, kind, number_text(condition.high)))
        return _compound("and", found or [_simple(name, "isNotMissing")])


def _runs(codes: list[int]) -> list[tuple[int, int]]:
    """Neighbouring codes as runs.

    >>> _runs([0, 1, 2, 5])
    [(0, 2), (5, 5)]
    """
    told = []
    for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0]):
        own = [code for _, code in run]
        told.append((own[0], own[-1]))
    return told


def _simple(name: str, operator: str, value: str | None = None) -> Element:
    held = Element("SimplePredicate", field=text_of(name), operator=operator)
    if value is not None:
        held.set("value", value)
    return held


def _is_in(name: str, values: list[str]) -> Element:
    if len(values) == 1 or any(sign in value for value in values for sign in '"\\'):
        # Readers differ in how they unquote a list.
        return _compound("or", [_simple(name, "equal", value) for value in values])
    held = Element("SimpleSetPredicate", field=text_of(name), booleanOperator="isIn")
    quoted = " ".join(f'"{value}"' for value in values)
    SubElement(held, "Array", type="string", n=str(len(values))).text = quoted
    return held


def _compound(operator: str, found: list[Element]) -> Element:
    if not found:
        return Element("False")
    if len(found) == 1:
        return found[0]
    held = Element("CompoundPredicate", booleanOperator=operator)
    held.extend(found)
    return held


def _all(found: list[Element], node: Element) -> None:
    node.append(_compound("and", found) if found else Element("True"))
