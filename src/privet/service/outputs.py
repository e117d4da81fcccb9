"""Files that a run leaves behind: checked before anything is spent, never lost once it is.

A model has been paid for when it is written, and the budget does not come back. So whether its file can be
written is asked first, and if the disk still fails afterwards the model goes to the next best place.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from privet import signing
from privet.errors import ModelError, ParameterError

__all__ = ["Unsaved", "check_key", "check_place", "save"]


class Unsaved(ModelError):
    """A model is paid for and not where it should be. ``kept`` is where it is; else ``rescued`` is it."""

    kept: Path | None = None


def check_place(path: str | Path, *, force: bool = False) -> Path:
    """Refuse a path that cannot be written, or that holds a file which nobody said to replace."""
    path = Path(path)
    if path.is_dir():
        raise ParameterError(f"{path} is a folder.", "Name a file to write.")
    if path.exists() and not force:
        raise ParameterError(f"{path} is there already.", "Choose another name, or replace it.", "replace")
    if not path.parent.is_dir():
        raise ParameterError(
            f"There is no folder {path.parent} to write {path.name} in.",
            f"Make it first:  mkdir -p {path.parent}",
        )
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        raise ParameterError(
            f"{path} cannot be written: {error.strerror}.", "Choose a folder that you may write in."
        ) from None
    return path


def check_key(key: str | Path) -> None:
    """Refuse a private key that cannot sign, before there is anything to sign."""
    signing.sign(b"", key)


def save(model: Any, path: str | Path, *, key: str | Path | None = None) -> dict[str, Any]:
    """Write a fitted model; if that fails, keep it elsewhere and raise ``Unsaved``, which says where."""
    from privet.model import model_to_dict, save_model

    path = Path(path)
    try:
        return save_model(model, path, key)
    except OSError as failure:
        reason = failure.strerror or "the disk failed"
    for folder in (Path.cwd(), Path.home(), Path(tempfile.gettempdir())):
        try:
            handle, name = tempfile.mkstemp(dir=folder, prefix="privet-rescued-", suffix=".json")
        except OSError:
            continue
        os.close(handle)
        try:
            save_model(model, name, key)
        except OSError:
            os.unlink(name)
            continue
        error = Unsaved(
            f"{path} could not be written ({reason}). The model is paid for and was kept in {name}.",
            f"Move it:  mv {name} {path}",
        )
        error.kept = Path(name)
        raise error
    error = Unsaved(f"{path} could not be written ({reason}), nor could any other file.", "Free some space.")
    error.rescued = json.loads(json.dumps(model_to_dict(model)))
    raise error
