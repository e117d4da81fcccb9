"""Sums of products of encoded coordinates: the second moments that a quadratic loss needs, each cell once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.schema import Number, Schema
from privet.stats import kernels, sql
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.encoding import Block, Encoding
from privet.stats.product_kernels import fixed_numbers, one_thread
from privet.stats.rows import Rows, refuse_infinite

__all__ = ["Part", "Products"]

# Numbers become multiples of 2^-13, so that a product is a multiple of 2^-26 without rounding, and sums of
# products over 2^13 rows are far below 2^53: a BLAS product of such floats is exact whatever its order.
FINE = 1 << 13
ROWS_AT_ONCE = 1 << 13


@dataclass(frozen=True)
class Part:
    """A run of cells: the products of two blocks, or (without ``other``) a block's own sums."""

    one: Block | None
    other: Block | None
    place: slice
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Products(Statistic):
    """Σ x xᵀ over the records, x being the encoded record of these columns, as a vector of distinct cells.

    The upper triangle of x xᵀ still holds zeros and repetitions: two values of one category are never 1
    together, and the square of a 0/1 coordinate is itself, which the intercept's row holds already. What is
    left, and measured, is for each pair of different attributes their block of products, and (with ``own``)
    the number of records, for each category the count of each value, and for each number Σz and Σ(z² − ½).
    With ``target``, one of the columns, only the products in which it takes part (and no number of
    records).

    In fixed point: z becomes the nearest t/2^13, and every cell is a multiple of 2^-26, without further
    rounding.

    **Sensitivity**, in units of 2^26. A block of two attributes gets from a record one entry of 1 (two
    categories), of z (a category and a number) or of z·z', so at most 1 in L1 and in L2². Own sums: the
    number of records 1; a category 1; a number |z| + |z² − ½|, at most 3/2, and z² + (z² − ½)² = z⁴ + ¼, at
    most 5/4, both at |z| = 1. With P pairs, c categories and u numbers: L1 = P + 1 + c + 3u/2, L2² = P + 1
    + c + 5u/4, both attained by a record whose numbers are all at a bound. A missing value makes its
    entries 0. That compares with an L1 norm of
    (m + 1)² for all of x xᵀ and of d² for the encoded width d.
    """

    encoding: Encoding
    target: str | None = None
    own: bool = True

    nonnegative = False
    scale = FINE**2
    unit = "records"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.encoding.columns)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Where the cells lie: the number of records, own sums, then the pairs."""
        blocks = self.encoding.blocks
        wanted: list[tuple[Block | None, Block | None, tuple[int, ...]]] = []
        if self.own:
            wanted += [(None, None, (1,))] if self.target is None else []
            wanted += [(b, None, (b.width if b.nominal else 2,)) for b in blocks if self._concerns(b)]
        wanted += [
            (a, b, (a.width, b.width))
            for i, a in enumerate(blocks)
            for b in blocks[i + 1 :]
            if self._concerns(a, b)
        ]
        parts, end = [], 0
        for one, other, shape in wanted:
            size = int(np.prod(shape))
            parts.append(Part(one, other, slice(end, end + size), shape))
            end += size
        return tuple(parts)

    @cached_property
    def _number_pairs(self) -> tuple[list[int], list[int], list[int]]:
        """The cells of products of two numbers, and where these are in the matrix of all such products."""
        numbers = [b for b in self.encoding.blocks if not b.nominal]
        position = {b.start: j for j, b in enumerate(numbers)}

        def first(j: int) -> bool:  # with a target, only its row of the matrix is computed
            return numbers[j].column.name != self.target

        found = [
            (part.place.start, *sorted((position[part.one.start], position[part.other.start]), key=first))
            for part in self.parts
            if part.one is not None
            and part.other is not None
            and not (part.one.nominal or part.other.nominal)
        ]
        cells, rows, columns = (
            (list(column) for column in zip(*found, strict=True)) if found else ([], [], [])
        )
        return cells, rows, columns

    @cached_property
    def _other_parts(self) -> list[Part]:
        taken = set(self._number_pairs[0])
        return [part for part in self.parts if part.place.start not in taken]

    def _concerns(self, *blocks: Block) -> bool:
        return self.target is None or any(block.column.name == self.target for block in blocks)

    def norms(self, schema: Schema) -> Sensitivity:
        quarters = [
            (4, 4) if part.one is None or part.other is not None or part.one.nominal else (6, 5)
            for part in self.parts
        ]
        l1, squared_l2 = (sum(column) for column in zip(*quarters, strict=True))
        return Sensitivity(l1 * (self.scale // 4), squared_l2 * (self.scale**2 // 4))

    def start(self, schema: Schema) -> Answer:
        return np.zeros(self.parts[-1].place.stop, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        codes = {b.start: rows.codes(b.column.name) for b in self.encoding.blocks if b.nominal}
        numbers = [b for b in self.encoding.blocks if not b.nominal]
        position = {b.start: j for j, b in enumerate(numbers)}
        values, sums, there, gram = self._numbers(numbers, rows)
        cells_of, rows_of, columns_of = self._number_pairs
        state[cells_of] += gram[rows_of, columns_of]
        for part in self._other_parts:
            one, other = part.one, part.other
            if one is None:
                cells: Any = rows.size * self.scale
            elif other is None and one.nominal:
                cells = np.bincount(codes[one.start], minlength=one.width + 1)[:-1] * self.scale
            elif other is None:
                j = position[one.start]
                cells = [int(sums[j]) * FINE, gram[j, j] - there[j] * (self.scale // 2)]
            elif one.nominal and other.nominal:
                counts = np.zeros((4, one.width + 1, other.width + 1), np.int64)
                kernels.count_pairs(codes[one.start], codes[other.start], counts)
                cells = counts.sum(axis=0)[:-1, :-1] * self.scale
            else:
                nominal, number = (one, other) if one.nominal else (other, one)
                weights = values[position[number.start]]
                found = np.bincount(codes[nominal.start], weights, nominal.width + 1)[:-1]
                cells = found.astype(np.int64) * FINE  # whole floats below 2^53: exact
            state[part.place] += np.ravel(cells)
        return state

    def _numbers(
        self, numbers: list[Block], rows: Rows
    ) -> tuple[NDArray[np.float64], Answer, list[int], Answer]:
        """The numbers in fixed point (one row each), their sums, how many there are, their products' sums."""
        there = [0] * len(numbers)
        sums = np.zeros(len(numbers), np.int64)
        gram = np.zeros((len(numbers), len(numbers)), np.int64)
        named = [j for j, block in enumerate(numbers) if block.column.name == self.target]
        wanted = slice(None) if self.target is None else slice(named[0], named[0] + 1) if named else slice(0)
        keep = any(block.nominal for block in self.encoding.blocks)  # products with categories need all rows
        values = np.empty((len(numbers), rows.size if keep else min(rows.size, ROWS_AT_ONCE)))
        raw = [rows.numbers(block.column.name) for block in numbers]
        with one_thread:
            for begin in range(0, rows.size, ROWS_AT_ONCE):
                end = min(begin + ROWS_AT_ONCE, rows.size)
                some = values[:, begin:end] if keep else values[:, : end - begin]
                for j, block in enumerate(numbers):
                    column = block.column
                    assert isinstance(column, Number)
                    number = fixed_numbers(
                        raw[j][begin:end], float(column.low), float(column.high), FINE, some[j]
                    )
                    if number < 0:
                        refuse_infinite(column.name)
                    there[j] += number
                gram[wanted] += (some[wanted] @ some.T).astype(np.int64)
                if self.own:  # nothing else needs them, and they would take as long as the rest
                    sums += some.sum(axis=1).astype(np.int64)
        return values, sums, there, gram

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return state

    def expression(self, table: Any, schema: Schema) -> Any:
        """A row for each cell: its part, its place in it, its sum; then rows that check the values."""
        import ibis

        columns: dict[str, Any] = {}
        for j, block in enumerate(self.encoding.blocks):
            column = block.column
            columns[f"x{j}"] = (
                sql.fixed_point(table, column, FINE)
                if isinstance(column, Number)
                else sql.code(table, column)
            )
            if isinstance(column, Number):
                columns[f"i{j}"] = sql.is_infinite(table[column.name]).cast("int64")
        rows = table.select(**columns)
        place = {block.start: j for j, block in enumerate(self.encoding.blocks)}

        def line(number: int, cell: Any, value: Any, grouped: Any = None) -> Any:
            source = rows if grouped is None else rows.group_by(cell=grouped)
            found = source.aggregate(value=value.cast("int64"))
            cells = found.cell.cast("int64") if grouped is not None else ibis.literal(cell, "int64")
            return found.select(part=ibis.literal(number, "int64"), cell=cells, value=found.value)

        lines = []
        for number, part in enumerate(self.parts):
            if part.one is None:
                lines.append(line(number, 0, rows.count() * self.scale))
                continue
            x = rows[f"x{place[part.one.start]}"]
            if part.other is None:
                if part.one.nominal:
                    lines.append(line(number, 0, rows.count() * self.scale, x))
                else:
                    lines.append(line(number, 0, x.sum() * FINE))
                    lines.append(line(number, 1, (x * x - self.scale // 2).sum()))
                continue
            y = rows[f"x{place[part.other.start]}"]
            if part.one.nominal and part.other.nominal:
                # Missing and unknown codes lie past the domain: a wider row keeps them apart.
                lines.append(line(number, 0, rows.count() * self.scale, x * (part.other.width + 2) + y))
            elif part.one.nominal:
                lines.append(line(number, 0, y.sum() * FINE, x))
            elif part.other.nominal:
                lines.append(line(number, 0, x.sum() * FINE, y))
            else:
                lines.append(line(number, 0, (x * y).sum()))
        for j, block in enumerate(self.encoding.blocks):
            x = rows[f"x{j}"]
            number = -1 - j
            if block.nominal:
                lines.append(line(number, 0, rows.count(), x))
            else:
                lines += [line(number, 0, rows[f"i{j}"].sum()), line(number, 1, x.isnull().sum())]
        return ibis.union(*lines) if len(lines) > 1 else lines[0]

    def collect(self, result: Any, schema: Schema) -> Answer:
        answer = self.start(schema)
        part_of, cell_of, value_of = (
            np.asarray(result[name].fill_null(0), np.int64) for name in ("part", "cell", "value")
        )
        for j, block in enumerate(self.encoding.blocks):
            self._check(block, part_of == -1 - j, cell_of, value_of, schema)
        for number, part in enumerate(self.parts):
            mine = part_of == number
            cells, values = cell_of[mine], value_of[mine]
            if part.other is not None and part.one is not None and part.one.nominal and part.other.nominal:
                one, other = np.divmod(cells, part.other.width + 2)
                known = (one < part.one.width) & (other < part.other.width)
                cells, values = (one * part.other.width + other)[known], values[known]
            else:
                known = cells < part.place.stop - part.place.start
                cells, values = cells[known], values[known]
            np.add.at(answer, part.place.start + cells, values)
        return answer

    def _check(
        self, block: Block, mine: NDArray[np.bool_], cells: Answer, values: Answer, schema: Schema
    ) -> None:
        found = dict(zip(cells[mine].tolist(), values[mine].tolist(), strict=True))
        if block.nominal:
            missing, unknown = found.get(block.width, 0), found.get(block.width + 1, 0)
        else:
            missing, unknown = found.get(1, 0), found.get(0, 0)
            if unknown:
                refuse_infinite(block.column.name)
        if unknown or (missing and schema.missing == "error"):
            sql.refuse(schema, block.column.name)

    def pairs(self) -> Iterator[Part]:
        """The parts that are products of two blocks."""
        return (part for part in self.parts if part.other is not None)
