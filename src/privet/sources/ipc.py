"""Arrow's own files: Feather (version 2) and IPC, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from privet.errors import DataError
from privet.sources.files import FilePath, reading
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["IpcSource"]


class IpcSource(Named):
    """The rows of a Feather or Arrow IPC file.

    >>> import tempfile
    >>> from pyarrow import feather
    >>> path = Path(tempfile.mkdtemp()) / "people.feather"
    >>> feather.write_feather(pa.table({"age": [30, 40], "sex": ["f", "m"]}), path)
    >>> next(IpcSource(path).batches(["sex"])).to_pydict()
    {'sex': ['f', 'm']}
    """

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        with _opened(self.path) as file:
            self._names = distinct(file.schema.names)
            self._batches = file.num_record_batches

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        part = IpcPart(self.path, 0, self._batches)
        yield from part.batches(chosen(self._names, columns))

    def parts(self, wanted: int) -> list[IpcPart]:
        """About so many parts of whole batches, in the order of the rows."""
        step = max(1, -(-self._batches // max(wanted, 1)))
        return [
            IpcPart(self.path, start, min(start + step, self._batches))
            for start in range(0, self._batches, step)
        ]


@dataclass(frozen=True)
class IpcPart:
    """Some batches of one file."""

    path: Path
    start: int
    stop: int

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        with _opened(self.path) as file:
            for place in range(self.start, self.stop):
                batch = file.get_batch(place)
                yield batch if columns is None else batch.select(list(columns))


@contextmanager
def _opened(path: Path) -> Iterator[pa.ipc.RecordBatchFileReader]:
    try:
        with reading(path), pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
            yield reader
    except pa.ArrowException:
        raise DataError(
            f"The file {path.name} is no Arrow file, of Feather's first version, or damaged.",
            "Write it again with a newer library.",
        ) from None
