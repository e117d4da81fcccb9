"""Making many runs: on several cores, with progress, and resumable from a checkpoint folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from privet.audit.subjects import Subject

__all__ = ["Progress", "Runs"]

Progress = Callable[[int], None]
CHUNK = 250


class Runs:
    """Draws outputs in chunks. With ``folder``, every chunk is kept there, and found again after a stop."""

    def __init__(
        self, subject: Subject, *, jobs: int = 1, folder: str | Path | None = None, progress: Progress | None = None
    ) -> None:
        self.subject = subject
        self.jobs = jobs
        self.progress = progress
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def draw(self, key: str, data: Any, runs: int, chunk: int = CHUNK) -> NDArray[np.float64]:
        """``runs`` outputs on this input; ``key`` names them in the checkpoint folder."""
        sizes = [min(chunk, runs - start) for start in range(0, runs, chunk)]
        kept = [self._kept(key, number, size) for number, size in enumerate(sizes)]
        wanted = [number for number, part in enumerate(kept) if part is None]
        if self.progress is not None:
            self.progress(sum(size for part, size in zip(kept, sizes, strict=True) if part is not None))
        work = (delayed(self.subject.draw)(data, sizes[number]) for number in wanted)
        if self.jobs == 1:
            parts = (self.subject.draw(data, sizes[number]) for number in wanted)
        else:
            parts = Parallel(n_jobs=self.jobs, return_as="generator", batch_size=1)(work)
        for number, part in zip(wanted, parts, strict=True):
            kept[number] = part
            self._keep(key, number, part)
            if self.progress is not None:
                self.progress(sizes[number])
        return _stack([part for part in kept if part is not None])

    def _path(self, key: str, number: int, size: int) -> Path | None:
        if self.folder is None:
            return None
        digest = hashlib.sha256(json.dumps([self.subject.name, key, size]).encode()).hexdigest()[:16]
        return self.folder / f"{digest}-{number:05d}.npy"

    def _kept(self, key: str, number: int, size: int) -> NDArray[np.float64] | None:
        path = self._path(key, number, size)
        if path is None or not path.exists():
            return None
        kept: NDArray[np.float64] = np.load(path, allow_pickle=False)
        return kept if len(kept) == size else None

    def _keep(self, key: str, number: int, part: NDArray[np.float64]) -> None:
        path = self._path(key, number, len(part))
        if path is not None:
            partial = path.with_suffix(f".{os.getpid()}.partial")
            with partial.open("wb") as file:
                np.save(file, part)
            partial.replace(path)


def _stack(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Chunks side by side; where a run released more numbers than others, the others are filled up."""
    width = max((part.shape[1] for part in parts), default=0)
    return np.vstack([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts])
