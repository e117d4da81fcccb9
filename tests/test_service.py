"""The use cases by themselves, as a server or a workbench calls them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import service
from privet.budget import Ledger, Pure, budget, exact
from privet.errors import BudgetExceeded, DataError, LedgerError, ParameterError, SchemaError
from privet.schema import Category, Number, Schema, Unit
from privet.schema.columns import DRAFTED, WHOLESALE
from privet.service.tables import CheckedSource, CheckedTable

SCHEMA = Schema.of({"x": (0, 10), "c": ["a", "b"]}, target="c")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 2, 500)
    path = tmp_path / "t.parquet"
    rows = pa.table(
        {"x": np.clip(3 + 4 * codes + generator.normal(0, 1, 500), 0, 10), "c": np.array(["a", "b"])[codes]}
    )
    parquet.write_table(rows, path)
    return path


@pytest.fixture
def ledger(table: Path) -> Ledger:
    ledger = Ledger.in_memory().as_analyst("ana")
    service.open_account(ledger, service.open_table(table, SCHEMA), SCHEMA, budget(2.0))
    return ledger


def test_plan_then_fit_then_score(table, ledger):
    plan = service.plan_fit("naive-bayes", table, SCHEMA, {"epsilon": 0.5}, ledger=ledger)
    assert plan.amount == Pure(exact(0.5))
    assert plan.before.spent is None
    assert ledger.history()[-1].kind != "reserve"
    model = service.fit("naive-bayes", table, SCHEMA, {"epsilon": 0.5}, ledger=ledger)
    assert ledger.balance(plan.dataset) == plan.after
    # A rehearsal promises what the run then keeps.
    assert [(s.what, s.amount, s.error) for s in plan.steps] == [
        (s.what, s.amount, s.error) for s in model.guarantee_.steps
    ]
    cost = service.plan_evaluation(model, table, epsilon=0.5, ledger=ledger)
    result = service.evaluate(model, table, epsilon=0.5, ledger=ledger)
    assert ledger.balance(plan.dataset) == cost.after
    assert result.guarantee.steps == cost.steps


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("score_delta", [0.0, 1e-6])
def test_the_planned_cost_of_a_cross_validation_is_what_is_spent(table, delta, score_delta):
    ledger = Ledger.in_memory()
    limit = budget(20.0, 1e-5) if delta or score_delta else budget(20.0)
    service.open_account(ledger, service.open_table(table, SCHEMA), SCHEMA, limit)
    how = {"folds": 3, "repeats": 2, "epsilon": 0.3, "delta": score_delta, "ledger": ledger}
    parameters = {"epsilon": 0.2, "delta": delta}
    plan = service.plan_cross_validation("naive-bayes", table, SCHEMA, parameters, **how)
    seen = []
    result = service.cross_validate(
        "naive-bayes", table, SCHEMA, parameters, **how, progress=lambda *step: seen.append(step)
    )
    assert ledger.balance(plan.dataset) == plan.after
    assert result.guarantee.amount == plan.amount
    assert seen[-1] == (6, 6)


def test_plans_are_refused_like_runs(table, ledger):
    for asked in (service.plan_fit, service.fit):
        with pytest.raises(BudgetExceeded):
            asked("naive-bayes", table, SCHEMA, {"epsilon": 3.0}, ledger=ledger)
    stranger = Ledger.in_memory()
    for asked in (service.plan_fit, service.fit):
        with pytest.raises(service.NoAccount):
            asked("naive-bayes", table, SCHEMA, {"epsilon": 1.0}, ledger=stranger)
    other = Schema.of({"x": (0, 10), "c": ["a", "b"]}, target="c", unit=Unit("replace"))
    with pytest.raises(LedgerError) as error:  # another unit: refused, and not as a missing account
        service.fit("naive-bayes", table, other, {"epsilon": 1.0}, ledger=ledger)
    assert not isinstance(error.value, service.NoAccount)


def test_wrong_parameters(table):
    with pytest.raises(ParameterError, match="no parameter 'colour'"):
        service.fit("naive-bayes", table, SCHEMA, {"colour": "red"})
    with pytest.raises(ParameterError, match="no algorithm"):
        service.fit("astrology", table, SCHEMA, {})
    with pytest.raises(ParameterError, match="no engine"):
        service.open_table(table, SCHEMA, engine="abacus")
    drafted = Schema((Number("x", 0, 1, origin=DRAFTED), Category("c", ("a", "b"))), target="c")
    with pytest.raises(SchemaError, match="not confirmed"):
        service.fit("naive-bayes", table, drafted, {})


def test_drafts(table, tmp_path):
    schema = service.draft_schema(table, target="c")
    assert schema.drafted == ("x", "c")
    assert service.confirm_schema(schema, ["x"]).drafted == ("c",)
    wholesale = service.draft_schema(table, target="c", declare_public=True)
    assert {column.origin for column in wholesale.columns} == {WHOLESALE}
    arff = tmp_path / "only.arff"
    arff.write_text("@relation r\n@attribute a {x,y}\n@attribute b {x,y}\n@data\nx,y\n")
    assert service.draft_schema(arff, target="b").drafted == ()
    assert service.draft_schema(arff, ignore=["a"]).names == ("b",)
    for skip in ({"ignore": ["b"]}, {"id": "b"}):
        with pytest.raises(SchemaError, match="The target 'b' cannot be left out"):
            service.draft_schema(arff, target="b", **skip)


def test_checks_name_every_faulty_column_and_no_value(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,c,z,w\nsecret,a,1,1\n3,secret,2,inf\n")
    schema = Schema.of({"x": (0, 10), "c": ["a", "b"], "w": (0, 1), "v": (0, 1)}, target="c")
    check = service.check_schema(path, schema)
    assert {column for column, _ in check.faults} == {"x", "c", "w", "v"}
    assert check.unread == ("z",)
    assert not check.fits
    assert "secret" not in str(check)
    path.write_text("x,c\n1,a\n")
    assert service.check_schema(path, SCHEMA).fits
    path.write_text("x,c\n")
    with pytest.raises(DataError, match="no records"):
        service.check_schema(path, SCHEMA)


def test_a_table_is_checked_once_and_watched_always(table):
    seen = []
    source = service.open_table(table, SCHEMA, watch=lambda done, total: seen.append((done, total)))
    assert isinstance(source, CheckedSource)
    assert source.table() is None
    for _ in range(2):
        assert sum(batch.num_rows for batch in source.batches()) == 500
    assert seen == [(500, None), (500, 500)]
    narrow = Schema.of({"x": (0, 10), "c": ["a"]}, target="c")
    with pytest.raises(DataError, match="outside its declared domain"):
        list(service.open_table(table, narrow).batches())
    with pytest.raises(DataError, match="no column 'y'"):
        service.open_table(table, Schema.of({"y": (0, 1)}))


def test_duckdb_is_asked_through_its_own_engine(table):
    source = service.open_table(table, SCHEMA, engine="duckdb")
    assert isinstance(source, CheckedTable)
    a = service.fit("naive-bayes", table, SCHEMA, {}, seed=3)
    b = service.fit("naive-bayes", table, SCHEMA, {}, seed=3, engine="duckdb")
    np.testing.assert_array_equal(a.class_log_prior_, b.class_log_prior_)


def test_a_database_error_loses_its_text():
    import duckdb

    with pytest.raises(DataError) as error, service.tables.database_errors():
        duckdb.sql("SELECT CAST('secret' AS INTEGER)").fetchall()
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None
    with pytest.raises(KeyError), service.tables.database_errors():
        raise KeyError


def test_predictions_are_those_of_the_model(table, tmp_path):
    model = service.fit("naive-bayes", table, SCHEMA, {})
    out = tmp_path / "p.parquet"
    assert service.predict(model, table, out, probabilities=True, keep=["c"]) == 500
    written = parquet.read_table(out)
    assert written.column("predicted").to_pylist() == model.predict(table).tolist()
    np.testing.assert_allclose(written.column("probability_a"), model.predict_proba(table)[:, 0])
    extended = parquet.read_table(table).append_column("predicted", pa.array([1] * 500))
    parquet.write_table(extended, tmp_path / "e.parquet")
    with pytest.raises(ParameterError, match="name of a column"):
        service.predict(model, tmp_path / "e.parquet", out, keep=["predicted"])


def test_accounts_show_every_analyst(table, ledger):
    service.fit("naive-bayes", table, SCHEMA, {"epsilon": 0.5}, ledger=ledger.as_analyst("ben"))
    [view] = service.view_accounts(ledger)
    assert view.analysts["ben"].spent == Pure(exact(0.5))
    assert view.to_dict()["left"]["epsilon"] == "3/2"
    with pytest.raises(LedgerError):
        service.view_accounts(ledger, "nobody")


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-3, 10), st.sampled_from([0.0, 1e-6]))
def test_limits_keep_their_exact_value(epsilon, delta):
    limit = service.limit_of(epsilon, delta)
    assert limit == budget(epsilon, delta)
    with pytest.raises(ParameterError):
        service.limit_of(epsilon, delta, rho=1.0)


def test_places(tmp_path):
    file = tmp_path / "f"
    assert service.check_place(file) == file
    assert list(tmp_path.iterdir()) == []
    file.write_text("x")
    with pytest.raises(ParameterError, match="already"):
        service.check_place(file)
    service.check_place(file, force=True)
    assert file.read_text() == "x"
