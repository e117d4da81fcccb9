"""Optimisers that know no data: they see positions and the numbers a caller gives for them, nothing else."""

from privet.search.bee_colony import BeeColony, Problem, RealProblem
from privet.search.bee_evolution import BeeEvolution
from privet.search.differential_evolution import DifferentialEvolution
from privet.search.found import Found, Stopping

__all__ = [
    "BeeColony",
    "BeeEvolution",
    "DifferentialEvolution",
    "Found",
    "Problem",
    "RealProblem",
    "Stopping",
]
