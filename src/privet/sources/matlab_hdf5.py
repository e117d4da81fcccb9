"""MATLAB's files of version 7.3, which are HDF5: their variables as SciPy gives those of older ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from privet.errors import DataError, MissingExtra

__all__ = ["variables"]


def variables(path: Path) -> dict[str, Any]:
    """Each variable as an array: numbers, texts, or objects for a cell array of texts.

    What is in another file than this one is not read: a file may only name it to have it read.
    """
    try:
        import h5py
    except ImportError:
        raise MissingExtra.of("matlab", "Reading MATLAB's version 7.3") from None
    with h5py.File(path, "r") as file:
        named = [name for name in file if not name.startswith("#")]
        for name in named:
            if not isinstance(file.get(name, getlink=True), h5py.HardLink):
                raise _elsewhere(path)
        return {name: _value(file, file[name], path) for name in named}


def _value(file: Any, found: Any, path: Path) -> Any:
    import h5py

    if not isinstance(found, h5py.Dataset):  # a structure
        return np.empty(0, object)
    if found.external is not None or found.is_virtual:
        raise _elsewhere(path)
    kind = _text(found.attrs.get("MATLAB_class", b""))
    if found.attrs.get("MATLAB_empty", 0):
        return np.empty((0, 0), "U1" if kind == "char" else float)
    values = np.asarray(found[()])
    if kind == "char":
        return np.array([_characters(row) for row in np.atleast_2d(values.T)])
    if kind == "cell":
        cells = np.empty(values.T.shape, object)
        for place, reference in np.ndenumerate(values.T):
            cells[place] = _value(file, file[reference], path)
        return cells
    return values.T.astype(bool) if kind == "logical" else values.T


def _characters(codes: Any) -> str:
    """MATLAB's characters are UTF-16."""
    return codes.astype("<u2").tobytes().decode("utf-16-le", "replace")


def _text(value: Any) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)


def _elsewhere(path: Path) -> DataError:
    return DataError(
        f"{path.name} refers to data that lie in another place.", "Save the variables themselves in it."
    )
