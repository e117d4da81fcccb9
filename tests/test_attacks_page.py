"""The page of attacks names tests that there are, and `pytest tests/attacks` runs them all."""

from __future__ import annotations

import re
from pathlib import Path

from tests.attacks.conftest import ELSEWHERE

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs/concepts/what-an-attacker-tried.md").read_text(encoding="utf-8")


def test_every_attack_on_the_page_is_run():
    named = re.findall(r"`((?:tests/)?[\w/]+(?:\.py)?)`\s*\|$", PAGE, re.MULTILINE)
    assert len(named) > 40
    for name in named:
        if not name.startswith("tests/"):
            assert (TESTS / "attacks" / name).is_file(), name
        else:
            assert any(each.startswith(name.removeprefix("tests/")) for each in ELSEWHERE), name


def test_what_stands_elsewhere_is_there():
    for each in ELSEWHERE:
        file, _, test = each.partition("::")
        assert (TESTS / file).exists(), file
        assert not test or f"def {test}(" in (TESTS / file).read_text(encoding="utf-8"), test
