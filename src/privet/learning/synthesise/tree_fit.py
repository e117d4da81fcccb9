"""The questions of a synthesiser and what follows from their answers; privacy: ``synthesiser``."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from privet.curator import ChooseForest, Curator, Measure
from privet.learning.synthesise.cells import group_of, grouped
from privet.learning.synthesise.columns import ColumnCounts
from privet.learning.synthesise.shrinking import raked, shrunk
from privet.release import Release
from privet.schema import Category, Number
from privet.stats import Coded, CrossTable
from privet.stats.choices.distances import Distances

__all__ = ["TreeFit"]

Table = NDArray[np.float64]
Cuts = dict[str, tuple[float, ...]]

# The shares of the columns, of columns with the class, and of the choice; what is left is for its tables.
COLUMNS, CLASSES, CHOICE = Fraction(6, 20), Fraction(4, 20), Fraction(1, 20)
# A pair whose table would have more cells than this is not a candidate.
MOST_CELLS = 50_000


class TreeFit:
    """One fit: ``parents`` says what each column is drawn given, ``tables`` the shares of its groups then."""

    def __init__(self, curator: Curator, structure: str, fine_cuts: Cuts, most: int) -> None:
        self.curator, self.schema, self.fine_cuts, self.most = curator, curator.schema, fine_cuts, most
        self.names = list(self.schema.names)
        self.structure = structure
        self.given = [str(self.schema.target)] if structure == "tan" else []
        self.nodes = [name for name in self.names if name not in self.given]
        self._ties: list[tuple[str, list[str], Release]] = []

    def run(self) -> None:
        first = (Fraction(1) if self.structure == "margins" else COLUMNS) / len(self.names)
        asked = [(Measure(CrossTable((self._fine(name),)), f"'{name}'"), first) for name in self.names]
        measured = dict(zip(self.names, self.curator.ask_together(asked), strict=True))
        numbers = {name for name in self.names if isinstance(self.schema[name], Number)}
        self.counts = ColumnCounts(measured, numbers)
        self._group()
        self._settle()
        said = "every column is drawn by itself."
        if self.structure != "margins":
            if self.given:
                self._measure_classes()
            said = self._grow(1 - COLUMNS - CHOICE - (CLASSES if self.given else 0))
        self.explanation = f"{self.structure}: {said}"

    def _fine(self, name: str) -> Coded:
        return Coded(name, self.fine_cuts[name])

    def _coded(self, name: str) -> Coded:
        return Coded(name, self.cuts[name])

    def _group(self) -> None:
        """Put the fine cells of numbers into the groups by which they are tied to other columns."""
        shares, records = self.counts.shares(), max(self.counts.records, 1.0)
        classes = len(shares[self.given[0]]) if self.given else 2
        # Fewer where a table of two numbers would drown in noise.
        cells = min(0.5 * records / (max(self.counts.deviation, 1e-9) * classes), 1e9)
        self.groups = int(np.clip(math.isqrt(int(cells)), 3, self.most))
        self.cuts, self.group = {}, {}
        for name in self.names:
            column, cuts = self.schema[name], self.fine_cuts[name]
            self.cuts[name] = grouped(
                column, cuts, records * shares[name], self.counts.deviation, self.groups
            )
            nominal = isinstance(column, Category)
            self.group[name] = np.arange(len(shares[name])) if nominal else group_of(cuts, self.cuts[name])

    def _settle(self) -> None:
        """Work out all shares anew, from everything that was released so far."""
        self.records = self.counts.records
        self.fine = self.counts.shares()
        self.noise = self.counts.noise()
        self.shares: dict[str, Table] = {
            name: np.bincount(self.group[name], self.fine[name]).astype(float) for name in self.names
        }
        self.parents: dict[str, list[str]] = {name: [] for name in self.names}
        self.tables: dict[str, Table] = dict(self.shares)
        self.by_class: dict[str, Table] = {}
        for name, parents, release in self._ties:
            self._learn(name, parents, release)
        # Parents come before their children; ties were taken up in that order.
        first = [name for name in self.names if not self.parents[name]]
        rest = [name for name, _, _ in self._ties if self.parents[name]]
        order = list(dict.fromkeys([*self.given, *first, *_last_of_each(rest)]))
        self.parents = {name: self.parents[name] for name in order}

    def _learn(self, name: str, parents: list[str], release: Release) -> None:
        """The shares of a column's groups for each combination of its parents' groups."""
        expected = self._expected(name, parents)
        exact = max(self.records, 1.0) * expected
        best = shrunk(release.value.astype(float), exact, release.standard_deviation)
        if len(parents) == 1:
            joint = raked(best, [((1,), self.shares[name]), ((0,), self.shares[parents[0]])])
        else:
            own = self.shares[parents[0]][:, None] * self._given_class(name)
            joint = raked(best, [((0, 2), own), ((0, 1), expected.sum(axis=2))])
        self.parents[name] = parents
        self.tables[name] = joint / np.maximum(joint.sum(axis=-1, keepdims=True), 1e-300)
        if parents == self.given:
            self.by_class[name] = self.tables[name]

    def _given_class(self, name: str) -> Table:
        return self.by_class.get(name, np.repeat(self.shares[name][None], len(self.shares[self.given[0]]), 0))

    def _expected(self, name: str, parents: list[str]) -> Table:
        """What simpler tables foretell of the joint shares of parents and column."""
        if len(parents) == 1:
            return np.multiply.outer(self.shares[parents[0]], self.shares[name])
        known, own = self._given_class(parents[1]), self._given_class(name)
        return self.shares[parents[0]][:, None, None] * known[:, :, None] * own[:, None, :]

    def _measure_classes(self) -> None:
        """Every column with the class: this tells more of both by themselves, too."""
        [target] = self.given
        tables = [CrossTable((self._coded(target), self._coded(name))) for name in self.nodes]
        asked = [
            (Measure(table, f"'{name}' within '{target}'"), CLASSES / len(self.nodes))
            for name, table in zip(self.nodes, tables, strict=True)
        ]
        for name, release in zip(self.nodes, self.curator.ask_together(asked), strict=True):
            self._ties.append((name, [target], release))
            for axis, own in ((0, name), (1, target)):
                totals = release.value.sum(axis=axis).astype(float)
                variance = release.standard_deviation**2 * release.value.shape[axis]
                self.counts.in_groups(own, self.group[own], totals, variance)
        self._settle()

    def _grow(self, left: Fraction) -> str:
        """Choose which columns belong together, and measure their tables."""
        sizes = [self._most_groups(name) for name in self.nodes]
        fixed = math.prod(self._most_groups(name) for name in self.given)
        numbered = combinations(range(len(self.nodes)), 2)
        pairs = [(a, b) for a, b in numbered if fixed * sizes[a] * sizes[b] <= MOST_CELLS]
        rounds = len(self.nodes) - 1
        chosen = self._choose(pairs, left / rounds) if pairs else []
        edges = [(self.nodes[a], self.nodes[b]) for a, b in _rooted(chosen, len(self.nodes))]
        tables = [CrossTable(tuple(map(self._coded, (*self.given, *edge)))) for edge in edges]
        # What is not needed for ties tells columns by themselves again.
        tied = {child for _, child in edges}
        again = [name for name in self.nodes if name not in tied][: rounds - len(edges)]
        tables += [CrossTable((self._fine(name),)) for name in again]
        if rounds:
            what = "a table of columns that belong together, or of one by itself"
            releases = self.curator.ask_together([(Measure(table, what), left / rounds) for table in tables])
            for (parent, child), release in zip(edges, releases, strict=False):
                self._ties.append((child, [*self.given, parent], release))
            for name, release in zip(again, releases[len(edges) :], strict=True):
                self.counts.again(name, release)
            self._settle()
        within = " within the class" if self.given else ""
        return (
            f"{len(edges)} of {max(rounds, 0)} possible ties between columns{within} rise above the noise; "
            f"numbers are tied by up to {self.groups} groups of values."
        )

    def _choose(self, pairs: list[tuple[int, int]], share: Fraction) -> list[tuple[int, int]]:
        ratio = float(COLUMNS / len(self.names) / share)
        noise = self.counts.deviation * (ratio if self.curator.amount.delta == 0 else math.sqrt(ratio))
        tables, expected, handicaps = [], [], []
        for a, b in pairs:
            one, other = self.nodes[a], self.nodes[b]
            tables.append(CrossTable(tuple(map(self._coded, (*self.given, one, other)))))
            foretold = max(self.records, 1.0) * self._expected(other, [*self.given, one])
            expected.append(np.rint(foretold).astype(np.int64))
            # Cells that are nearly empty will be pulled to what is expected of them, and cost nothing.
            handicaps.append(round(float(0.8 * np.minimum(noise, foretold).sum())))
        scores = Distances(tuple(tables), tuple(expected), tuple(handicaps))
        question = ChooseForest(scores, tuple(pairs), len(self.nodes), "which columns belong together")
        return [pairs[place] for place in self.curator.ask(question, CHOICE).chosen]

    def _most_groups(self, name: str) -> int:
        """The most groups that a column can have, whatever the data: it decides who may be tied."""
        column = self.schema[name]
        return (column.size if isinstance(column, Category) else max(self.most, len(column.cuts) + 1)) + 1


def _last_of_each(names: list[str]) -> list[str]:
    """Each name once, where it comes last."""
    return list(dict.fromkeys(reversed(names)))[::-1]


def _rooted(edges: list[tuple[int, int]], nodes: int) -> list[tuple[int, int]]:
    """The edges of a forest as (parent, child), parents before their children."""
    ordered: list[tuple[int, int]] = []
    seen: set[int] = set()
    for root in range(nodes):
        if root in seen:
            continue
        seen.add(root)
        waiting = [root]
        while waiting:
            here = waiting.pop(0)
            for a, b in edges:
                child = b if a == here else a if b == here else None
                if child is not None and child not in seen:
                    seen.add(child)
                    ordered.append((here, child))
                    waiting.append(child)
    return ordered
