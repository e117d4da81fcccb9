"""MASKS THAT CANCEL: key agreement, one-time streams and shared secrets, for sums that stay sums."""

from privet.masking.agreement import OneTimeKey, open_sealed, seal, shared_key
from privet.masking.shamir import joined, split
from privet.masking.streams import Masks, unmasking, words

__all__ = [
    "Masks",
    "OneTimeKey",
    "joined",
    "open_sealed",
    "seal",
    "shared_key",
    "split",
    "unmasking",
    "words",
]
