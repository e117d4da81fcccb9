"""What scores, diagnoses and comparisons of released models share: who pays, how much, and until when."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from privet.errors import ParameterError
from privet.service.building import schema_beside
from privet.service.common import (
    EngineName,
    Guesses,
    Known,
    OwnerSays,
    Public,
    Report,
    SeedNumber,
    Until,
    VerifyKey,
)
from privet.service.paying import Paid, until_in_words
from privet.service.reading import OfTable
from privet.service.reports import Reported, written
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.evaluation.score_goal import ScoreGoal
    from privet.release import Guarantee
    from privet.schema import Schema
    from privet.service.plans import Plan
    from privet.worlds import Guess

__all__ = ["Judging", "priced"]


def priced(epsilon: float | None, public: bool) -> None:
    """Refuse scores that are paid for and of public data, or neither."""
    if (epsilon is None) != public:
        raise ParameterError(
            "Scores either cost an epsilon or are of public data.", "Give one of the two, not both."
        )


@dataclass(frozen=True, kw_only=True)
class Judging(Paid, OfTable):
    """A released model is tried on a table; each use case declares its files in its own order."""

    epsilon: Annotated[float | None, "What the scores may cost (needed unless the data is public)."] = None
    delta: Annotated[float, "The cost's delta."] = 0.0
    until: Until = None
    accuracy: Known = None
    guess: Guesses = field(default_factory=dict)
    public: Public = False
    verify_key: VerifyKey = None
    output: Report = None
    engine: EngineName = "auto"
    seed: SeedNumber = None
    owner_says: OwnerSays = None

    doing: ClassVar[str] = "Evaluating"

    @property
    def always_planned(self) -> bool:  # type: ignore[override]  # the parameters do not say what is spent
        return self.accuracy is not None

    def plan(self, session: Session) -> Plan | None:
        """What it would cost, and how far each count may be off."""
        from privet.service.plans import planned

        epsilon = self._checked()
        if epsilon is None:
            return None
        cost = self._cost(epsilon)
        ledger = session.opened_ledger()
        self.require_columns(session, self._schema)
        return planned(self._what, cost, self._schema, None, ledger, self._how)

    def run(self, session: Session) -> Reported:
        epsilon = self._checked()
        if epsilon is not None:  # what cannot work fails before it is paid for
            self._cost(epsilon)
        with (
            self.paid(session, self._schema, self._what, public=self.public) as ledger,
            session.progress(self.doing, ""),
        ):
            found = self._found(
                self.opened(session, self._schema, self.engine, ledger),
                epsilon=epsilon,
                delta=self.delta,
                public=self.public,
                ledger=ledger,
                random_state=self.seed,
                until=self.until,
            )
        return written(self._result(found), self.output)

    def _checked(self) -> float | None:
        """The epsilon to pay with; None for public data. What contradicts itself is refused."""
        from privet.curator import require_pure

        if self.accuracy is None and self.guess:
            raise ParameterError("Guesses serve to reach an accuracy.", "Give one, too.")
        if self.accuracy is not None and (self.epsilon is not None or self.public or self.until is not None):
            raise ParameterError(
                "The accuracy of the figure was given, and an epsilon, where to stop or public data too.",
                "Give one of them.",
            )
        if self.until is not None:
            if self.public:
                raise ParameterError("Figures of public data are exact.", "Leave out where to stop.")
            require_pure(self.delta)
        epsilon = self.epsilon if self._goal is None else self._goal.epsilon
        priced(epsilon, self.public)
        return epsilon

    @cached_property
    def _goal(self) -> ScoreGoal | None:
        """The epsilon that was chosen for a goal; None if none was given."""
        from privet.worlds import Guess

        if self.accuracy is None:
            return None
        return self._reached(self.accuracy, Guess.from_text(self.guess))

    @property
    def _how(self) -> str:
        if self._goal is not None:
            return self._goal.why()
        return "" if self.until is None else until_in_words(f"the figure is off by at most {self.until:g}")

    @cached_property
    def _model(self) -> Any:
        return self._loaded(self.model)  # type: ignore[attr-defined]

    def _loaded(self, place: Path) -> Any:
        """A model for the people in the table: they pay and are protected, whomever it has learned from."""
        from privet.model import load_model
        from privet.schema import read_schema

        model = load_model(place, self.verify_key)
        beside = schema_beside(self.data)  # type: ignore[attr-defined]
        if beside.exists():
            people = read_schema(beside)
            dataset = people.dataset or model.schema_.dataset
            model.schema_ = replace(model.schema_, dataset=dataset, unit=people.unit)
        return model

    @property
    def _schema(self) -> Schema:
        schema: Schema = self._model.schema_
        return schema

    @property
    def _what(self) -> str:
        return f"evaluate {type(self._model).__name__}"

    def _reached(self, error: float, guess: Guess) -> ScoreGoal:
        """The epsilon for a figure that is off by at most so much."""
        raise NotImplementedError

    def _cost(self, epsilon: float) -> Guarantee:
        raise NotImplementedError

    def _found(self, table: Any, **paid: Any) -> Any:
        raise NotImplementedError

    def _result(self, found: Any) -> Reported:
        raise NotImplementedError
