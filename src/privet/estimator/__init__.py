"""WHAT X AND Y MEAN: the scikit-learn contract, one base class per family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.estimator.associator import Itemset, PrivateAssociator
from privet.estimator.base import LedgerParameter, PrivateEstimator, SchemaParameter
from privet.estimator.classifier import PrivateClassifier
from privet.estimator.clusterer import PrivateClusterer
from privet.estimator.preparer import PrivatePreparer
from privet.estimator.regressor import PrivateRegressor, numeric_target
from privet.estimator.stream import PrivateStream
from privet.estimator.synthesiser import PrivateSynthesiser
from privet.estimator.whole_table import WholeTableEstimator
from privet.lazy import lazy

if TYPE_CHECKING:
    from privet.estimator.selector import PrivateSelector

__all__ = [
    "Itemset",
    "LedgerParameter",
    "PrivateAssociator",
    "PrivateClassifier",
    "PrivateClusterer",
    "PrivateEstimator",
    "PrivatePreparer",
    "PrivateRegressor",
    "PrivateSelector",
    "PrivateStream",
    "PrivateSynthesiser",
    "SchemaParameter",
    "WholeTableEstimator",
    "numeric_target",
]

# It needs scikit-learn's selectors, and they its neighbours and trees.
__getattr__ = lazy(__name__, {"PrivateSelector": "privet.estimator.selector"})
