"""Private clusterers: groups of records that are alike."""

from privet.learning.cluster.k_means import KMeans

__all__ = ["KMeans"]
