"""Experiments as values and text files, and what is refused before anything runs."""

from __future__ import annotations

import tomllib

import pytest

from privet.errors import ParameterError, PrivetError
from privet.experiment import PRESETS, Experiment, preset

PLAIN = {
    "epsilons": [0.5, 1.0],
    "folds": 3,
    "repetitions": 2,
    "data": {"clinic": {"generated": "clinic", "records": 400}},
    "algorithms": {"naive-bayes": {}, "tree": {"use": "decision-tree", "try": {"max_depth": [1, 2]}}},
}


@pytest.mark.parametrize("experiment", [Experiment.from_dict(PLAIN), *map(preset, PRESETS)])
def test_the_text_file_says_all_of_it(experiment):
    again = Experiment.from_dict(tomllib.loads(experiment.text()))
    assert again == experiment
    assert len(list(again.cells())) == len(set(again.cells())) == experiment.size


def test_a_grid_of_settings_becomes_one_algorithm_each():
    labels = [contender.label for contender in Experiment.from_dict(PLAIN).algorithms]
    assert labels == ["naive-bayes", "tree (max_depth=1)", "tree (max_depth=2)"]


def test_a_file_is_private_unless_it_is_declared_public():
    private = PLAIN | {"data": {"people": {"file": "people.csv"}}}
    with pytest.raises(ParameterError, match="private"):
        Experiment.from_dict(private)
    assert Experiment.from_dict(private | {"score_epsilon": 0.5}).data[0].private
    public = Experiment.from_dict(PLAIN | {"data": {"people": {"file": "people.csv", "public": True}}})
    assert not public.data[0].private


@pytest.mark.parametrize(
    "change",
    [
        {"epsilons": []},
        {"epsilons": [0]},
        {"epsilons": [1.0, 1.0]},
        {"epsilons": 1.0},
        {"folds": 1},
        {"repetitions": 0},
        {"repetitions": 10_000_000},
        {"seed": -1},
        {"data": {}},
        {"data": {"clinic": {"generated": "clinic", "file": "too.csv"}}},
        {"data": {"clinic": {"generated": "clinic", "records": 1}}},
        {"data": {"people": {"file": "people.csv", "public": "yes"}}},
        {"algorithms": {}},
        {"algorithms": {"naive-bayes": {"epsilon": 3}}},
        {"algorithms": {"naive-bayes": {"try": {"smoothing": 1}}}},
        {"algorithm": {}},
        {"experiment": 2},
    ],
)
def test_what_makes_no_sense_is_refused(change):
    with pytest.raises(ParameterError):
        Experiment.from_dict(PLAIN | change)


@pytest.mark.parametrize(
    "change",
    [
        {"measure": "beauty"},
        {"algorithms": {"no-such": {}}},
        {"algorithms": {"naive-bayes": {"no_such": 1}}},
        {"algorithms": {"k-means": {}}},
        {"data": {"clinic": {"generated": "no-such"}}},
        {"data": {"people": {"made_up": "no-such.schema.toml"}}},
    ],
)
def test_what_cannot_be_done_is_refused_in_the_plan(change, tmp_path):
    with pytest.raises(PrivetError):
        Experiment.from_dict(PLAIN | change).plan(folder=tmp_path)


def test_unknown_preset():
    with pytest.raises(ParameterError, match="clinic"):
        preset("no such")
