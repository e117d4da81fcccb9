"""A released model as PMML 4.4: plain XML, with the guarantee in its header."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from privet.exchange.form import Sum
from privet.exchange.metadata import metadata_of
from privet.exchange.pmml_fields import text_of
from privet.exchange.pmml_regression import regression
from privet.exchange.pmml_tree import tree
from privet.exchange.reading import form_of

__all__ = ["to_pmml"]


def to_pmml(model: Any) -> bytes:
    """The model as the bytes of a PMML file: the same bytes for the same model.

    Sums (naive Bayes, regressions, additive models) are a ``RegressionModel``; rules and trees are a
    ``TreeModel``.
    """
    form, metadata = form_of(model), metadata_of(model)
    root = Element("PMML", version="4.4", xmlns="http://www.dmg.org/PMML-4_4")
    header = SubElement(root, "Header", description=text_of(metadata["privet_guarantee"]))
    for name in sorted(metadata):
        SubElement(header, "Extension", extender="privet", name=name, value=text_of(metadata[name]))
    SubElement(header, "Application", name="Privet")
    if isinstance(form.body, Sum):
        regression(root, form, form.body)
    else:
        tree(root, form, form.body)
    indent(root, " ")
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"
