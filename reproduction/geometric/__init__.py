"""Geometric data perturbation: the published tables, attacks on every variant, and streams."""
