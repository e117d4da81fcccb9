"""ChooseForest: pairs with high scores that join nodes into trees, chosen one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Pure, Zcdp
from privet.curator.ask.choose import Choose
from privet.curator.ask.question import Exact, Question
from privet.release import Step
from privet.schema import Schema
from privet.stats import Scores, Statistic

__all__ = ["ChooseForest", "Forest"]


@dataclass(frozen=True)
class Forest:
    """The places of the chosen pairs, in the order of their choice, and the step that chose.

    ``places`` has an entry for each round, −1 for those after the choice was stopped: how many there are is
    public, and when it was stopped is a part of what was chosen.
    """

    places: NDArray[np.int64]
    step: Step

    @property
    def chosen(self) -> list[int]:
        """The chosen pairs alone."""
        found: list[int] = self.places[self.places >= 0].tolist()
        return found

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.step,)

    @property
    def told(self) -> tuple[Any, ...]:
        return (self.places,)


@dataclass(frozen=True)
class ChooseForest(Question[Forest]):
    """A forest of high scores over ``nodes`` nodes: Kruskal's algorithm with private choices.

    ``ends`` are the two nodes that each candidate joins; a last candidate of the scores that joins none stops
    the choice. A round chooses among those that join two trees of the forest so far, and there are at most
    ``nodes`` − 1 rounds, since each leaves one tree less.

    **Privacy.** What may be chosen in a round follows from what was chosen before. So each round is a private
    choice among scores of the same table (``Choose``: sensitivity and proof), at 1 / (nodes − 1) of the
    amount, and the rounds compose sequentially. To stop early spends less, and nothing is handed back.
    """

    scores: Scores
    ends: tuple[tuple[int, int], ...]
    nodes: int
    what: str

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.scores.statistics

    @property
    def rounds(self) -> int:
        return self.nodes - 1

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        each = amount.share(Fraction(1, self.rounds))
        return Choose(self.scores, self.what).mechanism(each, schema)

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Forest:
        [scores] = self.scores.groups(exact.answers, exact.schema)
        tree = list(range(self.nodes))
        chosen: list[int] = []
        for _ in range(self.rounds):
            open_ = [place for place, (a, b) in enumerate(self.ends) if tree[a] != tree[b]]
            allowed = np.array(open_ + list(range(len(self.ends), len(scores))), np.int64)
            if not open_:
                break
            place = int(allowed[mechanism.choose(scores[allowed], exact.randomness)])
            if place >= len(self.ends):
                break
            chosen.append(place)
            one, other = (tree[end] for end in self.ends[place])
            tree = [one if each == other else each for each in tree]
        words = f"{mechanism.event.mechanism} choices, one after the other"
        error = mechanism.error(len(scores)) / self.scores.scale
        places = np.array(chosen + [-1] * (self.rounds - len(chosen)), np.int64)
        return Forest(places, Step(self.what, words, amount, error, "records from the best, each"))
