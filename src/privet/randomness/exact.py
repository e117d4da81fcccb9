"""Exact draws under pure ε, from fair bits and whole numbers alone: discrete Laplace noise, permute-and-flip.

OpenDP draws the same distributions with fractions of any size, some 11 µs each; these take a tenth of that.
Nothing is rounded: a scale is a float, so it is t/2^j for whole t and j, and all that is drawn is uniform
whole numbers. In ``kernels`` a coin falls well with probability

* u/t: a uniform number below t is below u;
* e^(−u/t) for 0 ≤ u ≤ t: toss coins of u/t, u/(2t), u/(3t), … until one, the K-th, falls badly; K is odd with
  this probability. *Proof.* P(K > k) = (u/t)^k/k!, so P(K odd) = Σ (−1)^k (u/t)^k/k!. A coin of u/(kt) is one
  of u/t and one of 1/k, both of which must fall well.

**Discrete Laplace.** U is uniform below t and kept with probability e^(−U/t); V counts coins of e^(−1) that
fall well in a row. Then X = U + t·V has P(x) ∝ e^(−x/t) over x ≥ 0, and Y = ⌊X/2^j⌋ has P(y) ∝ e^(−y·2^j/t):
each y stands for 2^j values of x whose sum is the first of them times a constant. With a fair sign, and drawn
again where it is −0, P(y) ∝ e^(−|y|/scale) over all whole numbers.

**Permute-and-flip.** Candidates come in an order of which all are equally likely, and the first one whose
coin of e^(−gap/scale) falls well is chosen: g = gap·2^j, ⌊g/t⌋ coins of e^(−1) and one of e^(−(g mod t)/t).

**Bits run out.** A draw is a function of a sequence of bits that ends with probability 1. If those at hand
are too few, it begins again *with the same bits* and more behind them. Fresh ones would make long draws
rarer than they are.

*Reference.* Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, algorithms 1
and 2; McKenna, Sheldon (2020), Permute-and-flip.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ratio", "add_laplace_noise", "flip_choice", "ratio_of"]

Whole = NDArray[np.int64]
Bits = Callable[[int], NDArray[np.uint64]]
Ratio = tuple[int, int]

WORDS_OF_A_DRAW, WORDS_OF_A_COIN = 20, 4  # about: more are drawn if they are not enough
MOST_WORDS = 1 << 18  # at a time
LARGEST = 1 << 62


def ratio_of(scale: float) -> Ratio | None:
    """t and j with scale = t/2^j exactly, t below 2^62 and j at most 62; None if there are none.

    >>> ratio_of(0.75), ratio_of(96.0), ratio_of(2.0**70), ratio_of(1e-30)
    ((3, 2), (96, 0), None, None)
    """
    if not 0 < scale < LARGEST:
        return None
    top, below = scale.as_integer_ratio()  # below is a power of 2
    return (top, below.bit_length() - 1) if below <= LARGEST else None


def add_laplace_noise(values: Whole, ratio: Ratio, bits: Bits) -> Whole:
    """Integers plus noise of P(x) ∝ exp(−|x|·2^j/t); stops at the ends of 64 bits."""
    from privet.randomness.exact_kernels import laplace_draws

    t, j = ratio
    size, done = values.size, 0
    rest, turns, negative = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_)
    words = np.empty(0, np.uint64)
    while done < size:
        more = bits(min(WORDS_OF_A_DRAW * (size - done) + 64, MOST_WORDS))
        words = np.concatenate([words, more])
        done, used = laplace_draws(t, j, words, done, rest, turns, negative)
        words = words[used:]
    flat = np.ascontiguousarray(values).ravel()
    if size and max(-int(flat.min()), int(flat.max())) < LARGEST and int(turns.max()) < (LARGEST - 1) // t:
        noise = (rest + t * turns) >> j
        return np.asarray(flat + np.where(negative, -noise, noise)).reshape(values.shape)
    return _in_large_numbers(flat, rest, turns, negative, ratio).reshape(values.shape)


def _in_large_numbers(
    values: Whole, rest: Whole, turns: Whole, negative: NDArray[np.bool_], ratio: Ratio
) -> Whole:
    """The same sum where 64 bits might not hold a part of it."""
    t, j = ratio
    limits = np.iinfo(np.int64)
    noisy = []
    for value, u, v, below in zip(
        values.tolist(), rest.tolist(), turns.tolist(), negative.tolist(), strict=True
    ):
        noise = (u + t * v) >> j
        noisy.append(min(max(value - noise if below else value + noise, limits.min), limits.max))
    return np.array(noisy, np.int64)


def flip_choice(scores: Whole, ratio: Ratio, bits: Bits) -> int | None:
    """The place of the chosen score; None if 64 bits do not hold how far they are apart."""
    from privet.randomness.exact_kernels import flip

    t, j = ratio
    best = int(scores.max())
    if (best - int(scores.min())) << j >= LARGEST:
        return None
    gaps = (best - scores.astype(np.int64)) << j
    words = bits(WORDS_OF_A_COIN * scores.size + 64)
    while (chosen := int(flip(gaps, t, words))) < 0:
        words = np.concatenate([words, bits(words.size)])
    return chosen
