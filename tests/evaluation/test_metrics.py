"""The measures agree with scikit-learn's, and with WEKA's definitions computed record by record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as reference

from privet.evaluation import metrics
from privet.evaluation.figures import nonnegative

matrices = st.integers(2, 4).flatmap(lambda k: arrays(np.int64, (k, k), elements=st.integers(1, 20)))


def records(confusion):
    classes = range(len(confusion))
    pairs = [(a, p) for a in classes for p in classes for _ in range(confusion[a, p])]
    return np.array(pairs).T


@given(matrices)
def test_confusion_measures_are_scikit_learns(confusion):
    actual, predicted = records(confusion)
    assert metrics.accuracy(confusion) == pytest.approx(reference.accuracy_score(actual, predicted))
    assert metrics.kappa(confusion) == pytest.approx(reference.cohen_kappa_score(actual, predicted))
    precision, recall, f1, _ = reference.precision_recall_fscore_support(actual, predicted)
    np.testing.assert_allclose(metrics.precision(confusion), precision)
    np.testing.assert_allclose(metrics.recall(confusion), recall)
    np.testing.assert_allclose(metrics.f1(confusion), f1)


def test_weka_measures_by_definition():
    """As WEKA's Evaluation class sums them: over records, over classes, divided by the number of classes."""
    generator = np.random.default_rng(1)
    classes, number = 3, 50
    actual = generator.integers(0, classes, number)
    p = generator.dirichlet(np.ones(classes), number)
    prior = (np.bincount(generator.integers(0, classes, 80), minlength=classes) + 1) / (80 + classes)
    absolute = square = prior_absolute = prior_square = 0.0
    for i in range(number):
        for c in range(classes):
            y = float(actual[i] == c)
            absolute += abs(p[i, c] - y)
            square += (p[i, c] - y) ** 2
            prior_absolute += abs(prior[c] - y)
            prior_square += (prior[c] - y) ** 2
    totals = np.bincount(actual, minlength=classes)
    np.testing.assert_allclose(metrics.prior_errors(totals, prior), (prior_absolute, prior_square))
    flat_p, flat_y = p.ravel(), np.eye(classes)[actual].ravel()
    assert metrics.mean_absolute_error(absolute, number, classes) == pytest.approx(
        reference.mean_absolute_error(flat_y, flat_p)
    )
    assert metrics.root_mean_squared_error(square, number, classes) == pytest.approx(
        np.sqrt(reference.mean_squared_error(flat_y, flat_p))
    )
    assert metrics.relative_absolute_error(absolute, prior_absolute) == pytest.approx(
        absolute / prior_absolute
    )
    assert metrics.root_relative_squared_error(square, prior_square) == pytest.approx(
        np.sqrt(square / prior_square)
    )


def test_many_matrices_at_once_are_each_by_itself():
    many = np.random.default_rng(2).integers(0, 30, (7, 3, 3))
    for name in ("accuracy", "kappa", "precision", "recall", "f1"):
        metric = getattr(metrics, name)
        np.testing.assert_allclose(metric(many), np.stack([metric(one) for one in many]))


def test_a_share_of_nothing_is_unknown():
    empty = np.zeros((2, 2))
    assert np.isnan(metrics.accuracy(empty))
    assert np.isnan(metrics.kappa(empty))
    assert np.isnan(metrics.recall([[0, 0], [1, 3]])[0])


@given(arrays(np.int64, (3, 3), elements=st.integers(-20, 100)))
def test_counts_made_nonnegative_keep_their_total(counts):
    better = nonnegative(counts.astype(float))
    assert (better >= 0).all()
    assert better.sum() == pytest.approx(max(0, counts.sum()), abs=1e-9)
    if (counts >= 0).all():
        np.testing.assert_allclose(better, counts, atol=1e-9)
