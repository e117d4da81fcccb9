"""Ed25519 signatures for released models: the owner signs, anyone with the public key can check."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from privet.errors import MissingExtra, ModelError

__all__ = ["make_keys", "sign", "verify"]


def make_keys(path: str | Path) -> tuple[Path, Path]:
    """Make a key pair: PATH (private, readable by its owner alone) and PATH.pub."""
    serialization, ed25519 = _library()
    private, public = Path(path), Path(f"{path}.pub")
    key = ed25519.Ed25519PrivateKey.generate()
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        handle = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ModelError(f"There is already a file {private.name}; a key is never replaced.") from None
    with os.fdopen(handle, "wb") as file:
        file.write(text)
    public.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return private, public


def sign(message: bytes, key: str | Path) -> str:
    """The signature of a message with the private key in a file."""
    serialization, _ = _library()
    private: Any = _load(key, lambda data: serialization.load_pem_private_key(data, password=None))
    return str(private.sign(message).hex())


def verify(message: bytes, signature: str, key: str | Path | bytes) -> None:
    """Refuse a signature that the owner of this public key (a file, or its text as bytes) has not made."""
    from cryptography.exceptions import InvalidSignature

    serialization, _ = _library()
    public: Any = _load(key, serialization.load_pem_public_key)
    try:
        public.verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        raise ModelError(
            "The signature does not belong to this model and this owner's key.",
            "Do not use the model; ask its owner for the original file.",
        ) from None


def _load(key: str | Path | bytes, read: Any) -> Any:
    name = "The key" if isinstance(key, bytes) else Path(key).name
    try:
        return read(key if isinstance(key, bytes) else Path(key).read_bytes())
    except FileNotFoundError:
        raise ModelError(f"There is no key file {name}.") from None
    except (ValueError, TypeError):
        raise ModelError(f"{name} does not hold a key of the right kind.") from None


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra.of("signing", "Signing models") from None
    return serialization, ed25519
