"""A server's problem details (RFC 9457) as the errors that a local run would raise, with their advice."""

from __future__ import annotations

from typing import Any

from privet.errors import (
    BudgetExceeded,
    DataError,
    LedgerError,
    ModelError,
    ParameterError,
    PrivetError,
    SchemaError,
    ServerError,
)

__all__ = ["ServerError", "error_of"]

_KINDS: dict[str, type[PrivetError]] = {
    kind.__name__: kind
    for kind in (BudgetExceeded, DataError, LedgerError, ModelError, ParameterError, SchemaError)
}


def error_of(status: int, problem: Any) -> PrivetError:
    """The error that a problem stands for.

    >>> error = error_of(409, {"type": "x/BudgetExceeded", "detail": "Too much.", "advice": "Ask for less."})
    >>> type(error).__name__, error.message, error.advice
    ('BudgetExceeded', 'Too much.', 'Ask for less.')
    """
    if not isinstance(problem, dict):
        return ServerError(f"The server answered with {status}, and did not say why.", "Try again later.")
    words = [str(problem[name]) for name in ("detail", "cost") if problem.get(name)]
    message = " ".join(words) or str(problem.get("title", f"The server answered with {status}."))
    name = str(problem.get("type", "")).replace("#", "/").replace(":", "/").rpartition("/")[2]
    kind = _KINDS.get(name, ParameterError if status == 422 else ServerError)
    error = kind.__new__(kind)
    PrivetError.__init__(error, message, str(problem.get("advice") or ""))
    return error
