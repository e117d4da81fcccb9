"""Sample and aggregate: any function of a table, made private without looking inside it.

The table is cut into disjoint random blocks, the function runs on each of them, and a private mean or median
of its outputs is released. Nothing is asked of the function: a person is in one block only, so whatever the
function makes of them changes one output only, and that within the ranges that were declared for it. It
works well where the function says nearly the same on a block as on the whole table, as the coefficients of a
model do. More blocks mean less noise and more bias, because each block is smaller.

**Privacy.** ``isolation.blocks`` proves that one unit of privacy changes the outputs of one block, under
either neighbour relation; ``mechanisms.block_aggregate`` what is lost then. Each run is a process of its own
that sees its block and nothing else: it is closed before the function is loaded, and then can reach no file,
network, process or clock. One that raises, runs too long, exits or returns something else than the declared
number of numbers counts as the middle of the ranges, silently, since to say so would tell about the block.

The function itself is taken to be public: its code, and the few plain values that it may hold. One that holds
an array, a frame or any other object is refused, since that could be the table.

*Reference.* Nissim, Raskhodnikova, Smith (2007), Smooth sensitivity and sampling in private data analysis.
Mohan, Thakurta, Shi, Song, Culler (2012), GUPT: privacy preserving data analysis made easy: blocks chosen by
aged records, shares for outputs, loose ranges, resampling.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import NDArray

from privet.curator import Blocks, Curator
from privet.curator.aged import aged_records, outputs_on
from privet.errors import ParameterError
from privet.estimator import WholeTableEstimator
from privet.learning.block_choice import Chosen, by_aged, by_theory
from privet.parameters import with_parameters

__all__ = ["SampleAggregate", "declared_ranges"]

Numbers = NDArray[np.float64]

Low = Annotated[Any, "The least value of each number that the function returns, known without the data."]
High = Annotated[Any, "The largest value of each of them."]
Tables = Annotated[Literal["pandas", "arrow"], "What the function is given: a data frame, or an Arrow table."]
Isolation = Annotated[
    Literal["full", "available"],
    "'full' refuses a system that cannot shut a function off; 'available' does what it can, and the "
    "guarantee says what was left open.",
]


@with_parameters
class SampleAggregate(WholeTableEstimator):
    """Runs any function on disjoint blocks of a table and releases a private aggregate of what it returns.

    ``function`` is given a data frame of the schema's columns (numbers clamped to their bounds, categories
    with their public domain, which holds also what a block lacks) and returns a number for each pair of
    ``low`` and ``high``. It may come from an installed package, or be any function or lambda that names only
    modules and functions of installed packages, functions like itself, and plain values: None, bool, int,
    float, complex, str, bytes, and tuples, lists, sets and dicts of these, of 4096 bytes together in
    closures, defaults and global names. It runs without files, network, threads, other processes and clock,
    in 2 GB of memory. Before a row is read or anything is paid, it is tried on made-up records; what it fails
    with there is shown.

    ``blocks=None`` chooses their number: by ``records``, about how many there are, or by what the function
    says of ``aged`` records, which also decide how the budget is split over several outputs.

    After ``fit``, ``value_`` is the aggregate, ``error_`` the 95 % error bar of its noise (for a median,
    whose noise has a private scale, the width of the range), ``blocks_`` the number of blocks, ``guarantee_``
    the guarantee.

    >>> import pandas as pd
    >>> from privet.schema import Schema
    >>> table = pd.DataFrame({"age": [30.0, 40.0, 50.0, 60.0] * 1000})
    >>> mean_age = SampleAggregate(
    ...     lambda block: block["age"].mean(), low=0, high=120, blocks=40, epsilon=5.0,
    ...     schema=Schema.of({"age": (0.0, 120.0)}),
    ... ).fit(table)
    >>> mean_age.value_.shape, bool(abs(mean_age.value_[0] - 45) < 20), mean_age.guarantee_.epsilon
    ((1,), True, 5.0)
    """

    family: ClassVar[str] = "aggregate"

    function: Annotated[Any, "Run on each block: takes a table, returns numbers."] = field(kw_only=False)
    low: Low = field(kw_only=False)
    high: High = field(kw_only=False)
    blocks: Annotated[
        int | None,
        Ge(1),
        Le(1_000_000),
        "How many disjoint blocks: more mean less noise and smaller blocks. None chooses by 'records'.",
    ] = 100
    aggregate: Annotated[
        Literal["mean", "median"], "What is released of the outputs; a few odd blocks hardly move the median."
    ] = "mean"
    timeout: Annotated[
        float, Gt(0), Le(86_400), "Seconds of a processor that the function may use for a block."
    ] = 60.0
    tables: Tables = "pandas"
    isolation: Isolation = "full"
    rehearsal: Annotated[
        int,
        Ge(0),
        Le(1_000_000),
        "How many made-up records the function is tried on first; 0 tries none.",
    ] = 100

    records: Annotated[
        int | None, Ge(1), "About how many records there are, as is known publicly: to choose blocks by."
    ] = None
    aged: Annotated[
        Any, "A table like this one that nobody needs to protect: blocks and shares are chosen on it."
    ] = None
    ranges: Annotated[
        Literal["tight", "loose"],
        "'loose' spends half of the budget on finding where most outputs lie, and holds all to that.",
    ] = "tight"
    resample: Annotated[
        int,
        Ge(1),
        Le(100),
        "How often the table is divided again: the noise stays, chance in the division fades.",
    ] = 1

    def fit(self, X: Any, y: Any = None, **more: Any) -> SampleAggregate:
        """Run the function on the blocks of a table: a frame, a file, a database table, or arrays (X, y)."""
        declared_ranges(self)  # a wrong range is refused before anything is paid
        super().fit(X, y, **more)
        return self

    def _fit(self, curator: Curator) -> None:
        low, high = declared_ranges(self)
        chosen = self._chosen(curator, low, high)
        self.blocks_ = chosen.blocks
        question = Blocks(
            self.function,
            tuple(low.tolist()),
            tuple(high.tolist()),
            blocks=chosen.blocks,
            timeout=self.timeout,
            how=self.aggregate,
            as_pandas=self.tables == "pandas",
            isolation=self.isolation,
            rehearsal=self.rehearsal,
            weights=chosen.weights,
            copies=self.resample,
            loose=self.ranges == "loose",
            what=f"the {self.aggregate} of the function's outputs on {chosen.blocks} blocks",
        )
        release = curator.ask(question, curator.left)
        self.value_ = low + (high - low) * release.value
        self.error_ = (high - low) * release.errors

    def _chosen(self, curator: Curator, low: Numbers, high: Numbers) -> Chosen:
        """The number of blocks and the outputs' shares: given, by theory, or by what aged records say."""
        if self.blocks is None and self.records is None:
            raise ParameterError(
                "SampleAggregate: to choose the blocks, it must be known about how many records there are.",
                "Give  records=…, a figure that is public, or  blocks=…",
            )
        if self.aged is None:
            return Chosen(self.blocks or by_theory(self.records or 1))
        curator.assume("the aged records, on which blocks and shares were chosen", "declared")
        ranges = (tuple(low.tolist()), tuple(high.tolist()))

        def outputs(blocks: int, size: int) -> Numbers:
            return outputs_on(
                self.aged,
                curator.schema,
                self.function,
                ranges,
                blocks,
                size,
                self.timeout,
                self.tables == "pandas",
                self.isolation,
            )

        chosen = by_aged(
            outputs, aged_records(self.aged), self.records or 0, float(curator.amount.epsilon), self.blocks
        )
        return chosen if self.aggregate == "mean" else Chosen(chosen.blocks)


def declared_ranges(estimator: Any) -> tuple[Numbers, Numbers]:
    """The declared ranges, one entry for each number that an estimator's function returns."""
    name = type(estimator).__name__
    if not callable(estimator.function):
        raise ParameterError(f"{name}: function must be a function of a table.")
    try:
        low, high = np.broadcast_arrays(
            *(np.atleast_1d(np.asarray(b, float)) for b in (estimator.low, estimator.high))
        )
    except (TypeError, ValueError):
        raise ParameterError(
            f"{name}: low and high must be numbers, or lists of numbers of the same length.",
            "Give one low and one high for each number that the function returns.",
        ) from None
    with np.errstate(over="ignore", invalid="ignore"):
        bad = low.ndim != 1 or not low.size or not np.isfinite(high - low).all() or not (low < high).all()
    if bad:
        raise ParameterError(
            f"{name}: every low must be below its high, and both must be finite.",
            "Declare ranges that are known without looking at the data.",
        )
    return low, high
