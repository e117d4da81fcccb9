"""Masked sums, step by step: what a party says in each, and how the coordinator gets the sum alone.

1. **join**: a one-time key. The coordinator closes the *roll*: who takes part.
2. **send**: the party's numbers (with its share of the noise) under its masks. With them, sealed for each
other
   party, a piece of every seed that it masked with: its own bᵢ, and sᵢⱼ for each other party j.
3. **agree**: the coordinator names who has sent (U). A party signs that list, once, if U is large enough and
   all of U had the same roll as itself (places on the roll name the masks).
4. **reveal**: a party that sees t signatures under the same U hands out its pieces of bᵤ for all u in U, and
of
   sᵤₔ for u in U and d on the roll but not in U: the masks that lack their counterpart.

**What the coordinator sees.** Let c parties tell it all they know, and let the others be honest. t > (n +
c)/2, so only one list U can get t signatures (``PartyStudy.needed``), and honest parties reveal for that U
alone. So of an honest party outside U, b stays unknown, and its message, if there is one, is uniform. Of
honest parties u, v in U, sᵤᵥ stays unknown: nobody reveals pieces of it, and fewer than t pieces say nothing
(``masking.shamir``). Hence their messages are uniform subject to their sum (``masking.streams``): the
coordinator learns the sum of the tables and noise shares of the honest parties in U, and nothing else. |U| ≥
honest + colluding, so these are at least ``honest`` shares: discrete Laplace noise for ε
(``mechanisms.noise_shares``).

**Vanishing.** Before *send*: the pieces of sᵤₔ replace the missing party. After *send*: its pieces are
missing, and t others suffice. If fewer than t remain, there is no result, and nothing was revealed by anybody
but uniform numbers.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.masking import Masks, OneTimeKey, joined, open_sealed, seal, shared_key, split, unmasking
from privet.parties.messages import Message, decoded, encoded
from privet.parties.study import PartyStudy, canonical

__all__ = [
    "agreed_list",
    "masks_of",
    "new_seed",
    "pieces_for",
    "places_of",
    "revealed",
    "roll_digest",
    "seeds_from",
    "unmasked",
]


def places_of(roll: Mapping[str, str]) -> dict[str, int]:
    """The number of each party on the roll, from 1."""
    return {name: place for place, name in enumerate(sorted(roll), 1)}


def roll_digest(roll: Mapping[str, str]) -> str:
    """What a party masked for: those who agree must have had the same roll, as places name masks."""
    return hashlib.sha256(canonical(dict(roll))).hexdigest()


def masks_of(study: PartyStudy, party: str, key: OneTimeKey, own: bytes, roll: Mapping[str, str]) -> Masks:
    """This party's masks with everybody on the roll (a name and a public key each)."""
    places = places_of(roll)
    shared = {}
    for other, public in roll.items():
        if other != party:
            pair = " and ".join(sorted((party, other)))
            shared[places[other]] = shared_key(key, bytes.fromhex(public), f"mask {study.digest} {pair}")
    return Masks(places[party], own, shared)


def pieces_for(
    study: PartyStudy, party: str, key: OneTimeKey, masks: Masks, roll: Mapping[str, str]
) -> dict[str, Any]:
    """A piece of each seed for each party on the roll, sealed; and the seeds' digests, to check them by."""
    seeds = {"own": masks.own} | {str(place): seed for place, seed in masks.shared.items()}
    pieces = {name: split(seed, pieces=len(roll), needed=study.needed) for name, seed in seeds.items()}
    sealed = {}
    for other, place in places_of(roll).items():
        text = json.dumps({name: piece[place].hex() for name, piece in pieces.items()}).encode()
        label = f"{study.digest} {party} to {other}"
        # To itself, too: it must be able to reveal its own.
        sealed[other] = encoded(seal(key, bytes.fromhex(roll[other]), text, label))
    digests = {name: hashlib.sha256(seed).hexdigest() for name, seed in seeds.items()}
    return {"sealed": sealed, "digests": digests, "roll": roll_digest(roll)}


def agreed_list(study: PartyStudy, agreements: Mapping[str, Message]) -> list[str]:
    """The list of senders that enough parties have signed."""
    lists: dict[tuple[str, ...], int] = {}
    for message in agreements.values():
        signed = (str(message.body.get("roll")), *message.body.get("submitted", ()))
        lists[signed] = lists.get(signed, 0) + 1
    for (_, *names), number in lists.items():
        if number >= study.needed:
            return names
    raise DataError(
        f"{study.needed} parties must agree on who has sent, and so many have not.", "Wait for others."
    )


def revealed(
    study: PartyStudy,
    party: str,
    key: OneTimeKey,
    roll: Mapping[str, str],
    sent: Mapping[str, Message],
    submitted: list[str],
) -> dict[str, dict[str, str]]:
    """This party's pieces: of each sender's own seed, and of those towards parties that have not sent."""
    places = places_of(roll)
    missing = [str(places[name]) for name in roll if name not in submitted]
    found = {}
    for sender in submitted:
        label = f"{study.digest} {sender} to {party}"
        sealed = decoded(sent[sender].body["sealed"][party])
        pieces = json.loads(open_sealed(key, bytes.fromhex(roll[sender]), sealed, label))
        found[sender] = {name: pieces[name] for name in ("own", *missing)}
    return found


def seeds_from(
    study: PartyStudy, roll: Mapping[str, str], sent: Mapping[str, Message], revealed: Mapping[str, Any]
) -> Callable[[str, str], bytes]:
    """A seed of a sender, from the pieces revealed; a wrong piece shows by the seed's digest."""
    places = places_of(roll)

    def seed(sender: str, name: str) -> bytes:
        pieces = {places[who]: bytes.fromhex(each[sender][name]) for who, each in revealed.items()}
        digest = sent[sender].body["digests"][name]
        for tried, chosen in enumerate(combinations(sorted(pieces), study.needed)):
            try:
                found = joined({place: pieces[place] for place in chosen})
            except DataError:
                found = b""
            if hashlib.sha256(found).hexdigest() == digest:
                return found
            if tried > 5000:
                break
        raise DataError(f"The masks of '{sender}' cannot be taken off: pieces are wrong.", "Start again.")

    return seed


def unmasked(
    roll: Mapping[str, str],
    parts: Mapping[str, list[NDArray[np.uint64]]],
    seed: Callable[[str, str], bytes],
) -> list[NDArray[np.int64]]:
    """The sums over the senders, part by part."""
    places = places_of(roll)
    missing = [places[name] for name in roll if name not in parts]
    own = {places[sender]: seed(sender, "own") for sender in parts}
    towards = {(places[s], gone): seed(s, str(gone)) for s in parts for gone in missing}
    sums = []
    for number, same in enumerate(zip(*parts.values(), strict=True)):
        total = np.sum(np.stack(same), axis=0, dtype=np.uint64)
        sums.append((total - unmasking(total.size, number, own, towards)).astype(np.int64))
    return sums


def new_seed() -> bytes:
    return secrets.token_bytes(32)
