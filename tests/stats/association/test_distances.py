"""The distance scores against exhaustive search: every table of small studies, every pair of neighbours."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import DataError, ParameterError
from privet.stats.association.distances import MOST_RECORDS, critical_value, distance_scores
from tests.selection.tables import all_tables, changes


def statistic(table: np.ndarray, test: str) -> Fraction:
    """The textbook's statistic, in fractions."""
    r, s = ([int(n) for n in row] for row in table)
    cases, controls = sum(r), sum(s)
    total = cases + controls
    if test == "genotypic":
        value = Fraction(0)
        for a, b in zip(r, s, strict=True):
            for seen, size in ((a, cases), (b, controls)):
                if a + b:
                    expected = Fraction((a + b) * size, total)
                    value += (seen - expected) ** 2 / expected
        return value
    if test == "allelic":
        alleles = np.array([[2 * r[0] + r[1], r[1] + 2 * r[2]], [2 * s[0] + s[1], s[1] + 2 * s[2]]])
        return statistic(alleles, "genotypic")
    everyone = [(w, 1) for w in range(3) for _ in range(r[w])] + [
        (w, 0) for w in range(3) for _ in range(s[w])
    ]
    mean_w, mean_y = (Fraction(sum(pair[i] for pair in everyone), total) for i in (0, 1))
    between = sum((w - mean_w) * (y - mean_y) for w, y in everyone)
    spread_w, spread_y = (
        sum((pair[i] - mean) ** 2 for pair in everyone) for i, mean in ((0, mean_w), (1, mean_y))
    )
    return (
        Fraction(0) if spread_w == 0 else total * between**2 / (spread_w * spread_y)
    )  # N times the squared correlation


def by_exhaustive_search(tables: np.ndarray, test: str, tau: float) -> np.ndarray:
    critical = Fraction(critical_value(test, tau, tables.shape[2]))
    flags = np.array([statistic(table, test) >= critical for table in tables])
    flat = tables.reshape(len(tables), -1)
    moves = np.abs(flat[:, None, :] - flat[None, :, :]).sum(axis=2) // 2
    nearest = [moves[i][flags != flags[i]].min() for i in range(len(tables))]
    return np.where(flags, nearest, 1 - np.array(nearest))


SIZES = [(3, 4, 0.2), (5, 3, 0.1), (4, 4, 0.05), (5, 5, 0.05), (6, 4, 0.03), (2, 7, 0.5), (5, 5, 0.9)]


@pytest.mark.parametrize("test", ["genotypic", "allelic", "trend"])
@pytest.mark.parametrize(("cases", "controls", "tau"), SIZES)
def test_equal_to_exhaustive_search_and_of_sensitivity_one(test, cases, controls, tau):
    tables = all_tables((cases, controls), 3)
    scores = distance_scores(tables, test, tau)
    np.testing.assert_array_equal(scores, by_exhaustive_search(tables, test, tau))
    flat = tables.reshape(len(tables), -1)
    neighbours = np.abs(flat[:, None, :] - flat[None, :, :]).sum(axis=2) <= 2
    assert np.abs(scores[:, None] - scores[None, :])[neighbours].max() == 1


@pytest.mark.parametrize(
    ("cases", "controls", "tau"), [(6, 9, 0.05), (12, 10, 0.01), (9, 9, 0.5), (15, 4, 0.2)]
)
def test_tables_of_two_rows(cases, controls, tau):
    tables = all_tables((cases, controls), 2)
    np.testing.assert_array_equal(
        distance_scores(tables, "genotypic", tau), by_exhaustive_search(tables, "genotypic", tau)
    )


@pytest.mark.parametrize("test", ["genotypic", "allelic", "trend"])
def test_all_neighbours_of_a_larger_study(test):
    """Too many tables for a search, but not for the sensitivity: every table and every change of it."""
    tables = all_tables((11, 8), 3)
    scores = distance_scores(tables, test, 0.02)
    place = {table.tobytes(): number for number, table in enumerate(tables)}
    for moved, there in changes(tables):
        others = [place[moved[i].tobytes()] for i in there]
        assert np.abs(scores[there] - scores[others]).max() == 1
    assert scores.min() < -1
    assert scores.max() > 1


@settings(max_examples=60, deadline=None)
@given(
    st.data(), st.sampled_from(["genotypic", "allelic", "trend"]), st.sampled_from([0.3, 0.05, 1e-3, 1e-6])
)
def test_one_change_makes_a_difference_of_at_most_one_in_real_studies(data, test, tau):
    cases, controls = data.draw(st.integers(40, 400)), data.draw(st.integers(40, 400))
    table = np.empty((2, 3), np.int64)
    for group, size in enumerate((cases, controls)):
        cut = sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size))))
        table[group] = (cut[0], cut[1] - cut[0], size - cut[1])
    neighbours = [table]
    for group, source, destination in product(range(2), range(3), range(3)):
        if source != destination and table[group, source]:
            moved = table.copy()
            moved[group, source] -= 1
            moved[group, destination] += 1
            neighbours.append(moved)
    scores = distance_scores(np.stack(neighbours), test, tau)
    assert np.abs(scores - scores[0]).max() <= 1
    # Some neighbour is one step nearer to the other kind: a distance that is too small has none.
    if scores[0] not in (0, 1):
        assert (scores == scores[0] + (1 if scores[0] < 0 else -1)).any()


def test_a_threshold_met_exactly_is_significant():
    """χ² of this table is 4 exactly; τ is chosen so that the critical value is the double 4.0."""
    from scipy.stats import chi2

    table = np.array([[[8, 0, 8], [0, 0, 16]]])
    value = statistic(table[0], "genotypic")
    tau = float(chi2.sf(float(value), 2))
    near = [tau * (1 + shift * 1e-13) for shift in (-5, 5)]
    low, high = (distance_scores(table, "genotypic", p)[0] for p in near)
    assert (low, high) == (0, 1)


def test_refusals():
    good = [[[5, 5, 5], [5, 5, 5]]]
    for tau in (0, 1, -1, 2, float("nan")):
        with pytest.raises(ParameterError, match="tau"):
            distance_scores(good, "genotypic", tau)
    with pytest.raises(ParameterError, match="no table is significant"):
        distance_scores(good, "genotypic", 1e-12)
    with pytest.raises(DataError, match="empty"):
        distance_scores([[[0, 0, 0], [5, 5, 5]]])
    with pytest.raises(DataError, match="same cases"):
        distance_scores([[[5, 5, 5], [5, 5, 5]], [[4, 5, 5], [5, 5, 5]]], tau=0.1)
    with pytest.raises(ParameterError, match="up to"):
        distance_scores([[[MOST_RECORDS, 0, 0], [5, 5, 5]]])
    with pytest.raises(ParameterError):
        distance_scores([[[5, 5, 5, 5], [5, 5, 5, 5]]])
    assert distance_scores(np.empty((0, 2, 3))).shape == (0,)
