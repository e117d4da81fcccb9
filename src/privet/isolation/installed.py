"""What is installed with Python: the only modules that a process loads before its cell is closed.

A module that lies anywhere else (beside a script, in a project's folder) may read a table when it is
imported, so it is never imported there. Installed packages are trusted, as Privet itself is.
"""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path

__all__ = ["installed_path", "is_installed"]


@cache
def _folders() -> frozenset[Path]:
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    found = {
        Path(paths[kind])
        for paths in (sysconfig.get_paths(), sysconfig.get_paths(vars=base))
        for kind in kinds
    }
    found |= {Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")}
    return frozenset(folder.resolve() for folder in found)


def _within(place: str) -> bool:
    path = Path(place).resolve()
    return any(folder == path or folder in path.parents for folder in _folders())


def installed_path() -> list[str]:
    """Where installed modules are looked for: ``sys.path`` without folders of the user's own.

    >>> "" in installed_path()
    False
    """
    return [entry for entry in sys.path if entry and _within(entry)]


@cache
def is_installed(name: str) -> bool:
    """Whether a module belongs to Python, to an installed package or to Privet.

    >>> is_installed("numpy.linalg"), is_installed("math"), is_installed("__main__")
    (True, True, False)
    """
    root = name.partition(".")[0]
    if root in ("privet", "__main__"):
        return root == "privet"
    try:
        spec = getattr(sys.modules.get(root), "__spec__", None) or find_spec(root)
    except (ImportError, ValueError):
        return False
    if spec is None:
        return False
    if spec.origin in ("built-in", "frozen"):
        return True
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
    return bool(places) and all(_within(place) for place in places)
