"""Passwords and secrets: argon2 for what people choose, digests for what the server draws itself."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from privet.server.problems import Refusal

__all__ = ["check_password", "digest", "drawn", "hash_password", "new_id", "same"]

#: Each takes 64 MB for a moment: whoever guesses many at once must not take the machine's memory.
_few_at_a_time = threading.BoundedSemaphore(4)
SHORTEST = 10
LONGEST = 1000


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobody() -> str:
    """The hash of a password that nobody has: checked where there is no such user, to take as long."""
    return _hasher().hash(secrets.token_hex(32))


def hash_password(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        raise Refusal(
            422,
            "The password is too short" if len(password) < SHORTEST else "The password is too long",
            f"A password has at least {SHORTEST} characters.",
            "Choose a longer one; a sentence is good."
            if len(password) < SHORTEST
            else "Choose a shorter one.",
            "password",
        )
    with _few_at_a_time:
        return _hasher().hash(password)


def check_password(known: str | None, given: str) -> bool:
    try:
        with _few_at_a_time:
            return _hasher().verify(known or _nobody(), given[: LONGEST + 1]) and known is not None
    except (VerificationError, InvalidHashError):
        return False


def drawn() -> str:
    """A secret that cannot be guessed: 256 bits."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What is kept of a drawn secret. It is too long to be guessed, so a plain digest is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def new_id(prefix: str = "") -> str:
    """An opaque name.

    >>> new_id("clinic").startswith("clinic-")
    True
    """
    name = secrets.token_hex(8)
    return f"{prefix}-{name}" if prefix else name
