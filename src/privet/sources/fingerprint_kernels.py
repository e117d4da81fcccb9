"""The loops of the fingerprint, compiled: about two nanoseconds a cell."""

from __future__ import annotations

import numpy as np

from privet.compiled import njit

__all__ = ["add_codes", "add_column", "add_rows"]

_MISSING = np.uint64(0x7FF8_0000_0000_0000)
_INFINITE = np.uint64(0x7FF0_0000_0000_0000)
_UNSIGNED = np.uint64(0x7FFF_FFFF_FFFF_FFFF)
_ZERO = np.uint64(0)
# The multipliers of splitmix64's finaliser (Steele, Lea and Flood, 2014), and two more odd constants.
_FIRST = np.uint64(0xBF58_476D_1CE4_E5B9)
_SECOND = np.uint64(0x94D0_49BB_1331_11EB)
_LANE = np.uint64(0x9E37_79B9_7F4A_7C15)
_OTHER = np.uint64(0xD6E8_FEB8_6659_FD93)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@njit(inline="always")
def _mix(bits):  # type: ignore[no-untyped-def]
    bits = (bits ^ (bits >> _30)) * _FIRST
    bits = (bits ^ (bits >> _27)) * _SECOND
    return bits ^ (bits >> _31)


@njit
def add_column(bits: np.ndarray, seed: np.uint64, sums: np.ndarray) -> None:
    """Add a column's mixed cells to both sums of each row; every NaN is one NaN, and -0 is 0."""
    first, second = sums[0], sums[1]
    for row in range(bits.size):
        cell = bits[row]
        size = cell & _UNSIGNED
        cell = _ZERO if size == _ZERO else (_MISSING if size > _INFINITE else cell)
        mixed = _mix(cell ^ seed)
        first[row] += mixed
        second[row] += (mixed ^ (mixed >> _32)) * _LANE


@njit
def add_codes(codes: np.ndarray, mixed: np.ndarray, sums: np.ndarray) -> None:
    """Add a column of codes to both sums of each row; ``mixed`` is what `add_column` makes of each code."""
    first, second, mixed_first, mixed_second = sums[0], sums[1], mixed[0], mixed[1]
    for row in range(codes.size):
        code = codes[row]
        first[row] += mixed_first[code]
        second[row] += mixed_second[code]


@njit
def add_rows(sums: np.ndarray, totals: np.ndarray) -> None:
    """Add the mixed rows to the two totals of the table."""
    for row in range(sums.shape[1]):
        totals[0] += _mix(sums[0, row] + _OTHER)
        totals[1] += _mix(sums[1, row] ^ (sums[0, row] * _OTHER))
