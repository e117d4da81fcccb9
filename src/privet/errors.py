"""Every error a user can meet, with what to do about it.

The text of an error never holds a value read from a private table: messages go to logs, terminals and
analysts, and a category or a number in one of them would be an unpaid release. Names of columns, counts
of *declared* things and line numbers are fine; cell values are not.

Each class carries the exit code that the command line ends with, so that scripts can tell a refused
budget from a bad file.
"""

from __future__ import annotations

from typing import Any


class PrivetError(Exception):
    """Base of all Privet's errors: what happened, and the advice on what to do next."""

    exit_code = 1
    #: A word for what would help, from which each face says how that is done there; "" if there is none.
    remedy = ""
    #: What was made and paid for, where it could be written nowhere: each face hands it over with the error.
    rescued: dict[str, Any] | None = None
    #: The parameter at fault, where that is known: a form says so beside its field.
    parameter = ""

    def __init__(self, message: str, advice: str = "", remedy: str = "") -> None:
        super().__init__(message, advice)
        self.message = message
        self.advice = advice
        if remedy:
            self.remedy = remedy

    def add(self, sentence: str) -> None:
        """Say this too, unless it is said already."""
        if sentence not in self.message:
            self.message = f"{self.message} {sentence}"

    def __str__(self) -> str:
        return f"{self.message}\n  What to do: {self.advice}" if self.advice else self.message


class ParameterError(PrivetError, ValueError):
    """A parameter of an algorithm or a command has a value it cannot have."""

    exit_code = 2


class SchemaError(PrivetError, ValueError):
    """Something that must be public knowledge is missing, unconfirmed or contradictory."""

    exit_code = 3


class DataError(PrivetError, ValueError):
    """The table cannot be read, or does not fit its schema. Never says which value was at fault."""

    exit_code = 4


class BudgetExceeded(PrivetError):
    """The ledger refused: the request would pass the limit. Nothing was spent and nothing was measured.

    ``asked`` is what the request costs, ``balance`` what the account has, if a ledger refused it.
    """

    exit_code = 5
    asked: Any = None
    balance: Any = None


class LedgerError(PrivetError):
    """The ledger is missing, locked, altered, or was asked for something it does not do."""

    exit_code = 6


class ModelError(PrivetError, ValueError):
    """A released model's file is altered, unreadable, or made for another table."""

    exit_code = 7


class ServerError(PrivetError):
    """A server does not answer, refuses who asks, or lost a run."""

    exit_code = 9


class MissingExtra(PrivetError, ImportError):
    """An optional part of Privet is needed and not installed."""

    exit_code = 8

    @classmethod
    def of(cls, extra: str, purpose: str) -> MissingExtra:
        return cls(f"{purpose} needs the optional part '{extra}'.", f"pip install 'privet[{extra}]'")
