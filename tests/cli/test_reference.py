"""The reference pages say what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from privet.cli.reference import pages, write_pages
from privet.registry import ALGORITHMS, FAMILIES

FOLDER = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", ["cli.md", "algorithms.md"])
def test_the_pages_are_up_to_date(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == pages()[name], "run: python -m privet.cli.reference"


def test_every_algorithm_is_there(tmp_path):
    write_pages(tmp_path)
    commands, algorithms = ((tmp_path / name).read_text() for name in ("cli.md", "algorithms.md"))
    for entry in ALGORITHMS:
        assert f"## {entry.name}" in algorithms
        for command in FAMILIES[entry.family].commands:
            assert f"privet {command} {entry.word}\n" in commands
            assert f"`privet {command} {entry.word}`" in algorithms
