"""The only maker of random sources: secure by default; seeded on request, and then marked.

A release drawn from a seed protects nothing, because whoever knows or guesses the seed subtracts the
noise. So a seed is for tests and demonstrations, and everything made with one says "no guarantee":
``source.secure`` is false and ``source.caveat`` says why in words.

>>> of(None).secure, of(7).secure
(True, False)
>>> of(7).add_laplace([100.0], scale=2.0) == of(7).add_laplace([100.0], scale=2.0)
array([ True])

A source moves on with every draw. Make it once for a whole fit: calling ``of(7)`` again before the second
measurement would draw the same noise twice, and the difference of the two answers would be exact.
"""

from __future__ import annotations

from numbers import Integral

import numpy as np

from privet.errors import ParameterError
from privet.randomness.contract import FloatArray, IntegerArray, Noise, Randomness
from privet.randomness.seed import SeededRandomness
from privet.randomness.system import SecureRandomness

__all__ = ["FloatArray", "IntegerArray", "Noise", "RandomState", "Randomness", "of", "secure", "seeded"]

# What scikit-learn users know as ``random_state``.
RandomState = None | int | np.random.Generator | np.random.RandomState


def secure() -> Randomness:
    """Noise that nobody can predict: exact samplers and the operating system's entropy."""
    return SecureRandomness()


def seeded(seed: int) -> Randomness:
    """The same draws every time, for tests and demonstrations: no privacy guarantee."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise ParameterError(
            "A seed must be a whole number of at least 0.", "Give one such as 7, or None for secure noise."
        )
    return SeededRandomness(np.random.default_rng(int(seed)))


def of(random_state: RandomState | Randomness = None) -> Randomness:
    """The source that a user's ``random_state`` asks for: None is the secure one.

    A NumPy generator is used as it stands, and moves on; so does a ``RandomState``, which gives the seed.
    """
    if random_state is None:
        return secure()
    if isinstance(random_state, SecureRandomness | SeededRandomness):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return SeededRandomness(random_state)
    if isinstance(random_state, np.random.RandomState):
        words = random_state.randint(0, 2**32, size=4, dtype=np.uint32)
        return SeededRandomness(np.random.default_rng(words))
    if isinstance(random_state, Integral):
        return seeded(int(random_state) if not isinstance(random_state, bool) else random_state)
    raise ParameterError(
        f"random_state cannot be of type {type(random_state).__name__}.",
        "Leave it out for secure noise, or give a whole number or a NumPy generator for a test.",
    )
