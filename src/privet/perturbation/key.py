"""The random key of a perturbation: in a file of its own, or thrown away. Never in the output.

Whoever has the key can undo a rotation, so it is written for its owner's eyes alone (mode 0600), is never
replaced by accident, and does not show its values when it is printed.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import ModelError

__all__ = ["Key"]

FORMAT = "privet perturbation key, 1"


@dataclass(frozen=True)
class Key:
    """What a method drew, for which columns, scaled by which public bounds.

    >>> turn = [[0.0, 1.0], [-1.0, 0.0]]
    >>> key = Key("rotation", ("age", "height"), (0.0, 40.0), (120.0, 220.0), {"rotation": turn})
    >>> key
    Key(method='rotation', columns=('age', 'height'))
    >>> key.array("rotation", 2, 2).shape
    (2, 2)
    """

    method: str
    columns: tuple[str, ...]
    low: tuple[float, ...] = field(repr=False)
    high: tuple[float, ...] = field(repr=False)
    values: dict[str, Any] = field(repr=False)

    def array(self, name: str, *shape: int | None) -> NDArray[np.float64]:
        """One of the values as an array, which must have this shape; ``None`` stands for any length."""
        try:
            array = np.asarray(self.values[name], dtype=np.float64)
        except (KeyError, ValueError, TypeError):
            raise _damaged("The key") from None
        fits = len(array.shape) == len(shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
        )
        if not fits or not np.isfinite(array).all():
            raise _damaged("The key")
        return array

    def check(self, method: str, columns: Sequence[str], low: Sequence[float], high: Sequence[float]) -> None:
        """Refuse to be used by another method, for other columns or with other bounds."""
        if self.method != method:
            raise ModelError(
                f"The key was made by '{self.method}', not by '{method}'.",
                f"Perturb with '{self.method}', or make a new key.",
            )
        if len(self.columns) != len(columns):
            raise ModelError(
                f"The key is for {len(self.columns)} columns, and {len(columns)} are to be perturbed.",
                f"Choose the key's columns: {', '.join(self.columns)}; or make a new key.",
            )
        if self.columns != tuple(columns):
            raise ModelError(
                "The key was made for other columns, or for these in another order.",
                f"Choose the key's columns: {', '.join(self.columns)}; or make a new key.",
            )
        if (self.low, self.high) != (tuple(map(float, low)), tuple(map(float, high))):
            raise ModelError(
                "The key was made with other public bounds than the schema's.",
                "Use the schema that the key was made with, or make a new key.",
            )

    def save(self, path: str | Path, *, replace: bool = False) -> None:
        """Write the key, readable by its owner alone.

        A file that is there already is never replaced, unless it is the same key with what it has learned
        since (``replace``): then it changes in one step.
        """
        place = Path(path)
        target = place.with_name(f".{place.name}.part") if replace else place
        document = {
            "format": FORMAT,
            "method": self.method,
            "columns": list(self.columns),
            "low": list(self.low),
            "high": list(self.high),
            "values": self.values,
        }
        try:
            if replace:
                target.unlink(missing_ok=True)
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=1, ensure_ascii=False)
                file.write("\n")
            if replace:
                target.replace(place)
        except FileExistsError:
            raise ModelError(
                f"There is already a file {place.name}; a key is never replaced.",
                "Use it as the key, or choose another name.",
            ) from None
        except OSError as error:
            raise ModelError(
                f"The key {place.name} cannot be written: {error.strerror}.", "Choose another folder."
            ) from None

    @classmethod
    def load(cls, path: str | Path) -> Key:
        """A key from its file."""
        name = Path(path).name
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ModelError(f"There is no key file {name}.", "Check its path.") from None
        except (OSError, ValueError):
            raise _damaged(f"The key {name}") from None
        try:
            if document["format"] != FORMAT:
                raise _damaged(f"The key {name}")
            low, high = (tuple(map(float, document[side])) for side in ("low", "high"))
            columns = tuple(map(str, document["columns"]))
            key = cls(str(document["method"]), columns, low, high, dict(document["values"]))
        except (KeyError, TypeError, ValueError):
            raise _damaged(f"The key {name}") from None
        numbers = [*key.low, *key.high]
        if not len(columns) == len(low) == len(high) or not all(map(math.isfinite, numbers)):
            raise _damaged(f"The key {name}")
        return key


def _damaged(what: str) -> ModelError:
    return ModelError(f"{what} is not a whole perturbation key.", "Find the original, or make a new key.")
