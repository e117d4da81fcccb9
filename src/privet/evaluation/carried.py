"""What the parts of a process assume and do not cover, carried over to the guarantee of the whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from privet.release import Guarantee

__all__ = ["carrying"]

# Whether a ledger kept count is known of the whole, not of its parts, which it paid for.
_OF_THE_WHOLE = "Other releases"


def carrying(whole: Guarantee, parts: Iterable[Guarantee]) -> Guarantee:
    """The guarantee with what each part takes to be public, and with each caveat, once."""
    public, caveats = dict.fromkeys(whole.public), dict.fromkeys(whole.caveats)
    for part in parts:
        public |= dict.fromkeys(part.public)
        caveats |= dict.fromkeys(c for c in part.caveats if not c.startswith(_OF_THE_WHOLE))
    return replace(whole, public=tuple(public), caveats=tuple(caveats))
