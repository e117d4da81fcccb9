"""The ledger: accounts, limits and every spend, in one place that all copies of an estimator share.

A request is *reserved* before the data is touched and *committed* after the release. The check against the
limits and the debit are one atomic step of the store. A reservation that is never committed (a crash, a
killed process) counts as spent for ever, because nobody can know what was seen; a refused request costs
nothing.

>>> from privet.budget import Ledger, Pure, PureEvent, exact
>>> from privet.schema import Unit
>>> ledger = Ledger.in_memory().as_analyst("alice")
>>> ledger.open_account("patients", Pure(exact(1)), unit=Unit())
>>> reservation = ledger.reserve("patients", PureEvent(exact(0.3)), unit=Unit(), what="a histogram")
>>> ledger.commit(reservation, {"epsilon": "0.3"})
>>> print(ledger.balance("patients"))
ε = 0.3 spent of ε = 1, ε = 0.7 left

**Tampering.** Every row is sealed with a keyed hash over itself and the row before it. Whoever can write the
file can also read its key, so the seal alone stops accidents and the careless; the owner who notes
``ledger.head()`` elsewhere can later prove with ``verify(head=…)`` that no entry up to there was changed,
removed or put back. The analyst's name is a label, not a login: use file permissions or the server to
keep people apart. The dataset's limit is what protects the people in it; analysts' own limits divide it.
"""

from __future__ import annotations

import getpass
import hashlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from privet.budget.accountants import accountant_for
from privet.budget.amounts import Amount
from privet.budget.book import Account, Book
from privet.budget.chain import Chain
from privet.budget.cost import cost_of
from privet.budget.events import Event
from privet.budget.history import Entry, Head, entries, verify
from privet.budget.refusal import Balance, balance_of, check
from privet.budget.returning import returnable
from privet.budget.stores import open_store
from privet.budget.stores.address import is_database, shown
from privet.budget.stores.base import Transaction
from privet.budget.stores.memory import MemoryStore
from privet.errors import LedgerError

__all__ = ["Ledger", "PrivacyUnit", "PublicSchema", "Reservation"]


class PublicSchema(Protocol):
    """What an account must know of a schema: how to keep it."""

    def to_dict(self) -> dict[str, Any]: ...


# Called within the step of a reservation, with its transaction and its number.
Beside = Callable[[Transaction, int], None]


class PrivacyUnit(Protocol):
    """What an account must know of a unit of privacy: how to compare and how to say it."""

    def describe(self) -> str: ...

    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Reservation:
    """Budget that is set aside, and spent whatever happens next."""

    number: int
    dataset: str
    what: str
    amount: Amount | None
    hash: str


class Ledger:
    """The face of a store for one analyst. Copies and clones are the ledger itself, never a second one."""

    def __init__(self, chain: Chain, analyst: str | None = None, beside: Beside | None = None) -> None:
        self._chain = chain
        self.analyst = _login() if analyst is None else analyst
        self._beside = beside

    @classmethod
    def in_memory(cls) -> Ledger:
        """A ledger that ends with this process."""
        return cls(Chain(MemoryStore()))

    @classmethod
    def open(cls, path: str | Path, *, create: bool = False) -> Ledger:
        """The ledger in this SQLite file, or at this ``postgresql://`` address; ``create`` makes one."""
        return cls(Chain(open_store(path, create=create)))

    def as_analyst(self, analyst: str) -> Ledger:
        """The same ledger, used under another name."""
        if not analyst:
            raise LedgerError("An analyst needs a name.")
        return Ledger(self._chain, analyst, self._beside)

    def reading_once(self) -> AbstractContextManager[None]:
        """Balances and previews within are read with one look at the store.

        Nothing is spent on their word: ``reserve`` looks anew.

        >>> ledger = Ledger.in_memory()
        >>> with ledger.reading_once():
        ...     ledger.head().count
        0
        """
        return self._chain.reading_once()

    def writing_beside(self, beside: Beside) -> Ledger:
        """The same ledger, which calls ``beside(transaction, number)`` within the step of each reservation.

        What that writes through ``transaction.connection`` becomes durable with the reservation or not at
        all; if it raises, nothing is reserved. A server marks its run as paid for in this way.
        """
        return Ledger(self._chain, self.analyst, beside)

    # Accounts

    def open_account(
        self,
        dataset: str,
        limit: Amount,
        *,
        unit: PrivacyUnit,
        accountant: str = "auto",
        analysts: Mapping[str, Amount] | None = None,
        each_analyst: Amount | None = None,
        schema: PublicSchema | None = None,
        fingerprint: bytes | None = None,
    ) -> None:
        """Give a dataset a budget; ``analysts`` and ``each_analyst`` limit single people within it.

        ``schema`` is what the owner says is public: runs may then use it or less of it. ``fingerprint`` is
        that of the owner's table: the very same table is refused a second account under another name. The
        ledger keeps only a digest of it, under its own secret key.
        """
        own = dict(analysts or {})
        for each in (limit, *own.values(), *([each_analyst] if each_analyst else [])):
            accountant_for(accountant, each)
        with self._chain.writing() as pen:
            if dataset in pen.book.accounts:
                raise LedgerError(
                    f"'{dataset}' has an account already.",
                    "Change the limit of that account.",
                    "change-limit",
                )
            digest = None if fingerprint is None else self._digest(fingerprint)
            if digest is not None:
                _refuse_second_budget(pen.book, digest, dataset)
            registered = None if schema is None else _schema_body(schema, unit.to_dict(), version=1)
            body = {
                "limit": limit.to_dict(),
                "unit": unit.to_dict(),
                "unit_text": unit.describe(),
                "accountant": accountant,
                "analysts": {who: amount.to_dict() for who, amount in own.items()},
                "each_analyst": each_analyst.to_dict() if each_analyst else None,
            }
            pen.append("account", who=self.analyst, dataset=dataset, body=body)
            if registered is not None:
                pen.append("schema", who=self.analyst, dataset=dataset, body=registered)
            if digest is not None:
                pen.append("name", who=self.analyst, dataset=dataset, body={"digest": digest})

    def register_schema(self, dataset: str, schema: PublicSchema) -> int:
        """Register a new version of a dataset's schema, as its owner; returns the version's number."""
        with self._chain.writing() as pen:
            account = _account(pen.book, dataset)
            version = len(account.schemas) + 1
            body = _schema_body(schema, account.unit, version)
            pen.append("schema", who=self.analyst, dataset=dataset, body=body)
        return version

    def registered_schema(self, dataset: str | None) -> dict[str, Any] | None:
        """The latest schema that the owner registered for a dataset; None if there is none."""
        with self._chain.reading() as book:
            account = book.accounts.get(dataset or "")
            return account.schemas[-1] if account is not None and account.schemas else None

    def knows(self, dataset: str | None) -> bool:
        """Whether there is an account of this name."""
        with self._chain.reading() as book:
            return dataset in book.accounts

    def record_word(self, dataset: str, word: str) -> None:
        """Write down what the owner says about a dataset, such as why a run on it is not paid for."""
        if not word.strip():
            raise LedgerError("The owner's word is empty.", "Say who declares what, and why.")
        with self._chain.writing() as pen:
            _account(pen.book, dataset)
            pen.append("word", who=self.analyst, dataset=dataset, body={"word": word})

    def set_limit(self, dataset: str, limit: Amount, analyst: str | None = None) -> None:
        """Raise or lower the dataset's limit, or one analyst's own. Recorded, like everything."""
        with self._chain.writing() as pen:
            account = _account(pen.book, dataset)
            if reason := accountant_for(account.accountant, limit).refusal(account.cost_of(analyst), limit):
                raise LedgerError(
                    f"What was spent on '{dataset}' cannot be counted against {limit}. {reason}",
                    "Keep a limit of the same kind as before.",
                )
            body = {"limit": limit.to_dict(), "analyst": analyst}
            pen.append("limit", who=self.analyst, dataset=dataset, body=body)

    def _digest(self, fingerprint: bytes) -> str:
        return hashlib.blake2b(fingerprint, key=self._chain.store.secret, digest_size=16).hexdigest()

    def accounts(self) -> list[Account]:
        """Every account, as a copy."""
        with self._chain.reading() as book:
            return [_copy(account) for account in book.accounts.values()]

    # Spending

    def reserve(
        self,
        dataset: str,
        event: Event,
        *,
        unit: PrivacyUnit,
        what: str,
        guarantee: dict[str, Any] | None = None,
        asked: Amount | None = None,
    ) -> Reservation:
        """Set budget aside, in one atomic step, or raise ``BudgetExceeded`` and change nothing.

        ``asked`` is what a refusal says was asked for, in the words of whoever asked.
        """
        [reservation] = self.reserve_together(
            {dataset: unit}, event, what=what, guarantee=guarantee, asked=asked
        )
        return reservation

    def reserve_together(
        self,
        units: Mapping[str, PrivacyUnit],
        event: Event,
        *,
        what: str,
        guarantee: dict[str, Any] | None = None,
        asked: Amount | None = None,
    ) -> list[Reservation]:
        """Set the same budget aside on each of these datasets in one atomic step: on all of them, or on none.

        For what reads several tables at once: if one account cannot pay, none is charged.
        """
        cost = cost_of(event)
        reservations: list[Reservation] = []
        with self._chain.writing() as pen:
            accounts = [_account(pen.book, dataset, unit) for dataset, unit in units.items()]
            for account in accounts:
                check(account, self.analyst, cost, asked)
            for account in accounts:
                amount = accountant_for(account.accountant, account.limit).spent(cost, account.limit)
                body = {
                    "what": what,
                    "event": event.to_dict(),
                    "cost": cost.to_dict(),
                    "amount": amount.to_dict() if amount else None,
                    "guarantee": guarantee,
                }
                row = pen.append("reserve", who=self.analyst, dataset=account.dataset, body=body)
                reservations.append(Reservation(row.number, account.dataset, what, amount, row.hash))
            if self._beside is not None:
                self._beside(pen.transaction, reservations[0].number)
        return reservations

    def commit(
        self, reservation: Reservation, guarantee: dict[str, Any], *, returned: Fraction = Fraction(0)
    ) -> None:
        """Record that the release was made, with its guarantee.

        ``returned`` is the ε that was reserved and, as its outcome shows, not needed: it can be spent again.
        Only a curator can know that; ``returning`` has the proof that the limit holds.

        Repeating the very same commit does nothing: whoever lost the answer to the first may ask again.
        """
        body = {"reservation": reservation.number, "guarantee": guarantee}
        if returned:
            body["returned"] = str(returned)
        with self._chain.writing() as pen:
            if pen.book.open.get(reservation.number) != reservation.hash:
                if pen.committed(reservation.number, reservation.hash, body):
                    return
                raise LedgerError(
                    f"Reservation {reservation.number} on '{reservation.dataset}' is not open here.",
                    "Commit each reservation once, in the ledger that made it.",
                )
            if returned and not returnable(pen.book.reserved[reservation.number][1], returned):
                raise LedgerError(
                    "More would be given back than was reserved, or what is not a pure ε.",
                    "Commit the reservation without giving anything back.",
                )
            pen.append("commit", who=self.analyst, dataset=reservation.dataset, body=body)

    def require_open(self, reservation: Reservation) -> None:
        """Refuse a reservation that this ledger did not make, or that was committed."""
        with self._chain.reading() as book:
            if book.open.get(reservation.number) != reservation.hash:
                raise LedgerError(
                    f"Reservation {reservation.number} on '{reservation.dataset}' is not open here.",
                    "Run it again: it is then paid for as a whole.",
                )

    def advance(self, dataset: str, stream: str, before: str | None, after: str) -> None:
        """Record that a stream passes from one state to the next, in one atomic step, before it is released.

        Raises if ``before`` is not the latest: somebody else went on from there, so that what was about to
        be released would share its noise with what they have released. States are random names.
        """
        with self._chain.writing() as pen:
            _account(pen.book, dataset)
            if pen.book.streams.get(stream) != before:
                raise LedgerError(
                    "Another holder of this stream has gone on from here, so this one may release no more.",
                    "Learn with the other one, or take up its checkpoint.",
                )
            body = {"stream": stream, "state": after}
            pen.append("stream", who=self.analyst, dataset=dataset, body=body)

    def state_of(self, stream: str) -> str | None:
        """The latest state of a stream; None if the ledger does not know it."""
        with self._chain.reading() as book:
            return book.streams.get(stream)

    def preview(
        self, dataset: str, event: Event, *, unit: PrivacyUnit, asked: Amount | None = None
    ) -> Balance:
        """The dataset's balance after this event; raises as ``reserve`` would, and writes nothing."""
        cost = cost_of(event)
        with self._chain.reading() as book:
            book.require_here()
            account = _account(book, dataset, unit)
            check(account, self.analyst, cost, asked)
            balance = balance_of(account, None, cost)
        assert balance is not None
        return balance

    def balance(self, dataset: str, analyst: str | None = None) -> Balance:
        """The dataset's balance, or that of an analyst's own limit (the dataset's, where there is none).

        A request must fit in both, so an analyst may have more left than the dataset has.
        """
        with self._chain.reading() as book:
            account = _account(book, dataset)
            balance = balance_of(account, analyst) or balance_of(account, None)
        assert balance is not None
        return balance

    def spent(self, dataset: str, analyst: str | None = None) -> Amount | None:
        """What is spent; ``None`` for nothing. For an analyst without an own limit: their share of it."""
        with self._chain.reading() as book:
            account = _account(book, dataset)
            limit = account.limit_of(analyst) or account.limit
            return accountant_for(account.accountant, limit).spent(account.cost_of(analyst), limit)

    def left(self, dataset: str, analyst: str | None = None) -> Amount | None:
        """What may still be asked for; ``None`` for nothing. See ``preview`` for a given request."""
        return self.balance(dataset, analyst).left

    # History

    def history(self, dataset: str | None = None) -> list[Entry]:
        """Everything that was done, in order."""
        return entries(self._chain.rows(), dataset)

    def head(self, number: int | None = None) -> Head:
        """The number and hash of the latest entry, or of an earlier one: note it elsewhere.

        ``verify`` checks against it later.
        """
        if number is not None:
            return Head(number, self._chain.row(number).hash)
        with self._chain.reading() as book:
            return Head(book.count, book.head)

    def verify(self, head: Head | None = None) -> None:
        """Raise a ``LedgerError`` that names the first altered entry, if there is one."""
        verify(self._chain.rows(), self._chain.store.secret, head)

    # One ledger, however often it is copied

    def __sklearn_clone__(self) -> Ledger:
        return self

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Ledger:
        return self

    def __reduce__(self) -> tuple[Callable[..., Ledger], tuple[str, str]]:
        address = self._chain.store.address
        if address is None:
            raise LedgerError(
                "A ledger in memory cannot be sent to another process: what is spent there would be lost.",
                'Use a stored one:  Ledger.open("ledger.db", create=True)',
            )
        return _reopened, (address, self.analyst)

    def __repr__(self) -> str:
        where = self._chain.store.address
        name = "in memory" if where is None else shown(where) if is_database(where) else Path(where).name
        return f"<Ledger {name}, analyst {self.analyst!r}>"


def _reopened(address: str, analyst: str) -> Ledger:
    return Ledger.open(address).as_analyst(analyst)


def _account(book: Book, dataset: str, unit: PrivacyUnit | None = None) -> Account:
    account = book.accounts.get(dataset)
    if account is None:
        raise LedgerError(
            f"'{dataset}' has no account in this ledger.",
            "The owner of the data opens one, with a limit.",
            "open-account",
        )
    if unit is not None and unit.to_dict() != account.unit:
        raise LedgerError(
            f"The account of '{dataset}' protects {account.unit_text}; this request would protect "
            f"{unit.describe()}. Amounts for different units do not add up.",
            "Use the schema's [unit] that the account was opened with.",
        )
    return account


def _copy(account: Account) -> Account:
    return replace(account, analysts=dict(account.analysts), analyst_costs=dict(account.analyst_costs))


def _schema_body(schema: PublicSchema, unit: dict[str, Any], version: int) -> dict[str, Any]:
    """A schema as it is kept. It must protect what its account protects."""
    kept = schema.to_dict()
    if kept.get("unit") != unit:
        raise LedgerError(
            "The schema and its account protect different units.", "Register one with the account's unit."
        )
    # Rows are kept with sorted keys; the order of the columns is a list of its own.
    return {"version": version, "schema": kept, "order": list(kept.get("columns", ()))}


def _refuse_second_budget(book: Book, digest: str, wanted: str) -> None:
    """Refuse a table that has an account under another name: its people would have two budgets."""
    anonymous = f"table-{digest[:16]}"  # what accounts of tables without a name were once called
    known = book.names.get(digest) or (anonymous if anonymous in book.accounts else wanted)
    if known != wanted:
        raise LedgerError(
            f"This very table is registered as '{known}' and cannot have a second budget as '{wanted}'.",
            f'Declare  dataset = "{known}"  in the schema.',
        )


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "anonymous"
