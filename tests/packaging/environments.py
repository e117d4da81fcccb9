"""The Pythons that this machine has, and new environments with the wheel in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"


def python_of(version: str) -> Path | None:
    """An interpreter of this version: the running one, one on the path, or one that pyenv keeps."""
    if version == "{}.{}".format(*sys.version_info[:2]):
        return Path(sys.executable)
    candidates = [Path(found)] if (found := shutil.which(f"python{version}")) else []
    roots = [Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()]
    roots += [path.parent.parent for path in candidates if path.parent.name == "shims"]
    for root in roots:
        candidates += sorted(root.glob(f"versions/{version}.*/bin/python{version}"))
    return next((path for path in candidates if _runs(path, version)), None)


def _runs(python: str | Path, version: str) -> bool:
    """A version manager leaves commands on the path that only say that they are switched off."""
    program = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.strip() == version


def install(python: Path, folder: Path, wheel: Path) -> Path:
    """A new environment with the wheel and what it needs, no extras; its folder of commands."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    done = _install(folder, "--constraint", CONSTRAINTS, wheel)
    if done.returncode != 0:
        # Is it this wheel, or can nothing be fetched at all?
        if _install(folder, "--no-cache-dir", "--no-deps", "hatchling").returncode != 0:
            _cannot("The package index cannot be reached, so what the wheel needs cannot be installed.")
        pytest.fail(done.stdout + done.stderr)
    return folder / "bin"


def _install(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    into = ("--python", folder / "bin" / "python")
    uv = shutil.which("uv") or shutil.which(Path(sys.executable).with_name("uv"))
    if uv:
        command = [uv, "pip", "install", *into, *words]
    else:
        command = [sys.executable, "-m", "pip", *into, "install", "--no-compile", *words]
    return subprocess.run([*command, "--quiet"], capture_output=True, text=True)


def _cannot(why: str) -> NoReturn:
    """A gap that may be left on somebody's own machine, where it is shown, but not in the CI."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
