"""The table of contents."""

from __future__ import annotations

import pytest

from privet.audit.processes import PROCESSES
from privet.errors import ParameterError
from privet.learning.classify import NaiveBayes
from privet.registry import ALGORITHMS, algorithm, audited_algorithms, name_of
from privet.service.audits import AuditAlgorithm


@pytest.mark.parametrize("entry", ALGORITHMS, ids=lambda entry: entry.name)
def test_entries_lead_somewhere(entry):
    loaded = entry.load()
    assert loaded.__doc__
    assert entry.line.endswith(".")
    assert name_of(loaded) == entry.name
    assert algorithm(entry.name) is entry
    assert entry.home.startswith(f"privet.learning.{entry.family}.") or entry.family not in ("classify",)


def test_names_and_homes_are_unique():
    assert len({entry.name for entry in ALGORITHMS}) == len(ALGORITHMS)
    assert len({entry.home for entry in ALGORITHMS}) == len(ALGORITHMS)


def test_unknown_names():
    with pytest.raises(ParameterError, match="no algorithm 'naive-bayse'") as caught:
        algorithm("naive-bayse")
    assert "naive-bayes" in caught.value.advice
    with pytest.raises(ParameterError, match="not a registered"):
        name_of(type("Other", (NaiveBayes,), {})())


def test_every_algorithm_with_a_guarantee_is_audited():
    """By its family, or as a process of its own; those that are not promise nothing, and say so."""
    audited = {entry.name for entry in audited_algorithms()} | set(PROCESSES)
    for entry in ALGORITHMS:
        assert entry.name in audited or entry.line.endswith("No guarantee."), entry.name
    assert {each.words.split(":")[0] for each in AuditAlgorithm(every=True)._claims} == audited
