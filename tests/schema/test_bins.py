"""Where numbers are cut: one rule, whoever asks."""

from __future__ import annotations

import pytest

from privet.audit.inversion.records import Secret
from privet.learning.streams.naive_bayes import StreamingNaiveBayes
from privet.schema import Number, Schema
from privet.schema.bins import public_cuts
from privet.selection import SelectKBest

NUMBERS = [
    Number("few", 0, 3, integer=True),
    Number("many", 0, 100, integer=True),
    Number("real", 0.0, 3.0),
    Number("declared", 0, 3, integer=True, cuts=(2,)),
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)
def test_all_cut_alike(number):
    ill = Schema.of({"ill": ["no", "yes"]})["ill"]
    schema = Schema.of([number, ill], target="ill")
    cuts = public_cuts(number, 8)
    assert SelectKBest(bins=8).tables(schema)[0].cuts == cuts
    assert Secret.of(schema, number.name, 8).cuts == cuts
    stream = StreamingNaiveBayes(schema=schema, bins=8)
    assert len(stream.predict_proba_one({number.name: 1})) == 2
    assert stream.cuts_[number.name] == list(cuts)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)
def test_what_stands_for_a_bin_lies_in_it(number):
    secret = Secret.of(Schema.of([number]), number.name, 8)
    edges = [number.low, *secret.cuts, number.high]
    for stand, low, high in zip(secret.stands, edges[:-1], edges[1:], strict=True):
        assert low <= stand <= high
        assert not number.integer or stand == int(stand)
