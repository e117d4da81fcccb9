"""The map in docs/architecture.md is the code's: its folders, their order, and who may import whom."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = SETTINGS["tool"]["importlinter"]["contracts"]


def mapped() -> list[str]:
    """The folders and modules of the map, from top to bottom."""
    table = PAGE[PAGE.index("## The map") : PAGE.index("## The path of the data")]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_the_map_names_every_folder_and_module_and_no_other():
    source = ROOT / "src/privet"
    there = {path.stem for path in source.iterdir() if path.suffix == ".py"} - {"__init__"}
    there |= {path.name for path in source.iterdir() if path.is_dir() and list(path.glob("*.py"))}
    assert sorted(mapped()) == sorted(there)


def test_the_map_is_in_the_order_of_the_import_rules():
    layers = next(contract for contract in CONTRACTS if contract.get("containers") == ["privet"])["layers"]
    places = {name: place for place, line in enumerate(layers) for name in re.findall(r"\w+", line)}
    assert set(places) == set(mapped())
    assert [places[name] for name in mapped()] == sorted(places.values())


def test_the_files_on_the_path_of_the_data_exist():
    path = PAGE[PAGE.index("## The path of the data") : PAGE.index("## Who may import whom")]
    files = re.findall(r"^  (\w+/\w+) ", path, re.MULTILINE)
    assert len(files) >= 6
    for file in files:
        assert (ROOT / f"src/privet/{file}.py").exists(), file


def test_what_the_page_says_of_imports_is_a_contract():
    protected = [contract for contract in CONTRACTS if contract["type"] == "protected"]
    guarded = {module for contract in protected for module in contract["protected_modules"]}
    assert {"privet.engines", "privet.isolation"} <= guarded
    for contract in protected:
        if "privet.engines" in contract["protected_modules"]:
            assert contract["allowed_importers"] == ["privet.curator"]
    forbidden = [contract for contract in CONTRACTS if contract["type"] == "forbidden"]
    kept_out = {module for contract in forbidden for module in contract["source_modules"]}
    assert {"privet.learning", "privet.selection", "privet.perturbation", "privet.evaluation"} <= kept_out
    assert "privet.cli" in kept_out
