"""Budgets and what was spent: accounts are opened, shown, limited; the ledger is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from privet.errors import ParameterError
from privet.parameters import Alias, Argument, Named
from privet.service.building import place_of
from privet.service.case import Result, UseCase
from privet.service.common import Data, SchemaFile
from privet.service.reading import OfTable
from privet.service.session import Session
from privet.service.text import columns

if TYPE_CHECKING:
    from privet.budget import Amount, Balance, Entry, Head, Ledger
    from privet.service.accounts import AccountView
    from privet.service.examining import Examined

__all__ = [
    "OpenAccount",
    "RegisterSchema",
    "SetLimit",
    "ShowAccounts",
    "ShowHistory",
    "ShowRegistered",
    "VerifyLedger",
    "ledger_of",
]

LimitEpsilon = Annotated[float | None, "The limit: all that may ever be spent."]
LimitDelta = Annotated[float, "The limit's delta."]
LimitRho = Annotated[float | None, "The limit as zCDP, instead of epsilon."]
Dataset = Annotated[str, Argument(), "The name of an account."]
AnyDataset = Annotated[str | None, Argument(), "The name of an account; None for all of them."]


@dataclass(frozen=True, kw_only=True)
class LedgerCase(UseCase):
    """What is done with a ledger itself."""

    uses_ledger: ClassVar[bool] = True


def ledger_of(session: Session, *, create: bool = False) -> Ledger:
    ledger = session.opened_ledger(create=create)
    if ledger is None:
        raise ParameterError("No ledger was named.", "Say which ledger is meant.")
    return ledger


@dataclass(frozen=True, kw_only=True)
class OpenAccount(LedgerCase, OfTable):
    """Give the people in the table DATA a budget, and register its schema. Makes the ledger if there is none.

    For the owner of the table, who is shown how it fits the schema. Runs use this schema, or a part of it.
    """

    data: Data
    schema: SchemaFile = None
    epsilon: LimitEpsilon = None
    delta: LimitDelta = 0.0
    rho: LimitRho = None
    each_analyst: Annotated[float | None, "What any one analyst may spend of it, as an epsilon."] = None
    analyst_limits: Annotated[
        Mapping[str, Any],
        Named("NAME=EPSILON"),
        Alias("analyst-limit"),
        "What this analyst may spend of it.",
    ] = field(default_factory=dict)
    accountant: Annotated[Literal["auto", "basic", "zcdp", "best"], "How spends add up."] = "auto"

    def run(self, session: Session) -> Opened:
        from privet.curator.owner import account_name
        from privet.schema import read_schema
        from privet.service.accounts import limit_of, open_account, view_accounts

        limit = limit_of(self.epsilon, self.delta, self.rho)
        analysts = {name: self._own(amount) for name, amount in self.analyst_limits.items()}
        everyone = None if self.each_analyst is None else limit_of(self.each_analyst, self.delta)
        schema = read_schema(place_of(self.schema, self.data))
        account_name(schema)
        schema.require_confirmed()
        with session.progress("Examining the table", "rows") as watch:
            examined = self.examined(schema, watch)
            table = self.opened(session, replace(schema, outside="count"))
            ledger = ledger_of(session, create=True)
            dataset = open_account(
                ledger,
                table,
                schema,
                limit,
                each_analyst=everyone,
                analysts=analysts,
                accountant=self.accountant,
                scope=session.scope,
            )
        [view] = view_accounts(ledger, dataset)
        return Opened(session.ledger_place or "the ledger", view, limit, examined)

    def _own(self, amount: Any) -> Amount:
        from privet.service.accounts import limit_of

        try:
            return limit_of(float(amount), self.delta)
        except (TypeError, ValueError) as error:
            if isinstance(error, ParameterError):
                raise
            raise ParameterError("The limit of an analyst must be an epsilon.", "Give a number.") from None


@dataclass(frozen=True)
class Opened(Result):
    """A new account."""

    ledger: str
    view: AccountView
    limit: Amount
    examined: Examined

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.examined.notes()

    def to_dict(self) -> dict[str, Any]:
        return {"ledger": self.ledger} | self.view.to_dict() | {"fit": self.examined.to_dict()}

    def text(self) -> str:
        opened = f"Opened '{self.view.dataset}' in {self.ledger}"
        return f"{opened} with a limit of {self.limit}, protecting {self.view.unit}."


@dataclass(frozen=True, kw_only=True)
class RegisterSchema(LedgerCase, OfTable):
    """Register a new version of the schema of the table DATA, as its owner. Runs use it from then on."""

    data: Data
    schema: SchemaFile = None

    def run(self, session: Session) -> Registered:
        from privet.curator.owner import account_name
        from privet.schema import read_schema

        schema = read_schema(place_of(self.schema, self.data))
        schema.require_confirmed()
        dataset = account_name(schema)
        with session.progress("Examining the table", "rows") as watch:
            examined = self.examined(schema, watch)
        return Registered(dataset, ledger_of(session).register_schema(dataset, schema), examined)


@dataclass(frozen=True)
class Registered(Result):
    """The number of the version that was registered."""

    dataset: str
    version: int
    examined: Examined

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.examined.notes()

    def to_dict(self) -> dict[str, Any]:
        return {"dataset": self.dataset, "version": self.version, "fit": self.examined.to_dict()}

    def text(self) -> str:
        return f"Version {self.version} of the schema of '{self.dataset}' is registered."


@dataclass(frozen=True, kw_only=True)
class ShowRegistered(LedgerCase):
    """Print the schema that the owner of a dataset has registered, as the text of a schema file."""

    dataset: Dataset

    def run(self, session: Session) -> RegisteredSchema:
        ledger = ledger_of(session)
        ledger.balance(self.dataset)  # an error that says what to do, where there is no such account
        found = ledger.registered_schema(self.dataset)
        if found is None:
            raise ParameterError(
                f"No schema is registered for '{self.dataset}'.", "Its owner can register one."
            )
        return RegisteredSchema(found)


@dataclass(frozen=True)
class RegisteredSchema(Result):
    """A registered schema."""

    schema: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.schema

    def text(self) -> str:
        from privet.schema import Schema
        from privet.schema.file import schema_text

        return schema_text(Schema.from_dict(self.schema)).rstrip()


@dataclass(frozen=True, kw_only=True)
class ShowAccounts(LedgerCase):
    """Show each account: its limit, what is spent and what is left, in all and for each analyst."""

    dataset: AnyDataset = None

    def run(self, session: Session) -> Accounts:
        from privet.service.accounts import view_accounts

        return Accounts(tuple(view_accounts(ledger_of(session), self.dataset)))


@dataclass(frozen=True)
class Accounts(Result):
    """The accounts of a ledger."""

    views: tuple[AccountView, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"accounts": [view.to_dict() for view in self.views]}

    def text(self) -> str:
        rows: list[tuple[Any, ...]] = []
        for view in self.views:
            rows.append((view.dataset, "everybody", *_cells(view.balance)))
            rows += [("", who, *_cells(own)) for who, own in view.analysts.items()]
        return columns(("Dataset", "Who", "Limit", "Spent", "Left"), rows)


def _cells(balance: Balance) -> tuple[Any, Any, Any]:
    from privet.budget import rounded_down

    left = "nothing" if balance.left is None else rounded_down(balance.left)
    return balance.limit, balance.spent or "nothing", left


@dataclass(frozen=True, kw_only=True)
class ShowHistory(LedgerCase):
    """Show everything that was done: who, what, when, how much, in order."""

    dataset: AnyDataset = None
    guarantees: Annotated[bool, "Show the guarantee of each release, too."] = False

    def run(self, session: Session) -> History:
        return History(tuple(ledger_of(session).history(self.dataset)), self.guarantees)


@dataclass(frozen=True)
class History(Result):
    """Entries of a ledger, in order."""

    entries: tuple[Entry, ...]
    guarantees: bool = False

    def to_dict(self) -> dict[str, Any]:
        from privet.service.accounts import amount_to_dict

        return {
            "entries": [entry.to_dict() | {"amount": amount_to_dict(entry.amount)} for entry in self.entries]
        }

    def text(self) -> str:
        rows = [(e.number, e.when, e.who, e.dataset, e.what, _cost(e), e.state or "") for e in self.entries]
        lines = [columns(("No.", "When", "Who", "Dataset", "What", "Cost", "State"), rows)]
        for entry in self.entries if self.guarantees else ():
            if entry.guarantee is not None:
                lines.append(f"\nEntry {entry.number}: {entry.guarantee.get('headline', entry.guarantee)}")
        return "\n".join(lines)


def _cost(entry: Entry) -> Any:
    return entry.amount if entry.kind == "reserve" else ""


@dataclass(frozen=True, kw_only=True)
class SetLimit(LedgerCase):
    """Raise or lower a limit. A limit below what is spent already stops all further spending."""

    dataset: Dataset
    epsilon: LimitEpsilon = None
    delta: LimitDelta = 0.0
    rho: LimitRho = None
    who: Annotated[str | None, Alias("for"), "Set the limit of this analyst, not that of the dataset."] = None

    def run(self, session: Session) -> Limited:
        from privet.service.accounts import limit_of, view_accounts

        ledger = ledger_of(session)
        ledger.set_limit(self.dataset, limit_of(self.epsilon, self.delta, self.rho), self.who)
        [view] = view_accounts(ledger, self.dataset)
        return Limited(view, self.who)


@dataclass(frozen=True)
class Limited(Result):
    """An account with a new limit, for all or for one analyst."""

    view: AccountView
    who: str | None

    def to_dict(self) -> dict[str, Any]:
        return self.view.to_dict()

    def text(self) -> str:
        balance = self.view.analysts[self.who] if self.who else self.view.balance
        return f"{self.who or self.view.dataset}: {balance}"


@dataclass(frozen=True, kw_only=True)
class VerifyLedger(LedgerCase):
    """Check that no entry was changed, removed or put back (with a head: since it was noted down)."""

    head: Annotated[str | None, "A head that was noted down earlier."] = None

    def run(self, session: Session) -> Verified:
        from privet.budget import Head

        ledger = ledger_of(session)
        ledger.verify(Head.parse(self.head) if self.head else None)
        return Verified(session.ledger_place or "The ledger", ledger.head(), self.head is not None)


@dataclass(frozen=True)
class Verified(Result):
    """A ledger that is intact, as far as can be seen."""

    ledger: str
    head: Head
    compared: bool

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        cut = "Entries cut off at its end show only against a head that was noted down earlier."
        return () if self.compared else (cut,)

    @property
    def remedy(self) -> str:  # type: ignore[override]
        return "" if self.compared else "compare-head"

    def to_dict(self) -> dict[str, Any]:
        return {"intact": True, "entries": self.head.count, "head": str(self.head)}

    def text(self) -> str:
        return f"{self.ledger} is intact: {self.head.count} entries."
