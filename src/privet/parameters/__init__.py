"""PARAMETERS, declared once, of algorithms and use cases: forms, options and checks follow from them."""

from privet.parameters.declared import (
    Bins,
    Confidence,
    Delta,
    Epsilon,
    Parameter,
    Records,
    Seed,
    parameters_of,
    validate,
    with_parameters,
)
from privet.parameters.json_schema import json_schema
from privet.parameters.markers import (
    Alias,
    Argument,
    ColumnOf,
    Consent,
    File,
    IfAlgorithm,
    IfTaken,
    Named,
    OfAlgorithm,
    When,
)

__all__ = [
    "Alias",
    "Argument",
    "Bins",
    "ColumnOf",
    "Confidence",
    "Consent",
    "Delta",
    "Epsilon",
    "File",
    "IfAlgorithm",
    "IfTaken",
    "Named",
    "OfAlgorithm",
    "Parameter",
    "Records",
    "Seed",
    "When",
    "json_schema",
    "parameters_of",
    "validate",
    "with_parameters",
]
