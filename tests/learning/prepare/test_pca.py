"""PCA: near the truth, honest about noise, one record at a time; a wrong sensitivity is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import NaiveBayes
from privet.errors import SchemaError
from privet.flow import Flow
from privet.learning.prepare import PCA
from privet.learning.prepare.second_moments import correlations_near
from privet.model import model_from_dict, model_to_dict
from privet.schema import Schema, Unit
from privet.schema.columns import BOUGHT
from privet.stats import Rows
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.products import Products

DRAW = np.random.default_rng(0)
HIDDEN = DRAW.normal(0, 1, 20_000)
BODY = pa.table(
    {
        "height": 170 + 10 * HIDDEN,
        "sex": np.where(DRAW.random(20_000) < 0.5, "f", "m"),
        "weight": 70 + 10 * HIDDEN + DRAW.normal(0, 5, 20_000),
        "pulse": 70 + DRAW.normal(0, 10, 20_000),
        "constant": np.full(20_000, 3.0),
    }
)
SCHEMA = Schema.of(
    {
        "height": (130.0, 210.0),
        "sex": ["f", "m"],
        "weight": (30.0, 110.0),
        "pulse": (30.0, 110.0),
        "constant": (0.0, 10.0),
    }
)
NUMBERS = ("height", "weight", "pulse")
TRUE = np.corrcoef([BODY[name].to_numpy() for name in NUMBERS])


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_correlations_are_near_the_truth_and_errors_hold(delta):
    inside = 0
    for seed in range(30):
        model = PCA(epsilon=1.0, delta=delta, schema=SCHEMA, random_state=seed).fit(BODY)
        found = np.array(model.correlations_)[:3, :3]
        errors = np.array(model.correlation_errors_)[:3, :3]
        inside += int((np.abs(found - TRUE) <= errors + 0.02).all())
        assert model.deviations_[3] == 0, "a constant is not told from noise"
        assert np.abs(np.array(model.correlations_)[3, :3]).max() == 0
    assert inside >= 24
    assert np.abs(found - TRUE).max() < 0.3
    assert "Not told from a constant: constant." in model.in_words()
    assert [chart.kind for chart in model.pictures()] == ["heatmap", "bars", "points"]
    assert all(chart.svg().startswith("<") for chart in model.pictures())


def test_components_are_those_of_scikit_learn_without_noise():
    from sklearn.decomposition import PCA as Exact

    few = BODY.select([*NUMBERS])
    schema = Schema.of({name: (SCHEMA[name].low, SCHEMA[name].high) for name in NUMBERS})
    for scaled in (True, False):
        model = PCA(epsilon=1e6, scaled=scaled, schema=schema, random_state=0).fit(few)
        values = np.stack([np.clip(few[n].to_numpy(), schema[n].low, schema[n].high) for n in NUMBERS], 1)
        centred = (values - values.mean(0)) / (values.std(0) if scaled else 1)
        exact = Exact(2).fit(centred)
        assert np.allclose(np.abs(model.components_), np.abs(exact.components_), atol=0.02)
        assert np.allclose(model.explained_, exact.explained_variance_ratio_, atol=0.01)
        out = model.transform(few)
        assert out.column_names == ["component_1", "component_2"]
        mine = np.abs(out["component_1"].to_numpy())
        assert np.allclose(mine, np.abs(exact.transform(centred)[:, 0]), atol=0.02 * mine.max())


@given(st.integers(0, 39))
@settings(max_examples=10, deadline=None)
def test_the_map_reads_one_record(gone):
    model = PCA(epsilon=1.0, schema=SCHEMA, random_state=1).fit(BODY)
    rows = BODY.slice(0, 40)
    stay = [place for place in range(40) if place != gone]
    assert model.transform(rows).take(stay).equals(model.transform(rows.take(stay)).combine_chunks())


def _products(rows):
    question = Products(Encoding(tuple(SCHEMA[name] for name in (*NUMBERS, "constant"))))
    seen = Rows(rows.combine_chunks().to_batches()[0], SCHEMA)
    return question, question.finish(question.fold(question.start(SCHEMA), seen), SCHEMA)


cells = st.one_of(st.none(), st.sampled_from([-1e9, 0.0, 30.0, 70.0, 130.0, 1e9]), st.floats(-500, 500))
record = st.tuples(cells, cells, cells, cells)


@given(record, record)
@settings(max_examples=60, deadline=None)
def test_neighbours_move_the_measurement_within_its_sensitivity(new, other):
    names = (*NUMBERS, "constant")
    base = BODY.select(names).slice(0, 10)

    def with_record(values):
        return pa.concat_tables(
            [base, pa.table({n: pa.array([v], pa.float64()) for n, v in zip(names, values, strict=True)})]
        )

    question, without = _products(base)
    one, two = _products(with_record(new))[1], _products(with_record(other))[1]
    for moved, unit in ((one - without, Unit()), (one - two, Unit("replace"))):
        allowed = question.sensitivity(SCHEMA, unit)
        assert np.abs(moved).sum() <= allowed.l1
        assert (moved.astype(object) ** 2).sum() <= allowed.squared_l2


def test_a_centre_that_is_read_off_the_data_is_caught():
    """WRONG: products about the table's own means. One record moves them by more than is claimed."""
    names = (*NUMBERS, "constant")
    question, _ = _products(BODY.select(names).slice(0, 10))

    def centred(values):
        z = (values - 70) / 40
        z = z - z.mean(axis=0)
        return z.T @ z

    base = np.stack([BODY[name].to_numpy()[:400] for name in names], axis=1)
    base = np.clip(base, 30, 110)
    base[:] = 110
    far = np.vstack([base, np.full(4, 30.0)])
    moved = np.abs((centred(far) - centred(base))[np.triu_indices(4)]).sum()
    assert moved > question.sensitivity(SCHEMA).l1 / question.scale


@pytest.mark.parametrize("unit", [Unit(), Unit("replace")])
def test_the_whole_budget_is_one_step_and_models_come_back(unit):
    schema = replace(SCHEMA, unit=unit)
    model = PCA(epsilon=0.7, schema=schema).fit(BODY)
    assert [float(step.amount.epsilon) for step in model.guarantee_.steps] == [0.7]
    again = model_from_dict(model_to_dict(model))
    assert again.in_words() == model.in_words()
    assert again.schema_after(schema) == model.schema_after(schema)
    assert again.transform(BODY).equals(model.transform(BODY))


def test_components_lie_within_their_bought_bounds_and_missing_cells_count_as_the_mean():
    model = PCA(epsilon=1.0, components=9, schema=SCHEMA, random_state=2).fit(BODY)
    after = model.schema_after(SCHEMA)
    assert after.names == ("component_1", "component_2", "component_3", "component_4", "sex")
    odd = pa.table(
        {
            "height": [1e9, None],
            "sex": ["f", "m"],
            "weight": [-1e9, None],
            "pulse": ["x", None],
            "constant": [1.0, None],
        }
    )
    out = model.transform(odd)
    for name in model.component_names:
        values = out[name].to_numpy()
        assert after[name].origin == BOUGHT
        assert (values >= after[name].low - 1e-9).all()
        assert (values <= after[name].high + 1e-9).all()
        assert values[1] == 0


def test_learners_take_components_in_pipelines_and_flows():
    schema = replace(SCHEMA, target="sex")
    steps = {
        "people": {"do": "source", "data": "x"},
        "turned": {"do": "pca", "from": "people", "components": 2},
        "model": {"do": "naive-bayes", "from": "turned"},
    }
    found = Flow.from_dict({"epsilon": 2.0, "steps": steps}).run({"people": (BODY, schema)}, random_state=1)
    assert found["model"].schema_["component_1"].origin == BOUGHT
    frame = BODY.to_pandas()
    y = frame.pop("sex")
    turned = PCA(epsilon=1.0, schema=schema).fit_transform(frame, y)
    model = NaiveBayes(epsilon=1.0, schema=schema).fit(turned, y)
    assert any("PCA prepared these columns" in caveat for caveat in model.guarantee_.caveats)


def test_bad_input():
    with pytest.raises(SchemaError, match="no number"):
        PCA(epsilon=1.0, schema=Schema.of({"sex": ["f", "m"]})).rehearse()
    with pytest.raises(SchemaError, match="component_1"):
        PCA(epsilon=1.0, schema=Schema.of({"a": (0, 1), "component_1": ["x"]})).rehearse()
    empty = PCA(epsilon=0.01, schema=SCHEMA, random_state=0).fit(BODY.slice(0, 0))
    assert np.isfinite(empty.transform(BODY)["component_1"].to_numpy()).all()


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
@settings(max_examples=50, deadline=None)
def test_noisy_matrices_become_correlations(cells):
    raw = np.zeros((4, 4))
    raw[np.triu_indices(4, 1)] = cells
    near = correlations_near(raw + raw.T)
    assert np.linalg.eigvalsh(near)[0] > -0.05
    assert np.allclose(np.diag(near), 1)
    assert np.abs(near).max() <= 1
