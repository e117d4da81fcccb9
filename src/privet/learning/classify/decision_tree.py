"""A decision tree grown level by level: every leaf is split privately, and a level costs one share.

At each level every leaf is split by a test that is chosen privately: a number below a public cut, a value of
a category against the rest, or all values of a category at once. After the last level the class counts of all
leaves are released as one noisy table. Branches that only noise tells apart are cut off, and each leaf's
class shares are drawn to its parent's as far as its own counts are noise.

**Privacy.** The leaves of a level are a partition of the records that was released before, so a record takes
part in the choice of one leaf only: a level costs one share, whatever its width (proofs: ``stats.scores`` for
groups, ``stats.choices.splits`` for the scores: Σ n·(1 − gini), which one record moves within [−1, 1]). The
counts of the leaves have sensitivity 1 (``stats.coverage``). Shares add up to 1. With very many records each
level looks at others, and all levels together cost what one does (``curator.by_slice``). Pruning and
smoothing are computed from released numbers.

References: Friedman and Schuster (2010) for the greedy private tree. The range of the score, one choice for
splits of both kinds, pruning by noise and the smoothing are Privet's (``docs/concepts/trees.md``).
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray

from privet.budget import Approximate, Pure, budget
from privet.curator import Choose, Curator, Measure
from privet.estimator import PrivateClassifier
from privet.learning.first_look import FirstLook, LookFirst, first_look, plenty
from privet.learning.trees import Grown, drawn, grown, plain, pruned, rooted, smoothed, tree_of
from privet.parameters import Bins, Records, with_parameters
from privet.schema import Category, Schema
from privet.schema.bins import public_cuts
from privet.stats import Contingency, Coverage, Rows
from privet.stats.choices.splits import Splits
from privet.stats.slices import Slices, halvings_for
from privet.stats.tree_parts import TreeParts

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["DecisionTree"]

ASSUMED_RECORDS = 4000
NEEDED = 40  # records times ε, below which whatever is learned is noise
ROOT = Fraction(1, 4)  # of the leaves' share, for the classes of all records
LARGEST = Fraction(1, 20)  # what they cost at least, in ε, up to three quarters of that share
MOST_LEAVES = 4096
LEAST_BRANCH = 512  # in 1024ths of a record: what a branch is worth by chance alone, up to that much
LOOKED_AT, IN_LEAF, PER_LEAF = 8000, 1000, 400  # records by which splits are chosen; the last over ε
MOST_HELD = 5e7  # codes kept in memory between levels
DEEP = 7  # levels, from which on a share of (ε, δ) buys a better choice than one of ε


@with_parameters
class DecisionTree(PrivateClassifier):
    """Differentially private decision tree for nominal, numeric and mixed tables; a missing value is a value.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation; with δ = 0 it is pure ε. With few levels a δ would only add noise, and is not taken.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> X = generator.uniform(0, 1, (5000, 2))
    >>> y = np.where((X[:, 0] > 0.5) & (X[:, 1] > 0.5), "both", "no")
    >>> schema = Schema.of({"p": (0.0, 1.0), "q": (0.0, 1.0), "y": ["no", "both"]}, target="y")
    >>> model = DecisionTree(epsilon=2.0, schema=schema, depth=2, bins=4).fit(X, y)
    >>> model.predict([[0.1, 0.9], [0.9, 0.9]]).tolist()
    ['no', 'both']
    """

    depth: Annotated[
        int | None,
        Ge(1),
        Le(12),
        "How many tests lead to a leaf; each costs a share. By default as many as the budget allows.",
    ] = None
    splits: Annotated[
        Literal["both", "binary"],
        "Whether a category may be split into all its values, or only one value from the rest.",
    ] = "both"
    records: Records = None
    leaf_share: Annotated[
        float, Gt(0), Lt(1), "The part of the budget for the noisy class counts of the leaves."
    ] = 0.4
    bins: Bins = 32

    look_first: LookFirst = True

    @property
    def _depth(self) -> int:
        if self.depth is not None:
            return self.depth
        known = (self.records or ASSUMED_RECORDS) * self.epsilon
        return int(np.clip(round(np.log2(max(known, 1)) / 2.2), 1, 8))

    def _amount(self) -> Pure | Approximate:
        return super()._amount() if self._depth >= DEEP else budget(float(self.epsilon))

    def _fit(self, curator: Curator) -> None:
        curator.hold(MOST_HELD)
        schema = curator.schema
        target = schema.nominal_target()
        tables = tuple(
            Contingency(column.name, target.name, public_cuts(column, self.bins))
            for column in schema.attributes
            if not isinstance(column, Category) or column.size > 1
        )
        levels = self._depth if tables and target.size > 1 else 0
        self.classes_ = np.array(target.labels)
        look = None
        if self.look_first and levels and not plenty(curator, target, NEEDED):
            look = first_look(curator, target, NEEDED)
            if not look.enough:
                self.nodes_ = plain([(None, look.sizes, look.shares)])
                self.count_error_ = 1.96 * look.deviation
                self.explanation_ = look.explanation
                return
        left = curator.left
        share = Fraction(self.leaf_share).limit_denominator(1000) * left if levels else left
        # At a small ε the largest class is most of what can be known, so it gets more.
        more = share * min(3 * ROOT, max(ROOT, LARGEST / curator.amount.epsilon)) if levels else share
        everyone = Measure(Contingency(None, target.name), f"the number of records of each '{target.name}'")
        whole = curator.ask(everyone, more)
        counted = FirstLook(whole.value[0].astype(float), float(whole.standard_deviation))
        if look is not None:
            counted = counted.with_more(look.counts, look.deviation)
        records = self.records or max(float(counted.counts.sum()), 0.0)
        tree = Grown.root()
        most = max((len(t.cuts) + 1 if t.cuts else t.shape(schema)[0] for t in tables), default=2)
        # A branch is worth its counts' noise, or it would be cut off again.
        per_branch = max(LEAST_BRANCH, int(1024 * 0.5 / float(curator.amount.epsilon * share)))
        looks, each = _looks(schema, records, levels, float(curator.amount.epsilon * (left - share)))
        for level, slices in enumerate(looks):
            multiway = self.splits == "both" and len(tree.parts.leaves) * most <= MOST_LEAVES
            part = 1 if slices is None else (slices.last - slices.first) / slices.many
            question = Splits(
                tree.parts, tables, penalty=int(per_branch * part), multiway=multiway, slices=slices
            )
            choice = Choose(question, f"how each leaf is split, level {level + 1}")
            chosen = curator.ask(choice, each * (left - share)).chosen
            candidates = question.candidates(schema)
            tree = grown(tree, [candidates[place] for place in chosen], tables, schema)
        release = whole
        if levels:
            leaves = Measure(Coverage(tree.parts, target.name), "the classes in each leaf")
            release = curator.ask(leaves, share - more)
        tree = pruned(tree, release.value.astype(float), release.standard_deviation)
        tree = rooted(tree, counted.counts, counted.deviation)
        self.nodes_ = plain(smoothed(tree))
        self.count_error_ = float(release.error)
        kept = len(tree.parts.leaves)
        self.explanation_ = (
            f"{levels} levels, of which noise leaves {kept} leaves."
            if kept > 1
            else "Noise explains every split: the largest class is predicted for every record."
        )

    def _steered(self) -> dict[str, Any]:
        return {"depth": self._depth}

    def _foreseen(self) -> str:
        declared = "declared" if self.records else "assumed"
        why = (
            "as asked for"
            if self.depth
            else f"for about {self.records or ASSUMED_RECORDS} records ({declared})"
        )
        return f"{self._depth} levels, {why}; branches that only noise tells apart are cut off."

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        parts, shares = tree_of(self.nodes_)
        return np.asarray(np.log(shares)[parts.part_of(rows)])

    def _counted_parts(self) -> tuple[TreeParts, list[list[float]]]:
        """The leaves, and the noisy class counts of each."""
        parts, _ = tree_of(self.nodes_)
        return parts, [self.nodes_[leaf]["counts"] for leaf in parts.leaves]

    def in_words(self) -> str:
        """The tree as text: a line for each node, indented."""
        [chart] = self.pictures()
        _, rows = chart.table()
        return "\n".join(f"{edge}: {text}" if edge.strip() else text for edge, text in rows)

    def pictures(self) -> tuple[Chart, ...]:
        """The tree with its tests, and the noisy counts of its nodes."""
        labels: list[Any] = [str(label) for label in self.classes_]
        return (drawn(self.nodes_, self.schema_, labels, self.count_error_),)


def _looks(
    schema: Schema, records: float, levels: int, epsilon: float
) -> tuple[list[Slices | None], Fraction]:
    """The records by which each level is chosen (None for all), and what part of the levels' share it costs.

    So many that chance and noise are small beside a leaf's share of them. Where there are as many for every
    level, each has its own, and all of what the levels may spend.
    """
    wanted = [max(LOOKED_AT, 2**level * max(IN_LEAF, PER_LEAF / epsilon)) for level in range(levels)]
    names = tuple(column.name for column in schema.attributes)
    many = 1 << halvings_for(records, LOOKED_AT, schema, names)
    ends = np.cumsum([math.ceil(number * many / max(records, 1)) for number in wanted], dtype=int).tolist()
    if not levels or ends[-1] > many:
        return [None] * levels, Fraction(1, max(levels, 1))
    return [Slices(names, many, first, last) for first, last in pairwise([0, *ends])], Fraction(1)
