"""An experiment with a folder of its own: what a server keeps, shows and works on.

The folder holds the experiment's text file, the schemas that it names and the results of its free cells, so
it is what ``privet experiment run`` would work on. Cells of private tables are not done here: each is a run
of its own, planned, paid for and released like any other, and what was released is handed in.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import ParameterError, PrivetError
from privet.parameters import json_schema

if TYPE_CHECKING:
    from privet.experiment import Experiment, ExperimentPlan, Results
    from privet.experiment.parts import Cell
    from privet.schema import Schema

__all__ = [
    "FORMATS",
    "Desk",
    "Winner",
    "experiment_from",
    "experiment_schema",
    "generated_tables",
    "presets",
    "work",
]

#: What results are written as, and the kind of each file.
FORMATS = {
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "arff": "text/plain; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
}
TEXT, RESULTS = "experiment.toml", "results.jsonl"


def experiment_from(document: Mapping[str, Any] | None, text: str | None) -> Experiment:
    """An experiment from plain data, or from the text of its file.

    >>> experiment_from(None, '[data.a]\\ngenerated = "clinic"\\n[algorithms.one-r]').size
    100
    """
    from privet.experiment import Experiment

    if (document is None) == (text is None):
        raise ParameterError("An experiment is given as plain data or as the text of its file.", "Give one.")
    return Experiment.from_dict(document) if document is not None else Experiment.parse(text or "")


def experiment_schema() -> dict[str, Any]:
    """The JSON Schema of what an experiment says besides its tables and algorithms.

    >>> "repetitions" in experiment_schema()["properties"]
    True
    """
    from privet.experiment import Experiment

    return json_schema(Experiment)


def presets() -> list[dict[str, Any]]:
    """The experiments to begin with that need no file."""
    from privet.experiment.presets import PRESETS

    return [
        {"name": name, "title": each.title, "line": each.line, "document": each.experiment.to_dict()}
        for name, each in PRESETS.items()
        if all(dataset.kind == "generated" for dataset in each.experiment.data)
    ]


def generated_tables() -> list[dict[str, Any]]:
    """The tables of people who do not exist."""
    from privet.experiment.tables import GENERATED

    return [
        {"name": name, "title": each.title, "line": each.line, "entry": {"generated": name, "records": 2000}}
        for name, each in GENERATED.items()
    ]


@dataclass(frozen=True)
class Winner:
    """The algorithm that did best at an ε on tables that cost nothing."""

    epsilon: float
    label: str
    algorithm: str
    settings: Mapping[str, Any]
    mean: float


@dataclass(frozen=True)
class Desk:
    """An experiment and its folder. ``schemas`` are those of its private tables, by their name in it."""

    folder: Path
    experiment: Experiment
    schemas: Mapping[str, Schema]

    @property
    def store(self) -> Path:
        return self.folder / RESULTS

    def lay_out(self, texts: Mapping[str, str]) -> None:
        """Write the experiment's file and the schemas that it names."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, text in {**texts, TEXT: self.experiment.text()}.items():
            (self.folder / Path(name).name).write_text(text, encoding="utf-8")

    @cached_property
    def _tables(self) -> Any:
        from privet.experiment.tables import Tables

        given = {name: (None, schema) for name, schema in self.schemas.items()}
        return Tables(self.experiment, given, self.folder)

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """Every cell of the grid by its identity."""
        from privet.experiment.planning import identities

        states = {dataset.name: self._tables.state(dataset) for dataset in self.experiment.data}
        return identities(self.experiment, states)

    def private_cells(self) -> dict[str, Cell]:
        return {key: cell for key, cell in self.cells.items() if cell.fold is None}

    def plan(self, settled: Iterable[str] = ()) -> ExperimentPlan:
        """What is left, and the price of each private table without the cells that are settled."""
        from privet.experiment.planning import planned
        from privet.experiment.store import Store

        held = {*Store(self.store).results(), *settled}
        left = {key: cell for key, cell in self.cells.items() if key not in held}
        return planned(self.experiment, self._tables, None, left)

    def results(self, released: Mapping[str, Mapping[str, Any]] | None = None) -> Results:
        """What is known: the free cells that are done, and the private ones that were released."""
        from privet.experiment import Results
        from privet.experiment.running import figures_of
        from privet.experiment.store import Store

        held: dict[str, Mapping[str, Any]] = dict(Store(self.store).results())
        for key, answer in (released or {}).items():
            figures, errors = figures_of(answer["figures"]["evaluation"])
            held[key] = {
                "cell": key,
                **vars(self.cells[key]),
                "figures": figures,
                "errors": errors,
                "guarantee": answer["guarantee"],
            }
        return Results(self.experiment, tuple(held[key] for key in self.cells if key in held))

    def winners(self, results: Results, preferred: Sequence[str] = ()) -> list[Winner]:
        """The best at each ε on average over the preferred tables or, where there are none, all free ones."""
        free = [dataset for dataset in self.experiment.data if not dataset.private]
        chosen = [dataset for dataset in free if dataset.name in preferred] or free
        found = []
        for epsilon in self.experiment.epsilons if chosen else ():
            means = {
                label: sum(results.entry(dataset, epsilon, label).mean for dataset in chosen) / len(chosen)
                for label in results.labels
            }
            if not all(map(math.isfinite, means.values())):
                continue
            best = (max if results.more_is_better else min)(means, key=lambda label: means[label])
            contender = self.experiment.contender(best)
            found.append(Winner(epsilon, best, contender.algorithm, contender.settings, means[best]))
        return found

    @staticmethod
    def written(results: Results, form: str) -> bytes:
        """The results as a file."""
        from privet.experiment.files import write_results

        with tempfile.TemporaryDirectory(prefix="privet-") as folder:
            return write_results(results, Path(folder) / f"results.{form}").read_bytes()


def work(folder: Path, processes: int, parent: int) -> None:
    """Do the free cells of the experiment in a folder; end if the program that asked for it has ended."""
    from privet.experiment import Experiment

    free = Experiment.read(folder / TEXT).free()
    if free is None:
        return

    def alive(done: int, total: int) -> None:
        if os.getppid() != parent:
            sys.exit(3)

    with (folder / RESULTS).open("ab") as file:
        # Whoever still writes to it belongs to a server that was killed, and is about to notice that.
        fcntl.flock(file, fcntl.LOCK_EX)
    free.run(folder=folder, store=folder / RESULTS, processes=processes, progress=alive)


def _main() -> int:
    """A process of its own: FOLDER PROCESSES PARENT. What went wrong is printed as JSON."""
    os.nice(10)  # people who wait for an answer come first
    folder, processes, parent = sys.argv[1:]
    try:
        work(Path(folder), int(processes), int(parent))
    except PrivetError as error:
        print(json.dumps(f"{error.message} {error.advice}".strip()))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(_main())
