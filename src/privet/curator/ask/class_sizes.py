"""ClassSizes: how many records each class has, exactly, where the owner has declared the class public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.errors import ParameterError, SchemaError
from privet.release import Step
from privet.schema import Schema
from privet.stats import Contingency, Statistic

__all__ = ["ClassSizes", "Sizes"]


@dataclass(frozen=True)
class Sizes:
    """How many records each class has."""

    value: NDArray[np.int64]

    steps: ClassVar[tuple[Step, ...]] = ()

    @property
    def told(self) -> tuple[Any, ...]:
        return (self.value,)


@dataclass(frozen=True)
class ClassSizes(Question[Sizes]):
    """The exact sizes of the classes of ``target``; ``because`` says what takes the class to be public.

    It costs nothing, and the guarantee says that the class of every record was taken to be public. Nothing
    is proved where the number of records itself is private, so the unit of privacy must be ``replace``, and a
    record: which records of a person are counted can depend on what they hold. As it is about public things
    only, it may be asked before a run is opened: a refusal then costs nothing.
    """

    target: str
    because: str

    free: ClassVar[bool] = True
    caveats: ClassVar[tuple[str, ...]] = (
        "That a record is of one class and not of another: records are protected within it.",
    )

    @property
    def assumed(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        return (("the class of every record, and so how many each class has", self.because),)

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (Contingency(None, self.target),)

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        if self.target != schema.target:
            raise ParameterError("The sizes of the target's classes are public, and of no other column.")
        if schema.unit.neighbours != "replace":
            raise SchemaError(
                "The sizes of the classes are private: the schema's unit of privacy (add_remove) keeps the "
                "number of records private.",
                'Set  neighbours = "replace"  under [unit], or ask with noise.',
            )
        if schema.unit.id is not None:
            raise SchemaError(
                "The sizes of the classes are private: a person who is exchanged for another may have more "
                "records or fewer.",
                "Protect single records (no  id  under [unit]), or ask with noise.",
            )
        return None

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Sizes:
        return Sizes(exact.answers[0][0])
