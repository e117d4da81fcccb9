"""Cells that are lists, as texts: so that whoever orders or fingerprints records needs to know no lists."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["is_list", "joined"]

_BETWEEN = "\x1e"


def is_list(kind: Any) -> bool:
    """Whether cells of this type are lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def joined(array: Any) -> Any:
    """Each list as one text; a missing list stays missing, and a missing entry is an empty text.

    >>> joined(pa.array([["a", "b"], [], None, ["c", None]])).to_pylist()
    ['a\\x1eb', '', None, 'c\\x1e']
    """
    # Null lists may hide entries, which a cast of the whole would meet.
    there = array.drop_null()
    lengths = pc.list_value_length(there).to_pylist()
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    texts = there.flatten().cast(pa.string()).fill_null("")
    whole = pc.binary_join(pa.ListArray.from_arrays(pa.array(ends, pa.int32()), texts), _BETWEEN)
    if not array.null_count:
        return whole
    place = pc.cumulative_sum(pc.cast(array.is_valid(), pa.int64()))
    place = pc.subtract(place, 1)
    return whole.take(pc.if_else(array.is_valid(), place, pa.scalar(None, pa.int64())))
