"""PLANTED WRONG VERSIONS of k-means. Nothing in this file may be used outside of tests."""

from __future__ import annotations

import numpy as np

from privet.learning.cluster import KMeans
from privet.schema import Schema

SCHEMA = Schema.of({"age": (0.0, 100.0)})
FEW = {"runs": 600, "search_runs": 8}


class ExactInertia(KMeans):
    """WRONG: the centres are private, and their exact inertia on the table is handed out beside them."""

    def fit(self, X, y=None, **more):
        super().fit(X, y, **more)
        ages = np.nan_to_num(np.asarray(X["age"].to_numpy(), float)) / 100
        self.inertia_ = float(((ages[:, None] - self.centres_[:, 0]) ** 2).min(axis=1).sum())
        return self


def test_exact_inertia_beside_private_centres(caught, passed):
    caught(ExactInertia(epsilon=1.0, schema=SCHEMA, clusters=1), **FEW)
    passed(KMeans(epsilon=1.0, schema=SCHEMA, clusters=1), **FEW)
