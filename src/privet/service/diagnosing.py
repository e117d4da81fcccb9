"""Diagnostics of released models: curves, residuals, comparisons, and what a model rests on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge, Le

from privet.errors import ParameterError
from privet.parameters import Argument, File
from privet.service.case import UseCase
from privet.service.common import Data, ModelFile, Report, VerifyKey
from privet.service.judging import Judging
from privet.service.reports import Reported, written
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.evaluation.score_goal import ScoreGoal
    from privet.release import Guarantee
    from privet.report import Chart
    from privet.schema import Schema
    from privet.worlds import Guess

__all__ = ["CompareModels", "Diagnose", "Diagnosed", "ShowImportance"]


@dataclass(frozen=True, kw_only=True)
class Diagnosed(Reported):
    """Curves and figures with error bars, and their guarantee."""

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        found: Guarantee = self.found.guarantee
        return found

    def charts(self) -> tuple[Chart, ...]:
        charts: tuple[Chart, ...] = self.found.charts()
        return charts

    def in_words(self) -> str:
        return str(self.found.in_words())

    def facts(self) -> tuple[tuple[str, str], ...]:
        return tuple(self.found.lines())


@dataclass(frozen=True, kw_only=True)
class _Diagnosing(Judging):
    """What diagnosing one model and comparing two share."""

    doing: ClassVar[str] = "Diagnosing"

    def _result(self, found: Any) -> Diagnosed:
        return Diagnosed(found=found)


@dataclass(frozen=True, kw_only=True)
class Diagnose(_Diagnosing):
    """Draw the ROC curve, calibration and lift of a MODEL on the table DATA, or its residuals.

    One table and one payment carry all of it. A classifier's curves are about one class; a regression gets
    the histogram of how far off it is.
    """

    title: ClassVar[str] = "How a model fails"

    model: ModelFile
    data: Data
    positive: Annotated[str | None, "The class that the curves are about (left out: the last declared)."] = (
        None
    )
    bins: Annotated[int, Ge(3), Le(1000), "How many bins of scores: more show more, also of the noise."] = 32

    @property
    def _what(self) -> str:
        return f"diagnose {type(self._model).__name__}"

    def _reached(self, error: float, guess: Guess) -> ScoreGoal:
        from privet.evaluation.score_goal import epsilon_for_auc

        settings: dict[str, Any] = {"positive": self.positive, "bins": self.bins}
        return epsilon_for_auc(self._schema, error, guess, delta=self.delta, **settings)

    def _cost(self, epsilon: float) -> Guarantee:
        from privet.evaluation.diagnosis import diagnosis_cost
        from privet.evaluation.measures import measures_of

        measures_of(self._model)
        settings: dict[str, Any] = {"positive": self.positive, "bins": self.bins}
        return diagnosis_cost(self._schema, epsilon=epsilon, delta=self.delta, **settings)

    def _found(self, table: Any, **paid: Any) -> Any:
        from privet.evaluation.diagnosis import diagnose

        return diagnose(self._model, table, positive=self.positive, bins=self.bins, **paid)


@dataclass(frozen=True, kw_only=True)
class CompareModels(_Diagnosing):
    """Say which of two released models, MODEL or OTHER, predicts the table DATA better, and by how much.

    Both are tried on the same records, for the price of one evaluation.
    """

    title: ClassVar[str] = "Two models compared"

    model: ModelFile
    other: Annotated[Path, File(), Argument(), "The model to compare with."]
    data: Data

    @cached_property
    def _other(self) -> Any:
        return self._loaded(self.other)

    @cached_property
    def _schema(self) -> Schema:
        from privet.evaluation.diagnosis.two_models import shared_schema
        from privet.evaluation.measures import measures_of

        for model in (self._model, self._other):
            measures_of(model)
        return shared_schema(self._model.schema_, self._other.schema_)

    @property
    def _what(self) -> str:
        return f"compare {type(self._model).__name__} and {type(self._other).__name__}"

    def _reached(self, error: float, guess: Guess) -> ScoreGoal:
        from privet.evaluation.score_goal import epsilon_for_difference

        return epsilon_for_difference(self._schema, error, guess, delta=self.delta)

    def _cost(self, epsilon: float) -> Guarantee:
        from privet.evaluation.diagnosis import comparison_cost

        return comparison_cost(self._schema, epsilon=epsilon, delta=self.delta)

    def _found(self, table: Any, **paid: Any) -> Any:
        from privet.evaluation.diagnosis import compare_models

        names = (self.model.stem, self.other.stem)
        if names[0] == names[1]:
            names = (str(self.model), str(self.other))
        return compare_models(self._model, self._other, table, names=names, **paid)


@dataclass(frozen=True, kw_only=True)
class ShowImportance(UseCase):
    """Say how much a released MODEL loses when one attribute after the other is shuffled. Costs nothing.

    Only what was released already is used: the model's own tables where it has such, or a table.
    """

    model: ModelFile
    released: Annotated[
        Path | None,
        File(),
        "A table that was released already (a synthetic one) or that is public, never the private one; or a "
        "released synthesiser's file (.json).",
    ] = None
    repeats: Annotated[int, Ge(2), Le(1000), "How often each attribute is shuffled."] = 5
    seed: Annotated[int, Ge(0), "Shuffle in the same way again."] = 0
    verify_key: VerifyKey = None
    output: Report = None

    def run(self, session: Session) -> Weighed:
        from privet.evaluation.diagnosis import permutation_importance
        from privet.model import load_model

        model = load_model(self.model, self.verify_key)
        try:
            found = permutation_importance(model, self._records(model), repeats=self.repeats, seed=self.seed)
        except ParameterError as error:
            error.parameter = error.parameter or "released"
            raise
        return written(Weighed(found=found), self.output)

    def _records(self, model: Any) -> Any:
        """A table that was released, or a synthesiser that draws one; None if neither is named."""
        from privet.model import load_model
        from privet.service.tables import read_table

        if self.released is None or self.released.suffix != ".json":
            return None if self.released is None else read_table(self.released, model.schema_)
        found = load_model(self.released, self.verify_key)
        if not hasattr(found, "sample"):
            raise ParameterError(
                "The released model draws no records.", "Name a synthesiser's file, or a table."
            )
        return found


@dataclass(frozen=True, kw_only=True)
class Weighed(Reported):
    """How much each attribute adds to a model."""

    def charts(self) -> tuple[Chart, ...]:
        charts: tuple[Chart, ...] = self.found.charts()
        return charts
