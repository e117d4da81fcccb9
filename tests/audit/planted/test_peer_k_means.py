"""A peer's k-means, whose two shares are swapped: the search for the worst neighbours refutes its claim."""

from __future__ import annotations

import numpy as np
import pytest

from privet.audit import climb
from reproduction.peers.k_means import KMeansAsPublished


def searched(dimensions, *, swapped):
    """The largest log ratio of one round for a record that is there or not, beside its fair part of ε."""
    peer = KMeansAsPublished(2, epsilon=2.0, rounds=2, swapped=swapped)
    centres = np.stack([np.full(dimensions, 0.25), np.full(dimensions, 0.75)])

    def told(corners):
        return peer.in_noise(np.array(corners, float).reshape(-1, dimensions), centres)

    def neighbours(corners):
        yield from ([corners[1:]] if corners else [])

    def start(generator):
        return (tuple(generator.integers(0, 2, dimensions)), (1,) * dimensions)[:: generator.choice([-1, 1])]

    return climb(told, start, neighbours, declared=peer.epsilon / peer.rounds, starts=40)


@pytest.mark.parametrize(("dimensions", "true"), [(10, 1.21), (20, 1.52), (64, 2.28)])
def test_swapped_shares_are_caught_and_the_paper_s_pass(dimensions, true):
    wrong = searched(dimensions, swapped=True)
    assert wrong.exceeded, wrong.text()
    assert wrong.distance == pytest.approx(true, abs=0.01)
    right = searched(dimensions, swapped=False)
    assert not right.exceeded, right.text()
    assert right.distance == pytest.approx(1.0)
