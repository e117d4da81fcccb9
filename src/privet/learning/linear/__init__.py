"""What linear models share: the encoder, class sums, and the solvers that work on released numbers."""

from privet.learning.linear.encoder import Encoder

__all__ = ["Encoder"]
