"""From a released model to its form: one line per algorithm. What has none is refused, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import ModelError
from privet.exchange.form import Bell, Cells, Form, RuleParts, Slope, Sum, Term, TreeForm
from privet.learning.trees import tree_of
from privet.registry import FAMILIES, algorithm, name_of
from privet.stats import Coded
from privet.stats.linear.encoding import Encoding

__all__ = ["form_of"]

Table = NDArray[np.float64]


def form_of(model: Any) -> Form:
    """What a released model computes. Everything in it was released before, so this costs nothing."""
    if not hasattr(model, "guarantee_"):
        raise ModelError(f"This {type(model).__name__} has learned nothing yet.", "Call fit first.")
    model = getattr(model, "best_estimator_", model)  # a choice among algorithms leaves as what was chosen
    name = name_of(model)
    if name not in _READERS:
        family = algorithm(name).family
        why = (
            "keeps learning, and has no final state to hand over"
            if family == "stream"
            else "predicts neither a class nor a number, and the formats have no place for what it makes"
            if family in FAMILIES and family not in ("classify", "regress")
            else "has no counterpart in these formats"
        )
        raise ModelError(
            f"A model of '{name}' {why}.", f"What can leave Privet: {', '.join(sorted(_READERS))}."
        )
    if not model.schema_.attributes:
        raise ModelError("The model has no attribute, and the formats need an input.", "Keep its JSON file.")
    return Form(model.schema_, getattr(model, "classes_", None), _READERS[name](model))


def _naive_bayes(model: Any) -> Sum:
    terms: list[Term] = []
    for name, table in model.tables_.items():
        table = np.asarray(table, float)
        coded = Coded(name, tuple(model.cuts_.get(name, ())))
        terms.append(Cells((coded,), (tuple(range(len(table))),), table))
    for name, (mean, variance) in model.normals_.items():
        terms.append(Bell(name, np.asarray(mean, float), np.asarray(variance, float)))
    return Sum(np.asarray(model.class_log_prior_, float), tuple(terms), "softmax")


def _logistic_regression(model: Any) -> Sum:
    weights = np.hstack([model.intercept_[:, None], model.coef_])
    if len(model.classes_) == 2:
        weights = np.vstack([np.zeros_like(weights), weights])
    return Sum(weights[:, 0], _encoded(model._encoding(model.schema_), weights), "softmax")


def _linear_regression(model: Any) -> Sum:
    weights = np.concatenate([[model.intercept_], model.coef_])[None, :]
    return Sum(weights[:, 0], _encoded(Encoding.of(model.schema_), weights), "number")


def _encoded(encoding: Encoding, weights: Table) -> tuple[Term, ...]:
    """A term for each block of an encoding."""
    terms: list[Term] = []
    for block in encoding.blocks:
        own, name = weights[:, block.place].T, block.column.name
        if block.nominal:
            values = np.vstack([own, np.zeros((1, len(weights)))])
            terms.append(Cells((Coded(name, block.cuts),), (tuple(range(len(values))),), values))
        else:
            terms.append(Slope(name, own[0]))
    return tuple(terms)


def _additive(model: Any) -> Sum:
    classes = getattr(model, "classes_", None)
    one_margin = classes is not None and len(classes) == 2

    def wide(values: Any) -> Table:
        table = np.asarray(values, float)
        return np.concatenate([np.zeros_like(table), table], axis=-1) if one_margin else table

    terms = tuple(
        Cells(
            tuple(Coded(n, tuple(c)) for n, c in zip(shape["columns"], shape["cuts"], strict=True)),
            tuple(tuple(groups) for groups in shape["groups"]),
            wide(shape["values"]),
        )
        for shape in model.shapes_
    )
    return Sum(wide(model.start_), terms, "number" if classes is None else "held")


def _rules(model: Any) -> RuleParts:
    listed = model.rules
    return RuleParts(tuple(rule.conditions for rule in listed.rules), listed.probabilities())


def _tree(model: Any) -> TreeForm:
    return TreeForm(*tree_of(model.nodes_))


_READERS: dict[str, Callable[[Any], Sum | RuleParts | TreeForm]] = {
    "additive-model": _additive,
    "additive-regressor": _additive,
    "decision-tree": _tree,
    "linear-regression": _linear_regression,
    "logistic-regression": _logistic_regression,
    "naive-bayes": _naive_bayes,
    "one-r": _rules,
    "ridge": _linear_regression,
    "rules": _rules,
}
