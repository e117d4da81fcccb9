"""``privet fit auto``: what the name means depends on the target, and a forecast may choose the learner."""

from __future__ import annotations

import pytest

from privet.errors import ParameterError
from privet.families import FAMILIES
from privet.schema import Schema, write_schema
from privet.service import Session
from privet.service.fitting import Fit
from privet.worlds import made_up


@pytest.fixture
def fit(tmp_path):
    """A fit of ``auto`` to made-up people, by the name of the target."""
    import pyarrow.csv

    columns = {"age": (0, 120), "smoker": ["no", "yes"], "pressure": (50.0, 250.0)}
    pyarrow.csv.write_csv(made_up(Schema.of(columns), 300), tmp_path / "people.csv")

    def made(target, **given):
        write_schema(Schema.of(columns, target=target), place := tmp_path / f"{target}.toml")
        parameters = {"epsilon": 1.0} | given.pop("parameters", {})
        return Fit(
            algorithm="auto", data=tmp_path / "people.csv", schema=place, parameters=parameters, **given
        )

    return made


@pytest.mark.parametrize(("target", "kind"), [("smoker", "AutoClassifier"), ("pressure", "AutoRegressor")])
def test_the_target_says_what_auto_means(fit, target, kind):
    model = fit(target).run(Session()).model
    assert type(model).__name__ == kind


def test_what_is_first_for_a_number_is_what_auto_means():
    assert (FAMILIES["classify"].first, FAMILIES["regress"].first) == ("auto", "auto-regressor")


def test_a_search_over_the_learners_takes_those_of_the_target(fit):
    plan = fit("pressure", tune=True, grid={"learner": "ridge,linear-regression"}).plan(Session())
    assert {each["learner"] for each in plan.search.settings.tried} == {"ridge", "linear-regression"}
    with pytest.raises(ParameterError, match="learner must be one of"):
        fit("pressure", tune=True, grid={"learner": "one-r"}).plan(Session())


def test_a_forecast_chooses_the_learner_and_the_plan_says_so(fit):
    case = fit("pressure", by="forecast", guess={"records": 300})
    how = case.plan(Session()).how
    assert how.startswith("A forecast chose ")
    assert "No record was read" in how
    assert "About 300 records, as guessed." in how
    assert case.run(Session()).model.learner_ in how.partition(":")[0]


def test_a_forecast_and_another_way_to_choose_are_refused(fit):
    for more in ({"tune": True}, {"accuracy": 0.02}, {"parameters": {"learner": "ridge"}}):
        with pytest.raises(ParameterError):
            fit("pressure", by="forecast", **more).plan(Session())
