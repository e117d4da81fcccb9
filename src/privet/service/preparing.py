"""Preparing: bounds, cuts and domains that are bought, as a schema whose entries have a guarantee."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from privet.parameters import Alias, File
from privet.registry import algorithm as entry_of
from privet.service.common import Settings
from privet.service.fitting import Fit, Fitted
from privet.service.session import Session

__all__ = ["Prepare", "Prepared"]


@dataclass(frozen=True, kw_only=True)
class Prepare(Fit):
    """Measure the columns of the table DATA privately, and write a schema that holds what was bought."""

    stdout_name: ClassVar[str] = "prepared.schema.toml"

    algorithm: Annotated[str, "What prepares."]
    parameters: Settings = field(default_factory=dict)
    output: Annotated[
        Path | None, File("out", stdout=True, kept=True), Alias("o"), "Where the new schema goes."
    ] = None
    model: Annotated[Path | None, File("out"), "Where the preparer itself goes, with its guarantee."] = None

    def run(self, session: Session) -> Prepared:
        from privet.schema import write_schema
        from privet.service.outputs import check_place, save

        self._check_places()
        if self.model is not None:
            check_place(self.model, force=self.force)
        # The model's file is not the output here, so nothing but the schema is written to it.
        fitted = Fit.run(replace(self, output=None), session)
        if self.model is not None:
            save(fitted.model, self.model, key=self.sign_key)
        if self.output is not None:
            write_schema(fitted.model.schema_after(fitted.model.schema_), self.output)
        return Prepared(**vars(fitted) | {"place": self.output})


@dataclass(frozen=True, kw_only=True)
class Prepared(Fitted):
    """What was bought about the columns."""

    @property
    def remedy(self) -> str:  # type: ignore[override]
        return ""

    def headline(self) -> str:
        return f"{entry_of(self.algorithm).title}, learned with privacy"

    def to_dict(self) -> dict[str, Any]:
        after = self.model.schema_after(self.model.schema_)
        return super().to_dict() | {"schema": after.to_dict(), "words": self.model.in_words()}

    def text(self) -> str:
        lines = [f"{self.algorithm} has measured the table.", *self.model.in_words().splitlines()]
        if self.place:
            lines.append(f"The schema was written to {self.place}.")
        if self.model.changes_cells:
            lines.append("It changes cells, too: use it as a step of a flow or of a pipeline.")
        return "\n".join([*lines, self.guarantee.headline])
