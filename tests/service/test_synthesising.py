"""From a table to a model to made-up records, on the command line, in every format that is written."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from privet.cli import app
from privet.learning.classify import NaiveBayes
from privet.learning.synthesise import Synthesiser
from privet.model import save_model
from privet.schema import Schema
from privet.service.session import Session
from privet.service.synthesising import Synthesise
from privet.sources import open_source

SCHEMA = Schema.of({"age": (0, 100), "ill": ["no", "yes"]}, target="ill")
TABLE = pa.table({"age": np.arange(500) % 90, "ill": ["no", "yes", "no", "no", "yes"] * 100})


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    place = tmp_path_factory.mktemp("model") / "model.json"
    save_model(Synthesiser(epsilon=1.0, schema=SCHEMA).fit(TABLE), place)
    return place


@pytest.mark.parametrize("name", ["made.csv", "made.csv.gz", "made.parquet", "made.arff"])
def test_every_format(model, tmp_path, name):
    result = Synthesise(model=model, output=tmp_path / name, records=321, seed=1).run(Session())
    assert result.count == 321
    made = pa.Table.from_batches(open_source(tmp_path / name, SCHEMA).batches())
    assert made.num_rows == 321
    assert made.column_names == ["age", "ill"]
    assert "ε = 1" in result.text()


def test_about_as_many_as_were_learned_from(model, tmp_path):
    result = Synthesise(model=model, output=tmp_path / "made.csv").run(Session())
    assert 300 < result.count < 700


def test_a_model_that_draws_nothing_is_refused(tmp_path):
    save_model(NaiveBayes(epsilon=1.0, schema=SCHEMA).fit(TABLE), tmp_path / "bayes.json")
    done = CliRunner().invoke(
        app, ["synthesise", str(tmp_path / "bayes.json"), "-o", str(tmp_path / "made.csv")]
    )
    assert done.exit_code != 0


def test_the_command(model, tmp_path):
    place = tmp_path / "made.csv"
    done = CliRunner().invoke(app, ["synthesise", str(model), "-o", str(place), "-n", "50"])
    assert done.exit_code == 0, done.output
    assert len(place.read_text().splitlines()) == 51
