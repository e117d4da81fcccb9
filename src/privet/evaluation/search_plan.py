"""What a private search would do, before it does it: what it tries, what that costs, who is held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.evaluation.settings import Settings
from privet.release import Guarantee

__all__ = ["SearchPlan"]


@dataclass(frozen=True)
class SearchPlan:
    """What is public about a search. ``trials`` is the mean of their number, ``price`` is that of one."""

    settings: Settings
    trials: float
    price: Any
    parts: int
    guarantee: Guarantee

    def lines(self) -> list[str]:
        """The plan for a reader."""
        settings, total, parts = self.settings, self.guarantee.amount, self.parts
        lines = [f"Settings that may be tried ({len(settings.tried)}):"]
        lines += [f"  {line}" for line in settings.lines()] or ["  the algorithm as it is"]
        if settings.left_out:
            lines.append(f"Left out ({len(settings.left_out)}), as the algorithm refuses them:")
            lines += [f"  {line}" for line in settings.left_out_lines()]
        lines += [
            f"Trials: about {self.trials:.3g}, each with one of the settings, drawn by chance. How many "
            "there are is random and stays secret.",
            f"Records: one in {parts}, drawn by chance, is held out for the scores; the others are learned "
            "from.",
            f"Budget: {total} in all, however many trials there are. Each trial has {self.price} for its "
            f"fit, and {self.price} for its score on the records held out.",
        ]
        return lines

    def to_dict(self) -> dict[str, Any]:
        return {
            "settings": [dict(setting) for setting in self.settings.tried],
            "left_out": [{"setting": dict(each), "why": why} for each, why in self.settings.left_out],
            "mean_trials": self.trials,
            "trial": {"epsilon": float(self.price.epsilon), "delta": float(self.price.delta)},
            "held_out": 1 / self.parts,
        }
