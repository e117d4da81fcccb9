"""A table of people who do not exist, for demonstrations, examples and tests."""
