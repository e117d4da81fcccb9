"""Blocks: a user's function on disjoint random blocks, and the private aggregate of what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.errors import ParameterError
from privet.mechanisms import BlockAggregate
from privet.mechanisms.weighted_mean import WeightedMean
from privet.release import Release, Step
from privet.schema import Schema

__all__ = ["Blocks", "closed_or_open"]


_CLOSED = (
    "The function ran without the rights of this user: it could reach no file, network, process or clock. "
    "That the operating system keeps it so, and that installed packages hold none of the data, is trusted."
)
_OPEN = (
    "The function ran with the rights of this user and could reach {}. A function that reads records there, "
    "or passes on to other blocks what it saw in one, voids this guarantee. Read it before you run it."
)
_CAVEATS = (
    "Blocks on which the function failed or took too long count as the middle of each range, and how many "
    "did is not reported. A function that comes close to its limit of time can fail because the machine is "
    "busy, also with other blocks: one made to do so could reveal something about another block.",
    "The error covers the noise only, not how much the function's outputs differ from block to block.",
)


def closed_or_open() -> str:
    """What a guarantee says about how far a function was shut off on this system."""
    from privet.isolation.cell import left_open

    open_ = left_open()
    return _OPEN.format(open_) if open_ else _CLOSED


@dataclass(frozen=True)
class BlockRelease(Release):
    """The aggregate, with the error of each output by itself."""

    errors: NDArray[Any]


@dataclass(frozen=True)
class Blocks(Question[BlockRelease]):
    """Sample and aggregate. The function runs in processes of its own, and what it returns stays inside.

    The value says where in its range, from ``low`` (0) to ``high`` (1), each output lies. Proofs:
    ``isolation.blocks`` (one unit of privacy changes one row of the outputs) and
    ``mechanisms.block_aggregate`` (what is released when one row changes); ``mechanisms.weighted_mean`` with
    ``weights`` of the outputs, ``copies`` of the table that are cut anew, or ``loose`` ranges.
    """

    function: Callable[[Any], Any] = field(metadata={"closed": True})
    low: tuple[float, ...]
    high: tuple[float, ...]
    blocks: int
    timeout: float
    what: str = "the function's outputs"
    how: Literal["mean", "median"] = "mean"
    as_pandas: bool = True

    isolation: Literal["full", "available"] = "full"
    rehearsal: int = 100
    weights: tuple[Fraction, ...] = ()
    copies: int = 1
    loose: bool = False

    assumed = (
        ("the ranges of the function's outputs, and the number of blocks", "declared"),
        ("the function's code, and the values that it holds", "declared"),
    )

    @property
    def caveats(self) -> tuple[str, ...]:  # type: ignore[override]  # they depend on what the system can close
        return (closed_or_open(), *_CAVEATS)

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        from privet.isolation.blocks import GRID

        if not self.weights and self.copies == 1 and not self.loose:
            return BlockAggregate(amount, self.blocks, len(self.low), GRID, self.how)
        if self.how != "mean":
            raise ParameterError(
                "Shares for outputs, resampling and loose ranges are for means.", 'Use  aggregate="mean".'
            )
        weights = self.weights or (Fraction(1, len(self.low)),) * len(self.low)
        return WeightedMean(amount, self.blocks, GRID, weights, self.copies, self.loose)

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> BlockRelease:
        from privet.isolation.blocks import BlockFunction

        function = BlockFunction(
            self.function,
            self.low,
            self.high,
            self.timeout,
            self.as_pandas,
            self.isolation,
            self.rehearsal,
        )
        outputs = []
        for _ in range(self.copies):  # each cut puts every unit in one block
            outputs.append(function.outputs(exact.source, exact.schema, self.blocks, exact.randomness))
            function = replace(function, rehearsal=0)
        return _released(self.what, np.concatenate(outputs), amount, mechanism, exact.randomness)


def _released(what: str, rows: Any, amount: Pure | Zcdp, mechanism: Any, randomness: Any) -> BlockRelease:
    if isinstance(mechanism, WeightedMean):
        value, errors = mechanism.released(rows, randomness)
        error = float(errors.max())
        step = Step(what, mechanism.name, amount, error, "declared ranges")
        return BlockRelease(value, error / 1.96, error, step, errors)
    error = mechanism.error(0.95)
    step = Step(what, mechanism.name, amount, error, "declared ranges")
    value = mechanism.randomise(rows, randomness)
    return BlockRelease(value, mechanism.standard_deviation, error, step, np.full(value.shape, error))
