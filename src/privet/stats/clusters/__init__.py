"""Questions about records and the centres of clusters that were released before."""

from privet.stats.clusters.offsets import Offsets
from privet.stats.clusters.points import Points
from privet.stats.clusters.quality import Quality

__all__ = ["Offsets", "Points", "Quality"]
