"""Attacks on perturbed tables: how much of the original comes back."""
