"""A run: the whole amount is reserved before anything is read, and committed with the guarantee at the end.

Most runs are of one curator on one table. A process, such as cross-validation or a search, is a run with
*parts*: curators that are paid for by the one reservation. What the whole costs is then for the process to
prove; its run reserves that, and its guarantee says what each part assumes and does not cover.

A run that fails keeps its reservation, because data was read; its error says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from types import TracebackType

from privet.budget import Approximate, ApproximateEvent, Event, Ledger, Pure, Reservation, Zcdp
from privet.curator.caveats import OF_THE_WHOLE, UNCOUNTED, of_reading
from privet.curator.currency import currency_of, event_of
from privet.curator.one_holder import OneHolder
from privet.curator.owner import account_name, as_read
from privet.errors import ParameterError, PrivetError
from privet.randomness import Randomness, secure
from privet.release import BEFOREHAND, Guarantee, Step, public_knowledge
from privet.schema import Schema, Unit

__all__ = ["Run"]

_TIME = "How long the computation took is not protected."
_STOPPED = (
    "The ε above is that of what came out. Up to {} was set aside; how much of it was needed followed from "
    "noisy answers, and can be read off this release."
)
_STAYS = "What was reserved stays spent."


class Run(OneHolder):
    """What is paid for once: a budget, the randomness to spend it with, and the guarantee that comes of it.

    Use as a context manager: what it costs is reserved on entering, and committed on leaving. ``declared`` is
    the schema as it was given, ``schema`` the same as its table's owner wants it read. ``event`` is what the
    run is to a ledger, where that is not simply its amount. ``reservation`` is that of an interrupted process
    which is taken up: it must be open still. ``public`` is the reason why a table is declared
    public: then answers are exact, nothing is charged, and nothing is promised. ``tables`` are the schemas of
    the tables that the run's table is made of: the account of each pays the whole amount, all or none.
    In a run that ``searches`` for values, δ is not for Gaussian noise: questions spend parts of it, and ε is
    spent as such (basic composition: the ε and the δ of all questions add up).

    >>> from privet.budget import budget
    >>> schema = Schema.of({"ill": ["no", "yes"]})
    >>> with Run(schema, budget(1.0)) as run:
    ...     pass
    >>> print(run.guarantee.headline)
    Guarantee: differential privacy with ε = 1, protecting one record, present or absent.
    """

    held = "a run"
    instead = "begin another run"

    def __init__(
        self,
        schema: Schema,
        amount: Pure | Approximate,
        *,
        ledger: Ledger | None = None,
        randomness: Randomness | None = None,
        inferred: bool = False,
        what: str = "a measurement",
        event: Event | None = None,
        public: str | None = None,
        whole: Run | None = None,
        reservation: Reservation | None = None,
        tables: tuple[Schema, ...] = (),
        searches: bool = False,
    ) -> None:
        super().__init__()
        if not inferred:
            for each in (schema, *tables):
                each.require_confirmed()
        self.declared = schema
        self.schema = as_read(schema, ledger) if whole is None else whole._as_read(schema)
        self.tables = tuple(as_read(each, ledger) for each in tables)
        self._searches = searches and isinstance(amount, Approximate)
        self.amount = amount
        self.randomness = randomness or secure()
        self.inferred = inferred
        self.what = what
        self.public = public
        self.steps: list[Step] = []
        self._ledger = ledger
        self._event = event
        self._whole = whole
        self._assumed: list[tuple[str, str]] = []
        self._caveats: list[str] = []
        self._reasons: list[str] = []
        self._open = False
        self._taken_up = reservation
        self._needed = Fraction(1)
        self._reservations: list[Reservation] = []

    @classmethod
    def declared_public(cls, schema: Schema, reason: str, searches: bool = False) -> Run:
        """A run on a table that its owner declares public: exact answers, which cost and promise nothing."""
        # Shares of it are asked for as of any other run; of what, does not matter.
        amount = Approximate(Fraction(1), Fraction(1, 2)) if searches else Pure(Fraction(1))
        return cls(schema, amount, inferred=True, what="public", public=reason, searches=searches)

    def part(
        self,
        amount: Pure | Approximate,
        randomness: Randomness,
        schema: Schema | None = None,
        what: str = "",
        searches: bool = False,
    ) -> Run:
        """A part of this process, which this run pays for. It protects the same unit."""
        self.require_holder()
        schema = schema or self.declared
        if schema.unit != self.schema.unit:
            raise ParameterError(
                f"'{what or self.what}' would protect {schema.unit.describe()}, and the whole of which it "
                f"is a part {self.schema.unit.describe()}.",
                "Declare the same [unit] in both schemas.",
            )
        return Run(
            schema,
            amount,
            randomness=randomness,
            inferred=self.inferred,
            what=what or self.what,
            whole=self,
            searches=searches,
        )

    @property
    def currency(self) -> Pure | Zcdp:
        """The currency in which shares of the amount add up: ε itself, or ρ where δ allows Gaussian noise."""
        return Pure(self.amount.epsilon) if self._searches else currency_of(self.amount)

    @property
    def delta_of_questions(self) -> Fraction:
        """The δ that questions may spend by themselves: all of it, in a run that searches."""
        return self.amount.delta if self._searches else Fraction(0)

    @property
    def is_open(self) -> bool:
        """Whether the budget is reserved, and may be spent."""
        return self._open and (self._whole is None or self._whole.is_open)

    @property
    def reservation(self) -> Reservation | None:
        """What is set aside for this run; None before it is open, or if nobody keeps count."""
        return self._reservations[0] if self._reservations else None

    @property
    def counted(self) -> bool:
        """Whether a ledger keeps count of this run."""
        return self._whole.counted if self._whole is not None else self._ledger is not None

    def __enter__(self) -> Run:
        if self._ledger is not None:
            self._reservations = self._reserve(self._ledger)
        self._open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if self._ledger is None or not self._reservations:
            return
        if kind is None:
            rest = self.amount.epsilon * (1 - self._needed)
            for reservation in self._reservations:
                self._ledger.commit(reservation, self.guarantee.to_dict(), returned=rest)
        elif isinstance(error, PrivetError):
            error.add(_STAYS)

    def _reserve(self, ledger: Ledger) -> list[Reservation]:
        if self._voided:
            raise ParameterError(
                "A run without a guarantee (seeded noise, or a schema read off the data) cannot be "
                "paid for from a ledger: its cost is unlimited.",
                "Leave random_state at None and declare the schema, or work without the ledger on data "
                "that is public.",
            )
        if self._taken_up is not None:  # reserved by the same process before it was interrupted
            ledger.require_open(self._taken_up)
            return [self._taken_up]

        units: dict[str, Unit] = {}
        for each in self.tables or (self.schema,):
            if units.setdefault(account_name(each), each.unit) != each.unit:
                raise ParameterError(
                    f"Two tables of '{each.dataset}' are given with different units of privacy.",
                    "Declare the same [unit] in both schemas.",
                )
        return ledger.reserve_together(units, self.event, what=self.what, asked=self.amount)

    @property
    def event(self) -> Event:
        """What the run is to a ledger."""
        if self._event is not None:
            return self._event
        if self._searches:
            return ApproximateEvent(self.amount.epsilon, self.amount.delta, self.what)
        return event_of(self.currency, self.what)

    def _as_read(self, schema: Schema) -> Schema:
        """The schema of a part: its table is read as that of the whole."""
        return replace(schema, outside=self.schema.outside, missing=self.schema.missing)

    def keep_only(self, part: Fraction, steps: Iterable[Step]) -> None:
        """Say that what came out so far has lost no more than this part of the amount, by these steps.

        That is for the curator to prove (``mechanisms.gradual``); the rest is given back. A run that is
        something other than its amount to a ledger, or part of a process, keeps all of it.
        """
        if self._event is None and self._whole is None and isinstance(self.amount, Pure):
            self._needed = part
            self.steps[:] = steps

    def assume(self, what: str, origin: str) -> None:
        """Say in the guarantee that something is taken to be public, and where that comes from."""
        self._assumed.append((what, origin))

    def void(self, reason: str) -> None:
        """Say that nothing is promised, and why."""
        self._reasons.append(reason)

    def admit(self, caveat: str) -> None:
        """Say in the guarantee what it does not cover."""
        self._caveats.append(caveat)

    def carry(self, parts: Iterable[Guarantee]) -> None:
        """Say in the guarantee what the parts take to be public and do not cover."""
        for part in parts:
            self._assumed += part.public
            self._caveats += [caveat for caveat in part.caveats if caveat not in OF_THE_WHOLE]

    @property
    def _voided(self) -> list[str]:
        if self.public is not None:
            return [self.public]
        reasons = list(self._reasons)
        if not self.randomness.secure:
            reasons.append("The noise was drawn from a seed: whoever has it can take the noise away.")
        if self.inferred:
            reasons.append(
                "Bounds and domains were read off the data, so they and what follows give people away."
            )
        return reasons

    @property
    def guarantee(self) -> Guarantee:
        """What is promised for all that was done so far."""
        read = self.tables or (self.schema,)
        known = (entry for each in read for entry in public_knowledge(each))
        public = tuple(dict.fromkeys((*known, *self._assumed)))
        steps, unit, voided = tuple(self.steps), read[0].unit, self._voided
        if self.public is not None:
            return Guarantee.none(voided, unit, steps, public)
        own = (of_reading(self.schema), _TIME, *(() if self.counted else (UNCOUNTED,)))
        if self._needed < 1:
            own = (*own, _STOPPED.format(self.amount))
        first = (BEFOREHAND,) if BEFOREHAND in self._caveats else ()
        caveats = tuple(dict.fromkeys((*first, *own, *self._caveats)))
        amount = self.amount if self._needed == 1 else self.amount.share(self._needed)
        return Guarantee(None if voided else amount, unit, steps, public, caveats, tuple(voided))
