"""The compiled loops of ``exact``: a draw as a function of words of fair bits. Proofs are there.

``at`` holds the place of the next word. It stands behind the last word if there were too few: then whatever
was drawn is not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["flip", "laplace_draws"]

Whole = NDArray[np.int64]
Words = NDArray[np.uint64]


@njit
def _below(bound: Any, words: Words, at: Whole) -> Any:  # pragma: no cover
    """A uniform whole number below the bound (at least 1): as many bits as it has, again if it is not."""
    shift = np.uint64(64)
    left = np.uint64(bound - 1)
    while left > np.uint64(0):
        left >>= np.uint64(1)
        shift -= np.uint64(1)
    if shift == np.uint64(64):
        return np.int64(0)
    while at[0] < words.size:
        drawn = np.int64(words[at[0]] >> shift)
        at[0] += 1
        if drawn < bound:
            return drawn
    at[0] = words.size + 1
    return np.int64(0)


@njit
def _exponential_coin(u: Any, t: Any, words: Words, at: Whole) -> bool:  # pragma: no cover
    """True with probability exp(−u/t), for 0 ≤ u ≤ t."""
    k = 1
    while at[0] <= words.size:
        if _below(t, words, at) >= u or _below(np.int64(k), words, at) > 0:
            return k % 2 == 1
        k += 1
    return False


@njit
def _coins_in_a_row(most: Any, words: Words, at: Whole) -> Any:  # pragma: no cover
    """How many coins of exp(−1) fall well before one does not; no more than ``most`` are tossed."""
    number = np.int64(0)
    while number < most and _exponential_coin(np.int64(1), np.int64(1), words, at):
        number += 1
    return number


@njit
def laplace_draws(
    t: int, j: int, words: Words, done: int, rest: Whole, turns: Whole, negative: NDArray[np.bool_]
) -> tuple[int, int]:  # pragma: no cover
    """U, V and sign of each draw from the ``done``-th on; how many are done, and how many words they used."""
    at = np.zeros(1, np.int64)
    used, below_one = 0, np.int64(1) << np.int64(j)
    while done < rest.size:
        u = _below(np.int64(t), words, at)
        if at[0] <= words.size and not _exponential_coin(u, np.int64(t), words, at):
            if at[0] > words.size:
                break
            continue
        v = _coins_in_a_row(np.int64(1) << np.int64(62), words, at)
        sign = _below(np.int64(2), words, at)
        if at[0] > words.size:
            break
        # ⌊(u + t·v)/2^j⌋ is 0 exactly if u + t·v < 2^j; the first two say so without the product.
        if sign == 1 and u < below_one and v <= below_one // t and u + t * v < below_one:
            continue
        rest[done], turns[done], negative[done] = u, v, sign == 1
        done += 1
        used = int(at[0])
    return done, used


@njit
def flip(gaps: Whole, t: int, words: Words) -> int:  # pragma: no cover
    """The candidate that is chosen, or −1 if there were too few words."""
    at = np.zeros(1, np.int64)
    order = np.arange(gaps.size)
    for place in range(gaps.size):
        other = place + _below(np.int64(gaps.size - place), words, at)
        order[place], order[other] = order[other], order[place]
        gap = gaps[order[place]]
        whole = gap // t
        if _coins_in_a_row(whole, words, at) == whole and _exponential_coin(
            gap - whole * t, np.int64(t), words, at
        ):
            return -1 if at[0] > words.size else order[place]
        if at[0] > words.size:
            return -1
    return -1
