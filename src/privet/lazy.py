"""Names that a package imports when they are first used (docs/decisions/0003-lazy-public-names.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy"]


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package with these names: each comes from its home, and there are no others.

    >>> lazy("privet", {"Schema": "privet.schema"})("Schema").__name__
    'Schema'
    """

    def imported(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return imported
