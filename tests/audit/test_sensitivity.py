"""The sensitivity search finds what is there, by itself, and nothing that is not."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import pytest

from privet.audit import climb, search_statistic, worst_neighbours
from privet.schema import Category, Number, Schema, Unit
from privet.stats import Contingency, Moments, Sensitivity

PUBLISHED = math.exp(-2 / 3)  # of the p-value, for as many cases as controls: WRONG

SCHEMA = Schema(
    (Number("x", -2, 4), Category("colour", ("red", "blue"), other="other"), Category("ill", ("no", "yes"))),
    target="ill",
)
STATISTICS = {
    "class counts": Contingency(None, "ill"),
    "category": Contingency("colour", "ill"),
    "bins": Contingency("x", "ill", (0.0, 1.0)),
    "moments": Moments("x", "ill"),
}
UNITS = {
    "add_remove": Unit(),
    "replace": Unit("replace"),
    "persons": Unit(id="who", most=2),
    "persons replaced": Unit("replace", id="who", most=2),
}


def chi_square(table):
    """Of a table of genotypes: three counts of cases, three of controls."""
    groups = (table[:3], table[3:])
    sizes = [sum(group) for group in groups]
    total = sum(sizes)
    result = 0.0
    for column in range(3):
        together = groups[0][column] + groups[1][column]
        for group, size in zip(groups, sizes, strict=True):
            if together:
                expected = together * size / total
                result += (group[column] - expected) ** 2 / expected
    return result


def p_value(table):
    """With two degrees of freedom."""
    return math.exp(-chi_square(table) / 2)


def one_genotype_changed(table):
    """Neighbours within a group: the sizes of the groups are public."""
    for group in (0, 3):
        for out, into in itertools.permutations(range(3), 2):
            if table[group + out]:
                other = list(table)
                other[group + out] -= 1
                other[group + into] += 1
                yield tuple(other)


def splits(size):
    return [(a, b, size - a - b) for a in range(size + 1) for b in range(size + 1 - a)]


def all_tables(cases, controls):
    return [one + other for one, other in itertools.product(splits(cases), splits(controls))]


def chi_square_sensitivity(cases, controls):
    total = cases + controls
    return total**2 / (cases * controls) * (1 - 1 / (max(cases, controls) + 1))


def test_the_published_sensitivity_of_the_p_value_is_refuted_by_exhaustion():
    worst = worst_neighbours(p_value, all_tables(10, 10), one_genotype_changed, declared=PUBLISHED)
    assert worst.exceeded
    assert worst.distance >= 0.5175
    assert abs(p_value(worst.pair[0]) - p_value(worst.pair[1])) == worst.distance
    assert "too small" in worst.text()


def test_the_printed_counterexample():
    moved = abs(p_value((0, 2, 8, 2, 1, 7)) - p_value((1, 1, 8, 2, 1, 7)))
    assert moved == pytest.approx(0.5175, abs=1e-4)
    assert moved > PUBLISHED


def test_the_published_sensitivity_is_refuted_by_climbing_where_tables_are_too_many():
    def start(generator):
        # Uneven tables too: rare genotypes are where p-values jump.
        shares = generator.dirichlet([0.3] * 3)
        return tuple(int(n) for _ in range(2) for n in generator.multinomial(60, shares))

    worst = climb(p_value, start, one_genotype_changed, declared=PUBLISHED, starts=15, steps=120)
    assert worst.exceeded
    assert worst.distance < 1 - math.exp(-chi_square_sensitivity(60, 60) / 2)


@pytest.mark.parametrize(("cases", "controls"), [(3, 3), (6, 6), (4, 7), (8, 3), (9, 9)])
def test_the_provable_bound_holds_and_the_one_of_chi_square_is_attained(cases, controls):
    tables = all_tables(cases, controls)
    declared = chi_square_sensitivity(cases, controls)
    exact = worst_neighbours(chi_square, tables, one_genotype_changed, declared=declared)
    assert exact.distance == pytest.approx(declared)
    bound = 1 - math.exp(-declared / 2)
    assert not worst_neighbours(p_value, tables, one_genotype_changed, declared=bound).exceeded


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("statistic", STATISTICS.values(), ids=STATISTICS)
def test_statistics_attain_their_sensitivity_and_do_not_exceed_it(statistic, unit):
    worst = search_statistic(statistic, SCHEMA, unit=unit, records=1, starts=1, steps=1)
    assert not worst.exceeded, worst.text()
    assert worst.distance == pytest.approx(1)


@dataclass(frozen=True)
class Understated(Moments):
    """WRONG: a tenth less than the truth."""

    def norms(self, schema):
        true = super().norms(schema)
        return Sensitivity(true.l1 * 9 // 10, true.squared_l2)


@dataclass(frozen=True)
class ForgetsPersons(Contingency):
    """WRONG: the sensitivity of one record, whatever the unit of privacy."""

    def sensitivity(self, schema, unit=None):
        return super().sensitivity(replace(schema, unit=Unit()))


def test_understated_sensitivities_are_found():
    assert search_statistic(Understated("x", "ill"), SCHEMA, records=0, starts=1, steps=1).exceeded
    for unit in ("replace", "persons"):
        worst = search_statistic(
            ForgetsPersons("colour", "ill"), SCHEMA, unit=UNITS[unit], records=1, starts=1, steps=1
        )
        assert worst.distance >= 2
