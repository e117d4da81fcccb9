"""How many blocks, and which share of the budget for each output: from theory, or from aged records.

Both look at what is public only: the number of records that was declared, and records that nobody protects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError

__all__ = ["Chosen", "by_aged", "by_theory"]

#: Blocks of aged records that are looked at for one size, and the fewest records of a block that is tried.
_TRIED = 12
_FEWEST = 8


@dataclass(frozen=True)
class Chosen:
    """The number of blocks; without weights every output has the same share."""

    blocks: int
    weights: tuple[Fraction, ...] = ()


def by_theory(records: int) -> int:
    """n^0.4 blocks of n^0.6 records: then both the noise and the bias of a smooth function vanish with n.

    *Reference.* Smith (2011), Privacy-preserving statistical estimation with optimal convergence rates.

    >>> by_theory(1_000_000)
    251
    """
    return max(1, round(records**0.4))


def by_aged(
    outputs: Callable[[int, int], NDArray[Any]], aged: int, records: int, epsilon: float, blocks: int | None
) -> Chosen:
    """The number of blocks with the least expected error, and shares by how much the outputs spread.

    ``outputs(number, size)`` are those on so many blocks of so many aged records. For each number of blocks
    that is tried, blocks of the size that it would mean are cut from the aged records. How far the mean of
    their outputs is from the output on all aged records is the bias; noise adds p/(blocks · ε) of the range,
    with p outputs. With shares w the noise of output i is as 1/wᵢ; in units of its spread sᵢ, the sum of
    squares is least for wᵢ ~ sᵢ^(−2/3): what differs least from block to block deserves the least noise.
    """
    whole = outputs(1, aged)[0]
    tried = [blocks] if blocks is not None else _numbers(records)
    errors, spreads = {}, {}
    for number in tried:
        size = max(1, records // number) if records else _FEWEST
        if blocks is None and 2 * size > aged:
            continue
        found = outputs(max(2, min(_TRIED, aged // size)), size)
        bias, noise = found.mean(axis=0) - whole, len(whole) / (number * epsilon)
        spreads[number] = found.std(axis=0)
        errors[number] = float((bias**2 + found.var(axis=0) / number + 2 * noise**2).sum())
    if not errors:
        raise ParameterError(
            "There are too few aged records to choose the blocks by.", "Give  blocks, or more aged records."
        )
    chosen = min(errors, key=lambda number: errors[number])
    if len(whole) == 1:
        return Chosen(chosen)
    wanted = np.maximum(spreads[chosen], 1e-3) ** (-2 / 3)
    parts = np.maximum(np.floor(wanted / wanted.sum() * 1000), 1).astype(int)
    return Chosen(chosen, tuple(Fraction(int(part), int(parts.sum())) for part in parts))


def _numbers(records: int) -> list[int]:
    """Numbers of blocks to try, each three times the one before."""
    most, numbers = max(2, records // _FEWEST), [2]
    while 3 * numbers[-1] <= most:
        numbers.append(3 * numbers[-1])
    return numbers
