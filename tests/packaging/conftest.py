"""The wheel and the source archive, built once from this checkout, and the Pythons that this machine has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.environments import python_of

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13")


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """A folder with the source archive and the wheel, which is built from that archive."""
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="session")
def wheel(built) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(params=VERSIONS)
def python(request) -> Path:
    """Each Python that Privet supports; one that this machine does not have is skipped by name."""
    found = python_of(request.param)
    if found is None:
        pytest.skip(f"this machine has no Python {request.param}")
    return found
