"""The schema's encoding as a transformer: public, the same from every container, clear about bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as Reference
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from privet.errors import DataError, SchemaError
from privet.learning.linear import Encoder
from privet.schema import Schema, write_schema

SCHEMA = Schema.of({"age": (0, 100), "smoker": ["no", "yes"], "ill": [0, 1]}, target="ill")
TABLE = pa.table({"age": [50.0, 130.0, None], "smoker": ["yes", "no", "maybe"]})
EXPECTED = [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]


def test_every_container_gives_the_same_numbers():
    frame = TABLE.to_pandas()
    objects = frame.to_numpy(dtype=object)
    for X in (TABLE, frame, objects, objects.tolist()):
        assert Encoder(schema=SCHEMA).fit().transform(X).tolist() == EXPECTED
    assert Encoder(schema=SCHEMA, intercept=True).fit_transform(TABLE)[:, 0].tolist() == [1.0] * 3


def test_it_is_a_transformer():
    encoder = clone(Encoder(schema=SCHEMA)).set_output(transform="pandas").fit()
    assert encoder.transform(TABLE).columns.tolist() == ["age", "smoker=no", "smoker=yes"]
    assert encoder.feature_names_in_.tolist() == ["age", "smoker"]
    assert encoder.n_features_in_ == 2
    again = pickle.loads(pickle.dumps(Encoder(schema=SCHEMA).fit()))
    assert again.transform(TABLE).tolist() == EXPECTED
    model = make_pipeline(Encoder(schema=SCHEMA), Reference()).fit(TABLE.to_pandas(), [0, 1, 1])
    assert model.predict(TABLE.to_pandas()).shape == (3,)


def test_it_is_stateless_and_says_so():
    encoder = Encoder(schema=SCHEMA)
    assert not get_tags(encoder).requires_fit
    check_is_fitted(encoder)  # true by the tag: a stateless estimator is always ready
    assert encoder.transform(TABLE).tolist() == EXPECTED
    assert vars(encoder) == {"schema": SCHEMA, "intercept": False}  # transform changes nothing
    with pytest.raises(NotFittedError):  # what only fit settles is not there before
        check_is_fitted(encoder, "encoding_")
    check_is_fitted(encoder.fit(), "encoding_")


def test_a_schema_file_will_do(tmp_path):
    write_schema(SCHEMA, tmp_path / "schema.toml")
    for schema in (tmp_path / "schema.toml", str(tmp_path / "schema.toml")):
        assert Encoder(schema=schema).fit_transform(TABLE).tolist() == EXPECTED
    with pytest.raises(SchemaError, match="needs a schema"):
        Encoder().fit()


def test_bad_input_is_refused_in_plain_words():
    encoder = Encoder(schema=SCHEMA).fit()
    with pytest.raises(SchemaError, match="The array has 1 columns, and the schema declares 2"):
        encoder.transform(np.zeros((3, 1)))
    with pytest.raises(DataError, match="sparse"):
        encoder.transform(csr_matrix(np.zeros((3, 2))))
    with pytest.raises(DataError, match="Complex"):
        encoder.transform(np.zeros((3, 2), complex))
    with pytest.raises(DataError, match="no column 'smoker'"):
        encoder.transform(TABLE.select(["age"]))
