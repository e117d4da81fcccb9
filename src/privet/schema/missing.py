"""The texts that stand for a missing value in a file."""

__all__ = ["MISSING_TEXTS"]

MISSING_TEXTS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
