"""MATLAB's files: column vectors, matrices and cells of text. By SciPy, and version 7.3 by h5py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from privet.errors import DataError, PrivetError
from privet.sources.base import BATCH_ROWS
from privet.sources.files import FilePath, reading
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["MatlabSource"]


class MatlabSource(Named):
    """The columns in a .mat file: each column vector by its name, a matrix ``x`` as ``x_1``, ``x_2``, …

    All must have as many rows. The file is read whole, as its format wants it.

    >>> import tempfile
    >>> from scipy.io import savemat
    >>> path = Path(tempfile.mkdtemp()) / "people.mat"
    >>> savemat(path, {"age": np.array([[30.0], [40.0]]), "x": np.eye(2)})
    >>> next(MatlabSource(path).batches()).to_pydict()
    {'age': [30.0, 40.0], 'x_1': [1.0, 0.0], 'x_2': [0.0, 1.0]}
    """

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        columns: dict[str, Any] = {}
        for name, value in self._variables().items():
            columns |= self._columns(name, value)
        if len({len(column) for column in columns.values()}) != 1:
            raise DataError(
                f"The variables of {self.path.name} have different numbers of rows, or there is none.",
                "Save only the table's columns, each a vector of one column.",
            )
        self._names = distinct(columns)
        self._table = pa.table(columns)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        yield from self._table.select(chosen(self._names, columns)).to_batches(BATCH_ROWS)

    def _variables(self) -> dict[str, Any]:
        from scipy.io import loadmat
        from scipy.io.matlab import MatReadError

        with reading(self.path):
            try:
                found = loadmat(self.path)
            except NotImplementedError:
                return self._of_version_73()
            except (MatReadError, ValueError, TypeError, KeyError):
                raise self._damaged() from None
        return {name: value for name, value in found.items() if not name.startswith("__")}

    def _of_version_73(self) -> dict[str, Any]:
        from privet.sources.matlab_hdf5 import variables

        try:
            return variables(self.path)
        except PrivetError:
            raise
        except Exception:  # HDF5 raises many kinds, and what they say may be a cell
            raise self._damaged() from None

    def _damaged(self) -> DataError:
        return DataError(f"The file {self.path.name} is no .mat file, or damaged.", "Copy it again.")

    def _columns(self, name: str, value: Any) -> dict[str, Any]:
        value = np.asarray(value)
        if value.ndim == 2 and value.dtype.kind in "biuf":
            if value.shape[1] == 1:
                return {name: pa.array(value[:, 0])}
            return {f"{name}_{place + 1}": pa.array(value[:, place]) for place in range(value.shape[1])}
        if value.dtype.kind == "U":  # an array of characters: one text a row
            return {name: pa.array([text.rstrip() for text in value.ravel()])}
        if value.dtype == object and value.ndim == 2 and 1 in value.shape:
            texts = [np.asarray(cell).ravel() for cell in value.ravel()]
            if all(text.dtype.kind == "U" and text.size <= 1 for text in texts):
                return {name: pa.array([str(text[0]) if text.size else None for text in texts])}
        raise DataError(
            f"The variable '{name}' of {self.path.name} is neither numbers nor texts.",
            "Leave it out of the file.",
        )
