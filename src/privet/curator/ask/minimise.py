"""Minimise: weights near the minimum of a loss over the records."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.mechanisms.perturbed_minimum import ObjectivePerturbation, OutputPerturbation
from privet.release import Release, Step
from privet.schema import Schema

if TYPE_CHECKING:
    from privet.stats.linear.logistic_loss import LogisticLoss  # brings SciPy, which most runs do without

__all__ = ["Minimise", "Minimum"]


@dataclass(frozen=True)
class Minimum(Release):
    """The released weights, and the regularisation that they were found with: at least as asked for."""

    regularisation: Fraction = Fraction(0)

    @property
    def told(self) -> tuple[Any, ...]:
        return (self.value, self.regularisation)


@dataclass(frozen=True)
class Minimise(Question[Minimum]):
    """Weights near the minimum of the loss, by a tilt of the loss or by noise on its minimum.

    ``curvature_share`` is the part of a pure ε that the curvature of a tilted loss would cost by itself: more
    means a smaller regularisation and a larger tilt. Proof, and what it assumes:
    ``mechanisms.perturbed_minimum``.
    """

    loss: LogisticLoss
    how: Literal["objective", "output"]
    regularisation: Fraction
    what: str
    curvature_share: Fraction = Fraction(1, 8)

    caveats: ClassVar[tuple[str, ...]] = (
        "The proof assumes that the minimum can be found for every table. Where it cannot, as with very many "
        "records (millions; thousands where ε is large and the regularisation near 0), an error says so "
        "instead of a release, and that there was such an error is not protected.",
    )

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        l1, squared_l2 = self.loss.slope_norms(schema)
        size = self.loss.shape[0] * self.loss.shape[1]
        if self.how == "output":
            return OutputPerturbation(amount, size, l1, squared_l2, self.regularisation)
        curvature, rank = self.loss.curvature(schema)
        return ObjectivePerturbation(
            amount,
            size,
            l1,
            squared_l2,
            self.regularisation,
            curvature,
            rank,
            self.loss.classes,
            self.curvature_share,
            schema.unit.neighbours == "replace",
        )

    def feasible(self, amount: Pure | Zcdp, schema: Schema, records: int) -> bool:
        """Whether double precision is enough to minimise the tilted loss of about so many records.

        By what is public: the schema, the budget, and a number of records that is declared or was paid for;
        there is room for eight times as many, with weights of the order of 1.
        """
        tolerance = self.mechanism(amount, schema).tolerance
        return bool(self.loss.rounding(8 * records, margin=self.loss.encoding.l1) <= tolerance)

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Minimum:
        from privet.curator.minimum import minimum

        step = Step(self.what, mechanism.name, amount, mechanism.error(0.95), mechanism.unit)
        tilt = mechanism.tilt(exact.randomness)
        found = minimum(
            self.loss,
            exact.source,
            exact.schema,
            ridge=float(mechanism.regularisation),
            tilt=tilt.reshape(self.loss.shape),
            tolerance=mechanism.tolerance - mechanism.slack(tilt),
        )
        noisy = mechanism.release(found, exact.randomness)
        return Minimum(noisy, mechanism.standard_deviation, step.error, step, mechanism.regularisation)

    def log_ratio(self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: Any) -> float:
        from privet.curator.minimum import derivatives, minimum

        likely = []
        for exact in (first, second):
            ridge = float(mechanism.regularisation)
            if self.how == "output":
                flat = np.zeros(self.loss.shape)
                nearness = mechanism.tolerance
                found = minimum(
                    self.loss, exact.source, exact.schema, ridge=ridge, tilt=flat, tolerance=nearness
                )
                likely.append(mechanism.log_density(found, told.value))
            else:
                slope, bent = derivatives(self.loss, exact.source, exact.schema, ridge, told.value)
                likely.append(mechanism.log_density(slope, bent))
        return float(likely[0] - likely[1])
