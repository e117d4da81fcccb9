"""What a flow has released, kept in a folder: used again for free, and taken up after an interruption.

A release is found by its content: a hash of the step, its settings, its part of the budget and everything
before it, down to the schema and the file of its source. Using a release again is post-processing and free.

The journal says what an unfinished run has reserved, for which steps, and what it has begun. A step is noted
as begun *before* it reads a record. Taken up again, steps that were not begun are still paid for by the first
reservation; one that was begun and not kept is paid for again, because nobody can know whether its result was
seen, and so is one whose release was used again then and is gone now. In a ledger, each
beginning is recorded under the run's name too, so a copy of the folder cannot spend the same reservation.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from privet.errors import ModelError, ParameterError
from privet.flow.flow import Flow
from privet.flow.places import Places
from privet.randomness import secure

__all__ = ["KeptKey", "Releases", "Store", "identities", "is_of", "reserved_for", "states"]


def identities(flow: Flow, places: Places, got: Mapping[str, Any]) -> dict[str, str]:
    """The identity of every step that is priced."""
    known: dict[str, str] = {}
    for step in flow.graph.order:
        about: dict[str, Any] = {
            "do": step.do,
            "settings": {key: str(value) for key, value in sorted(step.settings.items())},
            "inputs": [(known[name.partition(".")[0]], name.partition(".")[2]) for name in step.inputs],
        }
        if step.do == "source":
            schema, state = places.schema(step), places.state(step)
            about |= {"schema": schema.to_dict(), "state": state, "name": "" if state else step.name}
        if step.name in got:
            about["amount"] = got[step.name].to_dict()
        known[step.name] = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]
    return {name: identity for name, identity in known.items() if name in got}


def states(flow: Flow, places: Places) -> dict[str, str]:
    """What distinguishes the table of each source from a changed one."""
    return {step.name: places.state(step) for step in flow.graph.order if step.do == "source"}


def priced_names(flow: Flow, wanted: set[str]) -> list[str]:
    """The steps of a run that are priced."""
    return [step.name for step in flow.graph.priced() if step.name in wanted]


def is_of(journal: Mapping[str, Any], flow: Flow, known: Mapping[str, str], wanted: set[str]) -> bool:
    """Whether a journal is of just this flow: the same steps, with the same budget and the same inputs."""
    names = priced_names(flow, wanted)
    return journal.get("steps") == names and journal.get("known") == [known[name] for name in names]


def reserved_for(
    journal: Mapping[str, Any] | None, flow: Flow, known: Mapping[str, str], wanted: set[str]
) -> set[str]:
    """The steps that the reservation of an interrupted run pays for still: those that were not begun."""
    if journal is None or journal["reservation"] is None or not is_of(journal, flow, known, wanted):
        return set()
    paid = set(journal.get("paid", [])) - set(journal["begun"])
    return {name for name in priced_names(flow, wanted) if known[name] in paid}


class KeptKey:
    """The key of a split, as a source of random words: the same each time, so that parts stay disjoint."""

    def __init__(self, words: tuple[int, int]) -> None:
        self._words = words

    def bits(self, size: int) -> Any:
        return np.array(self._words[:size], np.uint64)


class Releases(Protocol):
    """Where releases are kept, by their identities, and the keys of splits."""

    def has(self, identity: str) -> bool: ...

    def kept(self, identity: str) -> dict[str, Any]: ...

    def keep(self, identity: str, document: dict[str, Any]) -> None: ...

    def key(self, name: str) -> KeptKey: ...


class Store:
    """A folder of releases, held by one program at a time while a flow runs."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @contextmanager
    def held(self) -> Iterator[Store]:
        """Hold the folder: the system lets go of it when the program ends, however it ends."""
        import fcntl

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise ParameterError(
                f"The store {self.folder.name} cannot be written: {error.strerror}.", "Choose another folder."
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise ParameterError(
                f"A flow is running with the store {self.folder.name} already.",
                "Wait for it, or choose another folder.",
            ) from None
        try:
            yield self
        finally:
            os.close(lock)

    def has(self, identity: str) -> bool:
        return self._release(identity).exists()

    def kept(self, identity: str) -> dict[str, Any]:
        """A release that was kept."""
        return self._read(self._release(identity))

    def keep(self, identity: str, document: dict[str, Any]) -> None:
        self._write(self._release(identity), document, 0o644)

    @property
    def journal(self) -> dict[str, Any] | None:
        """What an unfinished run has noted; None if there is none."""
        place = self.folder / "journal.json"
        return self._read(place) if place.exists() else None

    def note(self, journal: Mapping[str, Any] | None) -> None:
        """Note what a run has reserved and begun; None when it is over."""
        if journal is None:
            (self.folder / "journal.json").unlink(missing_ok=True)
        else:
            self._write(self.folder / "journal.json", dict(journal), 0o600)

    def key(self, name: str) -> KeptKey:
        """The key of a split, drawn when it is first needed; for the owner of the folder alone."""
        place = self.folder / f"key-{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"
        if not place.exists():
            self._write(place, {"words": [str(word) for word in secure().bits(2)]}, 0o600)
        one, two = self._read(place)["words"]
        return KeptKey((int(one), int(two)))

    def _release(self, identity: str) -> Path:
        return self.folder / f"release-{identity}.json"

    def _read(self, place: Path) -> dict[str, Any]:
        try:
            found = json.loads(place.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise ModelError(
                f"{place.name} in the flow's store is damaged.", "Take it away; it is paid for again."
            ) from None
        if not isinstance(found, dict):
            raise ModelError(f"{place.name} in the flow's store is damaged.")
        return found

    def _write(self, place: Path, document: dict[str, Any], mode: int) -> None:
        part = place.with_name(f".{place.name}.part")
        try:
            part.unlink(missing_ok=True)
            with os.fdopen(
                os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8"
            ) as file:
                json.dump(document, file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(place)
        except OSError as error:
            raise ModelError(f"The flow's store cannot be written: {error.strerror}.") from None
