"""What happened to a table before ``fit``: what a private selector chose is known here, the rest cannot be.

A selector's output remembers, in this process, what was chosen and with which guarantee: a model that learns
from it has its schema cut to the chosen columns, and its guarantee carries what the selector's says. Nothing
that a frame merely claims about itself is believed.
"""

from __future__ import annotations

import hashlib
import json
import weakref
from dataclasses import dataclass
from typing import Any

from privet.curator.run import Run
from privet.curator.tables import is_table
from privet.release import BEFOREHAND, Guarantee
from privet.schema import Schema

__all__ = ["Selection", "admit_past", "remember", "selection_of"]

# A pandas frame carries its selection's token through slices and copies; other outputs are known as objects.
_TOKEN = "privet_selected"
_BY_TOKEN: dict[str, Selection] = {}
_BY_OBJECT: dict[int, tuple[weakref.ref[Any], Selection]] = {}


@dataclass(frozen=True)
class Selection:
    """The columns that a selector has left, in the order of its output, and the guarantee of its choice.

    ``schema`` is what a preparer has learned about them, with the same guarantee; None if it is as before.
    """

    names: tuple[str, ...]
    guarantee: Guarantee
    by: str
    schema: Schema | None = None

    @property
    def done(self) -> str:
        return "chosen" if self.schema is None else "prepared"

    @property
    def did(self) -> str:
        return "chose" if self.schema is None else "prepared"

    @property
    def token(self) -> str:
        whole: list[Any] = [self.names, self.guarantee.to_dict(), self.by]
        whole += [] if self.schema is None else [self.schema.to_dict()]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def remember(output: Any, selection: Selection) -> None:
    """Let this output of a selector be recognised for as long as it is there."""
    if hasattr(output, "attrs"):
        token = selection.token
        _BY_TOKEN[token] = selection
        output.attrs[_TOKEN] = token
        return
    key = id(output)
    try:
        reference = weakref.ref(output, lambda _: _BY_OBJECT.pop(key, None))
    except TypeError:  # some kinds of tables cannot be recognised; they are then like any other
        return
    _BY_OBJECT[key] = (reference, selection)


def selection_of(X: Any) -> Selection | None:
    """The selection that a table came out of, in this process; None if no private selector made it."""
    token = getattr(X, "attrs", {}).get(_TOKEN) if hasattr(X, "attrs") else None
    if isinstance(token, str):
        return _BY_TOKEN.get(token)
    reference, selection = _BY_OBJECT.get(id(X), (None, None))
    return selection if reference is not None and reference() is X else None


def admit_past(run: Run, X: Any) -> None:
    """Say in a run's guarantee what is known of the table's past, and that the rest of it is not covered."""
    if is_table(X):
        return
    run.admit(BEFOREHAND)
    selection = selection_of(X)
    if selection is None:
        return
    guarantee = selection.guarantee
    if guarantee.voided:
        reasons = " ".join(guarantee.voided)
        run.void(f"The columns were {selection.done} by {selection.by} without a guarantee: {reasons}")
    else:
        run.admit(
            f"That {selection.by} {selection.did} these columns: that has a guarantee of its own "
            f"({guarantee.amount}), and the two add up."
        )
    run.carry([guarantee])
