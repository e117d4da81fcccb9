"""Decimals as floating-point numbers: the nearest, as in databases. Arrow's own cast is often beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["nearest_floats"]

_EXACT_DIGITS = 15  # so many are a whole number below 2^53


def nearest_floats(array: Any) -> Any:
    """The nearest double of each decimal.

    Of up to 15 digits it is one division of two numbers that are exact, which rounds once. Of more, what the
    digits as text are read as. Whole decimals are cast as Arrow does, which is what DuckDB does, too.

    >>> from decimal import Decimal
    >>> cells = pa.array([Decimal("0.3"), None, Decimal("-123456.789")])
    >>> nearest_floats(cells).to_pylist()
    [0.3, None, -123456.789]
    """
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([nearest_floats(chunk) for chunk in array.chunks], pa.float64())
    kind = array.type
    if kind.scale <= 0:
        return pc.cast(array, pa.float64(), safe=False)
    if kind.precision > _EXACT_DIGITS or not pa.types.is_decimal128(kind):
        return pc.cast(pc.cast(array, pa.string()), pa.float64())
    words = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset : 2 * (array.offset + len(array))]
    # The lower half of a number that fits in it is the number itself.
    numbers = words[::2].astype(np.float64) / 10.0**kind.scale
    return pa.array(numbers, mask=pc.is_null(array).to_numpy(zero_copy_only=False))
