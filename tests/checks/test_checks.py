"""The checks themselves: each must reject an algorithm that breaks what it checks."""

from __future__ import annotations

import inspect
from fractions import Fraction

import numpy as np
import pytest

import privet.checks as checks
from privet.budget import budget
from privet.errors import BudgetExceeded, DataError, ModelError
from privet.estimator import PrivateClassifier
from privet.learning.classify import NaiveBayes
from privet.registry import ALGORITHMS
from privet.release import Step
from privet.schema import Number


class Works(NaiveBayes):
    """Unbroken: an unregistered plug-in passes."""


class ChangesInConstructor(NaiveBayes):
    def __init__(self, *, epsilon=1.0, delta=0.0, schema=None, ledger=None, random_state=None):
        super().__init__(
            epsilon=epsilon, delta=delta, schema=schema, ledger=ledger, random_state=random_state
        )
        self.epsilon = str(epsilon)


class NoHelp(NaiveBayes):
    def __init__(self, *, epsilon=1.0, delta=0.0, schema=None, ledger=None, random_state=None):
        super().__init__(
            epsilon=epsilon, delta=delta, schema=schema, ledger=ledger, random_state=random_state
        )


class NeverValidates(NaiveBayes):
    def fit(self, X, y=None):
        return self


class WritesParameters(NaiveBayes):
    def fit(self, X, y=None):
        super().fit(X, y)
        self.bins = 7
        return self


class ForgetsFeatures(NaiveBayes):
    def fit(self, X, y=None):
        super().fit(X, y)
        del self.n_features_in_
        return self


class TinyMeansNoPrivacy(NaiveBayes):
    def fit(self, X, y=None):
        asked = self.epsilon
        if isinstance(asked, float) and asked <= 0:
            self.epsilon = 1000.0
        super().fit(X, y)
        self.epsilon = asked
        return self


class ClaimsHalf(NaiveBayes):
    def _fit(self, curator):
        super()._fit(curator)
        step = curator._run.steps[0]
        curator._run.steps[0] = Step(
            step.what, step.mechanism, step.amount.share(Fraction(1, 2)), step.error, step.unit
        )


class ForgetsDelta(NaiveBayes):
    """Takes noise that needs a δ, and promises pure ε."""

    _amount = PrivateClassifier._amount

    def fit(self, X, y=None):
        from dataclasses import replace

        super().fit(X, y)
        self.guarantee_ = replace(self.guarantee_, amount=budget(self.epsilon))
        return self


class OneNeighbourOnly(NaiveBayes):
    def _run(self, source, run):
        from dataclasses import replace

        run.schema = replace(run.schema, unit=type(run.schema.unit)())
        super()._run(source, run)


class MakesUpSchema(NaiveBayes):
    def _declared(self):
        declared = super()._declared() if self.schema is not None else None
        return declared.confirm() if declared is not None else None


class HidesSeed(NaiveBayes):
    def fit(self, X, y=None):
        super().fit(X, y)
        from dataclasses import replace

        self.guarantee_ = replace(self.guarantee_, amount=budget(self.epsilon), voided=())
        return self


class FixedSeed(NaiveBayes):
    def _fit(self, curator):
        from privet import randomness

        curator._run.randomness = randomness.of(3)
        super()._fit(curator)


class SpendsTwice(NaiveBayes):
    def fit(self, X, y=None):
        super().fit(X, y)
        return super().fit(X, y)


class NeverPays(NaiveBayes):
    def _run(self, source, run):
        super()._run(source, self._whole_run(run.schema))


class ReadsFirst(NaiveBayes):
    def _run(self, source, run):
        for _ in source.batches(list(run.schema.names)):
            pass
        super()._run(source, run)


class ChargesTooEarly(NaiveBayes):
    def rehearse(self):
        raise NotImplementedError

    def fit(self, X, y=None):
        if self.ledger is not None:
            from privet.budget import PureEvent, exact

            self.ledger.reserve("example", PureEvent(exact(0.4)), unit=self.schema.unit, what="early")
        return super().fit(X, y)


class PaysForSeeds(NaiveBayes):
    def _run(self, source, schema, ledger):
        voided = self.random_state is not None or self.schema == "infer"
        super()._run(source, schema, None if voided else ledger)


class RehearsesForReal(NaiveBayes):
    def rehearse(self):
        self.touched_ = True
        return super().rehearse()


class KeepsObject(NaiveBayes):
    def fit(self, X, y=None):
        super().fit(X, y)
        self.secret_ = object()
        return self


class AnswersAfresh(NaiveBayes):
    def _log_scores(self, rows):
        scores = super()._log_scores(rows)
        return scores + np.random.default_rng().random(scores.shape)


class Talkative(NaiveBayes):
    def fit(self, X, y=None):
        try:
            return super().fit(X, y)
        except DataError as error:
            raise DataError(f"{error} {X.column(0)[0]} {X.column(2)[0]} {X.column(3)[0]}") from None


class Swallows(NaiveBayes):
    def fit(self, X, y=None):
        try:
            return super().fit(X, y)
        except (DataError, BudgetExceeded):
            return self


BROKEN = [
    ("check_constructor_only_stores", ChangesInConstructor),
    ("check_parameters_are_declared", NoHelp),
    ("check_bad_values_are_refused", NeverValidates),
    ("check_fit_keeps_parameters", WritesParameters),
    ("check_scikit_learn", ForgetsFeatures),
    ("check_epsilon_is_refused", TinyMeansNoPrivacy),
    ("check_guarantee", ClaimsHalf),
    ("check_guarantee", FixedSeed),
    ("check_approximate", ForgetsDelta),
    ("check_neighbours", OneNeighbourOnly),
    ("check_schema_is_needed", MakesUpSchema),
    ("check_seed_voids", HidesSeed),
    ("check_inferred_schema_voids", HidesSeed),
    ("check_secure_runs_differ", FixedSeed),
    ("check_fit_spends_once", SpendsTwice),
    ("check_fit_spends_once", NeverPays),
    ("check_fit_spends_once", ReadsFirst),
    ("check_refusal_reads_nothing", ReadsFirst),
    ("check_refusal_reads_nothing", Swallows),
    ("check_unfit_table_costs_nothing", ChargesTooEarly),
    ("check_failed_fit_stays_spent", NeverPays),
    ("check_ledger_needs_a_guarantee", PaysForSeeds),
    ("check_rehearsal_is_free", RehearsesForReal),
    ("check_model_round_trip", KeepsObject),
    ("check_model_round_trip", AnswersAfresh),
    ("check_errors_hold_no_data", Talkative),
    ("check_errors_hold_no_data", Swallows),
    ("check_claim_is_not_refuted", FixedSeed),
]


@pytest.mark.parametrize(("name", "broken"), BROKEN, ids=lambda each: getattr(each, "__name__", each))
def test_a_broken_algorithm_fails(name, broken):
    check = next(check for check in checks.CHECKS if check.__name__ == name)
    with pytest.raises((AssertionError, ModelError)):
        check(broken)


def test_every_check_has_a_broken_algorithm():
    assert {check.__name__ for check in checks.CHECKS} == {name for name, _ in BROKEN}


def test_a_plug_in_passes():
    checks.check_algorithm(Works)


def test_check_algorithm_runs_the_checks():
    with pytest.raises(AssertionError):
        checks.check_algorithm(WritesParameters)


def test_check_registry_checks_every_entry(monkeypatch):
    seen = []
    monkeypatch.setattr(checks, "check_algorithm", lambda make, of: seen.append((make, of)))
    checks.check_registry()
    assert seen == [(entry.load(), entry.checks()) for entry in ALGORITHMS]


def test_every_function_named_check_is_run():
    shipped = {
        name
        for name, value in vars(checks).items()
        if name.startswith("check_") and inspect.isfunction(value)
    }
    assert shipped - {"check_algorithm", "check_registry"} == {check.__name__ for check in checks.CHECKS}


def test_watched_source_is_a_table():
    source = checks.example.WatchedSource(checks.example.example(), lambda: None)
    assert sum(batch.num_rows for batch in source.batches(["age"])) == 200
    assert isinstance(checks.example.public()["age"], Number)
