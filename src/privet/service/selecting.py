"""Choosing attributes: planned and paid for as a fit, shown as a table of what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from privet.parameters import Alias, File
from privet.service.fitting import Fit, Fitted
from privet.service.session import Session
from privet.service.text import columns

__all__ = ["Select", "Selected"]


@dataclass(frozen=True, kw_only=True)
class Select(Fit):
    """Choose the attributes of the table DATA that say most about its target, with noisy values."""

    algorithm: Annotated[str, "What chooses."] = "select-k-best"
    output: Annotated[
        Path | None, File("out", stdout=True), Alias("o"), "Where the choice goes, to be used again."
    ] = None

    def run(self, session: Session) -> Selected:
        fitted = super().run(session)
        return Selected(**vars(fitted))


@dataclass(frozen=True, kw_only=True)
class Selected(Fitted):
    """The chosen attributes, and noisy values of them if these were paid for."""

    @property
    def _values(self) -> list[Any]:
        values = getattr(self.model, "values_", None)
        return [None] * len(self.model.chosen_) if values is None else values.tolist()

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {
            "chosen": list(self.model.chosen_),
            "values": self._values,
            "error": getattr(self.model, "values_error_", None),
        }

    def headline(self) -> str:
        return ""

    def in_words(self) -> str:
        chosen = self.model.chosen_
        return f"Chosen: {', '.join(chosen)}." if chosen else "No attribute was chosen."

    def text(self) -> str:
        model = self.model
        criterion = getattr(model, "criterion", "")
        if not model.chosen_:  # k = 0, and none was counted
            return f"No attribute has p < {model.tau:g}.\n{self.guarantee.headline}"
        shown = ["" if v is None else ", ".join(f"{each:.4g}" for each in v) for v in self._values]
        if criterion == "odds_ratio" and model.values:
            shown = [str(ratio) for ratio in model.odds_ratios_]
        heads = ["attribute", criterion] if criterion else ["attribute"]
        rows = [[name, value][: len(heads)] for name, value in zip(model.chosen_, shown, strict=True)]
        lines = [columns(heads, rows)]
        if getattr(model, "values_error_", None) is not None:
            lines.append(f"Values are off by at most {model.values_error_:.3g} in 95 % of cases.")
        return "\n".join([*lines, self.guarantee.headline])
