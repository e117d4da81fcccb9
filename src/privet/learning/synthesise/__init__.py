"""Private synthesisers: made-up records that are like the real ones."""

from privet.learning.synthesise.synthesiser import Synthesiser

__all__ = ["Synthesiser"]
