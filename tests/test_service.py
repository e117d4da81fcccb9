"""The use cases by themselves, as a server or a workbench calls them."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget import Ledger, Pure, budget, exact
from privet.errors import BudgetExceeded, DataError, LedgerError, ParameterError, SchemaError
from privet.schema import Category, Number, Schema, Unit, read_schema, write_schema
from privet.schema.columns import DRAFTED, WHOLESALE
from privet.service import (
    CheckSchema,
    ConfirmSchema,
    CrossValidate,
    DraftSchema,
    Evaluate,
    Fit,
    OpenAccount,
    Predict,
    Session,
    ShowAccounts,
)
from privet.service.accounts import NoAccount, limit_of
from privet.service.outputs import check_place
from privet.service.tables import CheckedSource, CheckedTable, database_errors, open_table

SCHEMA = Schema.of({"x": (0, 10), "c": ["a", "b"]}, target="c", dataset="people")


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
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "t.toml"
    write_schema(SCHEMA, path)
    return path


@pytest.fixture
def ledger(table: Path, schema: Path) -> Ledger:
    ledger = Ledger.in_memory().as_analyst("ana")
    OpenAccount(data=table, schema=schema, epsilon=2.0).run(Session(ledger=ledger))
    return ledger


def naive_bayes(table: Path, schema: Path, **parameters) -> Fit:
    return Fit(algorithm="naive-bayes", data=table, schema=schema, parameters=parameters)


def test_plan_then_fit_then_score(table, schema, ledger, tmp_path):
    session, place = Session(ledger=ledger), tmp_path / "m.json"
    case = replace(naive_bayes(table, schema, epsilon=0.5), output=place)
    plan = case.plan(session)
    assert plan.amount == Pure(exact(0.5))
    assert plan.before.spent is None
    assert ledger.history()[-1].kind != "reserve"
    fitted = case.run(session)
    assert fitted.guarantee == fitted.model.guarantee_
    assert ledger.balance(plan.dataset) == plan.after
    # A rehearsal promises what the run then keeps.
    assert [(s.what, s.amount, s.error) for s in plan.steps] == [
        (s.what, s.amount, s.error) for s in fitted.guarantee.steps
    ]
    scoring = Evaluate(model=place, data=table, epsilon=0.5)
    cost = scoring.plan(session)
    result = scoring.run(session)
    assert ledger.balance(plan.dataset) == cost.after
    assert result.guarantee.steps == cost.steps


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("score_delta", [0.0, 1e-6])
def test_the_planned_cost_of_a_cross_validation_is_what_is_spent(table, schema, delta, score_delta):
    ledger, seen = Ledger.in_memory(), []
    session = Session(ledger=ledger, progress=lambda what, unit: nullcontext(lambda *step: seen.append(step)))
    limit = 1e-5 if delta or score_delta else 0.0
    OpenAccount(data=table, schema=schema, epsilon=20.0, delta=limit).run(Session(ledger=ledger))
    case = CrossValidate(
        algorithm="naive-bayes",
        data=table,
        schema=schema,
        parameters={"epsilon": 0.2, "delta": delta},
        folds=3,
        repeats=2,
        score_epsilon=0.3,
        score_delta=score_delta,
    )
    plan = case.plan(session)
    result = case.run(session)
    assert ledger.balance(plan.dataset) == plan.after
    assert result.guarantee.amount == plan.amount
    assert seen[-1] == (6, 6)


def test_plans_are_refused_like_runs(table, schema, ledger, tmp_path):
    large, small = naive_bayes(table, schema, epsilon=3.0), naive_bayes(table, schema, epsilon=1.0)
    for asked in (large.plan, large.run):
        with pytest.raises(BudgetExceeded):
            asked(Session(ledger=ledger))
    for asked in (small.plan, small.run):
        with pytest.raises(NoAccount):
            asked(Session(ledger=Ledger.in_memory()))
    other = replace(SCHEMA, unit=Unit("replace"))
    write_schema(other, tmp_path / "other.toml")
    other_unit = naive_bayes(table, tmp_path / "other.toml", epsilon=1.0)
    for asked in (other_unit.plan, other_unit.run):  # not the registered one, and not a missing account
        with pytest.raises(SchemaError, match="exchanged for another"):
            asked(Session(ledger=ledger))


def test_wrong_parameters(table, schema, tmp_path):
    session = Session()
    with pytest.raises(ParameterError, match="no parameter 'colour'"):
        naive_bayes(table, schema, colour="red").run(session)
    with pytest.raises(ParameterError, match="no algorithm"):
        Fit(algorithm="astrology", data=table, schema=schema).run(session)
    with pytest.raises(ParameterError, match="engine must be one of"):
        Fit(algorithm="naive-bayes", data=table, schema=schema, engine="abacus")
    with pytest.raises(ParameterError, match="no engine"):
        open_table(table, SCHEMA, engine="abacus")
    drafted = Schema((Number("x", 0, 1, origin=DRAFTED), Category("c", ("a", "b"))), target="c")
    write_schema(drafted, tmp_path / "draft.toml")
    with pytest.raises(SchemaError, match="not confirmed"):
        naive_bayes(table, tmp_path / "draft.toml").run(session)


def test_drafts(table, tmp_path):
    place = tmp_path / "draft.toml"

    def drafted(data, **how):
        return DraftSchema(data=data, output=place, force=True, **how).run(Session()).schema

    wholesale = drafted(table, target="c", declare_public=True)
    assert {column.origin for column in wholesale.columns} == {WHOLESALE}
    arff = tmp_path / "only.arff"
    arff.write_text("@relation r\n@attribute a {x,y}\n@attribute b {x,y}\n@data\nx,y\n")
    assert drafted(arff, target="b").drafted == ()
    assert drafted(arff, ignore=("a",)).names == ("b",)
    for skip in ({"ignore": ("b",)}, {"id": "b"}):
        with pytest.raises(SchemaError, match="The target 'b' cannot be left out"):
            drafted(arff, target="b", **skip)
    assert drafted(table, target="c").drafted == ("x", "c")
    assert read_schema(place).drafted == ("x", "c")


def test_a_draft_is_confirmed_by_somebody_who_has_seen_it(table, tmp_path):
    place, session = tmp_path / "draft.toml", Session()
    DraftSchema(data=table, target="c", output=place).run(session)
    case = ConfirmSchema(file=place, columns=("x",))
    shown = case.plan(session)
    assert [each["column"] for each in shown.to_dict()["columns"]] == ["x"]
    assert "read off the data" in shown.text()
    with pytest.raises(ParameterError, match="nothing was confirmed"):
        case.run(session)
    assert read_schema(place).drafted == ("x", "c")
    replace(case, yes=True).run(session)
    assert read_schema(place).drafted == ("c",)
    assert case.plan(session) is None
    case.run(session)  # there is nothing to consent to


def test_checks_name_every_faulty_column_and_no_value(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,c,z,w\nsecret,a,1,1\n3,secret,2,inf\n")
    schema = Schema.of({"x": (0, 10), "c": ["a", "b"], "w": (0, 1), "v": (0, 1)}, target="c")
    place = tmp_path / "t.toml"
    write_schema(schema, place)
    check = CheckSchema(data=path, schema=place).run(Session())
    assert check.exit_code == DataError.exit_code
    assert {column for column, _ in check.faults} == {"x", "c", "w", "v"}
    assert check.unread == ("z",)
    assert not check.fits
    assert "secret" not in str(check)
    write_schema(SCHEMA, place)
    path.write_text("x,c\n1,a\n")
    check = CheckSchema(data=path, schema=place).run(Session())
    assert check.fits
    assert check.exit_code == 0
    path.write_text("x,c\n")
    with pytest.raises(DataError, match="no records"):
        CheckSchema(data=path, schema=place).run(Session())


def test_a_table_is_checked_once_and_watched_always(table):
    seen = []
    source = open_table(table, SCHEMA, watch=lambda done, total: seen.append((done, total)))
    assert isinstance(source, CheckedSource)
    assert source.table() is None
    for _ in range(2):
        assert sum(batch.num_rows for batch in source.batches()) == 500
    assert seen == [(500, None), (500, 500)]
    narrow = Schema.of({"x": (0, 10), "c": ["a"]}, target="c")
    with pytest.raises(DataError, match="outside its declared domain"):
        list(open_table(table, narrow).batches())
    with pytest.raises(DataError, match="no column 'y'"):
        open_table(table, Schema.of({"y": (0, 1)}))


def test_duckdb_is_asked_through_its_own_engine(table, schema):
    source = open_table(table, SCHEMA, engine="duckdb")
    assert isinstance(source, CheckedTable)
    case = replace(naive_bayes(table, schema), seed=3)
    a, b = (replace(case, engine=engine).run(Session()).model for engine in ("auto", "duckdb"))
    np.testing.assert_array_equal(a.class_log_prior_, b.class_log_prior_)


def test_columns_that_duckdb_takes_for_one_are_refused_before_anything_is_read(tmp_path):
    place = tmp_path / "people.csv"
    place.write_text("Age,age\n1,2\n")
    asked = Schema.of({"Age": (0, 9)})
    assert open_table(place, asked).names == ("Age", "age")
    with pytest.raises(DataError, match="capitals"):
        open_table(place, asked, engine="duckdb")


def test_a_database_error_loses_its_text():
    import duckdb

    with pytest.raises(DataError) as error, database_errors():
        duckdb.sql("SELECT CAST('secret' AS INTEGER)").fetchall()
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None
    with pytest.raises(KeyError), database_errors():
        raise KeyError


def test_predictions_are_those_of_the_model(table, schema, tmp_path):
    place, out = tmp_path / "m.json", tmp_path / "p.parquet"
    model = replace(naive_bayes(table, schema), output=place).run(Session()).model
    case = Predict(model=place, data=table, output=out, probabilities=True, keep=("c",))
    assert case.run(Session()).count == 500
    written = parquet.read_table(out)
    assert written.column("predicted").to_pylist() == model.predict(table).tolist()
    np.testing.assert_allclose(written.column("probability_a"), model.predict_proba(table)[:, 0])
    extended = parquet.read_table(table).append_column("predicted", pa.array([1] * 500))
    parquet.write_table(extended, tmp_path / "e.parquet")
    with pytest.raises(ParameterError, match="name of a column"):
        replace(case, data=tmp_path / "e.parquet", keep=("predicted",), force=True).run(Session())


def test_accounts_show_every_analyst(table, schema, ledger):
    naive_bayes(table, schema, epsilon=0.5).run(Session(ledger=ledger, analyst="ben"))
    [view] = ShowAccounts().run(Session(ledger=ledger)).views
    assert view.analysts["ben"].spent == Pure(exact(0.5))
    assert view.to_dict()["left"]["epsilon"] == "3/2"
    with pytest.raises(LedgerError):
        ShowAccounts(dataset="nobody").run(Session(ledger=ledger))
    with pytest.raises(ParameterError, match="No ledger"):
        ShowAccounts().run(Session())


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-3, 10), st.sampled_from([0.0, 1e-6]))
def test_limits_keep_their_exact_value(epsilon, delta):
    limit = limit_of(epsilon, delta)
    assert limit == budget(epsilon, delta)
    with pytest.raises(ParameterError):
        limit_of(epsilon, delta, rho=1.0)


def test_places(tmp_path):
    file = tmp_path / "f"
    assert check_place(file) == file
    assert list(tmp_path.iterdir()) == []
    file.write_text("x")
    with pytest.raises(ParameterError, match="already"):
        check_place(file)
    check_place(file, force=True)
    assert file.read_text() == "x"
