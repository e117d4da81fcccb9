"""Every question, on every engine, over every kind of source: written once, and equal to the last digit."""

from __future__ import annotations

import hashlib
import itertools
import math
import subprocess
import sys
import textwrap
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privet.engines import MemoryEngine, SqlEngine, engine_for
from privet.engines.memory import fold
from privet.errors import DataError, SchemaError
from privet.schema import Category, Number, Schema, Unit
from privet.sources import (
    ArrowSource,
    CsvSource,
    FrameSource,
    ParquetSource,
    TableSource,
    write_csv,
    write_parquet,
)
from privet.stats import Coded, Contingency, CrossTable, Moments, Rows

COLUMNS = (
    Number("x", -2, 4.5),
    Number("k", 0, 9, integer=True),
    Category("colour", ("red", "blue"), other="other"),
    Category("ill", ("no", "yes", "maybe")),
)
SCHEMA = Schema(COLUMNS, target="ill")
STATISTICS = (
    Contingency(None, "ill"),
    Contingency("colour", "ill"),
    CrossTable((Coded("colour"), Coded("x", (0.0, 1.5)), Coded("ill"))),
    Contingency("x", "ill", (0.0, 1.5, 3.25)),
    Contingency("x", "ill", tuple(np.linspace(-2, 4.5, 11)[1:-1].tolist())),
    Contingency("k", "ill", tuple(np.arange(0.5, 9.0).tolist())),
    Moments("x", "ill"),
    Moments("k", "ill"),
)
S = Moments.scale


def written(value):
    """A cell in the one way in which it is hashed."""
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return "t" + value
    if isinstance(value, int):
        return f"{value}.0"
    if abs(value) >= 2**62:
        return "large"
    return f"{math.floor(value)}.{math.floor((value - math.floor(value)) * 2**30)}"


def chosen_by_content(records, schema):
    """Of each person the records that come first by a hash of their cells, ties by the cells."""
    names = sorted(schema.names)

    def raw(value):
        missing = value is None or value != value
        return (missing, value is None, 0 if missing else value)

    def place(record):
        text = "\x1f".join(written(record[name]) for name in sorted([*names, schema.unit.id]))
        return hashlib.md5(text.encode()).hexdigest(), [raw(record[name]) for name in names]

    people: dict = {}
    for record in records:
        if record[schema.unit.id] is not None:
            people.setdefault(record[schema.unit.id], []).append(record)
    return [r for own in people.values() for r in sorted(own, key=place)[: schema.unit.most]]


def reference(table, statistic, schema):
    """The answer by plain Python, record by record."""
    records = table.to_pylist()
    if schema.unit.keep == "content":
        records = chosen_by_content(records, schema)
    elif schema.unit.id is not None:
        seen: Counter = Counter()
        kept = []
        for record in records:
            if (person := record[schema.unit.id]) is not None and seen[person] < schema.unit.most:
                seen[person] += 1
                kept.append(record)
        records = kept
    classes = list(schema["ill"].labels)
    if isinstance(statistic, Moments):
        column = schema[statistic.number]
        answer = np.zeros((len(classes), 3), np.int64)
        for record in records:
            if record["ill"] is None:
                continue
            row, value = classes.index(record["ill"]), record[statistic.number]
            if value is None or math.isnan(value):
                answer[row, 2] += Moments.missing_weight
                continue
            z = (min(max(float(value), column.low), column.high) - column.midpoint) / column.half_range
            q = math.floor(z * S + 0.5)
            answer[row] += [q, (q * q >> 20) - S // 2, 0]
        return answer
    answer = np.zeros(statistic.shape(schema), np.int64)
    if isinstance(statistic, CrossTable):
        for record in records:
            answer[tuple(place(record[c.column], schema[c.column], c.cuts) for c in statistic.coded)] += 1
        return answer
    for record in records:
        if record["ill"] is None:
            continue
        row = 0
        if statistic.row is not None:
            row = place(record[statistic.row], schema[statistic.row], statistic.cuts)
        answer[row, classes.index(record["ill"])] += 1
    return answer


def place(value, column, cuts):
    """The place of a value among those of its column; the last one is for missing values."""
    if value is None or value != value:
        return -1
    if isinstance(column, Category):
        return column.values.index(value) if value in column.values else column.size - 1
    return sum(value >= cut for cut in cuts)


def table(records):
    return pa.table(
        {
            "x": pa.array([r[0] for r in records], pa.float64(), from_pandas=False),
            "k": pa.array([r[1] for r in records], pa.int64()),
            "colour": pa.array([r[2] for r in records], pa.string()),
            "ill": pa.array([r[3] for r in records], pa.string()),
            "person": pa.array([r[4] for r in records], pa.string()),
        }
    )


def generated(records=3000, seed=0):
    draw = np.random.default_rng(seed)
    numbers = np.round(draw.normal(1, 3, records), 3).tolist()
    return table(
        list(
            zip(
                [None if draw.random() < 0.1 else x for x in numbers],
                [None if draw.random() < 0.1 else int(k) for k in draw.integers(-3, 14, records)],
                draw.choice(["red", "blue", "green", "other", None], records).tolist(),
                draw.choice(["no", "yes", None], records).tolist(),
                [None if p == 0 else f"p{p}" for p in draw.integers(0, 900, records)],
                strict=True,
            )
        )
    )


@cache
def connection():
    import ibis

    return ibis.duckdb.connect()


def memory_table(data, folder):
    return SqlEngine(), TableSource(connection().create_table("t", data, overwrite=True))


def arrays(data, folder):
    return MemoryEngine(), ArrowSource(data)


def frame(data, folder):
    return MemoryEngine(), FrameSource(data.to_pandas())


def csv(data, folder):
    write_csv(ArrowSource(data), folder / "t.csv")
    return MemoryEngine(), CsvSource(folder / "t.csv", SCHEMA)


def csv_in_duckdb(data, folder):
    return SqlEngine(), csv(data, folder)[1]


def parquet(data, folder):
    write_parquet(ArrowSource(data), folder / "t.parquet")
    return MemoryEngine(), ParquetSource(folder / "t.parquet")


def parquet_in_duckdb(data, folder):
    return SqlEngine(), parquet(data, folder)[1]


def batches_of_duckdb(data, folder):
    return MemoryEngine(), memory_table(data, folder)[1]


def dictionaries(data, folder):
    encoded = [c.dictionary_encode() if pa.types.is_string(c.type) else c for c in data.columns]
    return MemoryEngine(), ArrowSource(pa.table(encoded, names=data.column_names))


WAYS = [
    arrays,
    frame,
    dictionaries,
    csv,
    parquet,
    batches_of_duckdb,
    memory_table,
    csv_in_duckdb,
    parquet_in_duckdb,
]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


@every_way
@pytest.mark.parametrize("unit", [Unit(), Unit("replace")], ids=["record", "replace"])
def test_equal_to_plain_python(way, unit, tmp_path):
    data, schema = generated(), Schema(COLUMNS, target="ill", unit=unit)
    engine, source = way(data, tmp_path)
    for statistic, answer in zip(STATISTICS, engine.answer(STATISTICS, source, schema), strict=True):
        np.testing.assert_array_equal(answer, reference(data, statistic, schema))
        assert answer.dtype == np.int64


@every_way
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("keep", [None, "content"])
def test_people(way, keep, most, tmp_path):
    """By default the first records of what has an order; by content those of a database, or where asked."""
    data = generated()
    schema = Schema(COLUMNS, target="ill", unit=Unit(id="person", most=most, keep=keep))
    engine, source = way(data, tmp_path)
    rule = keep or ("content" if isinstance(source, TableSource) else "first")
    expected = replace(schema, unit=replace(schema.unit, keep=rule))
    for statistic, answer in zip(STATISTICS, engine.answer(STATISTICS, source, schema), strict=True):
        np.testing.assert_array_equal(answer, reference(data, statistic, expected))


@pytest.mark.parametrize("way", [memory_table, batches_of_duckdb])
def test_neither_the_order_of_rows_nor_other_people_decide_which_records_of_a_person_stay(way, tmp_path):
    """The attack: on a database it was decided by the scan whose records are counted."""
    data = generated(400)
    schema = Schema(COLUMNS, target="ill", unit=Unit(id="person", most=1))
    draw = np.random.default_rng(1)
    person = pc.equal(data["person"], "p7")
    own = None
    for _ in range(4):
        data = data.take(pa.array(draw.permutation(len(data))))
        others = data.filter(pc.fill_null(pc.not_equal(data["person"], "p7"), True))
        for table in (data, others):
            engine, source = way(table, tmp_path)
            found = engine.answer(STATISTICS, source, schema)
            own = own if own is not None else {}
            for place, answer in enumerate(found):
                expected = own.setdefault((place, len(table)), answer)
                np.testing.assert_array_equal(answer, expected)
    assert pc.sum(person).as_py()
    for place in range(5):  # tables of counts: with and without one person, one cell differs by one
        assert abs(own[place, len(data)] - own[place, len(others)]).sum() <= 1


def test_the_first_records_of_a_person_mean_nothing_in_a_database(tmp_path):
    schema = Schema(COLUMNS, target="ill", unit=Unit(id="person", keep="first"))
    for way in (memory_table, batches_of_duckdb):
        engine, source = way(generated(10), tmp_path)
        with pytest.raises(SchemaError, match="no order of rows"):
            engine.answer(STATISTICS, source, schema)
    engine, source = csv_in_duckdb(generated(10), tmp_path)
    engine.answer(STATISTICS, source, schema)


RECORD = st.tuples(
    st.none() | st.floats(allow_infinity=False) | st.floats(-3, 5),
    st.none() | st.integers(-(2**40), 2**40) | st.integers(-1, 10),
    st.sampled_from(["red", "blue", "green", "", None]),
    st.sampled_from(["no", "yes", "maybe", None]),
    st.sampled_from(["ann", "bob", None]),
)


@given(st.lists(RECORD, max_size=12), st.sampled_from([Unit(), Unit(id="person", most=2, keep="content")]))
@settings(max_examples=25, deadline=None)
def test_random_tables_on_both_engines(records, unit):
    data, schema = table(records), Schema(COLUMNS, target="ill", unit=unit)
    engine, source = memory_table(data, None)
    in_database = engine.answer(STATISTICS, source, schema)
    in_memory = MemoryEngine().answer(STATISTICS, ArrowSource(data), schema)
    for statistic, one, other in zip(STATISTICS, in_memory, in_database, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, reference(data, statistic, schema))


@given(st.lists(st.floats(allow_infinity=False), max_size=20), st.floats(-1e12, 1e12), st.floats(1e-9, 1e12))
@example([], 137438953471.0, 2.9)  # the middle is rounded, so the lower end lies beyond -1
@settings(max_examples=25, deadline=None)
def test_fixed_point_is_the_same_on_both_engines(values, low, width):
    """Any bounds: the two renderings must round alike."""
    if low + width <= low:
        return
    schema = Schema((Number("x", low, low + width), Category("ill", ("no",))), target="ill")
    data = pa.table(
        {"x": pa.array([*values, low, low + width], pa.float64()), "ill": ["no"] * (len(values) + 2)}
    )
    engine, source = memory_table(data, None)
    statistics = [
        Moments("x", "ill"),
        Contingency("x", "ill", (low + width / 2,) if low + width / 2 > low else ()),
    ]
    for one, other in zip(
        engine.answer(statistics, source, schema),
        MemoryEngine().answer(statistics, ArrowSource(data), schema),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


@given(st.lists(RECORD, max_size=20), st.lists(st.integers(0, 20), max_size=4))
@settings(max_examples=50, deadline=None)
def test_any_split_into_batches_gives_the_same_answer(records, places):
    data = table(records)
    edges = [0, *sorted(min(place, len(records)) for place in places), len(records)]
    parts = [data.slice(a, b - a) for a, b in itertools.pairwise(edges)]
    batches = [batch for part in parts for batch in part.combine_chunks().to_batches()]
    for statistic, answer in zip(STATISTICS, fold(STATISTICS, batches, SCHEMA), strict=True):
        np.testing.assert_array_equal(answer, reference(data, statistic, SCHEMA))


@pytest.mark.parametrize("statistic", STATISTICS, ids=str)
def test_merging_is_associative_and_commutative(statistic):
    parts = []
    for seed in range(3):
        rows = Rows(generated(100, seed).combine_chunks().to_batches()[0], SCHEMA)
        parts.append(statistic.fold(statistic.start(SCHEMA), rows))
    a, b, c = parts
    one = statistic.merge(statistic.merge(a.copy(), b), c)
    other = statistic.merge(a, statistic.merge(c.copy(), b))
    np.testing.assert_array_equal(statistic.finish(one, SCHEMA), statistic.finish(other, SCHEMA))
    np.testing.assert_array_equal(statistic.merge(statistic.start(SCHEMA), b), b)


SPOILT = {
    "unknown class": ((1.0, 1, "red", "S3NT1NEL", "ann"), "ill"),
    "infinity": ((math.inf, 1, "red", "no", "ann"), "x"),
    "minus infinity": ((-math.inf, 1, "red", "no", "ann"), "x"),
}


@every_way
@pytest.mark.parametrize(("record", "column"), SPOILT.values(), ids=SPOILT)
def test_what_the_schema_forbids_is_refused(way, record, column, tmp_path):
    data = table([(1.0, 1, "red", "no", "bob"), record])
    engine, source = way(data, tmp_path)
    for statistic in (s for s in STATISTICS if column in s.columns):
        with pytest.raises(DataError) as caught:
            engine.answer([statistic], source, SCHEMA)
        assert f"'{column}'" in str(caught.value)
        assert "S3NT1NEL" not in str(caught.value)


@every_way
@pytest.mark.parametrize("place", [0, 2, 3])
def test_missing_values_are_refused_where_the_schema_says_so(way, place, tmp_path):
    schema = Schema(COLUMNS, target="ill", missing="error")
    record = [1.0, 1, "red", "no", "ann"]
    record[place] = None
    engine, source = way(table([(1.0, 1, "red", "no", "bob"), tuple(record)]), tmp_path)
    name = ("x", "k", "colour", "ill")[place]
    for statistic in STATISTICS:
        if name in statistic.columns:
            with pytest.raises(DataError):
                engine.answer([statistic], source, schema)
        else:
            engine.answer([statistic], source, schema)


@every_way
def test_an_empty_table(way, tmp_path):
    engine, source = way(table([]), tmp_path)
    for statistic, answer in zip(STATISTICS, engine.answer(STATISTICS, source, SCHEMA), strict=True):
        np.testing.assert_array_equal(answer, reference(table([]), statistic, SCHEMA))


@pytest.mark.parametrize(
    "way", [arrays, parquet, memory_table, parquet_in_duckdb], ids=lambda way: way.__name__
)
def test_text_in_a_number_is_refused_without_quoting_it(way, tmp_path):
    data = pa.table({"x": ["1.5", "S3NT1NEL"], "ill": ["no", "yes"]})
    engine, source = way(data, tmp_path)
    for statistic in (Moments("x", "ill"), Contingency("x", "ill", (1.0,))):
        with pytest.raises(DataError) as caught:
            engine.answer([statistic], source, SCHEMA)
        assert "S3NT1NEL" not in str(caught.value)
        assert caught.value.__suppress_context__


@pytest.mark.parametrize("way", [arrays, memory_table], ids=lambda way: way.__name__)
@pytest.mark.parametrize(
    ("values", "domain", "expected"),
    [
        ([1, 2, 2, None], (1, 2), [1, 2, 1]),
        ([1, 2, 2, None], ("1", "2"), [1, 2, 1]),
        ([1.0, 2.0, 2.0, math.nan], (1, 2), [1, 2, 1]),
        (["1", "2", "2.0", None], (1, 2), [1, 2, 1]),
        (["1", "2", "2", None], ("1", "2"), [1, 2, 1]),
        ([True, False, False, None], (True, False), [1, 2, 1]),
        ([True, False, False, None], ("true", "false"), [1, 2, 1]),
        ([True, False, False, None], (1, 0), [1, 2, 1]),
        (["1.0", "2", " 2", "+2e0", None], ("1", "2"), [1, 3, 1]),
        (["1", "1.0", "3.0", "3"], ("1", "1.0", "3"), [1, 1, 2, 0]),
        (["TRUE", "false", "False", None], ("1", "0"), [1, 2, 1]),
        (["true", "1.00", "0", None], (True, False), [2, 1, 1]),
        (["TRUE", "0.0", "0e9", None], (1, 0), [1, 2, 1]),
        (np.array([0.5, 2, 2], np.float32), (0.5, 2), [1, 2, 0]),
    ],
    ids=str,
)
def test_one_category_in_many_types(way, values, domain, expected, tmp_path):
    schema = Schema((Category("c", domain), Category("ill", ("no",))), target="ill")
    data = pa.table({"c": pa.array(values, from_pandas=False), "ill": ["no"] * len(values)})
    engine, source = way(data, tmp_path)
    [answer] = engine.answer([Contingency("c", "ill")], source, schema)
    assert answer[:, 0].tolist() == expected


@pytest.mark.parametrize("way", [arrays, memory_table], ids=lambda way: way.__name__)
def test_what_is_no_number_in_python_or_in_a_database_is_none_here(way, tmp_path):
    texts = [
        "1_000",
        "1000",
        "0x3e8",
        "\u0661",
        "inf",
        "nan",
        "1e",
        "e1",
        ".",
        "1e3",
        "1000.",
        "1,000",
        "",
        "1000\n",
    ]
    schema = Schema((Category("c", ("1000", "1"), other="rest"), Category("ill", ("no",))), target="ill")
    engine, source = way(pa.table({"c": texts, "ill": ["no"] * len(texts)}), tmp_path)
    [answer] = engine.answer([Contingency("c", "ill")], source, schema)
    assert answer[:, 0].tolist() == [3, 0, 11, 0]


def test_one_record_that_turns_a_file_s_column_into_text_changes_nothing_else(tmp_path):
    import ibis

    schema = Schema((Category("c", ("1", "2"), other="rest"), Category("ill", (0,))), target="ill")
    found = []
    for values in (["1.0"] * 50, ["1.0"] * 50 + ["xx"]):
        path = tmp_path / f"{len(values)}.csv"
        path.write_text("c,ill\n" + "".join(f"{value},0\n" for value in values))
        table = ibis.duckdb.connect().read_csv(path)
        [answer] = SqlEngine().answer([Contingency("c", "ill")], TableSource(table), schema)
        found.append((str(table.schema()["c"]), answer[:, 0].tolist()))
    assert found == [("float64", [50, 0, 0, 0]), ("string", [50, 0, 1, 0])]


@every_way
def test_a_column_that_is_not_there(way, tmp_path):
    engine, source = way(generated(10).drop_columns(["colour"]), tmp_path)
    with pytest.raises(DataError, match="no column 'colour'"):
        engine.answer([Contingency("colour", "ill")], source, SCHEMA)


def test_engine_for():
    import ibis

    assert isinstance(engine_for(ArrowSource(generated(5))), MemoryEngine)
    assert isinstance(engine_for(TableSource(ibis.memtable(generated(5)))), SqlEngine)


def test_sql_needs_a_table():
    with pytest.raises(DataError, match="cannot be read by a database"):
        SqlEngine().answer(STATISTICS, ArrowSource(generated(5)), SCHEMA)


def test_many_bad_batches_end_in_an_error_and_not_in_waiting():
    """In a process of its own, because the failure would be to wait for ever."""
    program = """
        import pyarrow as pa
        from privet.engines.memory import fold
        from privet.errors import DataError
        from privet.schema import Schema
        from privet.stats import Contingency
        schema = Schema.of({"c": ["a", "b"]}, target="c")
        try:
            fold([Contingency(None, "c")], [pa.record_batch({"c": ["zz"]})] * 50, schema)
        except DataError:
            print("refused")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=600
    )
    assert done.stdout == "refused\n"


def test_a_source_that_fails_half_way_ends_the_fold():
    def batches():
        yield from generated(100).to_batches()
        raise DataError("The disk is gone.")

    with pytest.raises(DataError, match="disk"):
        fold(STATISTICS, batches(), SCHEMA)


@pytest.mark.parametrize("way", [arrays, memory_table], ids=lambda way: way.__name__)
def test_a_domain_is_not_rounded_to_the_table(way, tmp_path):
    """0.1 in 32 bits is another number than 0.1, on every engine."""
    schema = Schema((Category("c", (0.1,)), Category("ill", ("no",))), target="ill")
    engine, source = way(pa.table({"c": pa.array([0.1], pa.float32()), "ill": ["no"]}), tmp_path)
    with pytest.raises(DataError):
        engine.answer([Contingency("c", "ill")], source, schema)
