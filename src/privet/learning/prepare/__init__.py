"""Private preprocessing: bounds, cuts, fillings and scales that are measured, paid for and released."""

from privet.learning.prepare.bounds import Bounds
from privet.learning.prepare.domain import Domain
from privet.learning.prepare.equal_frequency import EqualFrequency
from privet.learning.prepare.impute import Impute
from privet.learning.prepare.outliers import ClipOutliers
from privet.learning.prepare.pca import PCA
from privet.learning.prepare.rare_values import RareValues
from privet.learning.prepare.standardise import Standardise
from privet.learning.prepare.supervised import SupervisedCuts

__all__ = [
    "PCA",
    "Bounds",
    "ClipOutliers",
    "Domain",
    "EqualFrequency",
    "Impute",
    "RareValues",
    "Standardise",
    "SupervisedCuts",
]
