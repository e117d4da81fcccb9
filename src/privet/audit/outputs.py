"""What came out of many runs: one row per run, one named column for each released number.

Whatever a run releases (numbers, text, arrays, lists, dictionaries) becomes numbers, each under the name of
its place: ``class_count_[0]``. Names keep runs comparable that release different things.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ABSENT", "RATIO", "REFUSED", "Matrix", "Sample", "joined", "released_by", "sample_of"]

Matrix = NDArray[np.float64]
Part = tuple[str, int]

# Stands for a number that one run released and another did not, and for one that is not a number.
ABSENT = -1.2345e300
_LARGEST = 1e300
# The place of a ratio that was computed from the noise that answers should have (``transcript``).
RATIO = "the log-likelihood ratio of all answers, by the noise that they should have"
# The place that says that a run released nothing, because it refused the table.
REFUSED = "the table was refused"
# Schema and guarantee are public; the rest of what a fit stores leaves with the model.
_PUBLIC = ("schema_", "guarantee_")


@dataclass(frozen=True)
class Sample:
    """The outputs of many runs on one input.

    >>> sample_of([{"count": 3}, {"count": 4, "note": None}]).places
    ('count', 'note')
    """

    places: tuple[str, ...]
    values: Matrix

    def __len__(self) -> int:
        return len(self.values)

    def at(self, places: Iterable[str]) -> Matrix:
        """The columns of these names in this order; one that no run released is absent throughout."""
        wanted = tuple(places)
        if wanted == self.places:
            return self.values
        where = {name: place for place, name in enumerate(self.places)}
        columns = [
            self.values[:, where[name]] if name in where else np.full(len(self), ABSENT) for name in wanted
        ]
        return np.stack(columns, axis=1) if columns else np.empty((len(self), 0))


def joined(parts: list[Sample]) -> Sample:
    """The runs of all parts."""
    places = tuple(sorted({place for part in parts for place in part.places}))
    return Sample(places, np.vstack([part.at(places) for part in parts]))


def sample_of(outputs: Iterable[Any]) -> Sample:
    """One run for each output."""
    kinds: dict[tuple[Part, ...], list[Matrix]] = {}
    order: list[tuple[tuple[Part, ...], int]] = []
    for output in outputs:
        parts: list[Part] = []
        values: list[Any] = []
        _take("", output, parts, values)
        rows = kinds.setdefault(tuple(parts), [])
        order.append((tuple(parts), len(rows)))
        rows.append(np.concatenate(values, dtype=float) if values else np.empty(0))
    samples = [Sample(_names(parts), np.stack(rows)) for parts, rows in kinds.items()]
    starts = dict(zip(kinds, np.cumsum([0, *map(len, samples)])[:-1], strict=True))
    together = joined([Sample(tuple(sorted(s.places)), s.at(sorted(s.places))) for s in samples])
    return Sample(together.places, together.values[[starts[kind] + place for kind, place in order]])


def released_by(model: Any) -> dict[str, Any]:
    """Everything that a fitted model has learned, by its name.

    Names that end in an underscore are what a fit stores, by scikit-learn's convention; those that begin with
    one are looked at too, since a pickle or a debugger shows them to whoever holds the model.
    """
    return {
        name: value
        for name, value in sorted(vars(model).items())
        if name.endswith("_") and name not in _PUBLIC
    }


def _names(parts: tuple[Part, ...]) -> tuple[str, ...]:
    names: list[str] = []
    for place, size in ((place or "output", size) for place, size in parts):
        names += [place] if size < 0 else [f"{place}[{j}]" for j in range(size)]
    return tuple(names)


def _take(place: str, value: Any, parts: list[Part], values: list[Any]) -> None:
    """Append the numbers in ``value``; a size of −1 says that a single number stands at its place."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
        parts.append((place, value.size))
        values.append(_finite(value.astype(float).ravel()))
    elif isinstance(value, dict):
        for key, item in value.items():
            _take(f"{place}.{key}" if place else str(key), item, parts, values)
    elif isinstance(value, list | tuple | np.ndarray):
        for j, item in enumerate(value):
            _take(f"{place}[{j}]", item, parts, values)
    else:
        parts.append((place, -1))
        values.append([_number(value)])


def _number(value: Any) -> float:
    if value is None:
        return ABSENT
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return float(_finite(np.array([float(value)]))[0])
    return float(zlib.crc32(str(value).encode()))  # text and other things: the same number for the same


def _finite(values: Matrix) -> Matrix:
    if np.isfinite(values).all():
        return values
    return np.nan_to_num(values, nan=ABSENT, posinf=_LARGEST, neginf=-_LARGEST)
