"""Files that earlier versions have written still load, and mean what they meant."""

from __future__ import annotations

import json
import shutil
import tarfile
from fractions import Fraction
from pathlib import Path

import pytest

from privet import NaiveBayes, load_model, read_schema
from privet.budget import Ledger, Pure
from privet.checks.example import example, public
from privet.perturbation import Geometric, Key
from privet.schema import Number, Schema
from privet.server.application import application
from privet.server.settings import Settings
from tests.server.house import LIMITS, lived_in

HERE = Path(__file__).parent
VERSIONS = sorted(folder for folder in HERE.iterdir() if folder.is_dir() and folder.name[0].isdigit())
MODELS = [path for folder in VERSIONS for path in sorted(folder.glob("*.model.json"))]


def test_there_are_files_of_each_kind():
    for folder in VERSIONS:
        for pattern in ("*.model.json", "*.schema.toml", "ledger.db", "*.key.json"):
            assert list(folder.glob(pattern)), f"{folder.name} holds no {pattern}"


@pytest.mark.parametrize("path", MODELS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_models_answer_as_they_did(path):
    model = load_model(path)
    assert model.guarantee_.holds == (path.name != "void.model.json")
    expected = path.with_name(path.name.replace(".model.", ".predicted."))
    if not expected.exists():
        return
    then = json.loads(expected.read_text())
    if hasattr(model, "chosen_"):
        assert list(model.chosen_) == then
        return
    now = model.predict(path.with_name("people.csv"))[: len(then)].tolist()
    assert now == (then if isinstance(then[0], str) else pytest.approx(then))


def test_a_void_model_promises_nothing():
    guarantee = load_model(VERSIONS[0] / "void.model.json").guarantee_
    assert guarantee.headline.startswith("Guarantee: NONE")
    assert guarantee.to_dict()["epsilon"] is None


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_ledgers_open_verify_and_go_on(folder, tmp_path):
    shutil.copy(folder / "ledger.db", tmp_path / "ledger.db")
    ledger = Ledger.open(tmp_path / "ledger.db").as_analyst("ann")
    ledger.verify()
    assert ledger.spent("example") == Pure(Fraction(1))
    assert [entry.state for entry in ledger.history("example") if entry.kind == "reserve"] == [
        "committed"
    ] * 3

    NaiveBayes(schema=public(), epsilon=0.5, ledger=ledger).fit(example())
    assert ledger.spent("example") == Pure(Fraction(3, 2))
    ledger.verify()


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_schemas_mean_what_they_meant(folder):
    schema = read_schema(folder / "clinic.schema.toml")
    assert (schema.target, schema.dataset, schema.unit.id, schema.unit.most) == ("ill", "clinic", "person", 3)
    assert schema.unit.neighbours == "replace"
    assert schema["height"].cuts == (1.5, 1.8)
    assert schema["smoker"].labels == ("no", "yes", "unknown")
    assert not schema.drafted
    assert read_schema(folder / "draft.schema.toml").drafted


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_keys_of_perturbations_are_taken_up(folder):
    schema = Schema((Number("age", 0, 120), Number("height", 1.0, 2.2)))
    model = Geometric(schema=schema, key=Key.load(folder / "geometric.key.json"))
    assert model.fit([[30.0, 1.6], [60.0, 1.9]]).columns_ == ("age", "height")


@pytest.mark.parametrize("kept", sorted(HERE.glob("*/server.tar.xz")), ids=lambda path: path.parent.name)
def test_servers_are_taken_up(kept, tmp_path):
    """Its people, their releases and what they have spent are there, and they can go on."""
    with tarfile.open(kept) as archive:
        archive.extractall(tmp_path, filter="data")
    app = application(Settings(tmp_path / "home", grid_seconds=0.0, limits=LIMITS))
    with lived_in(app) as house:
        dataset = next(each["id"] for each in house.owner.get("/datasets") if each["name"] == "kept")
        assert house.spent(dataset) == 0.5
        (release,) = (each for each in house.analyst.get("/releases") if each["dataset"] == dataset)
        assert house.analyst.get(f"/releases/{release['id']}")["epsilon"] == 0.5
        assert house.plan(house.analyst, dataset, 0.5)["already"] == release["id"]
        assert house.run(house.analyst, dataset, 0.25)["state"] == "released"
        assert house.spent(dataset) == 0.75
        assert house.auditor.post("/ledger/verify")["intact"]
