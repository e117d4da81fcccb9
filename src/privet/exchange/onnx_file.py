"""A released model as ONNX: standard operations only, so that every runtime can compute it."""

from __future__ import annotations

from typing import Any

import numpy as np

from privet.exchange.form import Form, Sum
from privet.exchange.metadata import metadata_of
from privet.exchange.onnx_bodies import part_of, probabilities, rows_of_sum
from privet.exchange.onnx_graph import Graph
from privet.exchange.reading import form_of

__all__ = ["to_onnx"]

OPSETS = (("", 17), ("ai.onnx.ml", 3))  # of early 2022: what runtimes in use today can read
IR_VERSION = 8
_TYPES = {"U": 8, "i": 7, "f": 11, "b": 9}


def to_onnx(model: Any) -> bytes:
    """The model as the bytes of an ONNX file: the same bytes for the same model.

    Each column that the model reads is an input of its own, a column vector: a number as 64-bit floats (NaN
    is missing), a category as texts ("" is missing) or, where its whole domain is whole numbers, as 64-bit
    ones. A classifier gives ``label`` and ``probabilities``, a regression ``prediction``. Numbers outside the
    public bounds are clamped, and categories outside the domain count as missing (or as ``other``), as in
    Privet. The guarantee is in the metadata.
    """
    form = form_of(model)
    graph = Graph(form)
    outputs = [_number(graph, form)] if form.classes is None else _classes(graph, form)
    return _bytes(graph, outputs, metadata_of(model))


def _number(graph: Graph, form: Form) -> Any:
    assert isinstance(form.body, Sum)
    total = rows_of_sum(graph, form.body)
    target = form.number(form.target.name)
    clipped = graph.op("Clip", total, graph.real(float(target.low)), graph.real(float(target.high)))
    return _named(graph, clipped, "prediction", 11, ["records", 1])


def _classes(graph: Graph, form: Form) -> list[Any]:
    assert form.classes is not None
    if isinstance(form.body, Sum):
        scores = rows_of_sum(graph, form.body)
        chances = probabilities(graph, form.body, scores)
        place = graph.op("ArgMax", chances if form.body.link == "held" else scores, axis=1, keepdims=0)
    else:
        part = part_of(graph, form.body)
        chances = graph.op("Gather", graph.constant(np.ascontiguousarray(form.body.shares)), part)
        place = graph.op("Gather", graph.whole(*form.body.likeliest.tolist()), part)
    classes = np.asarray(form.classes)
    label = graph.op("Gather", graph.constant(classes), place)
    return [
        _named(graph, label, "label", _TYPES[classes.dtype.kind], ["records"]),
        _named(graph, chances, "probabilities", 11, ["records", len(classes)]),
    ]


def _named(graph: Graph, value: str, name: str, kind: int, shape: list[Any]) -> Any:
    """An output; a column may have taken its name, which then gets underscores."""
    from onnx import helper

    while any(column.name == name for column in graph.form.inputs):
        name += "_"
    graph.nodes.append(helper.make_node("Identity", [value], [name], name=f"privet/output/{name}"))
    return helper.make_tensor_value_info(name, kind, shape)


def _bytes(graph: Graph, outputs: list[Any], metadata: dict[str, str]) -> bytes:
    from onnx import checker, helper

    made = helper.make_graph(graph.nodes, "privet", graph.inputs(), outputs, graph.constants)
    model = helper.make_model(
        made,
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in OPSETS],
        ir_version=IR_VERSION,
        producer_name="privet",
        doc_string=metadata["privet_guarantee"],
    )
    for name in sorted(metadata):
        model.metadata_props.add(key=name, value=metadata[name])
    checker.check_model(model)
    written: bytes = model.SerializeToString(deterministic=True)
    return written
