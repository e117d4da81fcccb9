"""The selector as a whole, with every score; and PLANTED WRONG VERSIONS of it, for tests only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pytest

from privet.audit import Pair
from privet.schema import Schema, Unit
from privet.selection import SelectKBest
from privet.stats import proved
from privet.stats.association import Association, Chi2

SIZE = 12  # records of each class
SCHEMA = Schema.of(
    {"first": [0, 1, 2], "second": [0, 1, 2], "ill": [0, 1]},
    target="ill",
    unit=Unit("replace"),
    missing="error",
)
ALL_SAME, ALL_APART = [0] * (2 * SIZE), [0] * SIZE + [2] * SIZE


def table(first):
    return pa.table({"first": first, "second": [0, 1] * SIZE, "ill": [0] * SIZE + [1] * SIZE})


def exchanged(first, place, value):
    return table([value if j == place else old for j, old in enumerate(first)])


# A record changes its value and stays in its class, where scores are lowest and where they are highest.
PAIRS = [
    Pair("a perfect attribute, and all but one", table(ALL_APART), exchanged(ALL_APART, 0, 2)),
    Pair("a constant attribute, and all but one", table(ALL_SAME), exchanged(ALL_SAME, 0, 2)),
    Pair("one value of a perfect attribute, another", table(ALL_APART), exchanged(ALL_APART, SIZE, 1)),
]
SCORES = ["majority", "mutual_information", "chi2", "p_value", "distance", "odds_ratio", "allelic", "trend"]


def selector(**how):
    return SelectKBest(**({"schema": SCHEMA, "epsilon": 2.0, "public_class": True} | how))


@pytest.mark.parametrize("score", SCORES)
def test_every_score(passed, score):
    passed(selector(criterion=score), pairs=PAIRS, runs=400, search_runs=8)


@pytest.mark.parametrize("mechanism", ["exponential", "laplace"])
def test_every_mechanism(passed, mechanism):
    passed(selector(mechanism=mechanism), pairs=PAIRS, runs=400, search_runs=8)


def test_the_gaussian_form(passed):
    passed(selector(mechanism="gaussian", delta=1e-3), pairs=PAIRS, runs=400, search_runs=8)


@proved
@dataclass(frozen=True)
class SmallSensitivity(Chi2):
    """WRONG **Sensitivity**: a tenth of what one record does. The true ε is some ten times the claim."""

    def sensitivity(self, sizes, values):
        return super().sensitivity(sizes, values) * Fraction(1, 10)


class SmallNoise(SelectKBest):
    def _scorer(self):
        return SmallSensitivity()


class ExactValues(SelectKBest):
    """WRONG: the value of what was chosen is the exact score, overheard where it is computed."""

    def _fit(self, curator):
        super()._fit(curator)
        self.peek_ = overheard[-1].scores.copy()


overheard = []


def test_a_sensitivity_that_is_too_small(caught):
    caught(SmallNoise(schema=SCHEMA, epsilon=2.0, public_class=True), pairs=PAIRS, runs=3_000)


def test_exact_scores_kept_beside_the_choice(caught, monkeypatch):
    right = Association.judge

    def judge(self, groups, unit, records=None):
        overheard.append(right(self, groups, unit, records))
        return overheard[-1]

    monkeypatch.setattr(Association, "judge", judge)
    caught(ExactValues(schema=SCHEMA, epsilon=2.0), pairs=PAIRS, runs=1_500)
