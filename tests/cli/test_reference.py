"""The reference pages say what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from privet.cli.reference import pages, write_pages
from privet.registry import ALGORITHMS

FOLDER = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", ["cli.md", "algorithms.md"])
def test_the_pages_are_up_to_date(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == pages()[name], "run: python -m privet.cli.reference"


def test_every_algorithm_is_there(tmp_path):
    write_pages(tmp_path)
    for entry in ALGORITHMS:
        command = "select" if entry.family == "select" else f"fit {entry.name}"
        assert f"privet {command}\n" in (tmp_path / "cli.md").read_text()
        assert f"## {entry.name}" in (tmp_path / "algorithms.md").read_text()
