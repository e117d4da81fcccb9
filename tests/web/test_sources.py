"""What the pages must not know: algorithms, other machines. And what must stay in step with the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from privet.registry import ALGORITHMS
from tests.web.workbench import ROOT

WEB = ROOT / "web"
SOURCES = sorted(
    path
    for path in (WEB / "src").rglob("*")
    if path.suffix in (".ts", ".svelte") and path.name != "schema.d.ts"
)


def test_no_algorithm_is_named():
    names = {entry.name for entry in ALGORITHMS if "-" in entry.name} | {
        entry.home.partition(":")[2] for entry in ALGORITHMS
    }
    named = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
    assert len(SOURCES) > 50
    for path in SOURCES:
        assert named.findall(path.read_text(encoding="utf-8")) == [], path.name


def test_no_any_no_inline_html_and_no_other_host():
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    assert not re.search(r":\s*any\b|\bas any\b|<any>", text)
    assert "{@html" not in text
    assert not re.findall(r"https?://(?!www\.w3\.org)", text)


def test_the_lock_file_names_no_registry():
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert not any("resolved" in package for package in lock["packages"].values())


def test_the_types_are_those_of_the_api(tmp_path):
    """``schema.d.ts`` is what openapi-typescript makes of the server's contract today."""
    from privet.server.openapi import document

    tool = WEB / "node_modules" / ".bin" / "openapi-typescript"
    if not tool.is_file() or shutil.which("node") is None:
        pytest.skip("what checks the pages is not installed: python web/build.py --tools")
    (tmp_path / "openapi.json").write_text(json.dumps(document(), indent=1, sort_keys=True), encoding="utf-8")
    made = tmp_path / "schema.d.ts"
    subprocess.run(
        [tool, tmp_path / "openapi.json", "--output", made], check=True, capture_output=True, cwd=WEB
    )
    kept = (WEB / "src" / "api" / "schema.d.ts").read_text(encoding="utf-8")
    assert made.read_text(encoding="utf-8") == kept, "run  python web/build.py --types"


def test_the_pages_are_built_from_these_sources():
    import importlib.util

    found = importlib.util.spec_from_file_location("web_build", WEB / "build.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    assert module.fresh(), "run  python web/build.py"
