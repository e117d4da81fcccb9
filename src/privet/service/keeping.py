"""Keys of perturbations, kept where their owner wants them: nowhere, in a file, or in one file per window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.perturbation import Key

__all__ = ["KeyKeeper", "key_path"]


def key_path(key: Path, window: int) -> Path:
    """Where the key of a window is kept: beside the first one, numbered.

    >>> str(key_path(Path("key.json"), 3))
    'key-000003.json'
    """
    return key if window == 0 else key.with_name(f"{key.stem}-{window:06d}{key.suffix}")


class KeyKeeper:
    """Keeps the keys of one run. ``known`` is the key that its file held before; None if there was none."""

    def __init__(self, path: Path | None, known: Key | None, *, continued: bool) -> None:
        self._path, self._fresh, self._first = path, known is None, 0
        self._window: int | None = None
        if path is not None and continued and not self._fresh:
            # A stream that is taken up again goes on with the next number, and never uses an old window's
            # key.
            while key_path(path, self._first + 1).exists():
                self._first += 1

    def keep(self, window: int, key: Key) -> None:
        """Keep the key of a window, unless it came from its file."""
        self._window = window
        if self._path is not None and (self._fresh or window > 0):
            key.save(key_path(self._path, self._first + window))

    def settle(self, model: Any) -> None:
        """Keep what a stream has taught the method, so that it can be taken up again."""
        if self._path is None or self._window is None or not hasattr(model, "key_"):
            return
        now = model.current_key()
        if now is not model.key_:
            now.save(key_path(self._path, self._first + self._window), replace=True)
