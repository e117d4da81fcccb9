"""Experiments: grids over epsilon, algorithms and data; the figures of the papers."""
