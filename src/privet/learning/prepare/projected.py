"""Records whose numbers are replaced by a few weighted sums of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.schema import Schema

__all__ = ["ProjectedSource", "Projection"]


class Projection(Protocol):
    """What turns numbers into others, record by record: a fitted model."""

    numbers_: list[str]

    @property
    def component_names(self) -> tuple[str, ...]: ...

    def projected(self, cells: Sequence[pa.Array]) -> NDArray[np.float64]: ...


class ProjectedSource:
    """The rows of a source with components in place of the first number; each row is mapped by itself."""

    def __init__(self, source: Any, model: Projection) -> None:
        self._source, self._model = source, model

    @property
    def names(self) -> tuple[str, ...]:
        return replaced(self._source.names, self._model)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = self.names if columns is None else tuple(columns)
        numbers, made = self._model.numbers_, self._model.component_names
        any_made = any(name in made for name in wanted)
        others = [name for name in wanted if name not in made]
        for batch in self._source.batches([*others, *(numbers if any_made else [])]):
            arrays = {name: batch.column(name) for name in others}
            if any_made:
                values = self._model.projected([batch.column(name) for name in numbers])
                arrays |= {name: pa.array(values[:, place]) for place, name in enumerate(made)}
            yield pa.RecordBatch.from_arrays([arrays[name] for name in wanted], names=list(wanted))

    def table(self) -> Any | None:
        """Nothing: a database does not know the map."""
        return None

    def declared(self) -> Schema | None:
        return None


def replaced(names: Sequence[str], model: Projection) -> tuple[str, ...]:
    """These names, with the components' in place of the first number's."""
    out: list[str] = []
    for name in names:
        if name not in model.numbers_:
            out.append(name)
        elif model.component_names[0] not in out:
            out += model.component_names
    return tuple(out)
