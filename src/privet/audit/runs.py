"""Making many runs: on several cores, with progress, and resumable from a checkpoint folder."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.audit.claim import Subject
from privet.audit.outputs import ABSENT, RATIO, Sample, joined
from privet.audit.pairs import digest

__all__ = ["Progress", "Runs", "Wish"]

#: Told how many runs are done, and of how many.
Progress = Callable[[int, int | None], None]
#: A purpose, an input, and how many runs.
Wish = tuple[str, Any, int]


@dataclass(frozen=True)
class _Chunk:
    """Runs that are made, and kept, together."""

    place: int
    data: Any
    size: int
    path: Path | None


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
        #: The largest computed ratio of all runs so far, in either direction; None if none is computed.
        self.ratio: float | None = None
        self.total = total
        self._progress = progress
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def draw(self, purpose: str, data: Any, runs: int) -> Sample:
        """``runs`` outputs on this input; runs for one purpose are never used for another."""
        return self.draw_all([(purpose, data, runs)])[0]

    def draw_all(self, wishes: list[Wish]) -> list[Sample]:
        """The outputs for several wishes at once: however short each is, no core waits."""
        chunks = [chunk for place, wish in enumerate(wishes) for chunk in self._chunks(place, *wish)]
        parts = [_kept(chunk.path, chunk.size) for chunk in chunks]
        self._advance(sum(len(part) for part in parts if part is not None))
        wanted = [number for number, part in enumerate(parts) if part is None]
        for number, part in zip(wanted, self._drawn([chunks[number] for number in wanted]), strict=True):
            parts[number] = part
            _keep(chunks[number].path, part)
            self._advance(len(part))
        self._remember([part for part in parts if part is not None])
        return [
            joined([part for chunk, part in zip(chunks, parts, strict=True) if part and chunk.place == place])
            for place in range(len(wishes))
        ]

    def _remember(self, parts: list[Sample]) -> None:
        if not self.subject.computed:
            return
        ratios = np.concatenate([part.at([RATIO]).ravel() for part in parts])
        self.ratio = max(self.ratio or 0.0, float(np.abs(ratios[ratios != ABSENT]).max(initial=0.0)))

    def _chunks(self, place: int, purpose: str, data: Any, runs: int) -> Iterator[_Chunk]:
        most = self.subject.chunk
        name = None if self._folder is None else self._folder / self._name(purpose, data)
        for number, start in enumerate(range(0, runs, most)):
            size = min(most, runs - start)
            path = None if name is None else name.with_name(f"{name.name}-{number:05d}-{size}.npz")
            yield _Chunk(place, data, size, path)

    def _name(self, purpose: str, data: Any) -> str:
        key = json.dumps([self.subject.fingerprint, purpose, digest(data)])
        return hashlib.sha256(key.encode()).hexdigest()[:24]

    def _drawn(self, chunks: list[_Chunk]) -> Iterator[Sample]:
        if self.jobs == 1 or len(chunks) < 2:
            yield from (self.subject.draw(chunk.data, chunk.size) for chunk in chunks)
            return
        from joblib import Parallel, delayed

        work = (delayed(self.subject.draw)(chunk.data, chunk.size) for chunk in chunks)
        yield from Parallel(n_jobs=self.jobs, return_as="generator", batch_size=1)(work)

    def _advance(self, runs: int) -> None:
        self.done += runs
        if self._progress is not None and runs:
            self._progress(self.done, self.total)


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
