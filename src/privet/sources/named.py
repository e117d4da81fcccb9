"""What most sources have in common."""

from __future__ import annotations

from typing import Any

from privet.schema import Schema

__all__ = ["Named"]


class Named:
    """A source that knows its names once it is open. No database reads it, and it declares nothing."""

    _names: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def table(self) -> Any | None:
        return None

    def declared(self) -> Schema | None:
        return None
