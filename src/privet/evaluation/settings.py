"""Which settings a search tries: those that its grid names and that the algorithm does not refuse.

What is left out follows from parameters, the schema and the budget alone: the algorithm is asked with a table
without records (a rehearsal), never with the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from privet.errors import ParameterError
from privet.parameters import parameters_of, validate

__all__ = ["Grid", "Settings", "default_grid", "named_settings"]

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]
Setting = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """The settings that may be tried, and those that were left out, each with the reason."""

    tried: tuple[Setting, ...]
    left_out: tuple[tuple[Setting, str], ...] = ()

    @classmethod
    def of(
        cls,
        algorithm: type,
        named: Sequence[Setting],
        refusal: Callable[[Setting], ParameterError | None],
    ) -> Settings:
        """The settings without those that are refused.

        A value that goes with none of the others is tried all the same, with what takes a None left open: of
        method = newton, objective and steps = 1, 2 remain newton with 1 and 2 steps, and objective.

        >>> from privet.learning.classify import LogisticRegression
        >>> def refusal(setting):
        ...     stepless = setting["method"] == "objective" and setting["steps"] is not None
        ...     return ParameterError("It has no steps.") if stepless else None
        >>> grid = named_settings(LogisticRegression(), {"method": ["newton", "objective"], "steps": [1, 2]})
        >>> found = Settings.of(LogisticRegression, grid, refusal)
        >>> print(*found.lines(), sep="\\n")
        method = newton, steps = 1 | 2
        method = objective, steps = None
        >>> print(*found.left_out_lines(), sep="\\n")
        method = objective, steps = 1 | 2: It has no steps.
        """
        asked = [(setting, refusal(setting)) for setting in named]
        tried = [setting for setting, refused in asked if refused is None]
        left_out = [(setting, refused) for setting, refused in asked if refused is not None]
        if not tried:
            _, refused = left_out[0]
            raise ParameterError(
                f"None of the {len(left_out)} settings can be tried. {refused.message}", refused.advice
            )
        known = {(name, repr(value)) for setting in tried for name, value in setting.items()}
        open_ones = {parameter.name for parameter in parameters_of(algorithm) if parameter.optional}
        for setting, _ in left_out:
            opened = {name: None if name in open_ones else value for name, value in setting.items()}
            lost = any(n not in open_ones and (n, repr(value)) not in known for n, value in setting.items())
            if lost and opened not in tried and refusal(opened) is None:
                tried.append(opened)
        return cls(tuple(tried), tuple((setting, refused.message) for setting, refused in left_out))

    def lines(self) -> list[str]:
        """What may be tried, in few lines."""
        return _grouped(self.tried)

    def left_out_lines(self) -> list[str]:
        """What was left out and why, in few lines."""
        return [
            f"{line}: {why}"
            for why, run in groupby(self.left_out, key=lambda each: each[1])
            for line in _grouped(setting for setting, _ in run)
        ]


def _grouped(settings: Iterable[Setting]) -> list[str]:
    """A line for all settings that differ in their last parameter only."""

    def but_last(setting: Setting) -> list[tuple[str, str]]:
        *first, (last, _) = setting.items()
        return [*((name, str(value)) for name, value in first), (last, "")]

    lines = []
    for words, run in groupby((each for each in settings if each), key=but_last):
        last, _ = words[-1]
        values = " | ".join(str(setting[last]) for setting in run)
        lines.append(", ".join(f"{name} = {value}" for name, value in [*words[:-1], (last, values)]))
    return lines


def named_settings(estimator: Any, grid: Grid | None) -> list[Setting]:
    """Every setting of a grid (or of the algorithm's own); names and single values are checked."""
    algorithm = type(estimator)
    settings = [dict(each) for each in ParameterGrid(default_grid(algorithm) if grid is None else grid)]
    tunable = _tunable(algorithm)
    for name in {name for each in settings for name in each}.difference(tunable):
        raise ParameterError(
            f"{algorithm.__name__} has no parameter '{name}' that can be tuned.",
            f"Choose among: {', '.join(tunable)}." if tunable else "Fit it as it is, without a search.",
        )
    for each in settings:
        validate(clone(estimator).set_params(**each))
    return settings


def default_grid(algorithm: type) -> Grid:
    """What is worth trying: what the algorithm names in ``tuning_grid``, else every choice that it declares.

    >>> from privet.learning.classify import NaiveBayes
    >>> default_grid(NaiveBayes)["numeric"]
    ('histogram', 'gaussian')
    """
    named: Grid | None = getattr(algorithm, "tuning_grid", None)
    if named is not None:
        return named
    choices = {p.name: p.choices for p in parameters_of(algorithm) if p.choices}
    if choices:
        return choices
    tunable = _tunable(algorithm)
    if not tunable:
        raise ParameterError(
            f"{algorithm.__name__} has no choices of its own to try, and no other settings.",
            "Fit it as it is, without a search.",
        )
    raise ParameterError(
        f"{algorithm.__name__} has no choices of its own to try.",
        f"Name the values to try, of one or more of: {', '.join(tunable)}  "
        f"(as a grid, {{'{tunable[0]}': [VALUE, VALUE]}}).",
    )


def _tunable(algorithm: type) -> list[str]:
    """The parameters that a search may vary: not what it pays with, nor whom it protects."""
    fixed = {"epsilon", "delta", "schema", "ledger", "random_state"}
    return sorted(p.name for p in parameters_of(algorithm) if p.name not in fixed)
