"""What a study may ask: tables that every party can count, and what is made of their sum.

A question is put to a curator as any algorithm puts it. On the way to the parties the curator is one of no
records that *writes down* what is asked; on the way back it is one that *gives the sums* as answers. So naive
Bayes learns from several parties with the code that it learns with from one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from privet.budget import Pure, exact
from privet.curator import Apart, Curator, Measure
from privet.errors import ParameterError
from privet.parties.study import PartyStudy
from privet.registry import algorithm
from privet.release import Guarantee, Release
from privet.schema.bins import public_cuts
from privet.stats import Contingency, Statistic
from privet.stats.assignment import Coded
from privet.stats.cross_table import CrossTable

__all__ = ["QUESTIONS", "Answered", "asked_by", "finish", "guarantee_of", "mutual_information"]

QUESTIONS = ("naive-bayes", "tables", "histograms", "selection")
BINS = 16

Asked = list[tuple[Measure, Fraction]]


class Recorder(Curator):
    """A curator of no records that writes down what it is asked."""

    def ask_together(self, asked: Sequence[Any], apart: Apart | None = None) -> list[Any]:
        self.asked: Asked = [*getattr(self, "asked", []), *asked]
        return super().ask_together(asked, apart)


class Answered(Curator):
    """A curator of no records that answers with what the parties' sums came to, in the order of the plan."""

    def give(self, plan: Asked, releases: list[Release]) -> None:
        self._given = list(zip([question for question, _ in plan], releases, strict=True))

    def ask_together(self, asked: Sequence[Any], apart: Apart | None = None) -> list[Any]:
        told = []
        for question, _ in asked:
            planned, release = self._given.pop(0)
            assert planned == question, "a study asks what it has planned"
            self._run.steps += release.steps
            told.append(release)
        return told


def asked_by(study: PartyStudy) -> Asked:
    """What the study asks, and for which share of ε each; found without any record."""
    recorder = cast(Recorder, Recorder.rehearsal(study.schema, Pure(exact(study.epsilon))))
    with recorder:
        finish(study, recorder)
    if any(type(question) is not Measure for question, _ in recorder.asked):
        raise ParameterError(
            f"'{study.question}' with these parameters asks more than tables.", "Ask for tables."
        )
    return recorder.asked


def finish(study: PartyStudy, curator: Curator) -> tuple[dict[str, Any], Any]:
    """The result as plain data, and the fitted model where the question makes one."""
    if study.question == "naive-bayes":
        kind: Any = algorithm("naive-bayes").load()
        model = kind(epsilon=study.epsilon, schema=study.schema, **study.parameters)
        model._fit(curator)
        model.schema_ = study.schema
        model.columns_ = tuple(column.name for column in study.schema.attributes)
        model.n_features_in_ = len(model.columns_)
        model.feature_names_in_ = np.array(model.columns_, dtype=object)
        return {}, model
    if study.question not in QUESTIONS:
        raise ParameterError(
            f"A study cannot ask for '{study.question}'.", f"Choose one of: {', '.join(QUESTIONS)}."
        )
    if study.parameters:
        raise ParameterError(f"'{study.question}' has no parameters.", "Leave them out.")
    tables = _tables(study, curator, by_class=study.question != "histograms")
    if study.question != "selection":
        return {"tables": {name: _plain(release) for name, release in tables.items()}}, None
    scores = {name: mutual_information(release.value) for name, release in tables.items()}
    best_first = dict(sorted(scores.items(), key=lambda item: -item[1]))
    return {"scores": best_first, "score": "mutual information"}, None


def _tables(study: PartyStudy, curator: Curator, *, by_class: bool) -> dict[str, Release]:
    schema = study.schema
    columns = schema.attributes if by_class else schema.columns
    target = schema.nominal_target().name if by_class else None
    plan = []
    for column in columns:
        cuts = tuple(public_cuts(column, BINS))
        statistic: Statistic = CrossTable((Coded(column.name, cuts),))
        what = f"'{column.name}'"
        if target is not None:
            statistic, what = Contingency(column.name, target, cuts), f"{what} within each '{target}'"
        plan.append((Measure(statistic, what), Fraction(1, len(columns))))
    return dict(zip([c.name for c in columns], curator.ask_together(plan), strict=True))


def mutual_information(table: NDArray[Any]) -> float:
    """In bits, of a noisy table of counts: post-processing of what was released.

    >>> round(mutual_information(np.array([[50, 0], [0, 50], [0, 0]])), 3)
    1.0
    """
    counts = np.maximum(np.asarray(table, np.float64)[:-1], 0)  # without the row of missing values
    total = counts.sum()
    if total <= 0:
        return 0.0
    joint = counts / total
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log2(joint[there] / apart[there])).sum())


def _plain(release: Release) -> dict[str, Any]:
    return {"counts": np.asarray(release.value).tolist(), "error": release.error}


def guarantee_of(study: PartyStudy, curator: Curator) -> Guarantee:
    """What is promised to each person, with the mode, whom it trusts, and what is not covered."""
    curator.assume(f"mode of the study: {study.mode}. {study.trusts()}", "the study")
    curator.assume("which parties took part", "the study")
    if study.mode != "trusted":
        where = "one party only" if study.reach == 1 else f"at most {study.reach} parties"
        curator.assume(f"the data of one protected unit are at {where}", "the study")
        curator.admit("A party may send a false table: the result is then wrong, and private all the same.")
    if study.split == "columns":
        curator.admit("The coordinator learns who is in the tables of several parties: it joins them.")
    made = curator.guarantee
    return made if made.amount is None else replace(made, amount=study.loss)
