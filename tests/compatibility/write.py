"""Write files of this version, to be read by all later ones: run when a version is cut.

python -m tests.compatibility.write tests/compatibility/0.4.0
"""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
from pathlib import Path

import pyarrow.csv

from privet import NaiveBayes, load_model, read_schema, save_model, write_schema
from privet.budget import Ledger, budget
from privet.checks.example import example, public
from privet.errors import PrivetError
from privet.perturbation import Geometric
from privet.registry import audited_algorithms
from privet.schema import Number, Schema, draft
from tests.server.house import house

CLINIC = Path(__file__).parent / "0.1.0" / "clinic.schema.toml"


def write(folder: Path) -> None:
    folder.mkdir()
    people = folder / "people.csv"
    pyarrow.csv.write_csv(example(), people)
    for entry in audited_algorithms():
        kind = entry.load()
        try:
            model = kind(epsilon=2.0, schema=public(kind)).fit(example())
        except PrivetError as refusal:  # needs another table than the example
            print(f"{entry.name}: {refusal}")
            continue
        save_model(model, folder / f"{entry.name}.model.json")
        model = load_model(folder / f"{entry.name}.model.json")
        told = list(model.chosen_) if hasattr(model, "chosen_") else None
        if told is None and entry.family in ("classify", "regress"):
            told = model.predict(people)[:40].tolist()
        if told is not None:
            (folder / f"{entry.name}.predicted.json").write_text(json.dumps(told) + "\n")
    save_model(NaiveBayes(schema=public(), random_state=0).fit(example()), folder / "void.model.json")
    write_schema(read_schema(CLINIC), folder / "clinic.schema.toml")
    write_schema(draft(example().to_batches(), target="ill"), folder / "draft.schema.toml")
    ledger = Ledger.open(folder / "ledger.db", create=True)
    ledger.open_account("example", budget(3.0), unit=public().unit)
    for epsilon in (0.25, 0.25, 0.5):
        NaiveBayes(schema=public(), epsilon=epsilon, ledger=ledger.as_analyst("ann")).fit(example())
    perturbed = Geometric(schema=Schema((Number("age", 0, 120), Number("height", 1.0, 2.2))))
    perturbed.fit([[30.0, 1.6], [60.0, 1.9]]).key_.save(folder / "geometric.key.json")


def write_server(folder: Path) -> None:
    """The home of a server with a dataset, of which half of ε = 1 was spent on a model."""
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        with house(home) as rooms:
            dataset = rooms.new_dataset(1.0, "kept")
            rooms.run(rooms.analyst, dataset, 0.5)
        with tarfile.open(folder / "server.tar.xz", "w:xz") as archive:
            archive.add(home, "home")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
    write_server(Path(sys.argv[1]))
