"""Presets, and choices of attributes compared by how many of the best they find."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args, get_type_hints

import pandas as pd
import pytest

from privet.demo.genotypes import STRONG, WEAKER, genotype_knowledge, genotypes
from privet.errors import ParameterError
from privet.experiment import PRESETS, Experiment, preset
from privet.experiment.recovery import recovered
from privet.selection import SelectKBest
from privet.service import Session
from privet.service.experiments import MakeExperiment

CHOICE = {"use": "select-k-best", "criterion": "chi2", "mechanism": "laplace", "public_class": True}


def test_every_preset_can_be_planned_and_costs_nothing():
    for name in PRESETS:
        plan = preset(name).plan()
        assert plan.free == preset(name).size > 0
        assert plan.prices == ()


def test_the_command_knows_every_preset(tmp_path):
    hint = get_type_hints(MakeExperiment)["preset"]
    assert set(get_args(hint)) == set(PRESETS)
    for name in PRESETS:
        MakeExperiment(preset=name, output=tmp_path / f"{name}.toml").run(Session())
        assert Experiment.read(tmp_path / f"{name}.toml") == preset(name)


def test_a_preset_takes_public_tables_in_the_place_of_generated_ones(tmp_path):
    made = MakeExperiment(
        preset="figure-24", output=tmp_path / "here" / "a.toml", table=(tmp_path / "adult.csv.gz",)
    )
    (tmp_path / "here").mkdir()
    made.run(Session())
    [table] = Experiment.read(tmp_path / "here" / "a.toml").data
    assert (table.name, table.kind, table.place) == ("adult", "public", "../adult.csv.gz")


def test_the_variants_that_matter_are_the_best_by_far():
    chosen = SelectKBest(
        k=STRONG,
        criterion="chi2",
        public_class=True,
        epsilon=1e6,
        schema=genotype_knowledge(),
        random_state=0,
    ).fit(genotypes())
    assert sorted(chosen.chosen_) == ["rs1000", "rs1001", "rs1002"]
    assert WEAKER > 0


def test_more_budget_finds_more_of_the_best():
    small = replace(preset("figure-17"), epsilons=(0.1, 1000.0), repetitions=1, folds=2)
    results = small.run()
    assert results.measure == "recovered"
    [data] = small.data
    little, much = (results.entry(data, epsilon, "k = 3").mean for epsilon in small.epsilons)
    assert little < 0.6 < much == 1.0


def test_learners_and_choices_are_not_mixed_and_choices_are_not_measured_on_private_tables():
    grid = {"data": {"g": {"generated": "genotypes", "records": 100}}, "algorithms": {"a": CHOICE}}
    with pytest.raises(ParameterError, match="no measure for both"):
        Experiment.from_dict(grid | {"algorithms": {"a": CHOICE, "one-r": {}}}).plan()
    private = grid | {"data": {"g": {"file": "g.csv"}}, "score_epsilon": 1.0}
    with pytest.raises(ParameterError, match="is private"):
        Experiment.from_dict(private).plan({"g": (genotypes(100), genotype_knowledge())})
    with pytest.raises(ParameterError, match="not measured"):
        Experiment.from_dict(grid | {"measure": "accuracy"}).plan()


def test_p_values_rise_from_variant_to_variant_and_are_those_of_pearsons_test():
    from scipy.stats import chi2_contingency

    few = replace(preset("figure-18"), folds=2, algorithms=preset("figure-18").algorithms[:4])
    found = few.run()
    means = [entry.mean for entry in found.rows()[0][2]]
    assert means == sorted(means)
    assert means[3] > 1e4 * means[2], "three strong signals, and then weaker ones"
    assert not found.more_is_better
    [best, *_] = few.algorithms
    table, schema = genotypes(300, 0), genotype_knowledge()
    frame = table.to_pandas()
    target = schema.target
    exact = min(
        chi2_contingency(pd.crosstab(frame[name], frame[target]), correction=False).pvalue
        for name in frame.columns
        if name != target
    )
    chooser = SelectKBest(**best.settings, epsilon=1.0, schema=schema)
    assert recovered(chooser, table, "p_value")["p_value"] == pytest.approx(exact, rel=1e-3)
    assert recovered(SelectKBest(k=1, schema=schema), table, "p_value") == {"p_value": None}
