"""The attack that everybody can run: who guesses whether somebody is in a table, with and without noise.

A coin decides whether one made-up person is in the table. The attacker knows everybody else in it, sees one
released count, and guesses. Without noise they are always right; with geometric noise of an ε they are
right with probability e^ε / (1 + e^ε), and no attack on any release of that ε does better (``odds``).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from privet.service.odds import odds_of

__all__ = ["Game", "play"]

ROUNDS = 100
_OTHERS = 200


@dataclass(frozen=True)
class Game:
    """How often the attacker was right, out of how many rounds, and how often they can be at most."""

    hits: int
    of: int
    bound: float
    noisy: bool = True

    def words(self) -> str:
        known = "With noise" if self.noisy else "Without noise"
        won = f"{self.hits} times out of {self.of}"
        return f"{known} the attacker was right {won}; a coin is right about half the time."


def play(epsilon: float | None, rounds: int = ROUNDS) -> Game:
    """Play the game with noise of this ε, or without any (None).

    >>> play(None).hits
    100
    """
    from privet.budget import budget, exact
    from privet.mechanisms import GeometricNoise
    from privet.randomness import secure

    inside = [secrets.randbits(1) for _ in range(rounds)]
    seen = [_OTHERS + each for each in inside]
    if epsilon is not None:  # one count a round; each round is a table of its own
        seen = [int(each) for each in GeometricNoise(exact(epsilon)).randomise(seen, secure())]
    hits = sum((count > _OTHERS) == bool(each) for count, each in zip(seen, inside, strict=True))
    if epsilon is None:
        return Game(hits, rounds, 100.0, noisy=False)
    return Game(hits, rounds, odds_of(budget(epsilon)))
