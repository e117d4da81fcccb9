"""The sensitivities of the scores, against every pair of neighbours of small tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from privet.schema import Unit
from privet.stats.association import (
    Allelic,
    Chi2,
    Majority,
    MutualInformation,
    OddsRatio,
    PValue,
    Trend,
    alleles,
)
from privet.stats.association.alleles import trend_sensitivity
from privet.stats.association.base import FIXED
from tests.selection.tables import all_tables, changes

SIZES = [(3, 4), (5, 5), (6, 2), (1, 6), (7, 4)]


def largest_change(score, tables):
    place = {table.tobytes(): number for number, table in enumerate(tables)}
    values = np.asarray(score.evaluate(tables), float)
    worst = 0.0
    for moved, there in changes(tables):
        others = [place[moved[i].tobytes()] for i in there]
        worst = max(worst, float(np.abs(values[there] - values[others]).max()))
    return worst


@pytest.mark.parametrize("score", [Chi2(), Allelic(), Trend(), PValue()], ids=lambda s: s.what)
@pytest.mark.parametrize("sizes", SIZES)
def test_sensitivity_is_exactly_attained(score, sizes):
    worst = largest_change(score, all_tables(sizes, 3))
    assert float(score.sensitivity(sizes, 3)) == pytest.approx(worst, rel=1e-6)
    assert float(score.sensitivity(sizes, 3)) >= worst - 1e-12


@pytest.mark.parametrize("sizes", [(3, 4), (8, 5), (12, 12)])
def test_two_values(sizes):
    worst = largest_change(Chi2(), all_tables(sizes, 2))
    assert float(Chi2().sensitivity(sizes, 2)) == pytest.approx(worst)
    assert float(PValue().sensitivity(sizes, 2)) >= largest_change(PValue(), all_tables(sizes, 2))


@pytest.mark.parametrize(
    ("sizes", "values"), [((2, 2, 3), 3), ((1, 3, 2), 3), ((2, 3), 4), ((1, 2, 2, 1), 2)]
)
def test_any_number_of_classes_and_values(sizes, values):
    tables = all_tables(sizes, values)
    for score in (Chi2(), PValue(), MutualInformation(), Majority()):
        assert float(score.sensitivity(sizes, values)) >= largest_change(score, tables) - 1e-9, score.what


def test_mutual_information_and_majority_when_the_class_changes_too():
    """Full ``replace``: a record may also leave its class."""
    for records, classes, values in [(6, 2, 2), (5, 2, 3), (4, 3, 3), (7, 2, 2)]:
        cells = classes * values
        flat = np.array([c for c in product(range(records + 1), repeat=cells) if sum(c) == records], np.int64)
        tables = flat.reshape(-1, classes, values)
        close = np.abs(flat[:, None, :] - flat[None, :, :]).sum(axis=2) == 2
        for score in (MutualInformation(), Majority()):
            found = np.asarray(score.evaluate(tables), float)
            worst = np.abs(found[:, None] - found[None, :])[close].max()
            bound = float(score.sensitivity((records, 0), values))
            assert worst <= bound + 1e-12
            if isinstance(score, MutualInformation) and classes == values == 3:
                assert worst > 0.5 * bound  # it is not far off


def test_mutual_information_when_a_record_gets_or_loses_its_class():
    """A record without a class is in no table; the bound is for the number of all records."""
    for records, classes, values in [(6, 2, 2), (5, 2, 3), (3, 3, 3)]:
        cells = classes * values
        flat = np.array([c for c in product(range(records + 1), repeat=cells) if sum(c) <= records], np.int64)
        found = MutualInformation().evaluate(flat.reshape(-1, classes, values))
        apart = flat[:, None, :] - flat[None, :, :]
        close = (np.abs(apart).sum(axis=2) <= 2) & (np.abs(apart.sum(axis=2)) <= 1)
        worst = np.abs(found[:, None] - found[None, :])[close].max()
        assert worst <= float(MutualInformation().sensitivity((records,), values)) + 1e-12


def test_majority_is_monotonic_when_records_are_added():
    tables = all_tables((3, 4), 3)
    for group, value in product(range(2), range(3)):
        more = tables.copy()
        more[:, group, value] += 1
        change = Majority().evaluate(more) - Majority().evaluate(tables)
        assert set(change.tolist()) == {0, 1}


@pytest.mark.parametrize("size", [5, 10, 40])
def test_published_p_value_sensitivity_is_refuted(size):
    before = np.array([[size - 1, 1, 0], [size - 1, 0, 1]])
    after = np.array([[size - 1, 0, 1], [size - 1, 0, 1]])
    p = 1 - PValue().evaluate(np.stack([before, after]))
    assert p == pytest.approx([np.exp(-1), 1])
    assert abs(p[0] - p[1]) > np.exp(-2 / 3)
    assert float(PValue().sensitivity((size, size), 3)) >= 1 - np.exp(-1)


def test_values_equal_scipy():
    generator = np.random.default_rng(0)
    for shape in ((2, 3), (3, 4), (2, 2), (5, 2)):
        table = generator.integers(1, 40, shape)
        expected = chi2_contingency(table, correction=False)
        assert Chi2().evaluate(table[None])[0] == pytest.approx(expected.statistic)
        assert 1 - PValue().evaluate(table[None])[0] == pytest.approx(expected.pvalue)
        information = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic / 2
        assert MutualInformation().evaluate(table[None])[0] == pytest.approx(information)
    monomorphic = np.array([[[9, 0, 0], [7, 0, 0]]])
    for score in (Chi2(), Allelic(), Trend(), MutualInformation(), PValue()):
        assert score.evaluate(monomorphic)[0] == pytest.approx(0)


@pytest.mark.parametrize(
    "score", [Chi2(), Allelic(), Trend(), PValue(), MutualInformation()], ids=lambda s: s.what
)
def test_fixed_point_keeps_the_sensitivity(score):
    tables = all_tables((5, 5), 3)
    judged = score.judge([tables], Unit("replace"))
    place = {table.tobytes(): number for number, table in enumerate(tables)}
    for moved, there in changes(tables):
        others = [place[moved[i].tobytes()] for i in there]
        assert np.abs(judged.scores[there] - judged.scores[others]).max() <= judged.sensitivity
        assert np.abs(judged.values[there] - judged.values[others]).max() <= judged.l1
    assert judged.scale == FIXED


def test_what_an_odds_ratio_releases():
    tables = all_tables((5, 4), 3)
    judged = OddsRatio(tau=0.2).judge([tables], Unit("replace"))
    place = {table.tobytes(): number for number, table in enumerate(tables)}
    assert judged.sensitivity == 1
    for moved, there in changes(tables):
        others = [place[moved[i].tobytes()] for i in there]
        moves = np.abs(judged.values[there] - judged.values[others])
        assert moves.sum(axis=1).max() <= judged.l1 == 2
        assert (moves**2).sum(axis=1).max() <= judged.squared_l2 == 4


@pytest.mark.parametrize("sizes", [*SIZES, (2, 9), (9, 9), (12, 5), (40, 40), (30, 200)])
def test_the_bound_of_the_trend_test_holds_and_is_approached(sizes, monkeypatch):
    exact = float(trend_sensitivity(sizes))
    monkeypatch.setattr(alleles, "MOST_RECORDS", 0)
    bound = float(trend_sensitivity.__wrapped__(sizes))
    assert bound >= exact
    if min(sizes) >= 30:
        assert bound < 1.15 * exact


def test_the_trend_test_has_a_sensitivity_for_groups_of_any_size():
    assert trend_sensitivity((200_000, 100_000)) == 18
    assert float(trend_sensitivity((1500, 1500))) <= 16


def test_the_line_through_genotypes_stays_within_its_bounds():
    """The heart of the bound's proof: a least-squares line of 0 and 1 on 0, 1, 2 stays in [−1, 2]."""
    draw = np.random.default_rng(0)
    lowest, highest = 1.0, 0.0
    for _ in range(2000):
        counts = draw.integers(0, 5, (2, 3))
        genotype = np.repeat(np.tile(np.arange(3), 2), counts.ravel())
        group = np.repeat([1.0, 0.0], counts.sum(axis=1))
        if len(set(genotype)) < 2:
            continue
        slope, start = np.polyfit(genotype, group, 1)
        line = start + slope * np.arange(3)
        lowest, highest = min(lowest, line.min()), max(highest, line.max())
    assert -1 - 1e-9 <= lowest < -0.9
    assert 0.9 + 1 < highest <= 2 + 1e-9
