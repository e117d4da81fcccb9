"""The leaf of a forest by Fletcher and Islam (2017), as published: a majority label "by smooth sensitivity".

A leaf tells one label. Each label has the utility 1 if it is the most frequent one in the leaf, else 0, and the
exponential mechanism draws a label by exp(ε·u / 2S), where S = exp(−j·ε) and j is by how many records the most
frequent label leads. Written anew from the paper; it is refuted in ``tests/audit/planted``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["leaf_log_probabilities"]


def leaf_log_probabilities(counts: NDArray[np.int64], epsilon: float) -> NDArray[np.float64]:
    """The logarithm of the chance of each label, given how many records of each are in the leaf.

    >>> leaf_log_probabilities(np.array([3, 0]), 1.0).round(2).tolist()
    [-0.0, -10.04]
    """
    first, second = np.sort(counts)[::-1][:2]
    sensitivity = np.exp(-float(first - second) * epsilon)
    utility = (counts == first).astype(float)
    scores = epsilon * utility / (2 * sensitivity)
    scores -= scores.max()
    return np.asarray(scores - np.log(np.exp(scores).sum()))
