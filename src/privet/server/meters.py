"""A budget as a bar: which shares of it are spent, asked for and left."""

from __future__ import annotations

from privet.budget import Amount, Zcdp
from privet.server.shapes import Meter

__all__ = ["meter_of"]


def _size(amount: Amount | None) -> float:
    if amount is None:
        return 0.0
    return float(amount.rho) if isinstance(amount, Zcdp) else float(amount.epsilon)


def meter_of(limit: Amount | None, spent: Amount | None, asked: Amount | None = None) -> Meter:
    """Shares of the limit in percent, for a picture; what does not fit is cut off at its end.

    >>> from privet.budget import budget
    >>> meter_of(budget(2.0), budget(0.5), budget(1.0))
    Meter(spent=25.0, this=50.0, left=25.0)
    >>> meter_of(budget(1.0), budget(0.5), budget(9.0))
    Meter(spent=50.0, this=50.0, left=0.0)
    """
    whole = _size(limit)
    if whole <= 0:
        return Meter(spent=100.0, this=0.0, left=0.0)
    spent_share = min(100.0, 100.0 * _size(spent) / whole)
    this = min(100.0 - spent_share, 100.0 * _size(asked) / whole)
    return Meter(spent=round(spent_share, 2), this=round(this, 2), left=round(100.0 - spent_share - this, 2))
