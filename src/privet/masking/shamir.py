"""A secret in n pieces of which any t give it back, and fewer say nothing about it (Shamir 1979).

*Proof.* The secret is the value at 0 of a polynomial of degree t − 1 whose other coefficients are drawn
uniformly from a field of prime order; piece i is its value at i. For any t − 1 pieces and every secret there
is exactly one such polynomial, so all secrets are equally likely given the pieces; t pieces determine it.

>>> secret = bytes(range(32))
>>> pieces = split(secret, pieces=5, needed=3)
>>> joined({3: pieces[3], 1: pieces[1], 5: pieces[5]}) == secret
True
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from privet.errors import DataError

__all__ = ["joined", "split"]

_PRIME = 2**521 - 1  # a Mersenne prime, far above 2^256
_BYTES = 66


def split(secret: bytes, *, pieces: int, needed: int) -> dict[int, bytes]:
    """The pieces of a secret of 32 bytes, numbered from 1."""
    assert len(secret) == 32
    assert 1 <= needed <= pieces
    polynomial = [int.from_bytes(secret), *(secrets.randbelow(_PRIME) for _ in range(needed - 1))]
    found = {}
    for place in range(1, pieces + 1):
        value = 0
        for coefficient in reversed(polynomial):
            value = (value * place + coefficient) % _PRIME
        found[place] = value.to_bytes(_BYTES)
    return found


def joined(pieces: Mapping[int, bytes]) -> bytes:
    """The secret, from as many pieces as are needed. From fewer, or wrong ones: nonsense, or an error."""
    total = 0
    for place, piece in pieces.items():
        top, bottom = 1, 1
        for other in pieces:
            if other != place:
                top, bottom = top * other % _PRIME, bottom * (other - place) % _PRIME
        total += int.from_bytes(piece) * top * pow(bottom, -1, _PRIME)
    secret = total % _PRIME
    if secret >= 2**256:
        raise DataError("The pieces of a secret do not fit together.", "A party has sent a wrong one.")
    return secret.to_bytes(32)
