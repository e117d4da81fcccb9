"""Looking at released models: what they were made with, and what they promise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privet.errors import ParameterError
from privet.parameters import Alias, Argument, File
from privet.service.case import Result, UseCase
from privet.service.common import VerifyKey
from privet.service.session import Session
from privet.service.text import columns

if TYPE_CHECKING:
    from privet.release import Guarantee
    from privet.report import Chart, Page
    from privet.report.weights import Weights

__all__ = ["ModelShown", "ShowModel"]

MOST_WEIGHTS = 20


@dataclass(frozen=True, kw_only=True)
class ShowModel(UseCase):
    """Show what a model was made with, what it learned as far as words can tell, and its guarantee."""

    file: Annotated[Path, File(), Argument(), "A released model."]
    verify_key: VerifyKey = None
    every: Annotated[bool, Alias("all"), f"All weights, not only the {MOST_WEIGHTS} largest."] = False
    output: Annotated[
        Path | None,
        File("out"),
        Alias("o"),
        "Draw what it learned: its first picture (.svg), or a report with all of them (.html).",
    ] = None

    def run(self, session: Session) -> ModelShown:
        from privet.model import load_model, model_to_dict
        from privet.report.weights import Weights

        model = load_model(self.file, self.verify_key)
        weights = Weights.of(model, model.schema_.target)
        most = None if self.every else MOST_WEIGHTS
        shown = ModelShown(
            self.file,
            model,
            model_to_dict(model),
            self.verify_key is not None,
            weights,
            None if weights is None else weights.first(most),
            self.output,
        )
        if self.output is not None:
            shown.draw(self.output)
        return shown


@dataclass(frozen=True)
class ModelShown(Result):
    """A released model: its document, and its weights (the largest of them apart) if it is linear."""

    place: Path
    model: Any
    document: dict[str, Any]
    checked: bool
    weights: Weights | None = None
    largest: Weights | None = None
    drawing: Path | None = None

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        found: Guarantee = self.model.guarantee_
        return found

    @property
    def algorithm(self) -> str:
        return str(self.document["algorithm"])

    @property
    def title(self) -> str:
        return f"{self.place.name}: {self.algorithm}"

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return (f"What it learned was drawn in {self.drawing}.",) if self.drawing else ()

    @property
    def _predicted(self) -> str | None:
        """What the model predicts, if it does: clusters and made-up records may have a target, too."""
        target: str | None = self.model.schema_.target
        return target if self.model.family in ("classify", "regress", "stream") else None

    def charts(self) -> tuple[Chart, ...]:
        if self.largest is not None:
            return (self.largest.chart(),)
        found: tuple[Chart, ...] = self.model.pictures()
        return found

    def draw(self, place: Path) -> None:
        """Write the first chart (``.svg``), or a report with all of them (``.html``)."""
        if place.suffix.lower() not in (".svg", ".html", ".htm"):
            raise ParameterError(
                f"{place.name} is neither a drawing nor a report.",
                "Name a file that ends in .svg or in .html.",
            )
        if not self.charts():
            raise ParameterError(
                f"A model of {self.algorithm} has nothing to draw.", "Do not ask for a drawing."
            )
        if place.suffix.lower() == ".svg":
            place.write_text(self.charts()[0].svg() + "\n", encoding="utf-8")
        else:
            self.page().write(place)

    @property
    def remedy(self) -> str:  # type: ignore[override]
        return "show-every-weight" if self._hidden else ""

    @property
    def _hidden(self) -> int:
        """How many weights are not shown."""
        if self.weights is None or self.largest is None:
            return 0
        return len(self.weights.names) - len(self.largest.names)

    def to_dict(self) -> dict[str, Any]:
        found = {key: self.document[key] for key in ("algorithm", "parameters", "guarantee", "schema")}
        if self.weights is not None:
            found["weights"] = self.weights.to_dict()
        if words := self.model.in_words():
            found["in_words"] = words
        return found | {"signature_checked": self.checked}

    def text(self) -> str:
        schema, parameters = self.model.schema_, self.document["parameters"]
        about = f"{self.algorithm}, of {len(schema.columns)} columns"
        if self._predicted is not None:
            about = f"{self.algorithm}, predicts '{self._predicted}' from {len(schema.attributes)} attributes"
        lines = [
            f"{self.place}: {about}.",
            "Parameters: " + ", ".join(f"{name} = {value}" for name, value in parameters.items()),
        ]
        if explanation := getattr(self.model, "explanation_", ""):
            lines.append(f"How: {explanation}")
        lines.append(f"Signature: {'checked' if self.checked else 'not checked'}.\n")
        if self.largest is not None:
            lines += [*self._weights(self.largest), ""]
        if words := self.model.in_words():
            lines += [words, ""]
        return "\n".join([*lines, self.guarantee.text()])

    def _weights(self, shown: Weights) -> list[str]:
        from privet.report.weights import NO_ERROR_BARS

        heading = "Weights, the largest first" + ("" if shown.errors is None else " (± for the noise, 95 %)")
        rows = [[name, *shown.cells(row)] for row, name in enumerate(shown.names)]
        lines = [f"{heading}:", columns(["coordinate", *shown.heads], rows)]
        if self._hidden:
            lines.append(f"… and {self._hidden:,} more.")
        return [*lines, shown.meaning, *([NO_ERROR_BARS] if shown.errors is None else [])]

    def page(self) -> Page:
        from privet.report import Page

        target = self._predicted
        page = Page(self.title, self.guarantee.headline if target is None else f"Predicts '{target}'.")
        section = page.section("What was learned")
        if words := self.model.in_words():
            section.code(words)
        for chart in self.charts():
            section.chart(chart)
        page.section("Guarantee").prose(self.guarantee.text())
        return page
