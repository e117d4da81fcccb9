"""Making many runs: on several cores, with progress, and resumable from a checkpoint folder."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from privet.audit.outputs import Sample, joined
from privet.audit.pairs import digest
from privet.audit.subjects import Subject

__all__ = ["Progress", "Runs"]

#: Told how many runs are done, and of how many.
Progress = Callable[[int, int | None], None]


class Runs:
    """Draws outputs in chunks. With ``folder``, every chunk is kept there, and found again after a stop.

    A chunk is found only by an audit of the very same thing: its name holds a digest of the subject's
    parameters, schema and claim, of the source code that runs, of the input, and of what the runs are for.
    """

    def __init__(
        self,
        subject: Subject,
        *,
        jobs: int = 1,
        folder: str | Path | None = None,
        progress: Progress | None = None,
        total: int | None = None,
    ) -> None:
        self.subject = subject
        self.jobs = jobs
        self.done = 0
        self.total = total
        self._progress = progress
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def draw(self, purpose: str, data: Any, runs: int) -> Sample:
        """``runs`` outputs on this input; runs for one purpose are never used for another."""
        chunk = self.subject.chunk
        sizes = [min(chunk, runs - start) for start in range(0, runs, chunk)]
        paths = self._paths(purpose, data, sizes)
        parts = [_kept(path, size) for path, size in zip(paths, sizes, strict=True)]
        self._advance(sum(size for part, size in zip(parts, sizes, strict=True) if part is not None))
        wanted = [number for number, part in enumerate(parts) if part is None]
        for number, part in zip(wanted, self._drawn(data, [sizes[number] for number in wanted]), strict=True):
            parts[number] = part
            _keep(paths[number], part)
            self._advance(len(part))
        return joined([part for part in parts if part is not None])

    def _drawn(self, data: Any, sizes: list[int]) -> Iterator[Sample]:
        if self.jobs == 1 or len(sizes) < 2:
            yield from (self.subject.draw(data, size) for size in sizes)
            return
        from joblib import Parallel, delayed

        work = (delayed(self.subject.draw)(data, size) for size in sizes)
        yield from Parallel(n_jobs=self.jobs, return_as="generator", batch_size=1)(work)

    def _advance(self, runs: int) -> None:
        self.done += runs
        if self._progress is not None and runs:
            self._progress(self.done, self.total)

    def _paths(self, purpose: str, data: Any, sizes: list[int]) -> list[Path | None]:
        if self._folder is None:
            return [None] * len(sizes)
        key = json.dumps([self.subject.fingerprint, purpose, digest(data)])
        name = hashlib.sha256(key.encode()).hexdigest()[:24]
        return [self._folder / f"{name}-{number:05d}-{size}.npz" for number, size in enumerate(sizes)]


def _kept(path: Path | None, size: int) -> Sample | None:
    if path is None or not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            sample = Sample(tuple(str(name) for name in file["places"]), file["values"])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):  # cut short: draw it again
        return None
    return sample if len(sample) == size else None


def _keep(path: Path | None, part: Sample) -> None:
    if path is None:
        return
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with partial.open("wb") as file:
        np.savez(file, places=np.array(part.places, dtype=str), values=part.values)
    partial.replace(path)
