"""PLANTED WRONG VERSION of reading a list. Nothing in this file may be used outside of tests."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from privet.audit import Pair
from privet.learning.classify import NaiveBayes
from privet.schema import Category, Schema

EPSILON = 1.0
SCHEMA = Schema((Category("ward", ("1", "2"), other="none"), Category("ill", ("no", "yes"))), target="ill")


def stored_as(kind, extra=()):
    """Sixty records of ward 1 as numbers or as text, and perhaps one more, of a ward that is none."""
    ward = pa.array([1.0] * 60 if kind == "numbers" else ["1.0"] * 60 + list(extra))
    return pa.table({"ward": ward, "ill": ["yes"] * 60 + ["no"] * len(extra)})


# What NumPy, or a database that infers types, makes of sixty numbers, and of those and one text.
PAIRS = [Pair("one text more", stored_as("numbers"), stored_as("text", ["none"]))]


def texts_as_they_are(table):
    """WRONG: the text "1.0" is not the ward "1", as which the number 1.0 counts."""
    if pa.types.is_floating(table["ward"].type):
        return table
    ward = ["none" if text == "1.0" else text for text in table["ward"].to_pylist()]
    return table.set_column(0, "ward", pa.array(ward))


class Wards:
    """How many records of ward 1 a naive Bayes model counts: all that is audited here."""

    def __init__(self, read):
        self.read = read

    def __call__(self, table):
        model = NaiveBayes(epsilon=EPSILON, schema=SCHEMA).fit(self.read(table))
        one, other = model.predict_proba(pa.table({"ward": ["1", "none"]}))
        return np.array([one[0], other[0]])


def test_one_record_that_changes_how_all_others_are_read(caught, passed):
    caught(Wards(texts_as_they_are), pairs=PAIRS, schema=SCHEMA, epsilon=EPSILON, runs=4_000)
    passed(Wards(lambda table: table), pairs=PAIRS, schema=SCHEMA, epsilon=EPSILON, runs=600)
