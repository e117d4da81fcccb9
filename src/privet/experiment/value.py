"""An experiment as a value, and as the text file that it is read from."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge, Gt, Lt

from privet.errors import ParameterError
from privet.experiment.parts import Cell, Contender, Dataset, contenders_of, positive, whole
from privet.schema.columns import toml_key, toml_text

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.experiment.planning import ExperimentPlan
    from privet.experiment.results import Results

__all__ = ["Contender", "Dataset", "Experiment"]

_HEAD = ("epsilons", "delta", "repetitions", "folds", "measure", "seed", "score_epsilon")
_KNOWN = ("experiment", "name", *_HEAD, "data", "algorithms")
_MOST_CELLS = 1_000_000
Measure = Literal[
    "accuracy", "kappa", "log_loss", "r2", "mean_absolute_error", "root_mean_squared_error",
    "relative_absolute_error", "root_relative_squared_error", "records",
    "recovered", "chosen", "p_value",
]  # fmt: skip


@dataclass(frozen=True)
class Experiment:
    """A grid over data, algorithms with their settings, ε and repetitions of a cross-validation.

    ``measure`` is what the tables show (by default accuracy, or R² of a number). ``score_epsilon`` is what
    the scores of one cross-validation of private data cost; it is needed for private data only.

    >>> experiment = Experiment.from_dict({
    ...     "epsilons": [0.5, 1.0], "folds": 2, "repetitions": 3,
    ...     "data": {"clinic": {"generated": "clinic", "records": 500}},
    ...     "algorithms": {"naive-bayes": {}},
    ... })
    >>> len(list(experiment.cells()))
    12
    """

    data: tuple[Dataset, ...]
    algorithms: tuple[Contender, ...]
    epsilons: Annotated[tuple[float, ...], Gt(0), "The privacy budgets of a fit to compare."] = (1.0,)
    delta: Annotated[float, Ge(0), Lt(1), "The delta of every fit; 0 for pure differential privacy."] = 0.0
    repetitions: Annotated[int, Ge(1), "How often each cross-validation is repeated, with new folds."] = 10
    folds: Annotated[int, Ge(2), "Into how many parts a table is dealt; for a private one 2 is cheapest."] = (
        10
    )
    measure: Annotated[Measure | None, "What the tables show; None for accuracy, or R² of a number."] = None
    seed: Annotated[int, Ge(0), "Of the folds and the noise of public tables. Private ones have none."] = 0
    score_epsilon: Annotated[
        float | None, Gt(0), "For private tables: what the scores of one cross-validation cost."
    ] = None
    name: str = "experiment"

    def __post_init__(self) -> None:
        if not self.data or not self.algorithms:
            raise ParameterError(
                "An experiment needs at least one table and one algorithm.",
                "Write entries  [data.NAME]  and  [algorithms.NAME].",
            )
        for what, each in (("table", self.data), ("algorithm", self.algorithms)):
            labels = [getattr(one, "label", getattr(one, "name", "")) for one in each]
            if len(set(labels)) != len(labels):
                raise ParameterError(f"Two entries for a {what} have the same name.")
        if not self.epsilons or not all(map(positive, self.epsilons)):
            raise ParameterError("epsilons must be numbers above 0, in a list.")
        if len(set(self.epsilons)) != len(self.epsilons):
            raise ParameterError("The same epsilon is listed twice.")
        for name, least in (("repetitions", 1), ("folds", 2), ("seed", 0)):
            if not whole(getattr(self, name), least):
                raise ParameterError(f"{name} must be a whole number of at least {least}.")
        private = [dataset.name for dataset in self.data if dataset.private]
        if private and not positive(self.score_epsilon):
            raise ParameterError(
                f"'{private[0]}' is private, and its scores are releases about the people in it.",
                "Write  score_epsilon = 0.5  (the price of the scores of one cross-validation), "
                "or  public = true  under the table if it is public knowledge.",
            )
        if private and (made := [one.label for one in self.algorithms if one.make is not None]):
            raise ParameterError(
                f"'{made[0]}' is not an algorithm of Privet, and '{private[0]}' is private: nothing would "
                "hold it to its budget.",
                "Compare it on public or made-up tables.",
            )
        if self.size > _MOST_CELLS:
            raise ParameterError(f"The grid has {self.size:,} cells.", f"At most {_MOST_CELLS:,} are run.")

    @property
    def size(self) -> int:
        """How many cells the grid has."""
        each = len(self.algorithms) * len(self.epsilons) * self.repetitions
        return sum(each * (1 if dataset.private else self.folds) for dataset in self.data)

    def cells(self) -> Iterator[Cell]:
        """Every cell of the grid, in a fixed order."""
        for dataset in self.data:
            folds = (None,) if dataset.private else tuple(range(self.folds))
            for epsilon in self.epsilons:
                for contender in self.algorithms:
                    for repetition in range(self.repetitions):
                        for fold in folds:
                            yield Cell(dataset.name, contender.label, epsilon, repetition, fold)

    def dataset(self, name: str) -> Dataset:
        return next(dataset for dataset in self.data if dataset.name == name)

    def contender(self, label: str) -> Contender:
        return next(contender for contender in self.algorithms if contender.label == label)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Experiment:
        """An experiment from plain data; ``to_dict`` is the inverse."""
        if surplus := sorted(set(data) - set(_KNOWN)):
            raise ParameterError(f"Unknown entries {surplus}.", f"Known ones are {list(_KNOWN)}.")
        if data.get("experiment", 1) != 1:
            raise ParameterError("This experiment is in a newer format.", "Update Privet to read it.")
        tables, algorithms = data.get("data"), data.get("algorithms")
        if not isinstance(tables, Mapping) or not isinstance(algorithms, Mapping):
            raise ParameterError(
                "An experiment has entries  [data.NAME]  and  [algorithms.NAME].",
                'Begin with  [data.clinic]  generated = "clinic"  and  [algorithms.naive-bayes]',
            )
        more = {key: data[key] for key in ("name", *_HEAD) if key in data}
        if "epsilons" in more:
            if not isinstance(more["epsilons"], list | tuple):
                raise ParameterError("epsilons must be a list of numbers.", "epsilons = [0.5, 1.0]")
            more["epsilons"] = tuple(more["epsilons"])
        return cls(
            tuple(Dataset.from_dict(str(name), entry) for name, entry in tables.items()),
            tuple(one for name, entry in algorithms.items() for one in contenders_of(str(name), entry)),
            **more,
        )

    def to_dict(self) -> dict[str, Any]:
        head = {key: getattr(self, key) for key in _HEAD if getattr(self, key) is not None}
        return {
            "experiment": 1,
            "name": self.name,
            **head,
            "epsilons": list(self.epsilons),
            "data": {dataset.name: dataset.to_dict() for dataset in self.data},
            "algorithms": {contender.label: contender.to_dict() for contender in self.algorithms},
        }

    def free(self) -> Experiment | None:
        """The same grid over the tables that nobody is protected in; None if there is none."""
        data = tuple(dataset for dataset in self.data if not dataset.private)
        return replace(self, data=data) if data else None

    @classmethod
    def parse(cls, text: str, name: str = "experiment") -> Experiment:
        """The experiment in the text of a file.

        >>> Experiment.parse('[data.a]\\ngenerated = "clinic"\\n[algorithms.one-r]').size
        100
        """
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ParameterError(f"This is not an experiment: {error}.") from None
        return cls.from_dict({"name": name} | data)

    @classmethod
    def read(cls, path: str | Path) -> Experiment:
        """The experiment in a text file (TOML)."""
        path = Path(path)
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ParameterError(f"There is no experiment file {path.name}.", "Check its path.") from None
        except (OSError, ValueError) as error:
            reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it cannot be read"
            raise ParameterError(f"{path.name} is not an experiment: {reason}.") from None
        return cls.from_dict({"name": path.name.removesuffix(".toml").removesuffix(".experiment")} | data)

    def text(self) -> str:
        """The experiment as the text of its file."""
        plain = self.to_dict()
        lines = [f"{key} = {_toml(value)}" for key, value in plain.items() if not isinstance(value, dict)]
        for group in ("data", "algorithms"):
            for name, entries in plain[group].items():
                lines += ["", f"[{group}.{toml_key(name)}]"]
                lines += [f"{toml_key(key)} = {_toml(value)}" for key, value in entries.items()]
        return "\n".join(lines) + "\n"

    def write(self, path: str | Path) -> None:
        Path(path).write_text(self.text(), encoding="utf-8")

    def plan(
        self,
        tables: Mapping[str, Any] | None = None,
        *,
        folder: str | Path = ".",
        store: str | Path | None = None,
    ) -> ExperimentPlan:
        """What is left to do, and its price for each private table. No record is read, nothing is spent.

        ``tables`` gives a (table, schema) for a name in ``data``, in place of its file. What the ``store``
        holds already is neither done nor priced again.
        """
        from privet.experiment.planning import planned
        from privet.experiment.tables import Tables

        return planned(self, Tables(self, tables or {}, Path(folder)), store)

    def run(
        self,
        tables: Mapping[str, Any] | None = None,
        *,
        folder: str | Path = ".",
        store: str | Path | None = None,
        ledger: Ledger | None = None,
        processes: int = 1,
        map: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] | None = None,
        owner_says: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Results:
        """Do what the ``store`` does not hold yet, and give all results.

        Cells of public data are spread over ``processes``, or over any ``map`` of a cluster or executor.
        Cells of private data are done here one after the other, each paid for as it begins.
        """
        from privet.experiment.running import run_experiment
        from privet.experiment.tables import Tables

        places = Tables(self, tables or {}, Path(folder))
        return run_experiment(self, places, store, ledger, processes, map, owner_says, progress)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)
