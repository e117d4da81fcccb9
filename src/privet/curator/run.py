"""THE ONE DOOR: exact answers exist only here, between the engine and the mechanism.

A curator is opened on a table with a budget. It reserves the whole budget in the ledger before a row is
read, lets algorithms measure until the budget is used up, and commits with the guarantee when it is closed.
Selection, learning and evaluation are written against it alone: they never see a row, cannot forget to
pay, and cannot spend more than was reserved.

**Privacy.** Every measurement adds integer noise calibrated to the statistic's sensitivity for the schema's
unit of privacy (proof: ``stats.base`` and the mechanism). The measurements compose sequentially: in pure ε
their epsilons add up; under (ε, δ) their zCDP ρ add up to at most ``rho_for(ε, δ)``. Adaptive choices by
the algorithm between two measurements depend only on released values, which composition allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
from numpy.typing import NDArray

from privet.budget import (
    Approximate,
    Event,
    GaussianEvent,
    Ledger,
    Pure,
    PureEvent,
    Reservation,
    Zcdp,
    rho_for,
)
from privet.engines import Engine, GenotypeEngine, engine_for
from privet.engines.held import HeldEngine
from privet.errors import ParameterError, PrivetError
from privet.mechanisms import BlockAggregate, Exponential, PermuteAndFlip, TopK, noise_for
from privet.mechanisms.perturbed_minimum import ObjectivePerturbation, OutputPerturbation
from privet.mechanisms.top_k import How
from privet.randomness import Randomness, secure
from privet.release import Guarantee, Release, Step, public_knowledge
from privet.schema import Schema, draft
from privet.sources import ArrowSource, GenotypeSource, Source, TableSource, fingerprint, open_source
from privet.sources import as_source as in_memory
from privet.stats import Answer, Judgement, Rows, Scores, Statistic

if TYPE_CHECKING:
    from privet.stats.linear.logistic_loss import LogisticLoss  # brings SciPy, which most runs do without

__all__ = ["Curator", "Measurement", "read_rows"]

_CAVEATS = (
    "A table that does not fit its schema is refused; that there was such a refusal is not protected.",
    "How long the computation took is not protected.",
)
_FUNCTION_CAVEATS = (
    "Blocks on which the function failed or took too long count as the middle of each range, and how many "
    "did is not told. A function that comes close to its limit of time can fail because the machine is busy, "
    "also with other blocks: one made to do so could tell of another block.",
    "The error covers the noise only, not how much the function's outputs differ from block to block.",
)
_CLOSED_CAVEAT = (
    "The function ran without the rights of this user: it could reach no file, network, process or clock. "
    "That the operating system keeps it so, and that installed packages hold none of the data, is trusted."
)
_OPEN_CAVEAT = (
    "The function ran with the rights of this user and could reach {}. A function that reads records there, "
    "or passes on to other blocks what it saw in one, voids this guarantee. Read it before you run it."
)
#: A run that failed keeps its reservation: data was read, so the budget counts as spent.
STAYS = "What was reserved stays spent."
_SOLVER_CAVEAT = (
    "The proof assumes that the minimum can be found for every table. Where it cannot, as with very many "
    "records (millions; thousands where ε is large and the regularisation near 0), an error says so instead "
    "of a release, and that there was such an error is not protected."
)


@dataclass(frozen=True)
class Measurement:
    """A statistic to be measured, and its share of the curator's budget."""

    statistic: Statistic
    share: Fraction
    what: str


class Curator:
    """Guards one table during one run. Use as a context manager.

    >>> from privet.budget import budget
    >>> from privet.stats import Contingency
    >>> schema = Schema.of({"ill": ["no", "yes"]}, target="ill")
    >>> table = pa.table({"ill": ["no"] * 900 + ["yes"] * 100})
    >>> with Curator(table, schema, budget(1.0)) as curator:
    ...     [counts] = curator.measure([Measurement(Contingency(None, "ill"), Fraction(1), "class counts")])
    >>> counts.value.shape, counts.step.mechanism
    ((1, 2), 'geometric noise')
    """

    def __init__(
        self,
        data: Any,
        schema: Schema,
        amount: Pure | Approximate,
        *,
        ledger: Ledger | None = None,
        randomness: Randomness | None = None,
        inferred: bool = False,
        what: str = "a measurement",
        engine: Engine | None = None,
    ) -> None:
        if not inferred:
            schema.require_confirmed()
        self.schema = schema
        self.amount = amount
        self.randomness = randomness or secure()
        self._source = as_source(data)
        self._engine = engine or engine_for(self._source)
        self._ledger = ledger
        self._what = what
        self._inferred = inferred
        self._left = Fraction(1)
        self._open = False
        self._steps: list[Step] = []
        self._caveats: list[str] = []
        self._assumed: list[tuple[str, str]] = []
        # The currency in which shares add up: ε itself, or ρ where δ allows Gaussian noise.
        self.currency = currency_of(amount)

    def __enter__(self) -> Curator:
        self._reservation = reserve(
            self._source,
            self.schema,
            event_of(self.currency, self._what),
            ledger=self._ledger,
            guaranteed=self.randomness.secure and not self._inferred,
            what=self._what,
            asked=self.amount,
        )
        self._open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if self._ledger is None or self._reservation is None:
            return
        if kind is None:
            self._ledger.commit(self._reservation, self.guarantee.to_dict())
        elif isinstance(error, PrivetError):
            error.add(STAYS)

    def _spend(self, shares: Sequence[Fraction]) -> list[Pure | Zcdp]:
        """Take these shares of the run's budget; every way to an exact answer starts here."""
        if not self._open:
            raise ParameterError(
                "This run is not open: its budget has not been reserved, or it is over.",
                "Measure inside  with Curator(…) as curator:",
            )
        if any(share <= 0 for share in shares):
            raise ParameterError("Every measurement needs a positive share of the budget, and none is left.")
        total = sum(shares, start=Fraction(0))
        if total > self._left:
            raise ParameterError(
                f"These measurements ask for {float(total):.3g} of the run's budget, and only "
                f"{float(self._left):.3g} is left."
            )
        self._left -= total
        return [self.currency.share(share) for share in shares]

    @property
    def left(self) -> Fraction:
        """The share of the budget that has not been spent."""
        return self._left

    def hold(self) -> None:
        """Keep the coded table in memory from here on, for a search that asks of it thousands of times."""
        self._engine = HeldEngine()

    def measure(self, measurements: Sequence[Measurement]) -> list[Release]:
        """Answer all of these in one pass over the table, each with noise for its share of the budget."""
        amounts = self._spend([m.share for m in measurements])
        sensitivities = [m.statistic.sensitivity(self.schema) for m in measurements]
        mechanisms = [noise_for(a, s.l1, s.squared_l2) for a, s in zip(amounts, sensitivities, strict=True)]
        answers = self._engine.answer([m.statistic for m in measurements], self._source, self.schema)
        releases = []
        for m, amount, mechanism, answer in zip(measurements, amounts, mechanisms, answers, strict=True):
            error = mechanism.error(0.95) / m.statistic.scale
            step = Step(m.what, f"{mechanism.event.mechanism} noise", amount, error, m.statistic.unit)
            noisy: NDArray[Any] = mechanism.randomise(answer, self.randomness)
            if m.statistic.scale != 1:
                noisy = noisy / m.statistic.scale
            releases.append(Release(noisy, mechanism.standard_deviation / m.statistic.scale, error, step))
        self._steps += [release.step for release in releases]
        return releases

    def choose(
        self,
        scores: Scores,
        share: Fraction,
        what: str,
        mechanism: Literal["permute-and-flip", "exponential"] = "permute-and-flip",
    ) -> list[int]:
        """Choose a candidate with a high score, in each group; the scores themselves stay here.

        The share pays for all groups together (proof: ``stats.scores``). Under zCDP it is always the
        exponential mechanism: ρ = ε²/8 is proved for it alone, and buys twice the ε of pure ε's ρ = ε²/2.
        """
        [amount] = self._spend([share])
        pure = isinstance(amount, Pure)
        epsilon = amount.epsilon if isinstance(amount, Pure) else _root(8 * amount.rho)
        kind = PermuteAndFlip if pure and mechanism == "permute-and-flip" else Exponential
        # "monotonic" is what makes the scale Δ/ε; both neighbours' directions are in the sensitivity already.
        chooser = kind(epsilon, Fraction(scores.sensitivity(self.schema)), monotonic=True)
        answers = self._engine.answer(scores.statistics, self._source, self.schema)
        groups = scores.groups(answers, self.schema)
        error = chooser.error(max(group.size for group in groups)) / scores.scale
        self._steps.append(
            Step(what, f"{chooser.event.mechanism} choice", amount, error, "records from the best")
        )
        return [chooser.choose(group, self.randomness) for group in groups]

    def minimise(
        self,
        loss: LogisticLoss,
        how: Literal["objective", "output"],
        regularisation: Fraction,
        what: str,
        share: Fraction = Fraction(1, 8),
    ) -> tuple[Release, Fraction]:
        """Weights near the minimum of the loss, and the regularisation that was used (at least as asked).

        ``share`` is the part of a pure ε that the curvature of a tilted loss would cost by itself: more means
        a smaller regularisation and a larger tilt. All that is left of the budget is spent. Proof, and what
        it assumes: ``mechanisms.perturbed_minimum``.
        """
        from privet.curator.minimum import minimum

        [amount] = self._spend([self._left])
        mechanism = self._perturbation(amount, loss, how, regularisation, share)
        step = Step(what, mechanism.name, amount, mechanism.error(0.95), mechanism.unit)
        tilt = mechanism.tilt(self.randomness)
        exact = minimum(
            loss,
            self._source,
            self.schema,
            ridge=float(mechanism.regularisation),
            tilt=tilt.reshape(loss.shape),
            tolerance=mechanism.tolerance - mechanism.slack(tilt),
        )
        self._steps.append(step)
        self._caveats.append(_SOLVER_CAVEAT)
        noisy = mechanism.release(exact, self.randomness)
        return Release(noisy, mechanism.standard_deviation, step.error, step), mechanism.regularisation

    def _perturbation(
        self,
        amount: Pure | Zcdp,
        loss: LogisticLoss,
        how: Literal["objective", "output"],
        regularisation: Fraction,
        share: Fraction,
    ) -> OutputPerturbation:
        l1, squared_l2 = loss.slope_norms(self.schema)
        size = loss.shape[0] * loss.shape[1]
        if how == "output":
            return OutputPerturbation(amount, size, l1, squared_l2, regularisation)
        curvature, rank = loss.curvature(self.schema)
        return ObjectivePerturbation(
            amount,
            size,
            l1,
            squared_l2,
            regularisation,
            curvature,
            rank,
            loss.classes,
            share,
            self.schema.unit.neighbours == "replace",
        )

    def can_minimise(
        self, loss: LogisticLoss, regularisation: Fraction, share: Fraction, records: int
    ) -> bool:
        """Whether double precision is enough to minimise the tilted loss of about so many records.

        By what is public: the schema, the budget, and a number of records that is declared or was paid for;
        there is room for eight times as many, with weights of the order of 1.
        """
        amount = self.currency.share(self._left)
        mechanism = self._perturbation(amount, loss, "objective", regularisation, share)
        return loss.rounding(8 * records, margin=loss.encoding.l1) <= mechanism.tolerance

    def sample_and_aggregate(
        self,
        function: Callable[[Any], Any],
        low: Sequence[float],
        high: Sequence[float],
        *,
        blocks: int,
        timeout: float,
        how: Literal["mean", "median"] = "mean",
        as_pandas: bool = True,
        isolation: Literal["full", "available"] = "full",
        rehearsal: int = 100,
        what: str = "the function's outputs",
    ) -> Release:
        """A user's function on disjoint random blocks, and the private aggregate of what it returns.

        All that is left of the budget is spent. The value says where in its range, from ``low`` (0) to
        ``high`` (1), each output lies. Proofs: ``isolation.blocks`` (one unit of privacy changes one row of
        the outputs) and ``mechanisms.block_aggregate`` (what is released when one row changes).
        """
        from privet.isolation.blocks import GRID, BlockFunction
        from privet.isolation.cell import left_open

        [amount] = self._spend([self._left])
        mechanism = BlockAggregate(amount, blocks, len(low), GRID, how)
        exact = BlockFunction(function, tuple(low), tuple(high), timeout, as_pandas, isolation, rehearsal)
        outputs = exact.outputs(self._source, self.schema, blocks, self.randomness)
        error = mechanism.error(0.95)
        step = Step(what, mechanism.name, amount, error, "declared ranges")
        self._steps.append(step)
        self._caveats += [_OPEN_CAVEAT.format(left) if (left := left_open()) else _CLOSED_CAVEAT]
        self._caveats += _FUNCTION_CAVEATS
        self._assumed.append(("the ranges of the function's outputs, and the number of blocks", "declared"))
        self._assumed.append(("the function's code, and the values that it holds", "declared"))
        return Release(
            mechanism.randomise(outputs, self.randomness), mechanism.standard_deviation, error, step
        )

    def select(
        self,
        statistics: Sequence[Statistic],
        judge: Callable[[list[Answer]], Judgement],
        *,
        k: int,
        how: How,
        share: Fraction,
        what: str,
        values_share: Fraction | None = None,
    ) -> tuple[NDArray[Any], Release | None]:
        """The k best candidates by scores that ``judge`` makes of exact answers, and noisy values of these k.

        The scores never leave: ``TopK`` chooses by them (its proof), for ``share`` of the budget. With
        ``values_share``, what ``judge`` allows to be told of the chosen k is released with noise for k times
        the sensitivity of one, since one unit of privacy can change them all.
        """
        shares = [share] if values_share is None else [share, values_share]
        amounts = self._spend(shares)
        judged = judge(self._engine.answer(statistics, self._source, self.schema))
        choice = TopK(amounts[0], k, judged.sensitivity, how, judged.monotonic)
        chosen = choice.choose(judged.scores, self.randomness)
        error = choice.error(len(judged.scores)) / judged.scale
        self._steps.append(Step(what, f"top {k} by {how.replace('_', '-')}", amounts[0], error, judged.unit))
        if values_share is None:
            return chosen, None
        noise = noise_for(amounts[1], k * judged.l1, k * judged.squared_l2)
        error = noise.error(0.95) / judged.scale
        step = Step(
            f"values of the {k} chosen", f"{noise.event.mechanism} noise", amounts[1], error, judged.unit
        )
        noisy = noise.randomise(judged.values[chosen], self.randomness) / judged.scale
        self._steps.append(step)
        return chosen, Release(noisy, noise.standard_deviation / judged.scale, error, step)

    def assume(self, what: str, origin: str) -> None:
        """Say in the guarantee that something is taken to be public, and where that comes from."""
        self._assumed.append((what, origin))

    def admit(self, caveat: str) -> None:
        """Say in the guarantee what it does not cover."""
        self._caveats.append(caveat)

    @property
    def guarantee(self) -> Guarantee:
        """What has been promised so far."""
        promised = promise(
            self.schema,
            self.amount,
            self._steps,
            seeded=not self.randomness.secure,
            inferred=self._inferred,
            counted=self._ledger is not None,
        )
        return replace(
            promised,
            public=(*promised.public, *self._assumed),
            caveats=(*promised.caveats, *self._caveats),
        )


def currency_of(amount: Pure | Approximate) -> Pure | Zcdp:
    """The currency in which parts of an amount add up: ε itself, or ρ where δ allows Gaussian noise."""
    return amount if isinstance(amount, Pure) else Zcdp(rho_for(amount.epsilon, amount.delta))


def _root(square: Fraction) -> Fraction:
    """The square root, rounded down to a multiple of 2⁻⁶⁴."""
    return Fraction(math.isqrt(square.numerator * 2**128 // square.denominator), 2**64)


def event_of(currency: Pure | Zcdp, what: str) -> PureEvent | GaussianEvent:
    """What spending this is to a ledger."""
    if isinstance(currency, Pure):
        return PureEvent(currency.epsilon, what)
    return GaussianEvent(currency.rho, what)


def reserve(
    source: Source,
    schema: Schema,
    event: Event,
    *,
    ledger: Ledger | None,
    guaranteed: bool,
    what: str,
    asked: Pure | Approximate | None = None,
) -> Reservation | None:
    """Set the budget of a run aside: of one curator, or of a whole process whose curators have no ledger.

    ``asked`` is the budget as the user gave it, for the words of a refusal.
    """
    if ledger is None:
        return None
    if not guaranteed:
        raise ParameterError(
            "A run without a guarantee (seeded noise, or a schema read off the data) cannot be "
            "paid for from a ledger: its cost is unlimited.",
            "Leave random_state at None and declare the schema, or work without the ledger on data "
            "that is public.",
        )
    dataset = ledger.account_for(fingerprint(source), schema.dataset)
    return ledger.reserve(dataset, event, unit=schema.unit, what=what, asked=asked)


@contextmanager
def standing(reservation: Reservation | None) -> Iterator[None]:
    """A process that fails keeps its reservation, since data was read; its error says so."""
    try:
        yield
    except PrivetError as error:
        if reservation is not None:
            error.add(STAYS)
        raise


def promise(
    schema: Schema,
    amount: Pure | Approximate,
    steps: Sequence[Step],
    *,
    seeded: bool = False,
    inferred: bool = False,
    counted: bool = False,
) -> Guarantee:
    """The guarantee of a run with these steps; ``counted`` says that a ledger kept count of it."""
    voided = []
    if seeded:
        voided.append("The noise was drawn from a seed: whoever has it can take the noise away.")
    if inferred:
        voided.append("Bounds and domains were read off the data, so they and what follows give people away.")
    caveats = list(_CAVEATS)
    if not counted:
        caveats.append("Other releases from the same people: no ledger kept count of them.")
    return Guarantee(
        amount, schema.unit, tuple(steps), public_knowledge(schema), tuple(caveats), tuple(voided)
    )


def genotype_engine(watch: Callable[[int, int | None], None] | None = None) -> Engine:
    """The engine for packed genotypes; ``watch`` is told how many variants are done."""
    return GenotypeEngine(watch)


def public_answers(data: Any, schema: Schema, statistics: Sequence[Statistic]) -> list[NDArray[Any]]:
    """Exact answers, for a table whose owner has declared it *public*: no noise, no budget, no guarantee."""
    source = as_source(data)
    answers = engine_for(source).answer(statistics, source, schema)
    return [a if s.scale == 1 else a / s.scale for s, a in zip(statistics, answers, strict=True)]


def is_table(data: Any) -> bool:
    """Whether this is a table by itself (a file, a source, a database table) rather than arrays."""
    return isinstance(data, str | Path | Source) or hasattr(data, "to_pyarrow_batches")


def as_source(
    data: Any,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
    target: str | None = None,
    schema: Schema | None = None,
) -> Source:
    """The source that arrays, a frame, a file or a database table stand for."""
    if isinstance(data, GenotypeSource):  # asking a protocol would list a genome's names
        return data
    if isinstance(data, str | Path):
        return open_source(data, schema)
    if hasattr(data, "to_pyarrow_batches"):
        return TableSource(data)
    return in_memory(data, y, names=names, target=target)


def read_rows(data: Any, schema: Schema, names: Sequence[str] | None = None) -> Iterator[Rows]:
    """Records to be predicted, through the schema. Unknown categories count as missing: none is learned."""
    source = as_source(data, names=names, schema=schema)
    wanted = [column.name for column in schema.attributes]
    for batch in source.batches([name for name in source.names if name in wanted]):
        yield Rows(batch, replace(schema, missing="skip"), unknown="missing")


def in_order(source: Source, schema: Schema) -> Source:
    """A source in which a unit of privacy can be recognised in every pass: by its id, or by its place.

    A database promises no order of rows; where only the place tells them apart, they are read once.
    """
    if schema.unit.id is not None or not isinstance(source, TableSource):
        return source
    batches = source.batches([name for name in source.names if name in schema])
    return ArrowSource(pa.Table.from_batches(batches))


def infer_schema(data: Any, target: str | None) -> Schema:
    """A schema read off the data: the explicit opt-out from any guarantee."""
    return draft(as_source(data).batches(), target=target, classes=True)


def empty_table(schema: Schema) -> Source:
    """A table with the schema's columns and no record: for rehearsals, which read no data."""
    fields = [
        (column.name, pa.float64() if hasattr(column, "low") else pa.string()) for column in schema.columns
    ]
    if schema.unit.id is not None:
        fields.append((schema.unit.id, pa.string()))
    return ArrowSource(pa.schema(fields).empty_table())
