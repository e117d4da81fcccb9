"""The one store of measured results: a file of JSON lines for each page, sorted by cell.

A result is written as soon as it is measured, so a run that was stopped goes on where it was. The files are
part of the repository: pages can be written again without measuring again. Whoever changes a method deletes
its lines.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "experiments" / "results"


class Store:
    """The results of one page of one paper, by cell. Several processes may add to it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store("rules", "rules-factor", Path(folder))
    ...     store.get("iris/0.6/0", lambda: [0.9, 1.0])
    ...     store.get("iris/0.6/0", lambda: "not measured again")
    [0.9, 1.0]
    [0.9, 1.0]
    """

    def __init__(self, paper: str, page: str, folder: Path = FOLDER) -> None:
        self.path = folder / paper / f"{page}.jsonl"

    def read(self) -> dict[str, Any]:
        """All results, by cell."""
        if not self.path.exists():
            return {}
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return {line["cell"]: line["result"] for line in map(json.loads, lines)}

    def get(self, cell: str, work: Callable[[], Any]) -> Any:
        """The stored result of a cell; or one that is measured now, and stored."""
        found = self.read()
        return found[cell] if cell in found else self.put(cell, work())

    def put(self, cell: str, result: Any) -> Any:
        """Store a result. Another process sees the file with it or without it, never half of it."""
        with self._alone():
            found = self.read() | {cell: result}
            partial = self.path.with_suffix(".partial")
            lines = (
                json.dumps({"cell": key, "result": found[key]}, ensure_ascii=False) + "\n"
                for key in sorted(found)
            )
            partial.write_text("".join(lines), encoding="utf-8")
            partial.replace(self.path)
        return json.loads(json.dumps(result))  # as it will be read: lists, not tuples

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One writer at a time: who comes later adds to what others have written."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
