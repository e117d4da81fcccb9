"""Attacks on perturbed categories: guess a value from what was released, and find people by many of them.

The attacker knows how the release was made: for each column, how often each value became each released one
(the *channel*). A generalisation is a channel without chance, randomised response one with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GUESS", "LINKAGE", "SENSITIVE", "channel", "guessed", "linked", "sensitive_guessed"]

GUESS = (
    "Takes for each released value the original one that most often became it. "
    "Where a value is released as it is, this is always right."
)
LINKAGE = (
    "Has a register with everybody's values of these columns, and takes the released records that the "
    "person's values most likely became. Where several are equally likely, one of them is drawn."
)
SENSITIVE = (
    "Finds a person's group as record linkage does, and guesses the sensitive value that is most frequent "
    "in it. It needs no link to be right: a group whose people are alike gives them all away."
)

Codes = NDArray[np.int64]


def coded(values: Sequence[Any]) -> Codes:
    """Values as numbers from 0; missing ones are a value of their own."""
    texts = np.array(
        ["" if value is None or value != value else str(value) for value in values], dtype=object
    )
    return np.unique(texts.astype(str), return_inverse=True)[1].reshape(-1)


def channel(original: Codes, released: Codes) -> NDArray[np.float64]:
    """How often each value became each released one: values × released, rows sum to 1.

    >>> channel(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    table = np.zeros((original.max() + 1, released.max() + 1))
    np.add.at(table, (original, released), 1)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def guessed(original: Codes, released: Codes) -> float:
    """The share of values that the best guess from the released value gets right."""
    table = np.zeros((original.max() + 1, released.max() + 1))
    np.add.at(table, (original, released), 1)
    return float(table.max(axis=0).sum() / len(original))


def linked(original: Sequence[Codes], released: Sequence[Codes]) -> tuple[float, NDArray[np.int64], Codes]:
    """The share of people whose record is found; and for whom to look up what is most likely.

    Returns the share, for each person the number of their best kind of released record, and the kind of
    each released record.
    """
    likelihood, persons, kinds = _likelihood(original, released)
    best = likelihood.max(axis=1, keepdims=True)
    # Equal up to rounding of the sums of logarithms.
    tied = likelihood >= best - 1e-9
    sizes = np.bincount(kinds, minlength=likelihood.shape[1])
    candidates = tied @ sizes
    right = tied[persons, kinds] / candidates[persons]
    return float(right.mean()), likelihood.argmax(axis=1)[persons], kinds


def sensitive_guessed(looked_up: Codes, kinds: Codes, hidden: Codes, shown: Codes) -> float:
    """The share of ``hidden`` values that the most frequent one of the looked-up group gets right.

    What the release shows of the column is first brought back to original values by the best guess.
    """
    table = np.zeros((shown.max() + 1, hidden.max() + 1))
    np.add.at(table, (shown, hidden), 1)
    back = table.argmax(axis=1)[shown]
    counts = np.zeros((kinds.max() + 1, hidden.max() + 1))
    np.add.at(counts, (kinds, back), 1)
    return float((counts.argmax(axis=1)[looked_up] == hidden).mean())


def _likelihood(
    original: Sequence[Codes], released: Sequence[Codes]
) -> tuple[NDArray[np.float64], Codes, Codes]:
    """How likely each kind of person became each kind of released record, as logarithms."""
    people, persons = np.unique(np.column_stack(original), axis=0, return_inverse=True)
    records, kinds = np.unique(np.column_stack(released), axis=0, return_inverse=True)
    total = np.zeros((len(people), len(records)))
    for place, (before, after) in enumerate(zip(original, released, strict=True)):
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(channel(before, after)), -1e6)  # impossible, but still comparable
        total += logs[people[:, place]][:, records[:, place]]
    return total, persons.reshape(-1), kinds.reshape(-1)
