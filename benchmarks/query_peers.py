"""Errors of queries at equal ε, beside OpenDP's Polars context, SmartNoise SQL and Tumult Analytics.

Each tool runs in an environment of its own (``PRIVET_PEERS``/opendp, /smartnoise, /tumult; made by hand with
``pip install 'opendp[polars]'``, ``smartnoise-sql``, ``tmlt.analytics``); those that are not there are left out.
All get the same table and the same public bounds, protect one record and pay ε = 1 for each question. OpenDP
and Tumult Analytics take up to a minute for an answer, so they get the records many times over, each time with
another number in a column ``copy``, and answer for each copy. A record is in one copy, so that each answer has
the noise that it would have by itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figure

PEERS = Path(os.environ.get("PRIVET_PEERS", Path(__file__).resolve().parents[1] / ".venv-peers"))
ROWS, WARDS = 10_000, [f"w{k}" for k in range(8)]
EDGES = list(range(0, 101, 10))

_OPENDP = """
import opendp.prelude as dp, polars as pl
dp.enable_features("contrib")
from importlib.metadata import version
width = EDGES[1] - EDGES[0]
table = pl.read_csv(PATH).with_columns(
    (pl.col("age") / width).floor().clip(0, len(EDGES) - 2).cast(pl.Int64).alias("bin"))
copies = pl.DataFrame({"copy": list(range(REPEATS))})
table = table.join(copies, how="cross").lazy()
def ask(*figures, **keys):
    wanted = copies
    for name, values in keys.items():
        wanted = wanted.join(pl.DataFrame({name: values}), how="cross")
    margin = dp.polars.Margin(by=wanted.columns, max_length=100_000, max_groups=wanted.height)
    context = dp.Context.compositor(
        data=table, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1, margins=[dp.polars.Margin(max_length=100_000 * REPEATS), margin])
    found = context.query().group_by(wanted.columns).agg(*figures).with_keys(wanted.lazy()).release().collect()
    found = found.sort(wanted.columns).select(pl.exclude(wanted.columns))
    first = found.to_series(0).to_numpy().astype(float)
    if len(figures) == 2:
        first = first / found.to_series(1).to_numpy().clip(1)
    return first.reshape(REPEATS, -1).tolist()
cost = pl.col("cost").fill_null(0.0).fill_nan(0.0).dp.sum((0.0, 1000.0)).alias("s")
age = pl.col("age").fill_null(0.0).fill_nan(0.0)
number = dp.len().alias("n")
candidates = [float(v) for v in range(0, 101)]
QUESTIONS = {
    "count": lambda: ask(number),
    "counts": lambda: ask(number, ward=WARDS),
    "sum": lambda: ask(cost),
    "mean": lambda: ask(cost, number),
    "means": lambda: ask(cost, number, ward=WARDS),
    "median": lambda: ask(age.dp.quantile(0.5, candidates)),
    "quantile 0.9": lambda: ask(age.dp.quantile(0.9, candidates)),
    "histogram": lambda: ask(number, bin=list(range(len(EDGES) - 1))),
}
ONCE = True
VERSION = version("opendp")
"""
_SMARTNOISE = """
import pandas as pd
from snsql import Privacy, from_df
from importlib.metadata import version
frame = pd.read_csv(PATH)
frame["bin"] = pd.cut(frame["age"], EDGES, right=False, labels=False)
column = lambda kind, **more: {"type": kind, **more}
meta = {"": {"d": {"people": {"row_privacy": True, "censor_dims": False, "rows": len(frame),
    "ward": column("string"), "bin": column("int"),
    "cost": column("float", lower=0.0, upper=1000.0), "age": column("float", lower=0.0, upper=100.0)}}}}
def ask(text, keys=None):
    text = text + " FROM d.people" + ("" if keys is None else f" GROUP BY {keys}")
    cost = from_df(frame, privacy=Privacy(epsilon=1.0, delta=1e-6), metadata=meta).get_privacy_cost(text)[0]
    reader = from_df(frame, privacy=Privacy(epsilon=1.0 / cost, delta=1e-6), metadata=meta)
    rows = reader.execute(text)[1:]
    return [row[-1] for row in sorted(rows)] if keys else [rows[0][-1]]
QUESTIONS = {
    "count": lambda: ask("SELECT COUNT(*) AS n"),
    "counts": lambda: ask("SELECT ward, COUNT(*) AS n", "ward"),
    "sum": lambda: ask("SELECT SUM(cost) AS s"),
    "mean": lambda: ask("SELECT AVG(cost) AS m"),
    "means": lambda: ask("SELECT ward, AVG(cost) AS m", "ward"),
    "histogram": lambda: ask("SELECT bin, COUNT(*) AS n", "bin"),
}
VERSION = version("smartnoise-sql")
"""
_TUMULT = """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
import pandas as pd
from pyspark.sql import SparkSession
from importlib.metadata import version
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "OFF").getOrCreate())
from tmlt.analytics import AddOneRow, BinningSpec, KeySet, PureDPBudget, QueryBuilder, Session
from pyspark.sql.functions import explode, lit, sequence
frame = spark.createDataFrame(pd.read_csv(PATH))
frame = frame.withColumn("copy", explode(sequence(lit(1), lit(REPEATS)))).cache()
session = Session.from_dataframe(PureDPBudget(float("inf")), "people", frame, protected_change=AddOneRow())
copies = {"copy": list(range(1, REPEATS + 1))}
spec = BinningSpec([float(e) for e in EDGES], names=list(range(len(EDGES) - 1)), right=False)
table = QueryBuilder("people")
def ask(make, of=table, **keys):
    grouped = of.groupby(KeySet.from_dict({**copies, **keys}))
    found = session.evaluate(make(grouped), PureDPBudget(1.0)).toPandas()
    found = found.sort_values(list(found.columns[:-1])).iloc[:, -1].to_numpy(float)
    return found.reshape(REPEATS, -1).tolist()
QUESTIONS = {
    "count": lambda: ask(lambda t: t.count()),
    "counts": lambda: ask(lambda t: t.count(), ward=WARDS),
    "sum": lambda: ask(lambda t: t.sum("cost", 0.0, 1000.0)),
    "mean": lambda: ask(lambda t: t.average("cost", 0.0, 1000.0)),
    "means": lambda: ask(lambda t: t.average("cost", 0.0, 1000.0), ward=WARDS),
    "median": lambda: ask(lambda t: t.quantile("age", 0.5, 0.0, 100.0)),
    "quantile 0.9": lambda: ask(lambda t: t.quantile("age", 0.9, 0.0, 100.0)),
    "histogram": lambda: ask(
        lambda t: t.count(), table.bin_column("age", spec), age_binned=list(range(len(EDGES) - 1))),
}
ONCE = True
VERSION = version("tmlt.analytics")
"""
_RUN = """
import json, sys
found, failed = {}, {}
ONCE = globals().get("ONCE", False)  # whether a question gives all its answers at once
for name, question in QUESTIONS.items():
    try:
        found[name] = question() if ONCE else [[float(v) for v in question()] for _ in range(REPEATS)]
        print(name, "is answered", file=sys.stderr, flush=True)
    except Exception as error:
        failed[name] = f"{type(error).__name__}: {error}"[:300]
print("RESULT" + json.dumps({"found": found, "failed": failed, "version": VERSION}))
"""
TOOLS = {
    "OpenDP's Polars context": ("opendp", _OPENDP, 100),
    "SmartNoise SQL": ("smartnoise", _SMARTNOISE, 40),
    "Tumult Analytics": ("tumult", _TUMULT, 100),
}


def write_table(path: Path) -> dict[str, NDArray[Any]]:
    """Skewed costs and ages in wards of different sizes, as CSV; and the exact answers."""
    draw = np.random.default_rng(7)
    wards = np.array(WARDS)[np.minimum(draw.geometric(0.3, ROWS) - 1, len(WARDS) - 1)]
    cost = np.minimum(draw.lognormal(4.5, 1.0, ROWS), 1000.0).round(2)
    age = (100 * draw.beta(2, 3, ROWS)).round(3)
    lines = [f"{w},{c},{a}" for w, c, a in zip(wards, cost, age, strict=True)]
    path.write_text("\n".join(["ward,cost,age", *lines]) + "\n")
    inside = [cost[wards == ward] for ward in WARDS]
    return {
        "count": np.array([ROWS]),
        "counts": np.array([len(each) for each in inside]),
        "sum": np.array([cost.sum()]),
        "mean": np.array([cost.mean()]),
        "means": np.array([each.mean() for each in inside]),
        "median": np.quantile(age, [0.5]),
        "quantile 0.9": np.quantile(age, [0.9]),
        "histogram": np.histogram(age, EDGES)[0],
    }


def ours(path: Path, repeats: int) -> dict[str, list[list[float]]]:
    from privet.queries import query

    asked = query(str(path), {"ward": WARDS, "cost": (0.0, 1000.0), "age": (0.0, 100.0)})
    questions = {
        "count": asked.count(),
        "counts": asked.group_by("ward").count(),
        "sum": asked.sum("cost"),
        "mean": asked.mean("cost"),
        "means": asked.group_by("ward").mean("cost"),
        "median": asked.quantile("age", 0.5),
        "quantile 0.9": asked.quantile("age", 0.9),
        "histogram": asked.group_by(("age", EDGES[1:-1])).count(),
    }

    def told(question: Any) -> list[float]:
        return [figures[0].value for keys, figures in question.release(1.0).rows if None not in keys]

    return {name: [told(each) for _ in range(repeats)] for name, each in questions.items()}


def theirs(folder: str, code: str, path: Path, repeats: int) -> dict[str, Any] | None:
    """What a tool answered, time after time; None if it is not installed."""
    python = PEERS / folder / "bin" / "python"
    if not python.exists():
        return None
    names = f"PATH = {str(path)!r}\nWARDS = {WARDS!r}\nEDGES = {EDGES!r}\nREPEATS = {repeats}\n"
    done = subprocess.run(
        [python, "-W", "ignore", "-c", names + code + _RUN], capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout.rpartition("RESULT")[2]))


@dataclass(frozen=True)
class Error:
    """The root of the mean square of what answers are off by, its standard error, and how many there were."""

    off: float
    standard: float
    answers: int

    @classmethod
    def of(cls, found: list[list[float]], exact: NDArray[Any]) -> Error:
        squares = ((np.array(found, float) - exact) ** 2).mean(axis=1)  # of an answer with groups, over them
        off = float(np.sqrt(squares.mean()))
        return cls(off, float(squares.std(ddof=1) / np.sqrt(len(squares)) / (2 * off)), len(squares))

    def __str__(self) -> str:
        return f"{self.off:.3g} ± {self.standard:.1g}"


Errors = dict[str, dict[str, Error]]


def compared() -> tuple[Errors, dict[str, str]]:
    """For each tool the error of each question, and its version (or what it could not answer)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        exact = write_table(path)
        errors = {"Privet": {name: Error.of(each, exact[name]) for name, each in ours(path, 400).items()}}
        notes: dict[str, str] = {}
        for tool, (place, code, repeats) in TOOLS.items():
            result = theirs(place, code, path, repeats)
            if result is None:
                continue
            errors[tool] = {name: Error.of(each, exact[name]) for name, each in result["found"].items()}
            notes[tool] = " ".join([result["version"], *(f"[{k}: {v}]" for k, v in result["failed"].items())])
        return errors, notes


def run() -> list[Figure]:
    errors, _ = compared()
    mine = errors.pop("Privet")
    figures = []
    for tool, found in errors.items():
        for question, their in found.items():
            my = mine[question]
            chance = 2 * np.hypot(my.standard / my.off, their.standard / their.off)  # two standard errors
            what = f"{question}: error at ε = 1, of {tool}'s"
            figures.append(Figure(what, my.off / their.off, 1 + float(chance)))
    return figures


def as_table(errors: Errors) -> str:
    """The errors in Markdown."""
    lines = [["", *errors], ["---"] * (len(errors) + 1)]
    for question in errors["Privet"]:
        lines.append([question, *(str(found.get(question, "–")) for found in errors.values())])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    measured, versions = compared()
    print(as_table(measured), json.dumps(versions, indent=1), sep="\n\n")
