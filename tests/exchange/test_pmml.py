"""Two readers of PMML that know nothing of Privet give its predictions: PMML4S, and WEKA where it can."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet import Category, NaiveBayes, Schema
from privet.errors import ModelError
from privet.exchange import to_pmml
from privet.sources import write_arff
from tests.exchange.examples import MODELS, model, records

SIZE = 300
JAR = Path("/usr/share/java/weka.jar")
SPACE = "{http://www.dmg.org/PMML-4_4}"

# In a process of its own: a Java machine changes how the one that starts it answers signals.
PMML4S = """
import json, sys
from pypmml import Model
rows = json.load(open(sys.argv[1]))
found = []
for file in sys.argv[2:]:
    read = Model.fromFile(file)
    told = [dict(read.predict(row)) for row in rows]
    plain = [{str(k): float(v) if isinstance(v, float) else str(v) for k, v in row.items()} for row in told]
    found.append(plain)
print(json.dumps(found))
"""


def need(there: bool, what: str) -> None:
    if not there:
        reason = f"{what} is not installed: apt-get install weka default-jre-headless"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="module")
def scored(tmp_path_factory) -> dict[str, list[dict[str, Any]]]:
    """What PMML4S makes of each model and record."""
    need(shutil.which("java") is not None, "Java")
    folder = tmp_path_factory.mktemp("pmml")
    table = records(SIZE, 7)
    rows = [
        {name: cells[row] for name, cells in table.items() if cells[row] is not None} for row in range(SIZE)
    ]
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    files = []
    for place, name in enumerate(MODELS):
        files.append(folder / f"{place}.pmml")
        files[-1].write_bytes(to_pmml(model(name)))
    command = [sys.executable, "-c", PMML4S, str(folder / "rows.json"), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(zip(MODELS, json.loads(done.stdout.splitlines()[-1]), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_pmml4s_predicts_the_same(name, scored):
    made, table = model(name), pa.table(records(SIZE, 7))
    if not hasattr(made, "classes_"):
        found = np.array([row["predicted_wage"] for row in scored[name]])
        np.testing.assert_allclose(found, made.predict(table), rtol=1e-9, atol=1e-9)
        return
    labels = [str(row["predicted ill"]) for row in scored[name]]
    assert labels == [str(label) for label in made.predict(table)]
    chances = [[row[f"probability({label})"] for label in made.classes_] for row in scored[name]]
    np.testing.assert_allclose(np.array(chances), made.predict_proba(table), rtol=1e-9, atol=1e-12)


def told_by_weka(made: Any, table: dict[str, list[Any]], folder: Path) -> list[str]:
    """WEKA's predictions, as it prints them."""
    need(JAR.exists() and shutil.which("java") is not None, "Debian's weka package")
    target = made.schema_[made.schema_.target]
    nominal = isinstance(target, Category)
    y = [target.values[0] if nominal else 1.0] * SIZE
    write_arff(pa.table(table | {target.name: y}).to_batches(), folder / "table.arff", made.schema_)
    (folder / "model.xml").write_bytes(to_pmml(made))
    command = ["java", "-Djava.awt.headless=true", "-cp", str(JAR), "weka.classifiers.rules.ZeroR", "-l"]
    command += [str(folder / "model.xml"), "-T", str(folder / "table.arff"), "-p", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = re.findall(r"^ +\d+ .*$", done.stdout, re.MULTILINE)
    assert len(lines) == SIZE, done.stderr
    return [line.split()[2].partition(":")[2] if nominal else line.split()[2] for line in lines]


def arff_records() -> dict[str, list[Any]]:
    """Records as ARFF can hold them: values outside a domain are missing, or `other`, already."""
    table = records(SIZE, 7)
    rename = {"elsewhere": None, 5: None, "pilot": "another", "9": "more", "true": True, "false": False}
    return {
        name: [rename.get(cell, cell) if isinstance(cell, str | int) else cell for cell in cells]
        for name, cells in table.items()
    }


WEKA_READS = [
    "logistic regression",
    "logistic regression, three classes",
    "linear regression",
    "naive Bayes",
    "naive Bayes, bells",
]


@pytest.mark.weka
@pytest.mark.parametrize("name", WEKA_READS)
def test_weka_predicts_the_same(name, tmp_path):
    made, table = model(name), arff_records()
    told, ours = told_by_weka(made, table, tmp_path), made.predict(pa.table(table))
    if not hasattr(made, "classes_"):
        np.testing.assert_allclose(np.array(told, float), ours, atol=6e-4)  # it prints three digits
        return
    # WEKA predicts nothing where a number is missing that naive Bayes would leave out.
    numbers = ["age", "height", "children"] if isinstance(made, NaiveBayes) else []
    known = [all(table[name][row] is not None for name in numbers) for row in range(SIZE)]
    assert sum(known) > SIZE / 2
    for label, own, there in zip(told, ours, known, strict=True):
        assert label == (str(own) if there else "")


def test_the_header_holds_the_guarantee_and_every_extension():
    made = model("rules")
    root = ET.fromstring(to_pmml(made))
    header = root.find(f"{SPACE}Header")
    assert header is not None
    assert header.get("description") == made.guarantee_.headline
    told = {each.get("name"): each.get("value") for each in header.findall(f"{SPACE}Extension")}
    assert json.loads(str(told["privet_guarantee_json"])) == json.loads(json.dumps(made.guarantee_.to_dict()))


def test_what_xml_cannot_hold_is_refused():
    schema = Schema.of({"town": ["a", "bell\x07"], "ill": ["no", "yes"]}, target="ill")
    made = NaiveBayes(schema=schema, random_state=0).fit(pa.table({"town": ["a"] * 9, "ill": ["no"] * 9}))
    with pytest.raises(ModelError, match="control character") as refused:
        to_pmml(made)
    assert "ONNX" in str(refused.value)
