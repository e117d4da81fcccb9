"""What each kind of form computes, as operations of ONNX: a row of numbers for each record."""

from __future__ import annotations

import numpy as np

from privet.exchange.form import Bell, Cells, RuleParts, Slope, Sum, Term, TreeForm
from privet.exchange.onnx_graph import Graph
from privet.learning.additive.classes import HELD_TO
from privet.schema import Category
from privet.stats import Coded
from privet.stats.conditions import Condition, OneOf

__all__ = ["part_of", "probabilities", "rows_of_sum"]


def rows_of_sum(graph: Graph, body: Sum) -> str:
    """Start and terms, added up in the order in which Privet adds them."""
    first = graph.form.inputs[0].name
    records = graph.op("Shape", graph.raw(first))
    shape = graph.op("Concat", records, graph.whole(len(body.start)), axis=0)
    total = graph.op("Expand", graph.constant(body.start[None, :]), shape)
    for term in body.terms:
        total = graph.op("Add", total, _term(graph, term))
    return total


def _term(graph: Graph, term: Term) -> str:
    if isinstance(term, Cells):
        return graph.op("Gather", graph.constant(np.ascontiguousarray(term.values)), _cell(graph, term))
    z = graph.scaled(term.column)
    if isinstance(term, Slope):
        return graph.op("Mul", z, graph.constant(np.ascontiguousarray(term.weights[None, :])))
    return _bell(graph, term, z)


def _cell(graph: Graph, term: Cells) -> str:
    cell = ""
    for coded, groups in zip(term.coded, term.groups, strict=True):
        own = graph.codes(coded)
        if groups != tuple(range(len(groups))):
            own = graph.op("Gather", graph.whole(*groups), own)
        size = max(groups) + 1
        cell = graph.op("Add", graph.op("Mul", cell, graph.whole(size)), own) if cell else own
    return cell or graph.whole(0)


def _bell(graph: Graph, term: Bell, z: str) -> str:
    off = graph.op("Sub", z, graph.constant(term.mean[None, :].copy()))
    over = graph.op("Div", graph.op("Mul", off, off), graph.constant(term.variance[None, :].copy()))
    both = graph.op("Add", over, graph.constant(np.log(term.variance)[None, :]))
    missing = graph.op("Unsqueeze", graph.missing(term.column), graph.whole(1))
    return graph.op("Where", missing, graph.real(0.0), graph.op("Mul", both, graph.real(-0.5)))


def probabilities(graph: Graph, body: Sum, scores: str) -> str:
    """The class probabilities that the sums stand for."""
    p = graph.op("Softmax", scores, axis=1)
    if body.link == "softmax":
        return p
    # learning.additive.classes.own_probabilities
    rest = graph.op("Div", graph.op("Sub", graph.real(1.0), p), graph.real(HELD_TO))
    own = graph.op("Mul", p, graph.op("Max", rest, graph.real(1.0)))
    return graph.op("Div", own, graph.op("ReduceSum", own, graph.whole(1), keepdims=1))


def part_of(graph: Graph, body: RuleParts | TreeForm) -> str:
    """The part that each record is in."""
    return _first_rule(graph, body) if isinstance(body, RuleParts) else _leaf(graph, body)


def _start(graph: Graph, number: int) -> str:
    """The same whole number for each record."""
    return graph.op("Expand", graph.whole(number), graph.op("Shape", graph.raw(graph.form.inputs[0].name)))


def _first_rule(graph: Graph, body: RuleParts) -> str:
    part = _start(graph, len(body.rules))
    for place in reversed(range(len(body.rules))):
        holds = ""
        for condition in body.rules[place]:
            own = _holds(graph, condition)
            holds = graph.op("And", holds, own) if holds else own
        part = graph.op("Where", holds, graph.whole(place), part) if holds else _start(graph, place)
    return part


def _holds(graph: Graph, condition: Condition) -> str:
    column = graph.form.schema[condition.column]
    if isinstance(condition, OneOf):
        if not isinstance(column, Category):
            wanted = graph.constant(np.array(None in condition.values))
            return graph.op("And", graph.missing(column.name), wanted)
        table = np.zeros(column.size + 1, bool)
        for value in condition.values:
            table[column.size if value is None else column.labels.index(value)] = True
        return graph.op("Gather", graph.constant(table), graph.codes(Coded(column.name)))
    true = graph.op("Not", graph.missing(column.name))
    number = graph.clamped(column.name)
    if condition.low is not None:
        true = graph.op("And", true, graph.op("GreaterOrEqual", number, graph.real(condition.low)))
    if condition.high is not None:
        kind = "Less" if condition.below else "LessOrEqual"
        true = graph.op("And", true, graph.op(kind, number, graph.real(condition.high)))
    return true


def _leaf(graph: Graph, body: TreeForm) -> str:
    """The leaf of each record: a step down for each level, by tables; a leaf leads to itself."""
    nodes = body.parts.nodes
    asked = list(dict.fromkeys(node.coded for node in nodes if node))
    if not asked:
        return _start(graph, 0)
    width = max(each.size(graph.form.schema) for each in asked)
    asks = [asked.index(node.coded) if node else 0 for node in nodes]
    below = np.tile(np.arange(len(nodes))[:, None], (1, width))
    depth = np.zeros(len(nodes), int)
    for place, node in enumerate(nodes):
        if node:
            below[place, : len(node.children)] = node.children
            depth[list(node.children)] = depth[place] + 1
    columns = [graph.op("Unsqueeze", graph.codes(each), graph.whole(1)) for each in asked]
    codes = columns[0] if len(columns) == 1 else graph.op("Concat", *columns, axis=1)
    question, table = graph.whole(*asks), graph.whole(*below.ravel().tolist())
    at = _start(graph, 0)
    for _ in range(int(depth.max())):
        which = graph.op("Unsqueeze", graph.op("Gather", question, at), graph.whole(1))
        code = graph.op("Reshape", graph.op("GatherElements", codes, which, axis=1), graph.whole(-1))
        cell = graph.op("Add", graph.op("Mul", at, graph.whole(width)), code)
        at = graph.op("Gather", table, cell)
    places = np.zeros(len(nodes), np.int64)
    places[body.parts.leaves] = np.arange(len(body.parts.leaves))
    return graph.op("Gather", graph.constant(places), at)
