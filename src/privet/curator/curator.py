"""The curator: guards one table during one run, and answers questions about it.

**Privacy.** Every question adds noise calibrated to its sensitivity for the schema's unit of privacy (proof:
beside the question). The answers compose sequentially: in pure ε their epsilons add up; under (ε, δ) their
zCDP ρ add up to at most ``rho_for(ε, δ)``; of those about slices of the records (``curator.by_slice``), the
dearest slice's. Adaptive choices by the algorithm between two questions depend
only on released values, which composition allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from threading import Lock
from types import TracebackType
from typing import Any

from privet.budget import Approximate, Event, Ledger, Pure, Zcdp, exact
from privet.curator.apart import Apart
from privet.curator.ask import QUESTIONS, Gradual, Levels, Measure, Question
from privet.curator.ask.gradual import LEVELS
from privet.curator.ask.own import authors_of
from privet.curator.ask.question import Exact, Told
from privet.curator.by_slice import BySlice
from privet.curator.derived import DerivedSource
from privet.curator.one_holder import OneHolder
from privet.curator.public import exact_release
from privet.curator.run import Run
from privet.curator.tables import NoRecords, as_source, empty_table
from privet.engines import Engine, GenotypeEngine, engine_for
from privet.engines.genotypes import RehearsedGenotypes
from privet.engines.held import HeldEngine
from privet.engines.memory import MemoryEngine
from privet.errors import ParameterError
from privet.randomness import Randomness
from privet.release import Guarantee, Release
from privet.schema import Schema
from privet.schema.item_sets import set_columns, sets_refused
from privet.sources.base import Source
from privet.sources.genotypes import GenotypeSource
from privet.stats import Statistic
from privet.stats.contribution import resolved
from privet.stats.relations import Relation

__all__ = ["Curator"]

Watch = Callable[[int, int | None], None]


class Curator(OneHolder):
    """Guards one table during one run. Use as a context manager.

    Its only way to an answer is ``ask``, or ``ask_together`` for several questions in one pass. What is left
    of its budget is counted in one place, so neither it nor its run can be copied, or asked in a fork.

    >>> import pyarrow as pa
    >>> from privet.budget import budget
    >>> from privet.curator import Measure
    >>> from privet.stats import Contingency
    >>> schema = Schema.of({"ill": ["no", "yes"]}, target="ill")
    >>> table = pa.table({"ill": ["no"] * 900 + ["yes"] * 100})
    >>> with Curator(table, schema, budget(1.0)) as curator:
    ...     counts = curator.ask(Measure(Contingency(None, "ill"), "class counts"), Fraction(1))
    >>> counts.value.shape, counts.step.mechanism
    ((1, 2), 'geometric noise')
    """

    held = "a run"
    instead = "begin another run"

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
        searches: bool = False,
    ) -> None:
        source = as_source(data)
        _require_readable(source, schema)
        run = Run(
            schema,
            amount,
            ledger=ledger,
            randomness=randomness,
            inferred=inferred,
            what=what,
            searches=searches,
        )
        self._guard(run, source)

    @classmethod
    def of_tables(
        cls,
        relation: Relation,
        tables: Mapping[str, tuple[Any, Schema]],
        amount: Pure | Approximate,
        *,
        ledger: Ledger | None = None,
        randomness: Randomness | None = None,
        what: str = "a measurement",
    ) -> Curator:
        """A curator of a table that is made of others, each given with its schema.

        **Privacy.** Noise is for all records of the relation that one unit changes in every table at once
        (``stats.relations``). So the account of each table is charged the whole amount, and somebody who is
        in several of them is protected in all of them together.
        """
        authors_of([relation])  # one of somebody's own would see the records, and could claim any stability
        read = {name: (as_source(data), schema) for name, (data, schema) in tables.items()}
        for source, each in read.values():
            _require_readable(source, each)
        schemas = tuple(schema for _, schema in read.values())
        schema = relation.facts.schema
        run = Run(schema, amount, ledger=ledger, randomness=randomness, what=what, tables=schemas)
        curator = cls.within(run, DerivedSource(relation, read))
        if len(units := dict.fromkeys(schema.unit.describe() for schema in schemas)) > 1:
            curator.assume(
                f"that one unit of each table, at once, is protected: {'; '.join(units)}", "schemas"
            )
        return curator

    @classmethod
    def within(cls, run: Run, data: Any, *, watch: Watch | None = None) -> Curator:
        """The curator of a table in this run; ``watch`` is shown how many variants of a genome are done."""
        curator = cls.__new__(cls)
        curator._guard(run, as_source(data), watch)
        return curator

    @classmethod
    def rehearsal(
        cls,
        schema: Schema,
        amount: Pure | Approximate,
        *,
        inferred: bool = False,
        randomness: Randomness | None = None,
        genotypes: Any = None,
        tables: tuple[Schema, ...] = (),
        searches: bool = False,
    ) -> Curator:
        """A curator of no records: to see what a run would cost, nothing is read.

        Of ``genotypes`` what is public is used: who takes part, and how many variants there are. ``tables``
        and ``searches`` are the run's.
        """
        run = Run(
            schema,
            amount,
            inferred=inferred,
            randomness=randomness,
            what="rehearsal",
            tables=tables,
            searches=searches,
        )
        curator = cls.within(run, empty_table(schema) if genotypes is None else genotypes)
        if genotypes is not None:
            curator._engine = RehearsedGenotypes()
        return curator

    def _guard(self, run: Run, source: Source, watch: Watch | None = None) -> None:
        OneHolder.__init__(self)
        self._run, self._currency = run, run.currency
        self._source = source
        resolved(run.schema.unit, source)  # a rule for persons that cannot be kept is refused unpaid
        self._engine: Engine = engine_for(source)
        if watch is not None and isinstance(source, GenotypeSource):
            self._engine = GenotypeEngine(watch)
        self._left = Fraction(1)
        self._spending = Lock()  # threads that ask at once must not both be paid for by what is left for one
        self._by_slice = BySlice()
        self._plain: dict[int, Any] = {}
        self._delta_left = run.delta_of_questions

    def __enter__(self) -> Curator:
        self._run.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run.__exit__(kind, error, trace)

    @property
    def schema(self) -> Schema:
        """What is public about the table."""
        return self._run.schema

    @property
    def amount(self) -> Pure | Approximate:
        """The whole budget."""
        return self._run.amount

    @property
    def currency(self) -> Pure | Zcdp:
        """The whole budget, as that of which shares are taken."""
        return self._currency

    @property
    def randomness(self) -> Randomness:
        """The run's, for searches among released numbers."""
        return self._run.randomness

    @property
    def event(self) -> Event:
        """What the whole run is to a ledger."""
        return self._run.event

    @property
    def left(self) -> Fraction:
        """The share of the budget that has not been spent."""
        return self._left

    @property
    def rehearsing(self) -> bool:
        """Whether this is a rehearsal: public, as nobody's records are there."""
        return isinstance(self._source, NoRecords)

    @property
    def measuring_public(self) -> bool:
        """Whether the table is declared public: its answers have no noise, and it is measured only."""
        return self._run.public is not None

    def hold(self, most: float | None = None, by_slices_of: tuple[str, ...] = ()) -> None:
        """Keep the coded table in memory from here on, for a search that asks of it many times.

        With ``most``, only a table of at most so many values, and only if it would be read record by record:
        a database counts by itself. ``by_slices_of`` foretells slices by the values of these columns. Answers
        are the same, held or not, and foretold or not.
        """
        if not isinstance(self._engine, HeldEngine) and (
            most is None or isinstance(self._engine, MemoryEngine)
        ):
            self._engine = HeldEngine(most)
        if by_slices_of and isinstance(self._engine, HeldEngine):
            self._engine.by_slices_of(by_slices_of)

    def ask(self, question: Question[Told], share: Fraction = Fraction(0)) -> Told:
        """The answer to one question, with noise for this share of the budget."""
        [told] = self.ask_together([(question, share)])
        return told

    def ask_together(
        self, asked: Sequence[tuple[Question[Told], Fraction]], apart: Apart | None = None
    ) -> list[Told]:
        """The answers to several questions, each for its share, from one pass over the table.

        If they are about disjoint parts of the table, the dearest part pays for all (``curator.apart``).
        """
        asked = tuple((question, _plain(share)) for question, share in asked)  # the same from here on
        questions = [question for question, _ in asked]
        for question in questions:
            _require_known(question)
        seen: dict[int, Any] = {}
        authors = authors_of(questions, self._plain, seen)  # first, as they say which statistics there are
        statistics = [statistic for question in questions for statistic in question.statistics]
        authors |= authors_of(statistics, self._plain, seen)
        _require_no_sets(statistics, self.schema)
        if apart is not None and type(apart) is not Apart:
            raise ParameterError(f"A {type(apart).__name__} does not say which parts there are.")
        amounts = self._spend(asked, None if apart is None else apart.price(asked, self.schema))
        pairs = list(zip(questions, amounts, strict=True))
        mechanisms = [question.mechanism(amount, self.schema) for question, amount in pairs]
        answers = iter(self._engine.answer(statistics, self._source, self.schema) if statistics else ())
        told: list[Any] = []
        for (question, amount), mechanism in zip(pairs, mechanisms, strict=True):
            exact = Exact(
                [next(answers) for _ in question.statistics], self._source, self.schema, self.randomness
            )
            if self._run.public is not None:
                told.append(exact_release(question, exact))
            else:
                told.append(question.release(exact, amount, mechanism))
        self._record(questions, told, authors)
        return told

    def ask_gradually(self, asked: Sequence[tuple[Measure, Fraction]]) -> Iterator[tuple[Release, ...]]:
        """The answers with less and less noise, to be taken until they are enough: asked first, and alone.

        Whoever stops has spent the part of the budget that the last answers taken cost; the rest is given
        back when the run ends well (``budget.returning``). Taking all of them costs all of it.

        >>> import pyarrow as pa
        >>> from privet.budget import budget
        >>> from privet.curator import Measure
        >>> from privet.stats import Contingency
        >>> table = pa.table({"ill": ["no"] * 900 + ["yes"] * 100})
        >>> asked = [(Measure(Contingency(None, "ill"), "class counts"), Fraction(1))]
        >>> with Curator(table, Schema.of({"ill": ["no", "yes"]}), budget(1.0)) as curator:
        ...     for [counts] in curator.ask_gradually(asked):
        ...         if counts.error < 20:
        ...             break
        >>> print(curator.guarantee.amount)
        ε = 0.177
        """
        if self._left != 1:
            raise ParameterError("Precision is added step by step with a whole budget, before all else.")
        return self._handed_out(self.ask(Gradual(tuple(asked)), Fraction(1)))

    def _handed_out(self, found: Levels) -> Iterator[tuple[Release, ...]]:
        for place, part in enumerate(LEVELS):
            if not self._run.is_open:  # what was not needed has been given back
                raise ParameterError("This run is over: no more can be taken from it.", "Begin another.")
            self._run.keep_only(part, found.steps_at(place))
            yield found.releases[place]

    def _spend(
        self, asked: Sequence[tuple[Question[Any], Fraction]], price: Fraction | None = None
    ) -> list[Pure | Zcdp]:
        """Take these shares of the run's budget; every way to an exact answer starts here.

        ``price`` is what all of them cost together, where that is less than their sum. Of questions about
        slices of the records the dearest slice pays (``curator.by_slice``).
        """
        self._run.require_holder()
        shares = [share for question, share in asked if not question.free]
        if shares and not self._run.is_open:
            raise ParameterError(
                "This run is not open: its budget has not been reserved, or it is over.",
                "Ask inside  with Curator(…) as curator:",
            )
        if any(share <= 0 for share in shares):
            raise ParameterError("Every measurement needs a positive share of the budget, and none is left.")
        with self._spending:
            by_slice, total = self._by_slice, price
            if total is None:
                by_slice, total = by_slice.after(asked)
                total += by_slice.cost - self._by_slice.cost
            if total > self._left:
                raise ParameterError(
                    f"These measurements ask for {float(total):.3g} of the run's budget, and only "
                    f"{float(self._left):.3g} is left."
                )
            deltas = sum((question.delta for question, _ in asked), start=Fraction(0))
            if deltas > self._delta_left or any(question.delta < 0 for question, _ in asked):
                raise ParameterError(
                    "These measurements ask for more of δ than the run has left.", "Give the run a delta."
                )
            self._left -= total
            self._by_slice = by_slice
            self._delta_left -= deltas
        return [self.currency.share(Fraction(1) if q.free else share) for q, share in asked]

    def _record(
        self, questions: Sequence[Question[Any]], told: Sequence[Any], authors: dict[str, None]
    ) -> None:
        """What was done, assumed and is not covered, for the guarantee."""
        for question, answer in zip(questions, told, strict=True):
            self._run.steps += answer.steps
            for what, origin in question.assumed:
                self.assume(what, origin)
            for caveat in question.caveats:
                self.admit(caveat)
        for said in authors:
            self.admit(said)

    def assume(self, what: str, origin: str) -> None:
        """Say in the guarantee that something is taken to be public, and where that comes from."""
        self._run.assume(what, origin)

    def void(self, reason: str) -> None:
        """Say in the guarantee that nothing is promised, and why."""
        self._run.void(reason)

    def admit(self, caveat: str) -> None:
        """Say in the guarantee what it does not cover."""
        self._run.admit(caveat)

    @property
    def guarantee(self) -> Guarantee:
        """What has been promised so far."""
        return self._run.guarantee


def _plain(share: Any) -> Fraction:
    """A share as a fraction. A number of a kind of its own could be another one whenever it is looked at."""
    if type(share) not in (Fraction, int, float):
        raise ParameterError("A share of the budget is a fraction.", "For example: Fraction(1, 2)")
    return exact(share)


def _require_known(question: Any) -> None:
    if type(question) not in QUESTIONS:
        raise ParameterError(
            f"The curator does not answer a {type(question).__name__}.",
            f"Ask with one of {', '.join(sorted(kind.__name__ for kind in QUESTIONS))}.",
        )


def _require_no_sets(statistics: Sequence[Statistic], schema: Schema) -> None:
    """A set is no value of a category: whoever does not know sets must not count them as one."""
    names = {column.name for column in set_columns(schema.columns)}
    for statistic in statistics if names else ():
        if not statistic.reads_sets and names & set(statistic.columns):
            raise sets_refused(sorted(names & set(statistic.columns))[0])


def _require_readable(source: Source, schema: Schema) -> None:
    """Refuse, before anything is reserved, a table that lacks a column or has no order of records."""
    schema.require_columns(source.names)
    resolved(schema.unit, source)
