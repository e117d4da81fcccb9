"""Conditions chosen all at once, and private cuts; with PLANTED WRONG VERSIONS of them, for tests only."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest

from privet.audit import Pair
from privet.learning.classify import OneR, RuleMiner, one_r, rule_growing
from privet.schema import Schema
from privet.stats import proved
from privet.stats.choices.intervals import IntervalsCorrect
from privet.stats.choices.joint import JointCorrect

CATEGORIES = Schema.of({"smoker": [0, 1], "cough": [0, 1], "ill": [0, 1]}, target="ill")
NUMBERS = Schema.of({"smoker": (0.0, 1.0), "cough": (0.0, 1.0), "ill": [0, 1]}, target="ill")
# Both attributes are right equally often, until one record more breaks the tie.
ILL = [(1, 1, 1)] * 16 + [(1, 0, 1), (0, 1, 1)] * 4
TIE = ILL + [(1 - a, 1 - b, 1 - c) for a, b, c in ILL]
BREAKS = (1, 0, 1)


def pairs(schema):
    kinds = [pa.float64() if hasattr(column, "low") else pa.int64() for column in schema.columns]
    one, other = (
        pa.table(
            {
                name: pa.array([row[j] for row in rows], kind)
                for j, (name, kind) in enumerate(zip(schema.names, kinds, strict=True))
            }
        )
        for rows in ([*TIE, BREAKS], TIE)
    )
    return [Pair("a tie, and a record that breaks it", one, other)]


@proved
@dataclass(frozen=True)
class BoldConditions(JointCorrect):
    """WRONG **Spread**: scores that one record moves by 300 where 1 is said. A choice has 300 times the ε."""

    def groups(self, answers, schema):
        return [300 * group for group in super().groups(answers, schema)]


@proved
@dataclass(frozen=True)
class BoldIntervals(IntervalsCorrect):
    """WRONG **Spread**, in the same way."""

    def groups(self, answers, schema):
        return [300 * group for group in super().groups(answers, schema)]


@pytest.mark.parametrize("conditions", ["own", "shared", "together"])
def test_rules_of_every_kind(passed, conditions):
    passed(RuleMiner(schema=CATEGORIES, depth=1, conditions=conditions), pairs=pairs(CATEGORIES), runs=1_000)


# A tie is broken either way by chance, and with one record more hardly ever wrongly.


def test_conditions_chosen_too_boldly(caught, monkeypatch):
    monkeypatch.setattr(rule_growing, "JointCorrect", BoldConditions)
    caught(RuleMiner(schema=CATEGORIES, depth=1, conditions="together"), pairs=pairs(CATEGORIES), runs=3_000)


def test_private_cuts(passed):
    passed(OneR(schema=NUMBERS, cuts="private", grid=4), pairs=pairs(NUMBERS), runs=600)


def test_an_attribute_chosen_too_boldly_before_it_is_cut(caught, monkeypatch):
    monkeypatch.setattr(one_r, "IntervalsCorrect", BoldIntervals)
    caught(OneR(schema=NUMBERS, cuts="private", grid=4), pairs=pairs(NUMBERS), runs=3_000)
