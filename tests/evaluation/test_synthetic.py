"""The report of made-up records: what they carry, from noisy releases alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import ModelError
from privet.evaluation.downstream import Downstream
from privet.evaluation.synthetic import SyntheticReport
from privet.learning.classify import NaiveBayes
from privet.learning.synthesise import Synthesiser
from privet.model import save_model
from privet.schema import Schema, write_schema
from privet.service.scoring import Evaluate
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


def test_what_is_learned_from_made_up_records_is_told_beside_what_is_implied(model):
    report = SyntheticReport.of(model, model.sample(4000, 0), model.sample(4000, 1))
    found = report.downstream
    assert found.floor + 0.1 < found.reached <= found.implied + 0.02
    assert found.model.guarantee_ == model.guarantee_
    assert "may be better or worse" in report.text()
    assert "For prediction" in report.page().html()
    assert report.to_dict()["downstream"]["on"] == "made-up records"


def test_the_tree_is_as_often_right_as_its_own_tables_say(model):
    """The implied accuracy, beside the one of a table that holds the truth: shares are known by hand."""
    schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    smoker, ill = (
        ["no"] * 6000 + ["yes"] * 4000,
        ["no"] * 5400 + ["yes"] * 600 + ["no"] * 800 + ["yes"] * 3200,
    )
    known = Synthesiser(epsilon=50.0, schema=schema).fit(pa.table({"smoker": smoker, "ill": ill}))
    found = Downstream.of(known, known.sample(20_000, 0), known.sample(20_000, 1))
    assert found.implied == pytest.approx(0.86, abs=0.02)  # 0.6 · 0.9 + 0.4 · 0.8
    assert found.reached == pytest.approx(0.86, abs=0.02)
    assert found.floor == pytest.approx(0.62, abs=0.02)


def test_a_number_as_the_target_and_none(model):
    table = model.sample(2000, 0)
    for target, measure in (("age", "R²"), (None, None)):
        drawn = Synthesiser(epsilon=5.0, schema=Schema(SCHEMA.columns, target=target)).fit(table)
        found = Downstream.of(drawn, drawn.sample(2000, 0), drawn.sample(2000, 1))
        assert (found and found.measure) == measure


def test_the_model_of_made_up_records_is_evaluated_on_real_ones_for_a_price(model, tmp_path):
    import pyarrow.csv

    save_model(model, tmp_path / "m.json")
    place, learned = tmp_path / "made.csv", tmp_path / "learned.json"
    drawn = Synthesise(model=tmp_path / "m.json", output=place, records=50, seed=1, downstream=learned)
    assert str(learned) in drawn.run(Session()).text()
    write_schema(SCHEMA, tmp_path / "real.toml")
    pyarrow.csv.write_csv(model.sample(3000, 5), tmp_path / "real.csv")
    case = Evaluate(model=learned, data=tmp_path / "real.csv", epsilon=1.0)
    plan = case.plan(Session())
    assert float(plan.amount.epsilon) == 1.0  # what it costs is in the plan
    assert case.run(Session()).found.accuracy.value > 0.8


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
