"""Sums of products as an Ibis expression, and the answer from its result.

The result has a row for each cell of the answer, (cell, value). All that needs no grouping is one aggregation
over the table; its negative cells count what the schema may not allow: missing values, and unknown or
infinite ones.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Number, Schema
from privet.stats import sql
from privet.stats.linear.encoding import Block
from privet.stats.linear.product_kernels import FINE
from privet.stats.rows import refuse_infinite

if TYPE_CHECKING:
    from privet.stats.linear.products import Products

__all__ = ["collect", "expression"]


def expression(products: Products, table: Any, schema: Schema) -> Any:
    import ibis

    if not sql.countable(table, schema, products.columns):
        return None
    if products.given is not None and schema.missing == "skip":  # else a missing value is to be found
        table = table.filter(sql.is_there(table, schema, products.given))
    blocks = products.encoding.blocks
    rows = table.select(
        **{f"x{j}": _value(table, schema, block) for j, block in enumerate(blocks)},
        **{
            f"infinite{j}": sql.is_infinite(table, schema, block.column.name)
            for j, block in enumerate(blocks)
            if not block.nominal
        },
    )
    at = {block.start: rows[f"x{j}"] for j, block in enumerate(blocks)}
    whole: dict[int, Any] = {}
    lines = []

    def by_value(start: int, keys: list[tuple[Block, int]], value: Any) -> None:
        """A cell for each combination of known values; ``keys`` says by how much each moves the cell."""
        cell = sum((at[block.start] * step for block, step in keys), start=ibis.literal(start))
        known = reduce(and_, (at[block.start] < block.width for block, _ in keys))
        found = rows.group_by(cell=known.ifelse(cell, None)).aggregate(value=value)
        found = found.filter(found.cell.notnull())
        lines.append(found.select(cell=found.cell.cast("int64"), value=found.value.cast("int64")))

    for block in blocks:
        cells = np.flatnonzero(products.summed == block.start)
        if cells.size and block.nominal:
            by_value(int(cells[0]), [(block, 1)], rows.count() * products.scale)
        elif cells.size:
            whole[int(cells[0])] = at[block.start].sum() * FINE
    if products.summed.size and products.summed[0] == 0:
        whole[0] = rows.count() * products.scale
    half = products.scale // 2
    for place, start in enumerate(products.squared.tolist()):
        z, cell = at[start], products.summed.size + 2 * place
        whole[cell] = (z * z - half).sum()
        whole[cell + 1] = z.isnull().sum() * half
    for one, other, among in products.pairs_of_blocks():
        start = products.across + among.start
        if one.nominal and other.nominal:
            by_value(start, [(one, other.width), (other, 1)], rows.count() * products.scale)
        elif one.nominal or other.nominal:
            category, number = (one, other) if one.nominal else (other, one)
            by_value(start, [(category, 1)], at[number.start].sum() * FINE)
        else:
            whole[start] = (at[one.start] * at[other.start]).sum()
    for j, block in enumerate(blocks):
        x = at[block.start]
        bad = x > block.width if block.nominal else rows[f"infinite{j}"]
        whole[-1 - 2 * j] = (x == block.width if block.nominal else x.isnull()).sum()
        whole[-2 - 2 * j] = bad.sum()
    one_row = rows.aggregate(**{str(cell): value.cast("int64") for cell, value in whole.items()})
    cells = one_row.pivot_longer(
        ibis.selectors.all(), names_to="cell", names_transform=int, values_to="value"
    )
    lines.append(cells.select(cell=cells.cell.cast("int64"), value=cells.value.cast("int64")))
    return ibis.union(*lines) if len(lines) > 1 else lines[0]


def collect(products: Products, result: Any, schema: Schema) -> NDArray[np.int64]:
    cell, value = (np.asarray(result[name].fill_null(0), np.int64) for name in ("cell", "value"))
    checks = dict(zip(cell[cell < 0].tolist(), value[cell < 0].tolist(), strict=True))
    for j, block in enumerate(products.encoding.blocks):
        missing, bad = checks[-1 - 2 * j], checks[-2 - 2 * j]
        if bad and not block.nominal:
            refuse_infinite(block.column.name)
        if bad or (missing and schema.missing == "error"):
            sql.refuse(schema, block.column.name)
    answer = products.start(schema)
    np.add.at(answer, cell[cell >= 0], value[cell >= 0])
    return answer


def _value(table: Any, schema: Schema, block: Block) -> Any:
    column = block.column
    if isinstance(column, Number):
        return sql.fixed_point(table, schema, column, FINE)
    assert isinstance(column, Category)
    return sql.code(table, schema, column.name)
