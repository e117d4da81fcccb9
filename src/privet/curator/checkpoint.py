"""The file that a running stream is kept in: for its owner alone, and held by one program at a time."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from privet.errors import ModelError, ParameterError

__all__ = ["CheckpointFile"]

FORMAT = 1


class CheckpointFile:
    """A checkpoint's place, with a lock that the system lets go of when the program ends, however it ends."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        lock = self.path.with_name(f".{self.path.name}.lock")
        try:
            import fcntl
        except ImportError:  # pragma: no cover  # not a system of the Unix family
            raise ParameterError(
                "Checkpoints need locks of files, which this system does not have."
            ) from None
        try:
            self._lock = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise self._unwritten(error) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.release()
            raise ParameterError(
                f"The stream in {self.path.name} is held by a program that is running.",
                "Learn with that program, or end it first.",
            ) from None

    def release(self) -> None:
        """Let another program take it up."""
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1

    def __del__(self) -> None:
        if getattr(self, "_lock", -1) >= 0:
            self.release()

    def write(self, document: dict[str, Any]) -> None:
        """Replace what the file holds, and return when it is on the disk."""
        part = self.path.with_name(f".{self.path.name}.part")
        try:
            part.unlink(missing_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"privet_stream": FORMAT, **document}, file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        except OSError as error:
            raise self._unwritten(error) from None

    def read(self) -> dict[str, Any]:
        """What the file holds."""
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ModelError(f"There is no checkpoint {self.path.name}.", "Check its path.") from None
        except (OSError, ValueError):
            raise self.damaged() from None
        if not isinstance(document, dict) or document.get("privet_stream") != FORMAT:
            raise self.damaged()
        return document

    def damaged(self) -> ModelError:
        return ModelError(f"{self.path.name} is not the checkpoint of a stream, or it is damaged.")

    def _unwritten(self, error: OSError) -> ModelError:
        return ModelError(
            f"The checkpoint {self.path.name} cannot be written: {error.strerror}.", "Choose another folder."
        )
