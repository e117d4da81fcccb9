"""Masks cancel in the sum, whoever vanishes; fewer pieces than needed say nothing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from privet.errors import DataError
from privet.masking import Masks, OneTimeKey, joined, open_sealed, seal, shared_key, split, unmasking


def test_any_pieces_that_are_enough_give_the_secret_and_fewer_do_not():
    secret = bytes(range(100, 132))
    pieces = split(secret, pieces=5, needed=3)
    for chosen in combinations(pieces, 3):
        assert joined({place: pieces[place] for place in chosen}) == secret
    for chosen in combinations(pieces, 2):
        with pytest.raises(
            DataError, match="do not fit"
        ):  # all but 1 in 2^265 of what they give is no secret
            joined({place: pieces[place] for place in chosen})


def test_fewer_pieces_are_distributed_the_same_for_every_secret():
    """For each secret and each two of three pieces there is exactly one polynomial: so they are uniform."""
    drawn = [split(secret, pieces=3, needed=3)[1] for secret in (bytes(32), b"\xff" * 32) for _ in range(200)]
    bits = np.array([[int.from_bytes(piece) >> bit & 1 for bit in range(520)] for piece in drawn])
    for half in (bits[:200], bits[200:]):
        assert abs(half.mean() - 0.5) < 6 * 0.5 / np.sqrt(half.size)


@pytest.mark.parametrize("gone", [(), (2,), (1, 4)])
def test_the_sum_of_the_masked_is_the_sum(gone):
    keys = {place: OneTimeKey.make() for place in range(1, 6)}
    own = {place: bytes([place]) * 32 for place in keys}

    def shared(place):
        return {o: shared_key(keys[place], k.public, "mask") for o, k in keys.items() if o != place}

    values = {place: np.arange(7, dtype=np.uint64) * np.uint64(place) for place in keys}
    sent = {p: Masks(p, own[p], shared(p)).add(values[p], 3) for p in keys if p not in gone}
    for place, masked in sent.items():
        assert not np.any(masked == values[place])
    total = np.sum(np.stack(list(sent.values())), axis=0, dtype=np.uint64)
    towards = {(p, d): shared(p)[d] for p in sent for d in gone}
    plain = total - unmasking(7, 3, {p: own[p] for p in sent}, towards)
    assert plain.tolist() == sum(values[p] for p in sent).tolist()
    if gone:  # without the missing ones' masks, it is noise
        assert np.any(total - unmasking(7, 3, {p: own[p] for p in sent}, {}) != plain)


def test_a_masked_message_looks_the_same_whatever_it_holds():
    words = []
    for value in (0, 10**6):
        for number in range(300):
            masks = Masks(1, number.to_bytes(32), {2: (value + number + 1).to_bytes(32)})
            words.append(masks.add(np.full(8, value, np.uint64), 0))
    bits = np.unpackbits(np.array(words).view(np.uint8), axis=1)
    for half in (bits[:300], bits[300:]):
        assert abs(half.mean() - 0.5) < 6 * 0.5 / np.sqrt(half.size)


def test_what_is_sealed_is_for_one_reader_and_purpose():
    ann, bob, eve = (OneTimeKey.make() for _ in range(3))
    sealed = seal(ann, bob.public, b"secret", "study 1")
    assert open_sealed(bob, ann.public, sealed, "study 1") == b"secret"
    for reader, sender, text, label in (
        (eve, ann, sealed, "study 1"),
        (bob, eve, sealed, "study 1"),
        (bob, ann, sealed, "study 2"),
        (bob, ann, sealed[:-1] + bytes([sealed[-1] ^ 1]), "study 1"),
    ):
        with pytest.raises(DataError, match="altered"):
            open_sealed(reader, sender.public, text, label)
    for weak in (bytes(32), b"\x01" + bytes(31), b"short"):
        with pytest.raises(DataError, match="not a key"):
            shared_key(ann, weak, "x")
