"""Two parties agree on a key that nobody else knows (X25519), and seal what one sends to the other.

Keys are one-time: made for one study and thrown away after it, so a key that is stolen later opens nothing.
Every key that is used is derived (HKDF-SHA256) from the agreed secret and a label that names the study, the
two parties and the purpose, so that no key serves two purposes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.errors import DataError, MissingExtra

__all__ = ["OneTimeKey", "open_sealed", "seal", "shared_key"]


@dataclass(frozen=True)
class OneTimeKey:
    """A private X25519 key. ``public`` is what others see of it.

    >>> ann, bob = OneTimeKey.make(), OneTimeKey.make()
    >>> shared_key(ann, bob.public, "a study") == shared_key(bob, ann.public, "a study")
    True
    >>> open_sealed(bob, ann.public, seal(ann, bob.public, b"a share", "s"), "s")
    b'a share'
    """

    private: bytes

    @classmethod
    def make(cls) -> OneTimeKey:
        return cls(_x25519().X25519PrivateKey.generate().private_bytes_raw())

    @property
    def public(self) -> bytes:
        key = _x25519().X25519PrivateKey.from_private_bytes(self.private)
        return bytes(key.public_key().public_bytes_raw())


def shared_key(mine: OneTimeKey, theirs: bytes, label: str) -> bytes:
    """32 bytes that only the two holders of these keys can compute."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    x25519 = _x25519()
    try:
        secret = x25519.X25519PrivateKey.from_private_bytes(mine.private).exchange(
            x25519.X25519PublicKey.from_public_bytes(theirs)
        )
    except ValueError:  # too short, or one of the few points that give a secret everybody knows
        raise DataError("A party's key is not a key.", "Leave that party out of the study.") from None
    return bytes(HKDF(SHA256(), 32, salt=None, info=label.encode()).derive(secret))


def seal(mine: OneTimeKey, theirs: bytes, message: bytes, label: str) -> bytes:
    """The message, for the holder of the other key alone. One message for each pair of keys and label."""
    return bytes(_cipher(shared_key(mine, theirs, f"seal {label}")).encrypt(bytes(12), message, None))


def open_sealed(mine: OneTimeKey, theirs: bytes, sealed: bytes, label: str) -> bytes:
    """What the holder of the other key has sealed; refused if anything was changed."""
    from cryptography.exceptions import InvalidTag

    try:
        return bytes(_cipher(shared_key(mine, theirs, f"seal {label}")).decrypt(bytes(12), sealed, None))
    except InvalidTag:
        raise DataError(
            "A sealed message was altered, or is for somebody else.", "Ask for it again."
        ) from None


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    # The nonce is fixed because the key is not: label and one-time keys make it new for each message.
    return ChaCha20Poly1305(key)


def _x25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import x25519
    except ImportError:
        raise MissingExtra.of("signing", "A study of several parties") from None
    return x25519
