"""What the choices among algorithms share: another algorithm learns, and this one stands for it.

Which one learns is chosen from the parameters and the schema alone, for nothing, and a plan names it.

**Privacy.** The choice depends on what is public. What was chosen asks the curator for everything, with its
own proof.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from privet.budget import Approximate, Pure
from privet.curator import Curator
from privet.parameters import Records, parameters_of, with_parameters
from privet.schema import Schema

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["ASSUMED_RECORDS", "Choosing"]

ASSUMED_RECORDS = 5000


@with_parameters
class Choosing:
    """Base of the choices: beside it stands the base class of their family.

    Subclasses declare which values ``learner`` may have; ``auto`` leaves the choice to ``_suited``.
    """

    #: The algorithms by their registered names.
    learners: ClassVar[Mapping[str, type[Any]]]

    learner: Annotated[str, "Which algorithm learns."] = "auto"
    records: Records = None

    @abstractmethod
    def _suited(self, known: float) -> tuple[str, str]:
        """The learner that suits what is public, and what speaks for it; ``known`` is ε times the records."""

    @abstractmethod
    def _require(self, schema: Schema) -> None:
        """Refuse a target of another kind."""

    def _choice(self) -> tuple[str, str]:
        """The learner, and why: from what is public."""
        if self.learner != "auto":
            return self.learner, "as asked for"
        records, epsilon = self.records or ASSUMED_RECORDS, float(self.epsilon)  # type: ignore[attr-defined]
        learner, why = self._suited(records * epsilon)
        said = "declared" if self.records else "assumed: declare them"
        return learner, f"because about {records:,} records ({said}) at an epsilon of {epsilon:g} {why}"

    def _learning(self) -> Any:
        """The chosen learner, not fitted, with what it takes of this one's parameters."""
        kind = self.learners[self._choice()[0]]
        taken = {parameter.name for parameter in parameters_of(kind)}
        given = ("epsilon", "delta", "schema", "records")
        return kind(**{name: getattr(self, name) for name in given if name in taken})

    def _amount(self) -> Pure | Approximate:
        found: Pure | Approximate = self._learning()._amount()
        return found

    def _fit(self, curator: Curator) -> None:
        self._require(curator.schema)
        inner = self._learning()
        inner._fit(curator)
        self.learner_, why = self._choice()
        self.learned_ = {name: value for name, value in vars(inner).items() if name.endswith("_")}
        told = getattr(inner, "explanation_", "")
        self.explanation_ = " ".join(filter(None, (f"{self.learner_} was chosen, {why}.", told)))

    def _foreseen(self) -> str:
        learner, why = self._choice()
        return " ".join(filter(None, (f"{learner} will learn, {why}.", self.best_estimator_._foreseen())))

    @property
    def best_estimator_(self) -> Any:
        """The fitted model that was chosen, with the guarantee of this fit."""
        given = {name: getattr(self, name) for name in ("epsilon", "delta", "schema")}
        model = self.learners[self.learner_](**given)
        of_the_table = ("schema_", "guarantee_", "columns_", "n_features_in_", "feature_names_in_")
        known = {name: getattr(self, name) for name in of_the_table if hasattr(self, name)}
        for name, value in {**known, **self.learned_}.items():
            setattr(model, name, value)
        return model

    def in_words(self) -> str:
        """What was chosen, and what it has learned, for a reader."""
        chosen = "" if self.learner != "auto" else f"It chose: {self.learner_.replace('-', ' ')}.\n"
        return chosen + str(self.best_estimator_.in_words())

    def pictures(self) -> tuple[Chart, ...]:
        """What the chosen learner has learned, as charts."""
        found: tuple[Chart, ...] = self.best_estimator_.pictures()
        return found
