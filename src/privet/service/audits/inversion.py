"""The audit of a released model: what it gives away about a sensitive attribute."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le

from privet.parameters import Alias, ColumnOf, Confidence, File
from privet.service.case import UseCase
from privet.service.common import Data, ModelFile, Report, VerifyKey
from privet.service.reports import Reported, written
from privet.service.session import Session

__all__ = ["AuditInversion"]


@dataclass(frozen=True, kw_only=True)
class AuditInversion(UseCase):
    """Infer a sensitive attribute of known people from a released MODEL and the rest of their records.

    DATA is the table that the model learned from; others are records put aside beforehand. The result is
    computed from these records and is NOT private: it is for the owner of the data. Nothing is spent.
    """

    model: ModelFile
    data: Data
    attribute: Annotated[
        str, ColumnOf("data"), Alias("a"), "The sensitive attribute that the attacker infers."
    ]
    others: Annotated[Path | None, File(), "Records that the model did not learn from, to compare with."] = (
        None
    )
    beside: Annotated[
        Literal["logistic", "linear", "tree", "none"] | None,
        "A model without privacy, fitted on the table here, to show side by side: linear or tree for a "
        "number as the target, else logistic or tree (left out: logistic or linear).",
    ] = None
    records: Annotated[int, Ge(30), "Attack a sample of this many records."] = 5000
    bins: Annotated[int, Ge(2), Le(50), "Into how many parts a number is cut."] = 5
    confidence: Confidence = 0.95
    seed: Annotated[int | None, Ge(0), "The same sample again."] = None
    output: Annotated[Report, "Write an HTML report, and a JSON file beside it."] = None
    verify_key: VerifyKey = None

    def run(self, session: Session) -> Reported:
        from privet.audit.inversion.attack import audit_inversion

        models = self._models()
        schema = next(iter(models.values())).schema_
        with session.progress("Attacking", "attacks") as progress:
            found = audit_inversion(
                models,
                self.data,
                attribute=self.attribute,
                others=self.others,
                schema=schema,
                records=self.records,
                bins=self.bins,
                confidence=self.confidence,
                random_state=self.seed,
                progress=progress,
            )
        return written(Reported(found=found), self.output, figures=True)

    def _models(self) -> dict[str, Any]:
        """The model, and beside it one without privacy, each by words for it."""
        from privet.audit.inversion.attack import non_private_model
        from privet.audit.inversion.target import target_of
        from privet.model import load_model

        loaded = load_model(self.model, self.verify_key)
        name, guarantee = type(loaded).__name__, loaded.guarantee_
        target_of(loaded.schema_).require(name, loaded)
        models = {f"{name}, {guarantee.amount if guarantee.holds else 'no guarantee'}": loaded}
        if self.beside != "none":
            plain = non_private_model(self.data, loaded.schema_, self.beside, self.seed)
            models[f"{_words(plain)} without privacy"] = plain
        return models


def _words(pipeline: Any) -> str:
    """``LinearRegression`` at the end of a pipeline is a linear regression."""
    name = type(pipeline[-1]).__name__
    return "decision tree" if name.startswith("DecisionTree") else name.replace("Reg", " reg").lower()
