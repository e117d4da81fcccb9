"""Something computed once from rows, for all statistics of one pass that need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from privet.stats.rows import Rows

__all__ = ["Last"]

Kept = TypeVar("Kept")


class Last(Generic[Kept]):
    """What was last computed for each batch of rows, and by whom; forgotten with the rows.

    It lives beside the statistics and not in them: a statistic is a value, which can be sent to other
    processes.
    """

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Rows, tuple[object, Kept]] = WeakKeyDictionary()

    def get(self, rows: Rows, owner: object, compute: Callable[[], Kept]) -> Kept:
        """What ``compute`` gives for these rows, from memory if the same owner asked last."""
        kept = self._kept.get(rows)
        if kept is None or kept[0] is not owner:
            kept = self._kept[rows] = (owner, compute())
        return kept[1]
