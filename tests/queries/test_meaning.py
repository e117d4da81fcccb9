"""Queries mean what they mean in SQL; what is not understood is refused, and nothing is spent by that."""

from __future__ import annotations

import pyarrow as pa
import pytest

from privet import Ledger
from privet.budget import budget
from privet.errors import DataError, ParameterError, PrivetError
from privet.queries import query
from privet.queries.describe import describe
from privet.queries.sql import from_sql
from privet.schema import Category, Number, Schema
from privet.sources import ArrowSource, open_source
from privet.sources.formats import WRITERS
from privet.stats import Rows

COLUMNS = (
    Number("age", 0, 120),
    Number("cost", -100.0, 400.0),
    Category("ward", ("a", "b", "c"), other="else"),
)
PEOPLE = 200 * [
    (30.0, 100.0, "a"),
    (70.0, 300.0, "b"),
    (80.0, None, "b"),
    (None, 50.0, "c"),
    (90.0, -900.0, None),
]
TABLE = pa.table(dict(zip(("age", "cost", "ward"), map(list, zip(*PEOPLE, strict=True)), strict=True)))
SURE = 1e6


def told(text, **more):
    return from_sql(text, query(TABLE, Schema(COLUMNS)), **more).release(SURE)


@pytest.mark.parametrize(
    ("condition", "number"),
    [
        ("age > 60", 600),
        ("age > 60 AND cost > 0", 200),
        ("age > 60 AND NOT cost > 0", 200),
        ("NOT age > 60", 200),
        ("age IS NULL OR ward = 'a'", 400),
        ("ward IS NOT NULL", 800),
        ("ward <> 'b'", 400),
        ("ward IN ('a', 'c')", 400),
        ("ward NOT IN ('a', 'c')", 400),
        ("age BETWEEN 70 AND 80", 400),
        ("cost < 0", 200),
        ("cost = -100", 200),  # clamped to its public bound before it is compared
        ("age * 2 - cost > 0", 200),
        ("age + cost >= 130 AND (ward = 'a' OR cost IS NULL)", 200),
    ],
)
def test_conditions_mean_what_they_mean_in_sql(condition, number):
    assert told(f"SELECT COUNT(*) FROM data WHERE {condition}").value.value == number


def test_the_same_counts_as_a_database():
    import duckdb

    clamped = pa.table({"age": TABLE["age"], "cost": [c and max(c, -100.0) for _, c, _ in PEOPLE]})
    clamped = clamped.append_column("ward", TABLE["ward"])
    connection = duckdb.connect()
    connection.register("data", clamped)
    for condition in ("age > 60 OR cost > 90", "NOT (age > 60 AND cost > 90)", "cost * 0.5 + age < 80"):
        text = f"SELECT COUNT(*) FROM data WHERE {condition}"
        assert told(text).value.value == connection.execute(text).fetchone()[0]


def test_figures_without_noise_are_those_of_the_table():
    figures = "COUNT(*) n, AVG(age) m, SUM(cost) s, STDDEV(age) d, QUANTILE(age, 0.25) q"
    answer = told(f"SELECT ward, {figures} FROM data GROUP BY ward")
    b = answer["b"]
    assert (b["n"].value, b["s"].value) == (400, pytest.approx(60_000, rel=1e-5))
    assert b["m"].value == pytest.approx(75, abs=0.01)
    assert b["d"].value == pytest.approx(5, abs=0.1)
    assert b["q"].value == pytest.approx(70, abs=0.1)
    assert answer[None]["n"].value == 200  # records without a ward are a group of their own


def test_error_bars_hold_the_noise():
    asked = query(TABLE, Schema(COLUMNS)).where(query(TABLE, Schema(COLUMNS))["age"] > 0).mean("age").count()
    exact = {"mean_age": 67.5, "count": 800}
    inside = dict.fromkeys(exact, 0)
    for seed in range(200):
        [(_, figures)] = asked.release(0.2, random_state=seed).rows
        for name, figure in zip(("mean_age", "count"), figures, strict=True):
            inside[name] += abs(figure.value - exact[name]) <= figure.error
    assert all(number >= 180 for number in inside.values())


def test_a_public_table_can_be_joined():
    regions = {"ward": ["a", "b"], "region": ["north", "south"]}
    text = "SELECT region, COUNT(*) FROM data JOIN regions USING (ward) GROUP BY region"
    answer = told(text, public={"regions": regions})
    assert [(keys[0], figures[0].value) for keys, figures in answer.rows] == [("north", 200), ("south", 400)]
    with pytest.raises(ParameterError, match="twice"):
        told(text, public={"regions": {"ward": ["a", "a"], "region": ["north", "south"]}})


def test_sorting_and_cutting_look_at_released_figures():
    answer = told("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward ORDER BY n DESC LIMIT 1")
    assert [keys for keys, _ in answer.rows] == [("b",)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT age FROM data", "records are never shown"),
        ("SELECT * FROM data", "records are never shown"),
        ("SELECT MAX(age) FROM data", "one person's"),
        ("SELECT COUNT(*) FROM data HAVING COUNT(*) > 3", "HAVING"),
        ("SELECT AVG(cost / age) FROM data", "cost / age"),
        ("SELECT AVG(CAST(ward AS INT)) FROM data", "CAST"),
        ("SELECT COUNT(*) FROM data WHERE ward LIKE 'a%'", "LIKE"),
        ("SELECT COUNT(*) FROM data WHERE age > (SELECT AVG(age) FROM data)", "SELECT"),
        ("SELECT COUNT(*) FROM data WHERE RANDOM() > 0.5", "RAND"),
        ("SELECT COUNT(*) FROM data WHERE secret = 1", "secret"),
        ("SELECT COUNT(*) FROM data; DROP TABLE data", "One SELECT"),
        ("DELETE FROM data", "One SELECT"),
        ("SELECT COUNT(*) FROM data, b", "public table"),
        ("SELECT DISTINCT ward FROM data", "DISTINCT"),
        ("SELECT ROW_NUMBER() OVER () FROM data", "OVER"),
        ("SELECT SUM(COUNT(*)) FROM data", "COUNT"),
        ("SELECT COUNT(*) FROM data WHERE ward = 'nowhere'", "nowhere"),
        ("SELECT AVG(ward) FROM data", "category"),
        ("SELECT COUNT(*) FROM data GROUP BY cost", "BINS"),
        ("SELECT 1 FROM data", "1"),
        ("WITH x AS (SELECT 1) SELECT COUNT(*) FROM x", "WITH"),
        ("SELECT COUNT(*) FROM data UNION SELECT COUNT(*) FROM data", "One SELECT"),
        ("SELECT COUNT(*) FROM data LIMIT -1", "LIMIT"),
        ("SELECT QUANTILE(age, 2) FROM data", "between 0 and 1"),
        ("SELECT QUANTILE(age, 1e-9999999) FROM data", "between 0 and 1"),
        ("SELECT COUNT(*) FILTER (WHERE age > 3) FROM data", "FILTER"),
        (f"SELECT COUNT(*) FROM data WHERE {'(' * 5000}age > 3{')' * 5000}", "nested"),
        (f"SELECT COUNT(*) FROM data WHERE age IN ({'1, ' * 9000}1)", "characters"),
        ("SELEKT", "SELECT"),
        ("", "SELECT"),
        # Each of these was answered once, as if the rest had not been there.
        ("SELECT ward, COUNT(*) AS ward, AVG(age) FROM data GROUP BY ward", "'ward' is a key and a figure"),
        ("SELECT age > 60 AS ward, COUNT(*) FROM data GROUP BY ward", "age > 60"),
        ("SELECT COUNT(DISTINCT ward, age) FROM data", "DISTINCT ward, age"),
        ("SELECT COUNT(DISTINCT age + 1) FROM data", "DISTINCT age + 1"),
        ("SELECT COUNT(DISTINCT *) FROM data", "DISTINCT *"),
        ("SELECT COUNT(*) FROM data WHERE people.age > 60", "people.age"),
        ("SELECT COUNT(*) FROM data AS d WHERE data.age > 60", "data.age"),
        ("SELECT COUNT(*) FROM peeple", "peeple"),
        ("SELECT COUNT(*) FROM other.data", "other.data"),
        ("SELECT COUNT(*) FROM '/etc/passwd'", "/etc/passwd"),
        ("SELECT COUNT(*) FROM read_csv('people.csv')", "people.csv"),
        ("SELECT COUNT(*) FROM data AS d(cost, age, ward) WHERE age > 60", "d(cost, age, ward)"),
        ("SELECT COUNT(*) FROM (SELECT * EXCLUDE (age) FROM data)", "(age)"),
        ("SELECT COUNT(*) FROM (SELECT * REPLACE (1 AS age) FROM data) WHERE age > 60", "REPLACE"),
        ("SELECT COUNT(*) FROM (SELECT * FROM data) TABLESAMPLE (10 PERCENT)", "TABLESAMPLE"),
        # Older parsers refuse these two in words of their own.
        ("SELECT COUNT(*) FROM data WHERE age BETWEEN SYMMETRIC 90 AND 70", "What to do"),
        ("SELECT ward, COUNT(*) FROM data GROUP BY ward LIMIT 50 PERCENT", "What to do"),
        ("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward ORDER BY n NULLS LAST", "NULLS LAST"),
        ("SELECT COUNT(*) FROM data GROUP BY BINS(age, 5), BINS(age, 3)", "'age' is grouped by twice"),
        # These ended in an error of Python's own, or took all memory.
        ("SELECT COUNT() FROM data", "COUNT()"),
        (f"SELECT ward, COUNT(*) FROM data GROUP BY ward LIMIT {'9' * 5000}", "LIMIT takes"),
        ("SELECT COUNT(*) FROM data GROUP BY BINS(age, 999999999)", "bins"),
        ("SELECT SUM(CASE WHEN ward = 'a' THEN 1 ELSE 0 END) FROM data", "CASE WHEN"),
        ("SELECT SUM(age * 0) FROM data", "age * 0"),
    ],
    ids=lambda text: text[:40],
)
def test_what_is_not_understood_is_refused_with_the_words_at_fault(text, words):
    with pytest.raises(PrivetError) as refused:
        told(text)
    assert words in str(refused.value)


def test_keys_are_known_by_their_place_and_by_the_name_that_they_are_given():
    for text in (
        "SELECT CASE WHEN age > 60 THEN 'old' ELSE 'young' END, COUNT(*) FROM data GROUP BY 1",
        "SELECT CASE WHEN d.age > 60 THEN 'old' ELSE 'young' END k, COUNT(*) FROM data d GROUP BY k",
    ):
        assert [keys for keys, _ in told(text).rows] == [("old",), ("young",)]
    assert len(told("SELECT BINS(age, 4) AS b, COUNT(*) FROM data GROUP BY b").rows) == 5
    assert len(told("SELECT COUNT(*) FROM data GROUP BY ward, ward").rows) == 5
    answer = told("SELECT ward AS w, COUNT(*) AS n FROM data GROUP BY w ORDER BY w DESC LIMIT 1")
    assert [keys for keys, _ in answer.rows] == [("else",)]
    # Of the figures that are asked for, by their names or by what they are; by no other.
    figures = "ward, AVG(age), COUNT(*) AS n, COUNT(cost) AS m"
    text = f"SELECT {figures} FROM data GROUP BY ward ORDER BY {{}} DESC LIMIT 1"
    tops = [told(text.format(figure)).rows[0][0] for figure in ("COUNT(*)", "n", "AVG(age)")]
    assert tops == [("b",), ("b",), (None,)]
    assert told(text.format("COUNT(cost)")).rows[0][1][2].value == 200
    with pytest.raises(ParameterError, match="no column of the answer"):
        told(text.format("COUNT(age)"))


def test_nothing_is_spent_by_a_refusal_and_everything_by_an_answer():
    schema = Schema(COLUMNS, dataset="clinic")
    ledger = Ledger.in_memory()
    ledger.open_account("clinic", budget(1.0), unit=schema.unit)
    asked = query(TABLE, schema, ledger=ledger)
    with pytest.raises(ParameterError):
        asked.group_by("cost")
    assert asked.group_by("ward").count().mean("age").plan(0.5).epsilon == 0.5
    assert ledger.spent("clinic") is None
    asked.group_by("ward").count().mean("age").release(0.75)
    assert float(ledger.spent("clinic").epsilon) == 0.75
    with pytest.raises(PrivetError):
        asked.count().release(0.5)


def test_groups_cost_nothing_more_and_shared_questions_are_asked_once():
    schema = Schema(COLUMNS)
    asked = query(TABLE, schema).group_by("ward").count().mean("age").variance("age").count("age")
    assert len(asked.selection.questions(schema)) == 2  # records with and without an age; sums with squares
    steps = asked.plan(1.0).steps
    assert [float(step.amount.epsilon) for step in steps] == [0.5, 0.5]


def test_a_condition_is_no_truth_value():
    asked = query(TABLE, Schema(COLUMNS))
    with pytest.raises(ParameterError, match="&"):
        bool(asked["age"] > 3)
    with pytest.raises(ParameterError):
        asked.where(asked["age"])
    with pytest.raises(ParameterError):
        asked.with_columns(age=asked["age"] * 2)


def test_a_first_look_is_one_bundle_at_one_price():
    schema = Schema(COLUMNS, target="ward")
    found = describe(TABLE, schema, epsilon=1e6)
    assert found.guarantee.epsilon == 1e6
    assert found.titles[0] == "age by ward"
    assert found.answers[0]["60 to 72", "b"].value == 200
    assert [chart.kind for chart in found.charts()] == ["heatmap", "heatmap", "bars"]


def test_a_total_and_its_parts_add_up():
    text = "SELECT ward, COUNT(*) AS n, SUM(cost) AS s, AVG(age) FROM data GROUP BY ROLLUP (ward)"
    for seed in range(20):
        answer = from_sql(text, query(TABLE, Schema(COLUMNS))).release(0.01, random_state=seed)
        *parts, (keys, whole) = answer.rows
        assert keys == ("(all)",)
        assert len(parts) == 5  # four wards, and those without one
        for place in (0, 1):
            assert sum(figures[place].value for _, figures in parts) == pytest.approx(whole[place].value)
        assert min(figures[0].value for _, figures in parts) >= 0
    sure = told(text)
    assert sure["(all)"]["n"].value == 1000
    assert sure["b"]["n"].value == 400


def test_the_error_of_a_total_is_smaller_than_that_of_a_sum_of_parts_and_holds():
    asked = from_sql(
        "SELECT ward, COUNT(*) AS n FROM data GROUP BY ROLLUP (ward)", query(TABLE, Schema(COLUMNS))
    )
    inside, parts_inside = 0, 0
    for seed in range(200):
        answer = asked.release(0.5, random_state=seed)
        inside += abs(answer["(all)"].value - 1000) <= answer["(all)"].error
        parts_inside += abs(answer["b"].value - 400) <= answer["b"].error
    assert inside >= 180
    assert parts_inside >= 180
    with pytest.raises(ParameterError, match="no total"):
        told("SELECT ward, MEDIAN(age) FROM data GROUP BY ROLLUP (ward)")


def test_what_is_refused_in_a_record_that_is_left_out_is_not_refused():
    people = pa.table({"age": [30.0, 70.0, float("inf")], "ward": ["a", "z", "a"], "days": [1, 2, 3]})
    asked = query(people, {"age": (0, 120), "ward": ["a", "b"], "days": (0, 9)})
    chosen = asked.where(asked["days"] < 2).group_by("ward").count().sum("age")
    assert chosen.release(1e9).rows[0][1][0].value == 1
    with pytest.raises(DataError, match="ward"):
        asked.where(asked["days"] < 3).group_by("ward").count().release(1.0)
    with pytest.raises(DataError, match="infinite"):
        asked.where(asked["days"] > 2).sum("age").release(1.0)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float32(), pa.float64()])
@pytest.mark.parametrize("sign", ["<", "<=", "=", "!=", ">", ">="])
def test_comparisons_with_a_constant(kind, sign):
    from privet.stats.views import Arithmetic, Compare, Constant, Field

    batch = pa.record_batch({"n": pa.array([0, 3, 5, None, 100], kind)})
    for each in (batch, batch.filter(batch["n"].is_valid())):
        rows = Rows(each, Schema.of({"n": (1, 7)}))
        by_kernel = Compare(sign, Field("n"), Constant(3)).of(rows)
        by_parts = Compare(sign, Arithmetic("*", Field("n"), Constant(1)), Constant(3)).of(rows)
        assert by_kernel.tolist() == by_parts.tolist()


@pytest.mark.parametrize("ending", sorted({*WRITERS} - {".names", ".data"}))  # which needs a class
def test_all_records_are_counted_whatever_they_are_stored_in(ending, tmp_path):
    """A count needs no column, and a reader that is asked for none may see no row."""
    path = tmp_path / f"table{ending}"
    WRITERS[ending](ArrowSource(pa.table({"age": [20.0, 30.0] * 40, "cost": [1.0, 2.5] * 40})), path)
    asked = query(str(path), dict.fromkeys(open_source(path).names, (0, 120)))  # LIBSVM has names of its own
    assert asked.count().release(SURE).value.value == 80
