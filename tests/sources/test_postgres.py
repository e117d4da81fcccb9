"""Tables, views and queries of a real PostgreSQL: equal values, one snapshot, and errors without a cell."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pytest

from privet import DecisionTree, NaiveBayes, Schema, SelectKBest
from privet.budget import Ledger, budget
from privet.engines import MemoryEngine, SqlEngine, engine_for
from privet.errors import DataError, PrivetError, SchemaError
from privet.queries import query
from privet.schema import Category, Number, Unit, write_schema
from privet.sources import ArrowSource, open_source
from privet.sources.address import without_password
from privet.stats import Coded, Contingency, CrossTable, Moments


@pytest.fixture(scope="module")
def url(postgres):
    return postgres.database()


def run(url, *statements):
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def source(url, **which):
    """The source at an address; values in it are escaped as an address wants it."""
    schema = which.pop("schema", None)
    return open_source(f"{url}?" + "&".join(f"{k}={quote(v)}" for k, v in which.items()), schema)


def read(found, columns=None):
    batches = [b for b in found.batches(columns) if b.num_rows]
    return pa.Table.from_batches(batches).to_pydict() if batches else {}


def test_values_of_every_type(url):
    run(
        url,
        """CREATE TABLE kinds AS SELECT * FROM (VALUES
            (1::smallint, 2::bigint, 1.5::real, 0.1::double precision, 12.30::numeric(10,2), true,
             'it''s, "so"
second line'::text, 'ab'::char(4), '2026-01-02 03:04:05+02'::timestamptz, 7::numeric(18,0), ''::text),
            (NULL, 9223372036854775807, NULL, 'NaN', NULL, false, 'é日', NULL, NULL, NULL, NULL),
            (NULL, NULL, '-Infinity', 5e-324, NULL, NULL, NULL, NULL, NULL, NULL, '\\.')
        ) AS t(s, b, r, d, n, t, x, c, z, w, e)""",
    )
    found = read(source(url, table="kinds"))
    assert found["s"] == [1, None, None]
    assert found["b"] == [2, 2**63 - 1, None]
    assert found["r"] == [1.5, None, float("-inf")]
    assert found["d"][0] == 0.1
    assert found["d"][1] != found["d"][1]
    assert found["d"][2] == 5e-324
    assert found["n"] == [12.3, None, None]
    assert found["t"] == [True, False, None]
    assert found["x"] == ['it\'s, "so"\nsecond line', "é日", None]
    assert found["c"] == ["ab", None, None]
    assert found["z"][0] == "2026-01-02 01:04:05+00"  # UTC, whatever the server's own time zone
    assert found["w"] == [7, None, None]
    assert found["e"] == ["", None, "\\."]
    assert read(source(url, table="kinds"), ["x", "s"]).keys() == {"x", "s"}


def test_a_view_a_schema_and_a_query(url):
    run(
        url,
        "CREATE SCHEMA clinic",
        """CREATE TABLE clinic."od""d" AS SELECT n AS "a; DROP", CASE WHEN n % 3 = 0 THEN 'yes' ELSE 'no' END
        AS ill FROM generate_series(1, 300) n""",
        'CREATE VIEW clinic.adults AS SELECT * FROM clinic."od""d" WHERE "a; DROP" > 100',
    )
    schema = Schema.of({"a; DROP": (0, 300), "ill": ["no", "yes"]}, target="ill")
    for found, number in (
        (source(url, table='clinic.od"d'), 300),
        (source(url, table="clinic.adults"), 200),
        (source(url, query='SELECT * FROM clinic.adults WHERE "a; DROP" <= 110'), 10),
    ):
        assert isinstance(engine_for(found), SqlEngine)
        [answer] = engine_for(found).answer([Contingency("a; DROP", "ill", (150.0,))], found, schema)
        assert answer.sum() == number


def test_texts_that_a_collation_takes_for_equal_are_counted_apart(url):
    run(
        url,
        "CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE folded (w text COLLATE anycase, ill text)",
        "INSERT INTO folded VALUES ('a','no'),('A','no'),('A','no'),('b','no')",
    )
    schema = Schema.of({"w": ["a", "A", "b"], "ill": ["no", "yes"]}, target="ill")
    found = source(url, table="folded")
    for engine in (SqlEngine(), MemoryEngine()):
        [answer] = engine.answer([Contingency("w", "ill")], found, schema)
        assert answer[:, 0].tolist() == [1, 2, 1, 0]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT * FROM steady WHERE random() < 0.5", "random"),
        ("SELECT * FROM shaky", "random"),
        ("SELECT * FROM steady LIMIT 3", "LIMIT"),
        ("SELECT * FROM steady TABLESAMPLE BERNOULLI (50)", "sample"),
        ("SELECT own(x) AS x FROM steady", "own"),
        ("SELECT x OPERATOR(public.<+>) 1 AS x FROM steady", "hidden"),
        ("SELECT row_number() OVER () AS x FROM steady", "window"),
        ("SELECT DISTINCT ON (y) * FROM (SELECT x, x % 2 AS y FROM steady ORDER BY x, 2) t", "DISTINCT ON"),
        ("SELECT string_agg(x::text, ',') AS x FROM steady", "order is left open"),
        ("SELECT string_agg(x::text, ',' ORDER BY x % 2) AS x FROM steady", "order is left open"),
        ("SELECT jsonb_object_agg(x % 2, x ORDER BY x % 2) AS x FROM steady", "order is left open"),
        ("SELECT earliest(x) AS x FROM steady", "earliest"),
        ("SELECT x FROM steady WHERE now() > '2026-01-01'", "now"),
        ("SELECT x, CURRENT_DATE AS y FROM steady", "CURRENT_DATE"),
        ("SELECT x FROM steady WHERE 'today'::date > '2026-01-01'", "'today'"),
        ("SELECT x FROM steady WHERE ctid < '(0,4)'", "ctid"),
        ("SELECT x FROM (SELECT x, s.xmin::text AS y FROM steady s) t WHERE y <> ''", "xmin"),
        ("SELECT x, pg_backend_pid() AS y FROM steady", "pg_backend_pid"),
        ("SELECT x, txid_current() AS y FROM steady", "txid_current"),
    ],
)
def test_what_is_not_the_same_twice_is_refused_before_anything_is_spent(url, query, why):
    run(
        url,
        "CREATE TABLE IF NOT EXISTS steady AS SELECT n AS x FROM generate_series(1, 9) n",
        "CREATE OR REPLACE VIEW shaky AS SELECT x + random() AS x FROM steady",
        "CREATE OR REPLACE FUNCTION own(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN x; END'",
        "CREATE OR REPLACE FUNCTION hidden(x int, y int) RETURNS int LANGUAGE plpgsql "
        "AS 'BEGIN RETURN x; END'",
        "CREATE OR REPLACE FUNCTION keep(x int, y int) RETURNS int LANGUAGE sql IMMUTABLE STRICT "
        "AS 'SELECT x'",
        "DROP AGGREGATE IF EXISTS earliest(int)",
        "CREATE AGGREGATE earliest(int) (SFUNC = keep, STYPE = int)",
        "DROP OPERATOR IF EXISTS <+> (int, int)",
        "CREATE OPERATOR <+> (FUNCTION = hidden, LEFTARG = int, RIGHTARG = int)",
    )
    with pytest.raises(DataError, match="not the same each time") as caught:
        source(url, query=query)
    assert why in str(caught.value)


def test_what_only_looks_unsteady_is_read(url):
    run(
        url,
        """CREATE TABLE looks AS SELECT n AS "now()", 'random() OVER ()'::text AS x
        FROM generate_series(1, 9) n""",
        'CREATE UNIQUE INDEX ON looks ("now()")',
    )
    for text in (
        "SELECT * FROM looks WHERE x <> 'CURRENT_DATE'",
        'SELECT DISTINCT "now()", x FROM looks',
        'SELECT DISTINCT ON ("now()") "now()", x FROM looks ORDER BY "now()", x',
        "SELECT x, string_agg(x, ',' ORDER BY x) AS y FROM looks GROUP BY x",
        "SELECT string_agg(DISTINCT lower(x), ', (' ORDER BY lower(x) DESC NULLS LAST) AS y FROM looks",
        """SELECT array_agg("now()" ORDER BY x, "now()") AS y, max(x) AS z FROM looks""",
        'SELECT xmin + 1 AS y FROM (SELECT x, min("now()") AS xmin FROM looks GROUP BY x) t',
    ):
        assert source(url, query=text).names


def test_a_table_that_changes_during_a_run_is_seen_as_it_was(url):
    run(url, "CREATE TABLE moving AS SELECT 'no'::text AS ill FROM generate_series(1, 50)")
    found = source(url, table="moving")
    schema = Schema.of({"ill": ["no", "yes"]}, target="ill")
    run(url, "DELETE FROM moving", "INSERT INTO moving VALUES ('yes')")
    for engine in (SqlEngine(), MemoryEngine()):
        [answer] = engine.answer([Contingency(None, "ill")], found, schema)
        assert answer.tolist() == [[50, 0]]
    import psycopg

    for alter in ("ALTER TABLE moving DROP COLUMN ill", "DROP TABLE moving", "TRUNCATE moving"):
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("SET lock_timeout = 50")
            with pytest.raises(psycopg.errors.LockNotAvailable):  # it waits for the run
                other.execute(alter)


def test_the_snapshot_lives_while_nothing_is_asked(postgres):
    url = postgres.database()
    name = url.rpartition("/")[2]
    run(
        url,
        "CREATE TABLE slow AS SELECT 'no'::text AS ill",
        f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = 50",
    )
    found = source(url, table="slow")
    time.sleep(0.5)
    assert read(found) == {"ill": ["no"]}
    [answer] = SqlEngine().answer([CrossTable((Coded("ill"),))], found, Schema.of({"ill": ["no"]}))
    assert answer.tolist() == [1, 0]


def test_a_lost_connection_says_so(url):
    run(url, "CREATE TABLE gone AS SELECT 'no'::text AS ill")
    found = source(url, table="gone")
    pid = found._connection.info.backend_pid
    run(url, f"SELECT pg_terminate_backend({pid})")
    with pytest.raises(DataError, match="connection to it was lost"):
        SqlEngine().answer([Contingency(None, "ill")], found, Schema.of({"ill": ["no"]}, target="ill"))
    with pytest.raises(DataError):  # nor do the rows of another snapshot come instead
        list(found.batches())


def test_a_connection_lost_in_the_middle_says_so_and_quotes_no_cell(url, monkeypatch):
    monkeypatch.setattr("privet.sources.postgres._BLOCK", 1 << 14)
    run(url, "CREATE TABLE long AS SELECT repeat('S3NT1NEL', 20) AS x FROM generate_series(1, 100000)")
    rows = source(url, table="long").batches()
    assert next(rows).num_rows
    run(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY (SELECT%'")
    with pytest.raises(DataError) as caught:
        list(rows)
    assert "S3NT1NEL" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_connection_lost_in_the_middle_of_a_fit_costs_once_and_the_next_fit_works(url, monkeypatch):
    ill = "CASE WHEN n % 3 = 0 THEN 'yes' ELSE 'no' END"
    run(url, f"CREATE TABLE fragile AS SELECT {ill} AS ill, n::float8 AS x FROM generate_series(0, 99) AS n")
    schema = Schema.of({"x": (0, 100), "ill": ["no", "yes"]}, target="ill", dataset="people")
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(1.0), unit=schema.unit, schema=schema, fingerprint=b"0" * 16)
    settings = {"epsilon": 0.25, "schema": schema, "ledger": ledger}
    asked, answer = [], SqlEngine.answer

    def cut(self, statistics, found, *more):
        asked.append(statistics)
        if len(asked) == 2:
            run(url, f"SELECT pg_terminate_backend({found._connection.info.backend_pid})")
        return answer(self, statistics, found, *more)

    monkeypatch.setattr(SqlEngine, "answer", cut)
    with pytest.raises(DataError, match="connection to it was lost"):
        DecisionTree(**settings).fit(source(url, table="fragile"))
    assert len(asked) >= 2
    assert ledger.spent("people") == budget(0.25)  # its first answers are out
    assert DecisionTree(**settings).fit(source(url, table="fragile")).guarantee_.holds
    assert ledger.spent("people") == budget(0.5)


def test_errors_quote_no_cell_and_no_password(url):
    run(
        url,
        "CREATE TABLE spoilt AS SELECT 'S3NT1NEL'::text AS x, 'no'::text AS ill",
        "CREATE TABLE huge AS SELECT 1e300::numeric * 1e300::numeric AS x, 'no'::text AS ill",
    )
    schema = Schema.of({"x": (0, 1), "ill": ["no", "yes"]}, target="ill")
    for table in ("spoilt", "huge"):
        for engine in (SqlEngine(), MemoryEngine()):
            with pytest.raises(DataError) as caught:
                engine.answer([Moments("x", "ill")], source(url, table=table), schema)
            assert "S3NT1NEL" not in str(caught.value)
            assert caught.value.__suppress_context__ or caught.value.__context__ is None
    with pytest.raises(DataError, match="no such thing"):
        source(url, table="nowhere")
    secret = url.partition("://")[2].partition("@")[0].partition(":")[2]
    wrong = url.replace(secret, "wr0ng")
    with pytest.raises(DataError) as caught:
        source(wrong, table="spoilt")
    assert "wr0ng" not in str(caught.value)
    assert secret not in without_password(Path(f"{url}?table=spoilt"))
    with pytest.raises(DataError, match="must name one table"):
        open_source(url)


def test_no_cell_ends_a_run_by_its_size(url):
    """Whoever pays would learn from it: a decimal that no float can hold, and a text longer than a block."""
    numbers = "ARRAY['1e400', '-1e400', '1e-400', 'NaN', '5', NULL]::numeric[]"
    run(
        url,
        f"CREATE TABLE sizes AS SELECT unnest({numbers}) AS x, 'a'::text AS w",
        "UPDATE sizes SET w = repeat('long', 5000000) WHERE x = 5 OR x = 'NaN'",
    )
    schema = Schema((Number("x", 0, 10), Category("w", ("a", "b"))), outside="count")
    found = source(url, table="sizes")
    asked = [CrossTable((Coded("x", (3.0,)),)), CrossTable((Coded("w"),)), Moments("x", "w")]
    for engine in (SqlEngine(), MemoryEngine()):
        numbers, words, _ = answers = engine.answer(asked, found, schema)
        assert [numbers.tolist(), words.tolist()] == [[2, 2, 2], [4, 0, 2]]
    assert (answers[2] == SqlEngine().answer(asked, found, schema)[2]).all()
    assert read(found)["x"][:3] == [float("inf"), float("-inf"), 0.0]


def test_a_table_of_another_server_is_refused(url):
    run(
        url,
        "CREATE EXTENSION file_fdw",
        "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
        "CREATE FOREIGN TABLE far_away (x text) SERVER files OPTIONS (filename '/etc/hostname')",
        "CREATE VIEW from_far AS SELECT x FROM far_away WHERE x <> ''",
        "CREATE MATERIALIZED VIEW kept AS SELECT x FROM far_away",
    )
    for table in ("far_away", "from_far"):
        with pytest.raises(DataError, match="another server"):
            source(url, table=table)
    assert source(url, table="kept").names == ("x",)


def test_a_partitioned_table_and_names_in_quotes(url):
    run(
        url,
        'CREATE SCHEMA "My Clinic"',
        'CREATE TABLE "My Clinic"."Pa""ti.ents" ("Größe" int, "50%" int) PARTITION BY RANGE ("Größe")',
        'CREATE TABLE low PARTITION OF "My Clinic"."Pa""ti.ents" FOR VALUES FROM (0) TO (100)',
        'CREATE TABLE nobody PARTITION OF "My Clinic"."Pa""ti.ents" FOR VALUES FROM (100) TO (200)',
        'CREATE TABLE "Odd.Name" AS SELECT 1 AS x',
        'INSERT INTO "My Clinic"."Pa""ti.ents" SELECT n % 100, 1 FROM generate_series(1, 300) n',
    )
    schema = Schema.of({"Größe": (0, 200), "50%": (0, 2)})
    for table in ('My Clinic."Pa""ti.ents"', '"My Clinic"."Pa""ti.ents"'):
        found = source(url, table=table)
        [answer] = SqlEngine().answer(
            [CrossTable((Coded("Größe", (50.0,)), Coded("50%", (1.0,))))], found, schema
        )
        assert answer[:2, 1].tolist() == [150, 150]
    assert source(url, table='"Odd.Name"').names == ("x",)


def test_people_with_decimal_ids_are_told_apart_or_refused(url):
    run(
        url,
        "CREATE TABLE decimals AS SELECT 100000000000000000000 + n::numeric AS who, 'no'::text AS ill "
        "FROM generate_series(1, 4) n",
    )
    schema = Schema.of({"ill": ["no", "yes"]}, target="ill", unit=Unit(id="who", most=1))
    found = source(url, table="decimals", schema=schema)
    [answer] = SqlEngine().answer([Contingency(None, "ill")], found, schema)
    assert answer.tolist() == [[4, 0]]
    with pytest.raises(SchemaError, match="tell people apart"):
        SqlEngine().answer([Contingency(None, "ill")], source(url, table="decimals"), schema)


def test_sums_larger_than_64_bits_are_refused(url):
    run(url, f"CREATE TABLE large AS SELECT {2**62} AS n FROM generate_series(1, 2)")
    found = source(url, table="large")
    with pytest.raises(DataError, match="64 bits"):
        found.execute(found.table().n.sum().as_table())


def test_an_empty_table_and_one_column_of_nulls(url):
    run(
        url,
        "CREATE TABLE empty (ill text)",
        "CREATE TABLE nulls AS SELECT NULL::text AS ill FROM generate_series(1,3)",
    )
    schema = Schema.of({"ill": ["no", "yes"]}, target="ill")
    for table, rows in (("empty", 0), ("nulls", 3)):
        found = source(url, table=table)
        assert sum(batch.num_rows for batch in found.batches()) == rows
        [answer] = MemoryEngine().answer([CrossTable((Coded("ill"),))], found, schema)
        [other] = SqlEngine().answer([CrossTable((Coded("ill"),))], found, schema)
        assert answer.tolist() == other.tolist() == [0, 0, rows]


def test_a_number_far_outside_its_bounds_does_not_overflow(url):
    run(
        url,
        "CREATE TABLE far AS SELECT unnest(ARRAY[1e308, -1e308, 0.5, 'NaN', NULL])::float8 AS x, "
        "'no'::text AS ill",
    )
    schema = Schema((Number("x", 0, 1e-3), Category("ill", ("no",))), target="ill")
    found = source(url, table="far")
    [one] = SqlEngine().answer([Moments("x", "ill")], found, schema)
    [other] = MemoryEngine().answer([Moments("x", "ill")], found, schema)
    assert one.tolist() == other.tolist()


def test_the_command_line(url, tmp_path):
    run(
        url,
        "CREATE TABLE patients AS SELECT (n * 37 % 90) AS age, "
        "CASE WHEN n * 37 % 90 > 50 THEN 'yes' ELSE 'no' END AS ill FROM generate_series(1, 4000) n",
    )
    schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill", dataset="patients")
    write_schema(schema, tmp_path / "patients.schema.toml")
    address = f"{url}?table=patients"
    model = tmp_path / "model.json"

    secret = url.partition("://")[2].partition("@")[0].partition(":")[2]

    def privet(*words, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "privet", *words],
            cwd=tmp_path,
            env=os.environ | {"NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert secret not in done.stdout + done.stderr
        return done.stdout + done.stderr

    privet("fit", "naive-bayes", address, "--epsilon", "1", "--no-ledger", "--yes", "-o", str(model))
    assert (
        "accuracy"
        in privet("evaluate", str(model), address, "--epsilon", "1", "--no-ledger", "--yes").lower()
    )
    # What an error says to type has no password, even of an address that nothing can be done with.
    without = address.replace(f":{secret}", "")
    assert f"'{without}' --schema patients.schema.toml" in privet(
        "fit", "naive-bayes", address, "-o-", code=6
    )
    assert without.replace("patients", "others") in privet(
        "fit", "naive-bayes", address.replace("patients", "others"), "-o-", code=3
    )
    assert without in privet("schema", "check", address)
    assert without in privet("fit", "naive-bayes", "people.csv", address, code=2)
    # Two slashes in a query stay two.
    slashed = f"{url}?query=SELECT age, ill FROM patients WHERE 'https://a//b/./c' LIKE '%://a//b/./c'"
    counted = (
        "SELECT COUNT(*) FROM data",
        "--schema",
        "patients.schema.toml",
        "--epsilon",
        "1e6",
        "--no-ledger",
    )
    assert "\n4000 " in privet("query", slashed, *counted, "--yes")


def test_a_model_fitted_in_the_database_is_the_one_fitted_in_memory(url):
    run(
        url,
        "CREATE TABLE twins AS SELECT (n * 37 % 90)::float8 AS age, (n % 3)::text AS ward, "
        "CASE WHEN n % 7 > 3 THEN 'yes' ELSE 'no' END AS ill FROM generate_series(1, 2000) n",
    )
    schema = Schema.of({"age": (0, 120), "ward": ["0", "1", "2"], "ill": ["no", "yes"]}, target="ill")
    found = source(url, table="twins")
    table = ArrowSource(pa.Table.from_batches(found.batches()))
    one = NaiveBayes(epsilon=1.0, schema=schema, random_state=5).fit(found)
    other = NaiveBayes(epsilon=1.0, schema=schema, random_state=5).fit(table)
    assert (one.predict(table) == other.predict(table)).all()
    chosen = [
        SelectKBest(k=1, epsilon=1.0, schema=schema, random_state=5).fit(each).chosen_
        for each in (found, table)
    ]
    assert chosen[0] == chosen[1]


def test_what_can_be_seen_without_a_record_is_refused_unpaid(url):
    run(url, "CREATE TABLE narrow AS SELECT n / 2 AS who, n % 9 AS x FROM generate_series(1, 40) n")
    for columns, unit, why in (
        ((Number("y", 0, 9),), Unit(), "no column 'y'"),
        ((Number("x", 0, 9),), Unit(id="whom"), "no column 'whom'"),
        ((Number("x", 0, 9),), Unit(id="who", keep="first"), "no order of rows"),
    ):
        schema = Schema(columns, unit=unit, dataset="narrow", outside="count")
        ledger = Ledger.in_memory()
        ledger.open_account("narrow", budget(1.0), unit=unit)
        asked = query(source(url, table="narrow", schema=schema), schema, ledger=ledger)
        for each in (asked, asked.union(asked)):
            with pytest.raises(PrivetError, match=why) as caught:
                each.count().release(0.5)
            assert "stays spent" not in str(caught.value)
        assert ledger.spent("narrow") is None
