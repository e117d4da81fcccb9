"""ABC–DE feature selection that is private: the thesis's search, on noisy tables that were paid for once.

The wrapper of the thesis (``learning.public.bee_wrapper``) fits a classifier on the exact records for every
subset that it looks at. Here the search looks at released numbers only. Half of the budget buys a noisy
table of each attribute and the class; the attributes that tell most by these are the candidates. The other
half buys a noisy table of each pair of candidates. A subset is then as good as its merit (Hall 1999): how
much its attributes tell about the class, divided by how much they repeat one another,

    merit(S) = k·r̄_class / √(k + k(k − 1)·r̄_pairs),

with r = Cramér's V, from which the part that noise alone would show is taken out. An attribute must add a
hundredth to the merit, else the smaller subset wins.

**Privacy.** Every table has sensitivity 1 (``stats.contingency``, ``stats.coverage``) and its share of the
budget; shares add up to 1. Which pairs are measured follows from released tables. The search, however often
it looks, is post-processing.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.errors import DataError
from privet.estimator import PrivateSelector
from privet.parameters import with_parameters
from privet.search import BeeEvolution
from privet.search.bee_evolution import Subsets
from privet.selection.k_best import SelectKBest
from privet.stats import Coded, Contingency, Coverage, Cross

__all__ = ["PrivateBeeSelection", "association", "merit"]

HALF = Fraction(1, 2)
GAIN = 0.01  # what an attribute must add to the merit


@with_parameters
class PrivateBeeSelection(PrivateSelector):
    """Selects attributes with differential privacy, by ABC–DE over noisy tables; how many, the search finds.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation.

    >>> from privet.schema import Schema
    >>> draw = np.random.default_rng(0)
    >>> ill = draw.integers(0, 2, 4000)
    >>> cough = (ill + (draw.random(4000) < 0.2)) % 2
    >>> X = np.column_stack([draw.integers(0, 3, 4000), cough, cough])
    >>> schema = Schema.of({"noise": [0, 1, 2], "cough": [0, 1], "twin": [0, 1], "ill": [0, 1]}, target="ill")
    >>> len(PrivateBeeSelection(epsilon=2.0, schema=schema).fit(X, ill).chosen_)
    1
    """

    candidates: Annotated[
        int, Ge(1), Le(100), "How many attributes the search may choose from; their pairs are measured."
    ] = 6
    bins: Annotated[
        int, Ge(2), Le(100), "How many equal bins a number gets where the schema declares no cuts."
    ] = 4
    population: Annotated[int, Ge(4), Le(10_000), "How many subsets are kept."] = 20
    iterations: Annotated[int, Ge(1), "Iterations of the search."] = 50

    def _fit(self, curator: Curator) -> None:
        schema = curator.schema
        tables = SelectKBest(bins=self.bins).tables(schema)
        if not tables:
            raise DataError("There is no attribute to choose from.", "Declare one besides the target.")
        several = min(self.candidates, len(tables)) > 1
        share = Fraction(1, len(tables)) * (HALF if several else 1)
        releases = curator.ask_together(
            [(Measure(table, f"'{table.row}' within each class"), share) for table in tables]
        )
        told = np.array([association(release.value, release.standard_deviation) for release in releases])
        best = np.sort(np.argsort(-told, kind="stable")[: self.candidates])
        first = int(np.argmax(told))
        told = np.maximum(told, 0)
        repeated = self._repeated(curator, [tables[place] for place in best]) if several else np.zeros((1, 1))
        found = BeeEvolution(self.population, self.iterations).maximise(
            lambda subsets: np.maximum(merit(subsets, told[best], repeated) - GAIN * subsets.sum(axis=1), 0),
            len(best),
            curator.randomness.generator(),
        )
        chosen = best[found.position.astype(bool)] if found.fitness > 0 else np.array([first])
        self._keep(schema, np.sort(chosen))
        self.score_ = float(found.fitness)
        self.history_ = list(found.history)

    def _repeated(self, curator: Curator, tables: list[Contingency]) -> NDArray[np.float64]:
        """How much each pair of candidates repeats one another, from a noisy table of each pair."""
        schema = curator.schema
        pairs = list(combinations(range(len(tables)), 2))
        asked = [
            Measure(_pair(tables[one], tables[other]), f"'{tables[one].row}' with '{tables[other].row}'")
            for one, other in pairs
        ]
        releases = curator.ask_together([(question, HALF / len(pairs)) for question in asked])
        found = np.zeros((len(tables), len(tables)))
        for (one, other), release in zip(pairs, releases, strict=True):
            classes = release.value.shape[1]
            counts = release.value.sum(axis=1).reshape(tables[one].shape(schema)[0], -1)
            found[one, other] = found[other, one] = association(
                counts, release.standard_deviation * classes**0.5
            )
        return np.maximum(found, 0)


def _pair(one: Contingency, other: Contingency) -> Coverage:
    return Coverage(Cross(tuple(Coded(str(t.row), t.cuts) for t in (one, other))), one.column)


def association(counts: NDArray[Any], deviation: float) -> float:
    """Cramér's V of a noisy table, without what noise and chance alone would show; below 0 if it shows less.

    Noise of standard deviation σ adds about Σσ²/eᵢⱼ to χ², and chance about (r − 1)(c − 1).

    >>> association(np.array([[500, 0], [0, 500]]), deviation=2.0) > 0.99
    True
    >>> association(np.array([[260, 240], [245, 255]]), deviation=10.0) < 0
    True
    """
    told = np.asarray(counts, float)
    told = told[told.sum(axis=1) > 0][:, told.sum(axis=0) > 0]
    if min(told.shape) < 2:
        return 0.0
    rows, columns = (np.maximum(told.sum(axis=axis), 1.0) for axis in (1, 0))
    # A row that noise alone may have filled, such as that of missing values, does not count as one.
    noise = 2 * deviation * np.sqrt([columns.size, rows.size])
    levels = max(2, min((rows > noise[0]).sum(), (columns > noise[1]).sum()))
    size = rows.sum()
    expected = np.outer(rows, columns) / columns.sum()
    steady = np.maximum(expected, max(deviation, 1.0))  # hardly filled cells must not blow noise up
    excess = (((told - expected) ** 2 - deviation**2) / steady).sum() - (rows.size - 1) * (columns.size - 1)
    part = excess / size / (levels - 1)
    return float(np.sign(part) * min(abs(part), 1.0) ** 0.5)


def merit(subsets: Subsets, told: NDArray[np.float64], repeated: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hall's merit of each subset; 0 for the empty one.

    >>> both = np.array([[True, True], [True, False]])
    >>> merit(both, np.array([0.5, 0.5]), np.array([[0.0, 1.0], [1.0, 0.0]])).round(3).tolist()
    [0.5, 0.5]
    """
    chosen = np.asarray(subsets, float)
    size = chosen.sum(axis=1)
    pairs = np.einsum("si,ij,sj->s", chosen, repeated, chosen)  # each pair twice: k(k − 1)·mean
    return np.asarray(
        np.divide(chosen @ told, np.sqrt(size + pairs), out=np.zeros(len(size)), where=size > 0)
    )
