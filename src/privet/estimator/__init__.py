"""WHAT X AND Y MEAN: the scikit-learn contract, one base class per family."""

from privet.estimator.associator import Itemset, PrivateAssociator
from privet.estimator.base import LedgerParameter, PrivateEstimator, SchemaParameter
from privet.estimator.classifier import PrivateClassifier
from privet.estimator.clusterer import PrivateClusterer
from privet.estimator.preparer import PrivatePreparer
from privet.estimator.regressor import PrivateRegressor, numeric_target
from privet.estimator.selector import PrivateSelector
from privet.estimator.stream import PrivateStream
from privet.estimator.synthesiser import PrivateSynthesiser
from privet.estimator.whole_table import WholeTableEstimator

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
