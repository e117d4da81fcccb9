"""Attacks on perturbed tables, one a module: each takes what its attacker would have, and estimates the records.

They work on aligned matrices (record i of the release came from record i of the original), because that is
needed to score an attack; no attack uses the alignment beyond what its attacker is said to know.
"""
