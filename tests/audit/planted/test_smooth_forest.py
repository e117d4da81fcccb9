"""A published forest: smooth sensitivity within an exponential mechanism promises nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privet.mechanisms import PermuteAndFlip
from reproduction.peers.smooth_forest import leaf_log_probabilities


def ratio(log_probabilities, one, other):
    """The largest loss over the labels between two leaves."""
    return float(np.abs(log_probabilities(np.array(one)) - log_probabilities(np.array(other))).max())


@pytest.mark.parametrize(("lead", "loss"), [(2, 2.13), (3, 6.3), (4, 17.3), (6, 127.5)])
def test_one_record_more_tells_the_leaves_apart(lead, loss):
    """The loss is ε·(e^jε − e^(j−1)ε) / 2: at ε = 1 and a lead of four it is 17.3, and it has no bound."""
    found = ratio(lambda counts: leaf_log_probabilities(counts, 1.0), [lead, 0], [lead, 1])
    assert found == pytest.approx(loss, abs=0.05)


def test_a_private_choice_of_the_largest_label_keeps_its_promise():
    choice = PermuteAndFlip(Fraction(1), Fraction(1), monotonic=True)

    def likely(counts):
        return np.log(choice.probabilities(np.asarray(counts, np.int64)))

    assert max(ratio(likely, [lead, 0], [lead, 1]) for lead in range(12)) <= 1 + 1e-9
