"""Bad input from the command line: an exit code, no data in any text, no refusal that tells of a record."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

SENTINEL = "Xq7Zsecret"
GOOD = "age,sex,ill\n" + "30,f,no\n70,m,yes\n" * 50

#: What a paid run does with a table: it counts what is outside the schema; it refuses for free what is wrong
#: for a public reason; it has paid by the time that it finds a damaged record.
COUNTED, FREE, PAID = "counted", "free", "paid"

# name, content (text, or bytes as they stand), what a paid run does
BAD_TABLES = {
    "text in a number": ("bad.csv", GOOD + f"{SENTINEL},f,no\n", COUNTED),
    "unknown category": ("bad.csv", GOOD + f"30,{SENTINEL},no\n", COUNTED),
    "unknown class": ("bad.csv", GOOD + f"30,f,{SENTINEL}\n", COUNTED),
    "infinite": ("bad.csv", GOOD + "inf,f,no\n", COUNTED),
    "empty": ("bad.csv", "", FREE),
    "no records": ("bad.csv", "age,sex,ill\n", COUNTED),
    "target missing": ("bad.csv", GOOD.replace(",ill", ",sick"), FREE),
    "a column twice": ("bad.csv", GOOD.replace("age,sex", "sex,sex"), FREE),
    "ragged": ("bad.csv", GOOD + f"30,f,no,{SENTINEL}\n", PAID),
    "short row": ("bad.csv", GOOD + f"{SENTINEL}\n", PAID),
    "not text": ("bad.csv", GOOD.encode() + b"30,\xff\xfe,no\n", PAID),
    "truncated gzip": ("bad.csv.gz", gzip.compress((GOOD * 50).encode())[:-20], PAID),
    "no gzip": ("bad.csv.gz", GOOD, FREE),
    "no parquet": ("bad.parquet", GOOD + SENTINEL, FREE),
    "arff without data": ("bad.arff", f"@relation r\n@attribute age real\n% {SENTINEL}\n", FREE),
    "arff with a stranger": (
        "bad.arff",
        "@relation r\n@attribute age real\n@attribute sex {f,m}\n@attribute ill {no,yes}\n@data\n"
        f"30,{SENTINEL},no\n",
        PAID,
    ),
    "unknown kind of file": ("bad.xlsx", GOOD + SENTINEL, FREE),
}


@pytest.fixture(params=BAD_TABLES)
def bad(request, account) -> tuple[Path, str]:
    name, content, what = BAD_TABLES[request.param]
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path, what


def silent(result) -> None:
    """Neither stream, nor the exception itself, holds a value of the table."""
    assert SENTINEL not in result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    assert "did not expect" not in result.stderr


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_fitting_a_bad_table(run, answer, bad, engine):
    path, what = bad
    code = 0 if what == COUNTED else 4
    if engine == "duckdb" and path.suffix == ".arff" and "@data" in path.read_text():
        code, what = 2, FREE  # which DuckDB does not read
    if engine == "duckdb" and path.read_bytes()[:3] != b"age" and what == PAID:
        what = FREE  # before DuckDB is given a file, a pass of Privet's own reads all of it
    before = answer("ledger", "head")
    words = ("fit", "naive-bayes", path, "-s", "people.toml", "-o", "m.json", "--engine", engine)
    result = run(*words, code=code)
    silent(result)
    assert ("What to do" in result.stderr) == (code != 0)
    assert (answer("ledger", "head") == before) == (what == FREE)
    assert ("stays spent" in result.stderr) == (what == PAID)
    assert Path("m.json").exists() == (what == COUNTED)


def test_a_dry_run_reads_no_record(run, answer, bad):
    path, what = bad
    silent(run("fit", "naive-bayes", path, "-s", "people.toml", "--dry-run", code=4 if what == FREE else 0))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_without_a_ledger_a_bad_table_is_refused(run, people, bad, engine):
    path, _ = bad
    Path("privet-ledger.db").unlink()
    code = 2 if engine == "duckdb" and path.suffix == ".arff" and "@data" in path.read_text() else 4
    words = ("fit", "naive-bayes", path, "-s", "people.toml", "-o", "m.json", "--engine", engine)
    result = run(*words, "--no-ledger", code=code)
    silent(result)
    assert "What to do" in result.stderr
    assert not Path("m.json").exists()


@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb"])
def test_a_file_without_records_is_noise_to_a_paid_run_and_refused_by_others(run, account, engine):
    Path("empty.csv").write_text("age,sex,ill\n")
    fit = ("fit", "naive-bayes", "empty.csv", "-s", "people.toml", "--engine", engine)
    run(*fit, "--dry-run")
    run(*fit, "-o", "m.json", "--epsilon", "0.5")
    run("evaluate", "m.json", "empty.csv", "--engine", engine, "--epsilon", "0.5")
    Path("privet-ledger.db").unlink()
    assert "holds no records" in run(*fit, "--no-ledger", "-o", "n.json", code=4).stderr
    assert "holds no records" in run("evaluate", "m.json", "empty.csv", "--public", code=4).stderr


def test_other_commands_on_a_bad_table(run, answer, bad):
    path, what = bad
    code = 0 if what == COUNTED else 4
    run("fit", "naive-bayes", "people.csv", "-s", "people.toml", "-o", "m.json", "--epsilon", "1")
    before = answer("ledger", "head")
    silent(run("evaluate", "m.json", path, "--epsilon", "0.5", code=code))
    cross = ("cross-validate", "naive-bayes", path, "-s", "people.toml", "--folds", "2")
    silent(run(*cross, "--score-epsilon", "0.1", "--epsilon", "0.1", code=code))
    silent(run("schema", "check", path, "-s", "people.toml", code=4))
    fit = ("fit", "naive-bayes", path, "-s", "people.toml", "-o", "n.json", "--epsilon", "0.1")
    fit = (*fit, "--no-look-first")  # else the table may be too small for its other columns to be read
    traced = run("--debug", *fit, code=code)
    assert ("File " in traced.stderr) == (code != 0)
    assert SENTINEL not in traced.stdout + traced.stderr
    assert (answer("ledger", "head") == before) == (what == FREE)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--epsilon", "0"),
        ("--epsilon", "-1"),
        ("--epsilon", "nan"),
        ("--epsilon", "inf"),
        ("--epsilon", "1e-300"),
        ("--epsilon", "1e-9"),
        ("--epsilon", "much"),
        ("--epsilon", "1e9"),
        ("--delta", "1"),
        ("--delta", "-0.1"),
        ("--bins", "1"),
        ("--bins", "2.5"),
        ("--numeric", "neither"),
        ("--smoothing", "-1"),
        ("--engine", "abacus"),
        ("--colour", "red"),
    ],
)
def test_wrong_parameters_cost_nothing(run, answer, account, option, value):
    before = answer("ledger", "head")
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json", option, value, code=2)
    run("fit", "naive-bayes", account, "-s", "people.toml", "--dry-run", option, value, code=2)
    assert answer("ledger", "head") == before


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e-300"])
def test_wrong_limits_and_costs(run, answer, account, value):
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    before = answer("ledger", "head")
    run("evaluate", "m.json", account, "--epsilon", value, code=2)
    run("evaluate", "m.json", account, "--epsilon", value, "--dry-run", code=2)
    run("ledger", "limit", "people", "--epsilon", value, code=2)
    run("ledger", "open", account, "-s", "people.toml", "--epsilon", value, "--ledger", "new.db", code=2)
    assert answer("ledger", "head") == before
    assert not Path("new.db").exists()


def test_a_class_without_records_and_missing_cells_are_no_error(run, answer, account):
    Path("healthy.csv").write_text("age,sex,ill\n" + "30,f,no\n,m,no\n40,?,no\n" * 40)
    run("fit", "naive-bayes", "healthy.csv", "-s", "people.toml", "-o", "m.json")
    run("predict", "m.json", "healthy.csv", "-o", "p.csv")


def test_predicting_takes_unknown_values_for_missing_and_refuses_missing_columns(run, account):
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    Path("new.csv").write_text(f"age,sex\n30,{SENTINEL}\n")
    run("predict", "m.json", "new.csv", "-o", "p.csv")
    Path("half.csv").write_text("age\n30\n")
    assert "'sex'" in run("predict", "m.json", "half.csv", "-o", "q.csv", code=4).stderr
    assert not Path("q.csv").exists()
    Path("none.csv").write_text("age,sex\n")
    run("predict", "m.json", "none.csv", "-o", "q.csv", code=4)
    Path("text.csv").write_text(f"age,sex\n{SENTINEL},f\n")
    silent(run("predict", "m.json", "text.csv", "-o", "q.csv", code=4))
    assert not Path("q.csv").exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 3),
        ("nonsense", 3),
        ("[columns.age]\nkind = 'number'\n", 3),
        ("[columns.age]\nkind = 'number'\nlow = 9\nhigh = 1\n", 3),
        ("[columns.age]\nkind = 'number'\nlow = 0\nhigh = inf\n", 3),
        ("[columns.ill]\nkind = 'category'\nvalues = []\n", 3),
        ("target = 'ill'\n[columns.age]\nkind = 'number'\nlow = 0\nhigh = 9\n", 3),
        ("[columns.age]\nkind = 'number'\nlow = 0\nhigh = 9\n", 3),  # no target
    ],
)
def test_bad_schemas(run, answer, account, text, code):
    Path("bad.toml").write_text(text)
    before = answer("ledger", "head")
    result = run("fit", "naive-bayes", account, "-s", "bad.toml", "-o", "m.json", code=code)
    assert "did not expect" not in result.stderr
    run("fit", "naive-bayes", account, "-s", "absent.toml", "-o", "m.json", code=3)
    assert answer("ledger", "head") == before


def test_drafting_from_bad_tables(run, people):
    run("schema", "draft", "absent.csv", code=4)
    run("schema", "draft", people, "--target", "sick", "-o", "x.toml", code=3)
    run("schema", "draft", people, "--ignore", "hat", "-o", "x.toml", code=3)
    run("schema", "draft", people, "--most", "3", "-o", "x.toml", code=3)
    Path("empty.csv").write_text("")
    run("schema", "draft", "empty.csv", code=4)
    Path("names.csv").write_text("name\n" + "\n".join(f"{SENTINEL}{n}" for n in range(1100)))
    silent(run("schema", "draft", "names.csv", code=3))
    assert not list(Path().glob("*.schema.toml"))


def test_bad_models_and_ledgers(run, account):
    Path("m.json").write_text(SENTINEL)
    silent(run("predict", "m.json", account, "-o", "p.csv", code=7))
    Path("m.json").write_text('{"privet_model": 1}')
    run("evaluate", "m.json", account, "--epsilon", "1", code=7)
    run("model", "show", "absent.json", code=7)
    Path("no.db").write_text("not a ledger at all" * 100)
    run("ledger", "show", "--ledger", "no.db", code=6)
    run("ledger", "show", "--ledger", "absent.db", code=6)
    run("ledger", "show", "strangers", code=6)
    run("ledger", "verify", "--head", "nonsense", code=6)
    assert not Path("absent.db").exists()


def test_seeded_runs_are_loud_and_never_paid_for(run, answer, account):
    fit = ("fit", "naive-bayes", account, "-s", "people.toml", "--seed", "1", "-o", "m.json")
    before = answer("ledger", "head")
    assert "NO privacy guarantee" in run(*fit, code=2).stderr
    assert answer("ledger", "head") == before
    assert "NO privacy guarantee" in run(*fit, "--no-ledger", "--owner-says", "Ann: a test").stderr
    assert "Guarantee: NONE" in run("model", "show", "m.json").stdout


def test_without_a_ledger_the_guarantee_says_so(run, people):
    assert (
        "WARNING"
        in run("fit", "naive-bayes", people, "-s", "people.toml", "-o", "m.json", "--no-ledger").stderr
    )
    assert "no ledger kept count" in run("model", "show", "m.json").stdout


def test_a_file_whose_name_begins_with_a_dash_is_typed_as_a_file(run):
    Path("-x.csv").write_text(GOOD)
    assert "privet schema draft ./-x.csv" in run("fit", "naive-bayes", "-o-", "--", "-x.csv", code=3).stderr
    drafted = run("schema", "draft", "./-x.csv", "--target", "ill")
    assert "privet schema confirm ./-x.schema.toml" in drafted.stderr
    run("schema", "confirm", "./-x.schema.toml", "--yes")
    told = run("fit", "naive-bayes", "./-x.csv", "-o-", code=6).stderr
    assert "privet ledger open ./-x.csv --schema ./-x.schema.toml" in told
    fitted = run("fit", "naive-bayes", "./-x.csv", "-o", "./-m.json", "--no-ledger")
    assert "privet model show ./-m.json" in fitted.stdout + fitted.stderr
