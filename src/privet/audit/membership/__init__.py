"""Attacks that tell who is in a table from what is known of it."""
