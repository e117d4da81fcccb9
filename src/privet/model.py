"""Released models as plain JSON: the schema, what was learned, and the guarantee, in one file.

A model file never runs code when it is read, needs no training data, and notices that it was altered: a
SHA-256 digest of its canonical text is always there, and an Ed25519 signature where the owner has set a key.
The digest protects against accidents; only a signature protects against a person.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from privet import signing
from privet.errors import ModelError
from privet.parameters import parameters_of, validate
from privet.registry import algorithm, name_of
from privet.release import Guarantee
from privet.schema import Schema

__all__ = [
    "learned_part",
    "load_model",
    "model_from_dict",
    "model_to_dict",
    "released_document",
    "restore_learned",
    "save_model",
]

FORMAT = 1
# Objects of the session that made the model; what matters of them is in the guarantee.
_NOT_KEPT = {"schema", "ledger", "random_state"}


def save_model(model: Any, path: str | Path, key: str | Path | None = None) -> dict[str, Any]:
    """Write a fitted model; with ``key``, the owner's private key file, sign it. Returns what was written."""
    document = released_document(model)
    if key is not None:
        document["signature"] = signing.sign(_canonical(document), key)
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)
    return document


def load_model(path: str | Path, key: str | Path | None = None) -> Any:
    """Read a model; with ``key``, the owner's public key file, refuse one that the owner has not signed."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except FileNotFoundError:
        raise ModelError(f"There is no model file {Path(path).name}.") from None
    except OSError:
        raise ModelError(f"The model file {Path(path).name} cannot be read.", "Check its path.") from None
    except (ValueError, RecursionError):
        raise ModelError(f"{Path(path).name} is not a model: it is not valid JSON.") from None
    if not isinstance(document, dict) or "privet_model" not in document:
        raise ModelError(f"{Path(path).name} is not a Privet model.")
    if document["privet_model"] != FORMAT:
        raise ModelError("This model is in a newer format.", "Update Privet to read it.")
    signature = document.pop("signature", None)
    if document.get("digest") != _digest({k: v for k, v in document.items() if k != "digest"}):
        raise ModelError(
            f"{Path(path).name} was altered after it was released: its digest does not match.",
            "Ask its owner for the original file.",
        )
    if key is not None:
        if not isinstance(signature, str):
            raise ModelError(f"{Path(path).name} is not signed.", "Ask its owner to sign it.")
        signing.verify(_canonical(document), signature, key)
    return model_from_dict(document)


def released_document(model: Any) -> dict[str, Any]:
    """A fitted model as its file holds it, with the digest that tells whether it was altered since."""
    document = model_to_dict(model)
    return document | {"digest": _digest(document)}


def model_to_dict(model: Any) -> dict[str, Any]:
    """A fitted model as plain data."""
    if not hasattr(model, "guarantee_"):
        raise ModelError(
            f"This {type(model).__name__} has learned nothing yet.", "Call fit before saving it."
        )
    parameters = {
        p.name: getattr(model, p.name) for p in parameters_of(type(model)) if p.name not in _NOT_KEPT
    }
    return {
        "privet_model": FORMAT,
        "algorithm": name_of(model),
        "guarantee": model.guarantee_.to_dict(),
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "schema": model.schema_.to_dict(),
        "learned": learned_part(model),
    }


def model_from_dict(document: dict[str, Any]) -> Any:
    """The fitted model that the data stands for."""
    try:
        schema = Schema.from_dict(document["schema"])
        kind: Any = algorithm(document["algorithm"]).load()
        parameters = {**document["parameters"]}
        if hasattr(kind, "_from_earlier"):  # not every algorithm is a PrivateEstimator
            parameters = kind._from_earlier(parameters)
        model = kind(schema=schema, **parameters)
        restore_learned(model, document["learned"])
        model.schema_ = schema
        model.guarantee_ = Guarantee.from_dict(document["guarantee"])
        validate(model)
    except ModelError:
        raise
    except (LookupError, TypeError, AttributeError, AssertionError, ValueError, ArithmeticError):
        raise ModelError("The model file lacks a part, or a part has the wrong form.") from None
    return model


def learned_part(model: Any) -> dict[str, Any]:
    """What a fitted model has learned, as plain data."""
    return {
        name: _plain(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and name not in ("schema_", "guarantee_")
    }


def restore_learned(model: Any, learned: dict[str, Any]) -> None:
    """Give a model what another one has learned: the inverse of ``learned_part``."""
    for name, value in learned.items():
        if not name.endswith("_") or name.startswith("_"):
            raise ModelError("The model holds an entry that no algorithm learns.")
        setattr(model, name, _restored(value))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        kind = "text" if value.dtype.kind in "UO" else value.dtype.str
        return {
            "array": [_plain(v) for v in value.ravel().tolist()],
            "type": kind,
            "shape": list(value.shape),
        }
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelError("The model holds a number that is not finite, which JSON cannot hold.")
    if isinstance(value, dict):
        plain = {str(key): _plain(item) for key, item in value.items()}
        if _is_array(plain):
            raise ModelError("The model holds entries that would be read back as an array.")
        return plain
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ModelError(f"A {type(value).__name__} cannot be part of a released model.")


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        if _is_array(value):
            kind = np.dtype(str if value["type"] == "text" else value["type"])
            array = np.array(value["array"], dtype=kind).reshape(value["shape"])
            if kind.kind not in "Ubiuf" or (kind.kind == "f" and not np.isfinite(array).all()):
                raise ModelError("The model holds an array of something other than finite numbers or text.")
            return array
        return {key: _restored(item) for key, item in value.items()}
    return [_restored(item) for item in value] if isinstance(value, list) else value


def _is_array(value: dict[str, Any]) -> bool:
    """Whether this stands for an array, and not for three attributes that happen to have these names."""
    return set(value) == {"array", "type", "shape"} and isinstance(value["type"], str)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _canonical(document: dict[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _digest(document: dict[str, Any]) -> str:
    return "sha256:" + hashlib.sha256(_canonical(document)).hexdigest()
