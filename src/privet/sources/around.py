"""A source around another one, which decides still what its rows may be used for."""

from __future__ import annotations

from typing import Any

__all__ = ["Around"]


class Around:
    """A source that changes or checks the rows of another: their order, and whose they are, stay."""

    def __init__(self, source: Any) -> None:
        self._source = source

    @property
    def names(self) -> tuple[str, ...]:
        names: tuple[str, ...] = self._source.names
        return names

    @property
    def ordered(self) -> bool:
        """Whether its rows have an order, which decides whose records stay (``stats.contribution``)."""
        return getattr(self._source, "ordered", True)

    def require_exact(self, name: str | None) -> None:
        """Refuse a column as a person's id if the source underneath does."""
        if (require := getattr(self._source, "require_exact", None)) is not None:
            require(name)
