"""One file, one line: the algorithms of the how-to page work in their families just as they stand there."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import privet
from privet import registry
from privet.checks.contract import check_scikit_learn
from privet.checks.example import example, public
from privet.cli import app
from privet.families import FAMILIES
from privet.registry import Algorithm
from privet.schema import write_schema
from privet.sources import ArrowSource, write_csv

PAGE = Path(__file__).parents[1] / "docs/how-to/add-an-algorithm.md"
CLASSES = {
    "classify": "LargestClass",
    "cluster": "FullestCells",
    "synthesise": "IndependentColumns",
    "associate": "FrequentPairs",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The page's code as one importable file."""
    folder = tmp_path_factory.mktemp("plugin")
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (folder / "from_the_page.py").write_text("\n".join(blocks), encoding="utf-8")
    sys.path.insert(0, str(folder))
    import_module("from_the_page")
    yield "from_the_page"
    sys.path.remove(str(folder))
    del sys.modules["from_the_page"]


@pytest.fixture
def entries(home, monkeypatch):
    """One line in the registry per algorithm."""
    lines = tuple(
        Algorithm(f"page-{family}", family, f"{home}:{name}", "From the page.")
        for family, name in CLASSES.items()
    )
    monkeypatch.setattr(registry, "ALGORITHMS", (*registry.ALGORITHMS, *lines))
    return {entry.family: entry for entry in lines}


def checks():
    """Every check of each family; scikit-learn's own want good predictions, which the page's has not."""
    return [
        pytest.param(family, check, id=f"{family}-{check.__name__}")
        for family in CLASSES
        for check in Algorithm("", family, "", "").checks()
        if check is not check_scikit_learn
    ]


@pytest.mark.parametrize(("family", "check"), checks())
def test_the_common_checks_of_its_family(home, family, check):
    check(getattr(sys.modules[home], CLASSES[family]))


@pytest.mark.parametrize("family", CLASSES)
def test_the_command_follows(entries, family, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = entries[family]
    write_csv(ArrowSource(example()), "people.csv")
    write_schema(public(entry.load()), "people.schema.toml")
    words = ["fit", entry.word, "people.csv", "--epsilon", "2", "--no-ledger", "-o", "model.json", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["guarantee"]["epsilon"] == 2
    model = privet.load_model("model.json")
    assert type(model).__name__ == CLASSES[family]
    shown = CliRunner().invoke(app, ["algorithms", entry.name, "--json"])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["family"] == family
    if "predict" in FAMILIES[family].model_commands:
        told = CliRunner().invoke(app, ["predict", "model.json", "people.csv", "-o", "predicted.csv"])
        assert told.exit_code == 0, told.output
        assert len(Path("predicted.csv").read_text().splitlines()) == example().num_rows + 1


def test_what_each_family_answers(home):
    page = sys.modules[home]
    table = example(2000)

    def fitted(name):
        cls = getattr(page, name)
        return cls(epsilon=5.0, schema=public(cls)).fit(table)

    assert set(fitted("FullestCells").predict(table).tolist()) == {0, 1}
    sample = fitted("IndependentColumns").sample(500)
    assert isinstance(sample, pa.Table)
    assert sample.num_rows == 500
    assert 0.3 < sample["ill"].to_pylist().count("yes") / 500 < 0.5
    ages = [age for age in sample["age"].to_pylist() if age is not None]
    assert min(ages) >= 0
    assert max(ages) <= 120
    best = fitted("FrequentPairs").itemsets[0]
    assert best.items == {"smoker": "no", "ill": "no"}
    assert best.support == pytest.approx(2000 * 0.6 * 0.8 * 0.9, abs=150)
