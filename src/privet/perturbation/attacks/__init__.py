"""Attacks on perturbed tables, one a module: each estimates the records from what its attacker has.

They work on aligned matrices (record i of the release came from record i of the original), because that is
needed to score an attack; no attack uses the alignment beyond what its attacker is said to know.
"""
