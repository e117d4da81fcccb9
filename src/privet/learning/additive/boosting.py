"""The rounds of an additive model: choose a term privately, measure its residuals, take one step.

**Privacy.** Before the rounds, one table per attribute that needs joining is measured (or the target alone).
Each round spends one share: a part on the choice of a term among all attributes and pairs of attributes
(``stats.boosting.term_scores``), the rest on the residuals in its cells (``stats.boosting.residuals``). Both
depend on the table through the model released so far, which composition allows. All shares add up to 1, or
with very many records those of each part of them (``learning.additive.turns``).
What a step makes of the residuals, and how many rounds there are, is computed from released numbers.

**The step.** What the released residuals of a term say of how far its cells should move, by what noise and
chance would put there and by what its neighbours say (``learning.additive.steps``). If no term at all says
more than noise would, no step is taken: the largest class is predicted, or the mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from privet.budget import Approximate, Pure
from privet.curator import Choose, Curator, Measure
from privet.learning.additive.turns import Turns
from privet.release import Release
from privet.stats import Statistic
from privet.stats.boosting import Additive, Candidates, Grouped, Grouping, Residuals, TermScores, TermTables
from privet.stats.kernels import FIXED
from privet.stats.slices import Sliced

__all__ = ["Attribute", "Boosting", "Kept", "Move", "rounds_for", "stands_out"]

Table = NDArray[np.float64]

MOST_ROUNDS = 32
MOST_PAIRS = 3000  # more candidates would be slow; then a pair needs an attribute that was chosen before
MOST_HELD = 5e7  # codes kept in memory between rounds
LARGEST_MOVE = 4.0


@dataclass(frozen=True)
class Attribute:
    """An attribute as a term of its own, and coarser as a part of a pair; None if it may not be one."""

    alone: Grouped
    paired: Grouped | None


@dataclass(frozen=True)
class Move:
    """How far each cell's margins move, how far noise may have moved them (1.96 deviations), what is left."""

    table: Table
    error: Table
    doubt: Table  # the mean of H per record, for each residual
    clear: bool  # whether what was missed stands out from noise


@dataclass
class Kept:
    """What was learned: the model, and for each of its terms the squared error of its table."""

    model: Additive
    errors: list[Table] = field(default_factory=list)


class Boosting(ABC):
    """What differs between classes and numbers: which residuals are asked for, and what a step makes of them.

    ``records`` is about how many there are, ``doubt`` the expected H per record for each residual.
    """

    def __init__(self, curator: Curator, attributes: Sequence[Attribute], pairs: bool) -> None:
        self.curator, self.attributes = curator, list(attributes)
        self.records = 1.0
        self._paired = {each.alone.coded.column: each.paired for each in attributes if pairs and each.paired}
        self._too_many_pairs = comb(len(self._paired), 2) > MOST_PAIRS
        self._begun = 0  # with so many terms
        self._known: tuple[tuple[str, ...], Candidates] | None = None

    @abstractmethod
    def question(self, model: Additive, grouping: Grouping) -> Residuals:
        """The residuals of this model in these cells."""

    @abstractmethod
    def move(self, release: Release, grouping: Grouping) -> Move:
        """One step, from released residuals."""

    def run(self, start: Kept, rounds: int, records: float, doubt: Table) -> Kept:
        """All rounds, with all that is left of the budget."""
        kept, clear = Kept(start.model, list(start.errors)), False
        self._begun = len(start.model.terms)
        names = tuple(each.alone.coded.column for each in self.attributes)
        epsilon = float(self.curator.amount.epsilon)
        turns = Turns.of(self.curator.schema, names, rounds, self.curator.left, records, epsilon)
        self.records = max(records / turns.parts, 1.0)
        if records * len(self.attributes) <= MOST_HELD:
            self.curator.hold()
        for number in range(rounds):
            grouping, share = self._choice(kept.model, turns, number, doubt)
            residuals: Statistic = self.question(kept.model, grouping)
            what = "what the model misses in the term's cells"
            if (part := turns.part(number)) is not None:
                residuals, what = Sliced(residuals, part), f"{what}, in one of {turns.parts} parts"
            move = self.move(self.curator.ask(Measure(residuals, what), share), grouping)
            doubt = np.minimum(doubt, np.maximum(move.doubt, 1e-4))
            kept.model = kept.model.plus(grouping, move.table)
            kept.errors.append(move.error**2)
            clear = clear or move.clear
        return kept if clear else start

    def _choice(self, model: Additive, turns: Turns, number: int, doubt: Table) -> tuple[Grouping, Fraction]:
        """The next term, and the share that is left for its residuals."""
        candidates = self._candidates(model)
        if len(candidates) == 1:
            return candidates[0], turns.unchosen
        residuals = self.question(model, Grouping(()))
        # A part of what would be in the cells by chance alone, and a tenth of what the noise will put there.
        noise = Measure(residuals, "").mechanism(
            self.curator.currency.share(turns.measured), self.curator.schema
        ).standard_deviation / (FIXED * turns.looks)
        chance = 0.35 * np.sqrt(self.records / turns.looks) * float(np.sqrt(doubt).sum())
        size = candidates.sizes
        penalties = 0.08 * noise * doubt.size * size + chance * np.sqrt(size)
        whole = tuple((FIXED * penalties).astype(np.int64).tolist())
        scores = TermScores(TermTables(residuals, candidates), whole, turns.look(number), turns.part(number))
        choice = Choose(scores, "which attribute, or pair, the model misses most by")
        [chosen] = self.curator.ask(choice, turns.chosen).chosen
        return candidates[chosen], turns.measured

    def _candidates(self, model: Additive) -> Candidates:
        """Every attribute and pair: the same object until there are others to choose from."""
        used: tuple[str, ...] = ()
        if self._too_many_pairs:
            taken = model.terms[self._begun :]
            used = tuple(dict.fromkeys(name for grouping, _ in taken for name in grouping.columns))
        if self._known is None or self._known[0] != used:
            self._known = used, self._among(used)
        return self._known[1]

    def _among(self, used: tuple[str, ...]) -> Candidates:
        """All attributes and pairs; if there are too many, those of the ``used`` ones, in their order."""
        grouped = tuple(dict.fromkeys([*(each.alone for each in self.attributes), *self._paired.values()]))
        place = {each: number for number, each in enumerate(grouped)}
        end_of = {name: place[each] for name, each in self._paired.items()}
        ends = list(end_of.values())
        pairs: Iterable[tuple[int, int]] = combinations(ends, 2)
        if self._too_many_pairs:
            own = [end_of[name] for name in used if name in end_of]
            beside = ((a, b) for n, a in enumerate(own) for b in ends if b not in own[: n + 1])
            pairs = islice(((min(pair), max(pair)) for pair in beside), MOST_PAIRS)
        alone = [(place[each.alone], -1) for each in self.attributes]
        return Candidates(grouped, np.array([*alone, *pairs], np.int64).reshape(-1, 2))


def stands_out(residual: Table, variance: Table, freedom: float) -> bool:
    """Whether released residuals say more than noise and chance would, at two deviations.

    If a term tells nothing, the sum of their squares over their variances is about its degrees of freedom
    (``freedom`` for each residual). Steps by such terms alone would move the model at random.

    >>> ones = np.ones((50, 1))
    >>> stands_out(ones, ones, 1.0), stands_out(2 * ones, ones, 1.0)
    (False, True)
    """
    number = residual.size * freedom
    seen = float((residual**2 / np.maximum(variance, 1e-9)).sum()) * freedom
    return seen > number + 2 * float(np.sqrt(2 * number))


def rounds_for(records: float, amount: Pure | Approximate) -> int:
    """How many rounds the budget carries: noise grows with their number, with a δ only with its root.

    >>> from privet.budget import budget
    >>> rounds_for(10_000, budget(1.0)), rounds_for(10_000, budget(1.0, 1e-6)), rounds_for(500, budget(0.1))
    (8, 25, 1)
    """
    carried = np.sqrt(max(records, 1.0) * float(amount.epsilon)) / (4 if amount.delta else 12)
    return int(np.clip(round(carried), 1, MOST_ROUNDS))
