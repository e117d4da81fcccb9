"""The build hook: the workbench's pages are built into every wheel, and into editable installs."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def _pages(root: str) -> ModuleType:
    """``web/build.py``, which is no part of a package."""
    home = importlib.util.spec_from_file_location("privet_web_build", Path(root) / "web" / "build.py")
    assert home is not None
    assert home.loader is not None
    module = importlib.util.module_from_spec(home)
    home.loader.exec_module(module)
    return module


class PagesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the pages before their files are collected, unless they are there already."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a Python package, only where it is needed."""
        pages = _pages(self.root)
        return [] if _left_out() or pages.fresh() or pages.machine_node() else [pages.NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not _left_out():
            _pages(self.root).build()


def _left_out() -> bool:
    """Somebody wants Privet without the workbench: for a quick install, or where npm is out of reach."""
    return bool(os.environ.get("PRIVET_WITHOUT_PAGES"))
