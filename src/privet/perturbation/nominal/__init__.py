"""Perturbations of categories: k-anonymity by generalisation and suppression, and randomised response."""

from privet.perturbation.nominal.anonymity import KAnonymity
from privet.perturbation.nominal.groups import Anonymity, measured
from privet.perturbation.nominal.hierarchy import Hierarchy, read_hierarchies
from privet.perturbation.nominal.recoding import Recoding
from privet.perturbation.nominal.response import RandomisedColumns
from privet.perturbation.nominal.text_filter import TextFilter

__all__ = [
    "Anonymity",
    "Hierarchy",
    "KAnonymity",
    "RandomisedColumns",
    "Recoding",
    "TextFilter",
    "measured",
    "read_hierarchies",
]
