"""Masks for a party's numbers, modulo 2^64: one of its own, and one with each other party that cancels.

Party i adds PRG(bᵢ) + Σ_{j>i} PRG(sᵢⱼ) − Σ_{j<i} PRG(sᵢⱼ). The sum over all parties holds the self-masks
only: each sᵢⱼ is added once and subtracted once. If bᵢ is unknown, party i's message is uniform to everybody,
whatever else is known; if the bᵢ are known for a set of parties, but no sᵢⱼ within it, their messages are
uniform subject to their sum (the masks sᵢⱼ of a spanning tree of the set are independent and uniform). PRG is
ChaCha20, so "uniform" means: to anybody who cannot break it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Masks", "unmasking", "words"]

Words = NDArray[np.uint64]


def words(seed: bytes, part: int, size: int) -> Words:
    """The stream of a seed for the numbered part of a message: ``size`` words of 64 bits.

    >>> words(bytes(32), 0, 2).tolist() == words(bytes(32), 0, 3)[:2].tolist()
    True
    >>> words(bytes(32), 0, 2).tolist() == words(bytes(32), 1, 2).tolist()
    False
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

    nonce = bytes(4) + bytes(4) + part.to_bytes(8, "little")  # a counter of 0, then the nonce
    stream = Cipher(algorithms.ChaCha20(seed, nonce), mode=None).encryptor()
    return np.frombuffer(stream.update(bytes(8 * size)), dtype="<u8").astype(np.uint64)


@dataclass(frozen=True)
class Masks:
    """The masks of the party at ``place``: its own seed, and those shared with others, by their place."""

    place: int
    own: bytes
    shared: Mapping[int, bytes]

    def add(self, values: Words, part: int) -> Words:
        """These values, masked: a new array."""
        masked = values + words(self.own, part, values.size)
        for other, seed in self.shared.items():
            stream = words(seed, part, values.size)
            masked = masked + stream if self.place < other else masked - stream
        return masked


def unmasking(
    size: int, part: int, own: Mapping[int, bytes], towards: Mapping[tuple[int, int], bytes]
) -> Words:
    """What to subtract from the sum of the messages of the parties in ``own``.

    ``own`` are their self-masks; ``towards`` the masks that (i, j) shared, i in ``own`` and j one who sent
    nothing.
    """
    total = np.zeros(size, dtype=np.uint64)
    for seed in own.values():
        total = total + words(seed, part, size)
    for (place, gone), seed in towards.items():
        stream = words(seed, part, size)
        total = total + stream if place < gone else total - stream
    return total
