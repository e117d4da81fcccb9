"""Synthetic tables from noisy margins and a tree of tables, chosen privately.

Four releases, all of tables in which a record is in one cell:

1. every column by itself, in fine cells;
2. with a class (``tan``), every column with it; numbers are put into few groups that follow from 1;
3. which pairs of columns belong together: a forest of those whose (class-wise) tables are furthest from what
   1 and 2 foretell, chosen privately;
4. the tables of these pairs (with the class).

**Privacy.** All tables have sensitivity 1 (``stats.cross_table``). The choices' scores are L1 distances from
numbers that were released before, whose proof is in ``stats.choices.distances``; that the rounds compose is
in ``curator.ask.forest``. The shares of all questions add up to 1. What is expected, grouped and drawn is
computed from releases and the schema, so as many records as wanted can be drawn.

**Where noise rules** it falls back by itself. The forest may stop early, for a pair pays a handicap: the L1
norm of the noise that its table would have. What is left is spent on measuring columns again. And every table
is pulled towards what simpler ones foretell, as far as its noise calls for (``shrinking``): at a small ε this
ends in independent columns.

References: Chow and Liu (1968) and Friedman, Geiger and Goldszmidt (1997) for trees with and without a class;
McKenna, Miklau and Sheldon (2021) for choosing them by L1 distances.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.curator import Curator
from privet.estimator import PrivateSynthesiser
from privet.learning.synthesise.cells import fine_cuts, group_of, values_within
from privet.learning.synthesise.drawing import chosen
from privet.learning.synthesise.tree_fit import TreeFit
from privet.parameters import with_parameters
from privet.schema import Category, Number, Schema

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["Synthesiser"]

# A class with more values than this is a column like others.
MOST_CLASSES = 20
# Records that are drawn at once.
AT_ONCE = 50_000


@with_parameters
class Synthesiser(PrivateSynthesiser):
    """Made-up records that are like the real ones, from noisy tables of one, two and three columns.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation; with δ = 0 it is pure ε. Drawing records afterwards costs nothing.

    >>> import numpy as np, pyarrow as pa
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> smoker = generator.random(5000) < 0.3
    >>> ill = generator.random(5000) < np.where(smoker, 0.8, 0.1)
    >>> table = pa.table({"smoker": np.where(smoker, "yes", "no"), "ill": np.where(ill, "yes", "no")})
    >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]})
    >>> model = Synthesiser(epsilon=1.0, schema=schema).fit(table)
    >>> made = model.sample(2000, random_state=0)
    >>> made.column_names, made.num_rows
    (['smoker', 'ill'], 2000)
    >>> together = np.mean([a == b for a, b in zip(made["smoker"].to_pylist(), made["ill"].to_pylist())])
    >>> bool(0.8 < together < 0.95)
    True
    """

    structure: Annotated[
        Literal["auto", "tan", "mst", "margins"],
        "What is kept: a tree of columns with the class as a parent of all (tan), a tree of all columns "
        "(mst), each column by itself (margins); auto is tan where the schema names a class, else mst.",
    ] = "auto"
    bins: Annotated[int, Ge(2), Le(1000), "How many fine bins a number gets, where no cuts are declared."] = (
        128
    )
    groups: Annotated[
        int,
        Ge(2),
        Le(100),
        "Into how many groups of bins a number is put, at most, to tie it to other columns.",
    ] = 16

    def _fit(self, curator: Curator) -> None:
        schema = curator.schema
        self.structure_ = self._structure(schema)
        self.cuts_ = {c.name: list(fine_cuts(c, self.bins)) for c in schema.columns}
        fit = TreeFit(curator, self.structure_, {k: tuple(v) for k, v in self.cuts_.items()}, self.groups)
        fit.run()
        self.records_ = fit.records
        self.noise_ = fit.noise
        self.margins_ = fit.fine
        self.group_cuts_ = {name: list(cuts) for name, cuts in fit.cuts.items()}
        self.parents_ = fit.parents
        self.tables_ = fit.tables
        self.explanation_ = fit.explanation

    def _structure(self, schema: Schema) -> str:
        target = schema[schema.target] if schema.target is not None else None
        nominal = isinstance(target, Category) and 2 <= target.size <= MOST_CLASSES
        if len(schema.columns) == 1 or self.structure == "margins":
            return "margins"
        if self.structure == "tan":
            schema.nominal_target()
            return "tan"
        return "tan" if self.structure == "auto" and nominal else "mst"

    def _draw(self, records: int, draw: np.random.Generator) -> dict[str, NDArray[Any]]:
        parts = [self._some(min(AT_ONCE, records - start), draw) for start in range(0, records, AT_ONCE)] or [
            self._some(0, draw)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _some(self, records: int, draw: np.random.Generator) -> dict[str, NDArray[Any]]:
        groups: dict[str, NDArray[np.int64]] = {}
        drawn: dict[str, NDArray[Any]] = {}
        for name, parents in self.parents_.items():  # parents come before their children
            groups[name] = chosen(self.tables_[name], [groups[p] for p in parents], records, draw)
        for column in self.schema_.columns:
            name = column.name
            cells = self._fine(name, groups[name], draw)
            drawn[name] = cells
            if isinstance(column, Number):
                drawn[name] = values_within(column, tuple(self.cuts_[name]), cells, draw)
        return drawn

    def _fine(self, name: str, groups: NDArray[np.int64], draw: np.random.Generator) -> NDArray[np.int64]:
        """A fine cell within each group, as the column by itself has them."""
        fine, coarse = self.cuts_[name], self.group_cuts_[name]
        if len(fine) == len(coarse):
            return groups
        of_cell = group_of(tuple(fine), tuple(coarse))
        margin = np.asarray(self.margins_[name]) + 1e-12
        within = np.where(of_cell[None, :] == np.arange(of_cell[-1] + 1)[:, None], margin[None, :], 0.0)
        return chosen(within, [groups], len(groups), draw)

    def in_words(self) -> str:
        """Which columns are drawn given which."""
        lines = [f"Learned from about {max(self.records_, 0):,.0f} records."]
        for name, parents in self.parents_.items():
            how = f"given {' and '.join(parents)}" if parents else "by itself"
            moved = f"{100 * self.noise_[name]:.3g} %"
            lines.append(f"{name} {how}; noise moves at most about {moved} of its records")
        return "\n".join(lines)

    def pictures(self) -> tuple[Chart, ...]:
        """The tree of columns, and the released shares of the first few."""
        from privet.report.charts import Bars, Node, Series, Tree

        nearest = {name: (parents[-1] if parents else None) for name, parents in self.parents_.items()}

        def node(name: str) -> Node:
            return Node(name, "", tuple(node(child) for child, up in nearest.items() if up == name))

        roots = tuple(node(name) for name, up in nearest.items() if up is None)
        tree = Tree(
            "Which column is drawn given which", roots[0] if len(roots) == 1 else Node("all", "", roots)
        )
        bars = []
        for column in self.schema_.columns[:6]:
            shares = np.asarray(self.margins_[column.name], float)
            cuts = self.cuts_[column.name]
            labels = [*map(str, column.labels)] if isinstance(column, Category) else _bin_names(column, cuts)
            named = zip([*labels, "missing"], shares, strict=True)
            shown = sorted(
                sorted(enumerate(named), key=lambda each: -each[1][1])[:40]
            )  # the fullest, in order
            series = Series("share of records", tuple(float(share) for _, (_, share) in shown))
            bars.append(
                Bars(column.name, tuple(label for _, (label, _) in shown), (series,), y="share of records")
            )
        return (tree, *bars)


def _bin_names(column: Number, cuts: list[float]) -> list[str]:
    edges = [column.low, *cuts, column.high]
    return [f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges)]
