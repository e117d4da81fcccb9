"""``privet cross-validate``."""
