"""Random tables, and reading a source into plain Python values."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from privet.schema import Category, Number, Schema
from privet.sources import Source

# No surrogates (not UTF-8), and none of the control characters that no text file keeps.
CHARACTERS = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))
AWKWARD = st.sampled_from(
    ["it's", 'a "b"', "a, b", "50 %", "{x}", "back\\slash", "\\", "ünï çødé", "日本", "'", '"', "a;b"]
)


def texts(strip: bool) -> st.SearchStrategy[str]:
    """Texts with commas, quotes and more; for CSV, only ones that begin and end with a letter."""
    any_text = st.one_of(AWKWARD, st.text(CHARACTERS, min_size=1, max_size=8))
    if not strip:
        return st.one_of(
            any_text, st.sampled_from(["", " ", " a", "a ", "?", "NA", "line\nbreak", "tab\tbed"])
        )
    return any_text.map(lambda text: "t" + text.strip() + "t")


NUMBERS = st.one_of(
    st.none(), st.integers(-(2**53), 2**53).map(float), st.floats(allow_nan=False, allow_infinity=False)
)


@st.composite
def tables(draw: st.DrawFn, strip: bool = False) -> tuple[pa.Table, Schema]:
    """A table of numbers and text, and what is public about it."""
    names = draw(st.lists(texts(strip=True), min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(1, 12))
    columns, public = {}, []
    for name in names:
        if draw(st.booleans()):
            cells = draw(st.lists(NUMBERS, min_size=rows, max_size=rows))
            columns[name] = pa.array(cells, pa.float64())
            public.append(Number(name, -1, 1))
        else:
            domain = draw(st.lists(texts(strip), min_size=1, max_size=5, unique=True))
            cells = draw(
                st.lists(st.one_of(st.none(), st.sampled_from(domain)), min_size=rows, max_size=rows)
            )
            columns[name] = pa.array(cells, pa.string())
            public.append(Category(name, tuple(domain)))
    return pa.table(columns), Schema(tuple(public))


def values(source: Source, columns: list[str] | None = None) -> dict[str, list[Any]]:
    """Every column as a list, NaN as nothing."""
    names = source.names if columns is None else columns
    out: dict[str, list[Any]] = {name: [] for name in names}
    for batch in source.batches(columns):
        assert batch.schema.names == list(names)
        for name, cells in batch.to_pydict().items():
            out[name] += [None if isinstance(c, float) and math.isnan(c) else c for c in cells]
    return out
