"""Learners for tables that are public: they read every record as it is, and promise nothing."""
