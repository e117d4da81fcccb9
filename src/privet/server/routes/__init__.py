"""The routes, by subject. What each may be used by is in ``access``."""
