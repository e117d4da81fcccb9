"""The report of made-up records: what they carry, from noisy releases alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import ModelError
from privet.evaluation.synthetic import SyntheticReport
from privet.learning.classify import NaiveBayes
from privet.learning.synthesise import Synthesiser
from privet.model import save_model
from privet.schema import Schema
from privet.service.session import Session
from privet.service.synthesising import Synthesise
from privet.sources import open_source

SCHEMA = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")


@pytest.fixture(scope="module")
def model():
    draw = np.random.default_rng(0)
    age = draw.integers(20, 90, 3000)
    smoker = np.where(draw.random(3000) < 0.3, "yes", "no")
    ill = np.where(age + 20 * (smoker == "yes") > 65, "yes", "no")
    table = pa.table({"age": age, "smoker": smoker, "ill": ill})
    return Synthesiser(epsilon=2.0, schema=SCHEMA, random_state=0).fit(table)


def test_records_of_the_model_are_near_its_releases(model):
    report = SyntheticReport.of(model, model.sample(5000, random_state=0))
    assert [each.column for each in report.columns] == ["age", "smoker", "ill"]
    assert all(each.distance < 0.05 for each in report.columns)
    assert all(each.tied is None or each.tied < 0.05 for each in report.columns)
    assert any(each.parents for each in report.columns)
    assert "They do not carry:" in report.text()
    assert "What they carry".lower() in report.page().html().lower()


def test_records_that_are_not_the_models_are_found_out(model):
    wrong = model.sample(5000, random_state=0).set_column(1, "smoker", pa.array(["yes"] * 5000))
    found = {each.column: each for each in SyntheticReport.of(model, wrong).columns}
    assert found["smoker"].distance > 0.5
    assert found["age"].distance < 0.05


def test_pairs_without_a_table_are_named(model):
    margins = Synthesiser(epsilon=2.0, schema=SCHEMA, structure="margins").fit(model.sample(500))
    report = SyntheticReport.of(margins, margins.sample(100))
    assert len(report.untied) == 3
    assert "'age' with 'smoker'" in report.limits[0]


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "arrow", "arff", "csv.gz"])
def test_every_format_comes_back(model, tmp_path, ending):
    save_model(model, tmp_path / "m.json")
    place = tmp_path / f"made.{ending}"
    drawn = Synthesise(
        model=tmp_path / "m.json", output=place, records=50, seed=1, report=tmp_path / "r.html"
    ).run(Session())
    assert "They do not carry" in drawn.text()
    assert "report was written" in drawn.notes[0]
    assert sum(batch.num_rows for batch in open_source(place).batches()) == 50
    assert drawn.to_dict()["carried"]["records"] == 20_000


def test_a_model_that_draws_nothing_is_refused(model, tmp_path):
    save_model(NaiveBayes(schema=SCHEMA, random_state=0).fit(model.sample(300)), tmp_path / "m.json")
    with pytest.raises(ModelError, match="draws no records"):
        Synthesise(model=tmp_path / "m.json", output=tmp_path / "o.csv").run(Session())
