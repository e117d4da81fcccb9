"""The parameters with which Zorarpacı's thesis ran its miners on its five sets (section 5.2, table 5.9)."""

from __future__ import annotations

from typing import Any, Literal

from privet.errors import ParameterError

__all__ = ["thesis_parameters"]

PER_CLASS = {"ecoli": 2, "iris": 6, "heart_statlog": 4, "breast_w": 3, "sonar": 10}
# α for clean records, and for records perturbed with ε = 1, 2 and 3; β is 1 − α everywhere.
ALPHA: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "one": {
        "ecoli": (0.4, 0.2, 0.3, 0.3),
        "iris": (0.4, 0.3, 0.3, 0.3),
        "heart_statlog": (0.3, 0.1, 0.2, 0.3),
        "sonar": (0.3, 0.1, 0.1, 0.2),
        "breast_w": (0.4, 0.2, 0.2, 0.2),
    },
    "several": {
        "ecoli": (0.4, 0.2, 0.3, 0.3),
        "iris": (0.4, 0.3, 0.3, 0.3),
        "heart_statlog": (0.3, 0.1, 0.1, 0.1),
        "sonar": (0.05, 0.05, 0.05, 0.05),
        "breast_w": (0.4, 0.2, 0.2, 0.2),
    },
}


def thesis_parameters(
    dataset: str, method: Literal["covering", "several", "one"], epsilon: Literal[1, 2, 3] | None = None
) -> dict[str, Any]:
    """Arguments for ``BeeRules``, as the thesis set them for a set; ``epsilon`` is that of its perturbation.

    >>> thesis_parameters("sonar", "several", epsilon=1)
    {'method': 'several', 'per_class': 10, 'alpha': 0.05, 'beta': 0.95}
    >>> thesis_parameters("iris", "covering")
    {'method': 'covering'}
    """
    if dataset not in PER_CLASS:
        raise ParameterError(
            "The thesis has no parameters for this set.", f"Give one of {', '.join(sorted(PER_CLASS))}."
        )
    if method == "covering":  # wLap has no weights
        return {"method": method}
    if method not in ALPHA or epsilon not in (None, 1, 2, 3):
        raise ParameterError(
            "The thesis has no parameters for this method and ε.",
            "Give 'covering', 'several' or 'one', and an ε of 1, 2 or 3, or none for clean records.",
        )
    alpha = ALPHA[method][dataset][epsilon or 0]
    rules = {"per_class": PER_CLASS[dataset]} if method == "several" else {}
    return {"method": method} | rules | {"alpha": alpha, "beta": round(1 - alpha, 2)}
