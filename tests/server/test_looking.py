"""Looking, asking and preparing over the API: what is released, as tables, charts and words."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.server.house import SCHEMA, House


def test_a_first_look_is_one_bundle_at_one_price_and_never_paid_twice(home: House):
    dataset = home.new_dataset(1.0)
    asked = {"use_case": "describe", "algorithm": None}
    plan = home.plan(home.analyst, dataset, 0.5, **asked)
    assert (plan["price"]["epsilon"], plan["already"]) == (0.5, None)
    run = home.finish(home.analyst, home.start(home.analyst, plan["id"])["id"])
    release = home.analyst.get(f"/releases/{run['release']}")
    assert [chart["title"] for chart in release["charts"]] == ["age by ill", "smoker by ill", "ill"]
    [table] = release["tables"]
    assert table["title"] == "quartiles and mean of age"
    assert [name for name, _ in table["rows"]] == ["lower quartile", "median", "upper quartile", "mean"]
    assert release["headline"].startswith("A first look at 3 columns")
    assert home.plan(home.second, dataset, 0.5, **asked)["already"] == release["id"]
    assert home.spent(dataset) == 0.5


def test_forecasts_rest_on_a_first_look_that_was_paid_for(home: House):
    """Of it they take what it says, and no more; what it does not say enough about is made up, in words."""
    dataset = home.new_dataset(50.0)
    look = {"use_case": "describe", "algorithm": None}

    def foretold(algorithm: str = "naive-bayes", **guesses: int) -> dict:
        asked = {"use_case": "fit", "algorithm": algorithm, "dataset": dataset, "guesses": guesses}
        return home.analyst.post("/forecasts", asked)

    def rests_on(algorithm: str = "naive-bayes", **guesses: int) -> str:
        return " ".join(foretold(algorithm, **guesses)["rests_on"])

    drawn = "drawn from the first look"
    home.run(home.analyst, dataset, 20.0, **look, practice=True)
    assert "first look" not in rests_on(), "practice says nothing about these people"
    home.run(home.analyst, dataset, 0.001, **look)
    assert "too noisy" in rests_on()
    home.run(home.analyst, dataset, 40.0, **look)
    found = foretold()
    words = " ".join(found["rests_on"])
    assert drawn in words
    assert found["tested"] == "", "that was seen of people made up from schemas"
    assert found["guess"]["records"] >= 300
    assert "as a first look counted them" in words
    # Every other one of those who smoke is ill, and nobody else: two of three are not.
    assert found["floor"] == pytest.approx(2 / 3, abs=0.05)
    assert "7,000 records, as guessed" in rests_on(records=7000)
    assert "nothing about how columns hang together" in rests_on("k-means")
    assert "made up from the schema" in rests_on("k-means")
    home.owner.put(
        f"/datasets/{dataset}/schema",
        SCHEMA | {"columns": [SCHEMA["columns"][0] | {"high": 150}, *SCHEMA["columns"][1:]]},
    )
    assert "declared differently since" in rests_on()


def test_a_question_is_answered_with_a_table_and_a_chart(home: House):
    dataset = home.new_dataset(1.0)
    sql = "SELECT smoker, COUNT(*) AS people FROM data GROUP BY smoker"
    parameters = {"epsilon": 0.5, "sql": sql}
    run = home.run(home.analyst, dataset, use_case="query", algorithm=None, parameters=parameters)
    release = home.analyst.get(f"/releases/{run['release']}")
    assert release["headline"] == "people by smoker"
    [table], [chart] = release["tables"], release["charts"]
    assert table["header"] == ["smoker", "people"]
    assert [row[0] for row in table["rows"]] == ["no", "yes"]
    assert chart["kind"] == "bars"


def test_a_question_that_cannot_be_answered_is_said_at_its_field_with_the_words_at_fault(home: House):
    dataset = home.new_dataset(1.0)
    for sql, words in (
        ("SELECT MAX(age) FROM data", "MAX(age)"),
        ("SELECT COUNT(*) FROM data WHERE weight > 3", "weight"),
        ("SELECT * FROM data", "*"),
        ("nonsense", "SELECT"),
    ):
        parameters = {"epsilon": 0.5, "sql": sql}
        body = {"use_case": "query", "dataset": dataset, "parameters": parameters}
        answer = home.analyst.ask("POST", "/plans", json=body)
        assert answer.status_code == 422
        assert answer.json()["field"] == "parameters.sql"
        assert words in answer.json()["detail"]
    assert home.spent(dataset) == 0


def test_bounds_can_be_bought(home: House):
    dataset = home.new_dataset(1.0)
    found = home.analyst.get(f"/algorithms?dataset={dataset}")
    names = [one["name"] for one in found if one["family"] == "prepare" and one["usable"]]
    assert names
    for name in names:
        plan = home.plan(home.analyst, dataset, 0.5, use_case="prepare", algorithm=name, practice=True)
        run = home.finish(home.analyst, home.start(home.analyst, plan["id"])["id"])
        assert run["state"] == "released", (name, run)
        release = home.analyst.get(f"/releases/{run['release']}")
        assert release["words"]
        assert "prepared.schema.toml" in plan["command"]


def test_a_plan_has_the_caveats_of_the_run(home: House):
    """A plan is a rehearsal without a ledger and without the owner's rules for odd cells; a run has both."""
    dataset = home.new_dataset(1.0)
    for asked in ({}, {"use_case": "describe", "algorithm": None}):
        plan = home.plan(home.analyst, dataset, 0.2, **asked)
        run = home.finish(home.analyst, home.start(home.analyst, plan["id"])["id"])
        released = home.analyst.get(f"/releases/{run['release']}")["not_said"]
        assert set(plan["caveats"]) <= set(released)
        assert not any("no ledger" in caveat for caveat in plan["caveats"])


def test_a_column_that_the_owner_leaves_out_is_not_used_and_can_come_back(home: House):
    dataset = home.new_dataset(None)
    place = f"/datasets/{dataset}/schema"
    schema = home.owner.get(place)
    schema["columns"][0]["left_out"] = "left out by the owner"
    home.owner.put(place, schema)
    found = home.owner.get(place)
    assert "age" not in found["text"]
    [out] = [column for column in found["columns"] if column["left_out"]]
    assert (out["name"], out["low"], out["high"]) == ("age", 0, 120)
    out["left_out"] = None
    home.owner.put(place, found)
    found = home.owner.get(place)
    assert "age" in found["text"]
    found["columns"][0]["left_out"] = "left out by the owner"
    name = found["columns"][0]["name"]
    home.owner.put(place, found)
    home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 1})
    [out] = [column for column in home.owner.get(place)["columns"] if column["left_out"]]
    assert (out["name"], out["kind"], out["low"], out["values"]) == (name, "left_out", None, [])
    assert name not in [column["name"] for column in home.analyst.get(place)["columns"]]


def test_a_person_with_several_records_is_the_unit_and_their_column_is_not_mined(home: House):
    dataset = home.new_dataset(None)
    place = f"/datasets/{dataset}/schema"
    schema = home.owner.get(place)
    schema["unit"] = {"neighbours": "add_remove", "id": "age", "most": 2}
    assert home.owner.ask("PUT", place, json=schema).status_code == 422
    schema["columns"][0]["left_out"] = "it says who a person is"
    home.owner.put(place, schema)
    assert "same 'age', at most 2" in home.owner.get(f"/datasets/{dataset}")["unit_text"]


@pytest.mark.parametrize("kind", ["basket", "parquet"])
def test_sets_of_items_go_from_a_file_to_frequent_sets(home: House, tmp_path, kind):
    """A file of baskets, and a table with a column of lists."""
    baskets = [["bread", "butter"], ["milk"], ["bread", "milk", "jam"], ["butter"]] * 100
    place = tmp_path / f"shop.{kind}"
    if kind == "basket":
        place.write_text("".join(", ".join(each) + "\n" for each in baskets))
    else:
        pq.write_table(pa.table({"items": baskets}), place)
    dataset = home.owner.post("/datasets", {"study": home.study, "name": kind})["id"]
    answer = home.owner.ask(
        "PUT", f"/datasets/{dataset}/rows?filename={place.name}", content=place.read_bytes()
    )
    assert answer.status_code == 200, answer.text
    [column] = home.owner.post(f"/datasets/{dataset}/draft", {})["columns"]
    assert (column["kind"], column["values"]) == ("items", ["bread", "butter", "jam", "milk"])
    [column] = home.owner.post(f"/datasets/{dataset}/schema/confirm", {"columns": ["items"]})["columns"]
    schema = home.owner.get(f"/datasets/{dataset}/schema")
    schema["columns"] = [column | {"most": 3}]
    assert home.owner.put(f"/datasets/{dataset}/schema", schema)["columns"] == schema["columns"]
    home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 50.0})
    run = home.run(home.owner, dataset, 50.0, algorithm="frequent-itemsets")
    assert "bread, butter" in home.owner.get(f"/releases/{run['release']}")["words"]
