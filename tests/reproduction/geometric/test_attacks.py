"""Every attack breaks the variant that it was made for, whatever is drawn; the ranking is as it should be."""

from __future__ import annotations

import pytest

from reproduction.geometric.attacks import (
    VARIANTS,
    attacked,
    outcomes,
    outcomes_table,
    rankings,
)

SEEDS = range(100, 103)  # others than those of the stored experiment


@pytest.fixture(scope="module")
def reports():
    return {variant.name: [attacked(variant, seed, records=300) for seed in SEEDS] for variant in VARIANTS}


def test_every_attack_breaks_what_it_was_made_for_in_every_draw(reports):
    found = outcomes(reports)
    made_for = [each for each in found if each.made_for]
    assert [(each.variant, each.attack) for each in made_for if each.broken < 1] == []
    assert {each.attack for each in made_for} == {each.attack for each in found}
    formula = [each for each in made_for if "formula" in each.variant]
    assert len(formula) == 14
    assert max(max(each.errors) for each in formula) < 0.01


def test_the_ranking_goes_from_the_formula_to_strong_noise(reports):
    order = [name for name, _, _ in rankings(reports)]
    assert all("formula" in name or "rotation" in name or "without noise" in name for name in order[:5])
    assert order[5] == "little noise, independent columns"
    assert order.index("geometric, noise 0.15, independent columns") < 8
    assert order[-1] == "geometric, noise 0.6, independent columns"


def test_the_table_has_all_of_it(reports):
    lines = outcomes_table(outcomes(reports)).splitlines()
    assert len(lines) == 2 + len(VARIANTS)
    assert lines[2].count("**") == 14
    assert "100%" in lines[2]
