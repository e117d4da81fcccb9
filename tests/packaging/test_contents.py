"""What is in the wheel: Privet, all of it, and nothing else."""

from __future__ import annotations

import tarfile
import zipfile
from configparser import ConfigParser
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "privet"


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    (about,) = {name.split("/")[0] for name in names} - {"privet"}
    assert about.endswith(".dist-info")
    assert f"{about}/licenses/LICENSE" in names
    files = {path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    sources = {name for name in files if "__pycache__" not in name}
    assert {name for name in names if name.startswith("privet/")} == sources
    rooms = {part for name in names for part in name.split("/")[:-1]}
    assert not rooms & {"tests", "benchmarks", "reproduction", "examples", "docs"}


def test_the_wheel_has_one_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        entries = ConfigParser()
        entries.read_string(archive.read(name).decode())
    assert {section: dict(entries[section]) for section in entries.sections()} == {
        "console_scripts": {"privet": "privet.cli:main"}
    }


def test_the_source_archive_holds_what_a_build_needs(built):
    (found,) = built.glob("*.tar.gz")
    with tarfile.open(found) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"pyproject.toml", "README.md", "LICENSE", "src/privet/__init__.py"} <= names
    assert not any(name.startswith((".venv", "privet-demo", "audit-report")) for name in names)
