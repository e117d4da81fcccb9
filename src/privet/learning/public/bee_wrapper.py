"""ABC–DE feature selection: a wrapper around any classifier, for tables that are public.

The thesis's method (section 3.3): subsets of the attributes are searched by ``search.BeeEvolution``, and a
subset is as good as the accuracy of a classifier on it in 3-fold cross-validation (a decision tree, as J48).

It fits the classifier on the exact records hundreds of times: **not private**, and ``guarantee_`` says so.
What a private model is trained on must not be chosen in this way; ``SelectKBest`` chooses privately.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from privet.errors import DataError
from privet.parameters import validate, with_parameters
from privet.search import BeeEvolution
from privet.search.bee_evolution import Subsets

__all__ = ["BeeSelection"]


@with_parameters
class BeeSelection(SelectorMixin, TransformerMixin, BaseEstimator):
    """Selects attributes of a *public* table by ABC–DE around a classifier. There is no guarantee.

    >>> generator = np.random.default_rng(0)
    >>> X = generator.normal(size=(200, 6))
    >>> y = (X[:, 2] > 0).astype(int)
    >>> chosen = BeeSelection(iterations=15, population=8, random_state=0).fit(X, y)
    >>> bool(chosen.get_support()[2]), chosen.transform(X).shape[1] <= 3
    (True, True)
    """

    guarantee_ = "Guarantee: NONE. The attributes were chosen by exact records: for public tables only."

    estimator: Annotated[Any, "The classifier whose accuracy is the fitness; None for a tree."] = None
    folds: Annotated[int, Ge(2), Le(20), "Folds of the cross-validation."] = 3
    population: Annotated[int, Ge(4), Le(10_000), "How many subsets are kept."] = 20
    iterations: Annotated[int, Ge(1), "Iterations of the search."] = 50
    random_state: Annotated[Any, "A seed, or None."] = None

    def fit(self, X: Any, y: Any) -> BeeSelection:
        """Search for the subset whose classifier is most accurate; of equal ones, the smallest."""
        validate(self)
        X, y = validate_data(self, X, y, ensure_min_samples=2)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise DataError(
                "There is one class only, and nothing to tell apart.", "Give at least two classes."
            )
        folds = max(2, min(self.folds, int(np.bincount(codes).max())))
        generator = np.random.default_rng(self.random_state)
        seed = int(generator.integers(2**31))
        # Once for all subsets: scikit-learn then says once, too, that a class is smaller than the folds.
        splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, codes))
        learner = self.estimator if self.estimator is not None else DecisionTreeClassifier(random_state=seed)
        known: dict[bytes, float] = {}

        def accuracy(subset: NDArray[np.bool_]) -> float:
            key = subset.tobytes()
            if key not in known:  # bees come back to places they know
                known[key] = (
                    float(cross_val_score(clone(learner), X[:, subset], codes, cv=splits).mean())
                    if subset.any()
                    else 0.0
                )
            return known[key]

        def fitness(subsets: Subsets) -> NDArray[np.float64]:
            return np.array([accuracy(subset) for subset in subsets])

        found = BeeEvolution(self.population, self.iterations).maximise(fitness, X.shape[1], generator)
        self.support_ = found.position.astype(bool)
        self.score_ = found.fitness
        self.history_ = found.history
        self.evaluations_ = len(known)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_
