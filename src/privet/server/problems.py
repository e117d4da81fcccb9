"""Errors as problem details (RFC 9457): what happened, what it cost, what to do. Never a cell's value.

Privet's own errors say all of that themselves. The text of any other error may quote data: only its kind is
written to the log, and the caller learns no more than that something failed.
"""

from __future__ import annotations

import logging
from errno import EDQUOT, EFBIG, ENOSPC
from sqlite3 import SQLITE_BUSY, SQLITE_FULL, SQLITE_LOCKED
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from privet.errors import (
    BudgetExceeded,
    DataError,
    LedgerError,
    MissingExtra,
    ModelError,
    ParameterError,
    PrivetError,
    SchemaError,
)

__all__ = ["Problem", "Refusal", "add_problems", "problem"]

FREE = "Nothing was spent."
#: Of a request that broke off in the middle nobody can say how far it came.
_UNKNOWN = "A run that was asked for may be queued. Asked for again with the same key, it is paid for once."
MEDIA = "application/problem+json"
log = logging.getLogger("privet.server")

_STATUS: tuple[tuple[type[PrivetError], int], ...] = (
    (BudgetExceeded, 409),
    (ParameterError, 422),
    (SchemaError, 422),
    (DataError, 422),
    (ModelError, 422),
    (LedgerError, 409),
    (MissingExtra, 501),
)


class Field(BaseModel):
    """What is wrong with one field of a request."""

    field: str
    detail: str


class Problem(BaseModel):
    """A refusal, in words."""

    type: str
    title: str
    status: int
    detail: str
    advice: str
    cost: str
    field: str | None = None
    errors: list[Field] = []


class Refusal(Exception):
    """A request that is refused, with its status, what happened, and what to do about it."""

    def __init__(
        self, status: int, title: str, detail: str, advice: str = "", field: str | None = None
    ) -> None:
        super().__init__(title)
        self.status, self.title, self.detail, self.advice, self.field = status, title, detail, advice, field


def problem(
    status: int,
    title: str,
    detail: str,
    advice: str = "",
    *,
    kind: str = "refused",
    field: str | None = None,
    errors: list[dict[str, str]] | None = None,
    headers: dict[str, str] | None = None,
    cost: str = FREE,
) -> JSONResponse:
    body: dict[str, Any] = {
        "type": f"urn:privet:{kind}",
        "title": title,
        "status": status,
        "detail": detail,
        "advice": advice,
        "cost": cost,
        "field": field,
        "errors": errors or [],
    }
    return JSONResponse(body, status, media_type=MEDIA, headers=headers)


def _of_privet(error: PrivetError) -> JSONResponse:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    names = (BudgetExceeded, ParameterError, SchemaError, DataError, ModelError, LedgerError, MissingExtra)
    kind = next((cls.__name__ for cls in names if isinstance(error, cls)), type(error).__name__)
    titles = {
        "BudgetExceeded": "The budget does not allow it",
        "ParameterError": "A parameter cannot have this value",
        "SchemaError": "What is public about the table is not settled",
        "DataError": "The table cannot be read",
        "LedgerError": "The ledger refused",
        "ModelError": "The model cannot be used",
        "MissingExtra": "A part of Privet is not installed on this server",
    }
    field = f"parameters.{error.parameter}" if error.parameter else None
    return problem(status, titles.get(kind, "Refused"), error.message, error.advice, kind=kind, field=field)


def _of_refusal(error: Refusal) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
    return problem(error.status, error.title, error.detail, error.advice, field=error.field, headers=headers)


def _of_validation(error: RequestValidationError) -> JSONResponse:
    """The fields at fault and why; what was sent is not repeated."""
    found = []
    for each in error.errors():
        place = [str(part) for part in each["loc"] if part not in ("body", "query", "path", "header")]
        found.append({"field": ".".join(place) or str(each["loc"][0]), "detail": str(each["msg"])})
    first = found[0] if found else {"field": "", "detail": "The request has the wrong form."}
    detail = f"{first['field']}: {first['detail']}" if first["field"] else first["detail"]
    return problem(
        422,
        "The request has the wrong form",
        detail,
        "Correct the field.",
        kind="ParameterError",
        field=first["field"] or None,
        errors=found,
    )


def _of_database(error: Exception) -> JSONResponse | None:
    """What to say where the disk or the database does not do its part; None if the fault is another one."""
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlite_errorcode", None)
    full = code == SQLITE_FULL or getattr(cause, "sqlstate", None) == "53100"
    if full or (isinstance(cause, OSError) and cause.errno in (ENOSPC, EDQUOT, EFBIG)):
        return problem(
            507,
            "The server has no room",
            "Its disk is full, so the request could not be completed.",
            "Ask the operator to free some space, then try again.",
            cost=_UNKNOWN,
        )
    away = isinstance(error, OperationalError | InterfaceError | PoolTimeout)
    if away and code in (None, SQLITE_BUSY, SQLITE_LOCKED):
        return problem(
            503,
            "The database does not answer",
            "It was stopped, or has too much to do.",
            "Try again in a moment.",
            cost=_UNKNOWN,
        )
    return None


def add_problems(app: FastAPI) -> None:
    """Turn every way in which a request can fail into a problem."""

    @app.exception_handler(PrivetError)
    async def of_privet(request: Request, error: PrivetError) -> JSONResponse:
        return _of_privet(error)

    @app.exception_handler(Refusal)
    async def of_refusal(request: Request, error: Refusal) -> JSONResponse:
        return _of_refusal(error)

    @app.exception_handler(RequestValidationError)
    async def of_validation(request: Request, error: RequestValidationError) -> JSONResponse:
        return _of_validation(error)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        titles = {404: "There is no such thing", 405: "This cannot be done here"}
        title = titles.get(error.status_code, "The request was refused")
        detail = "There is nothing at this address." if error.status_code == 404 else f"{title}."
        return problem(error.status_code, title, detail, headers=dict(error.headers or {}))

    @app.exception_handler(DBAPIError)
    @app.exception_handler(PoolTimeout)
    @app.exception_handler(OSError)
    @app.exception_handler(Exception)
    async def of_anything(request: Request, error: Exception) -> JSONResponse:
        log.error("unexpected", extra={"kind": type(error).__name__, "route": _route(request)})
        return _of_database(error) or problem(
            500,
            "The server met an error that it did not expect",
            "The request was not carried out.",
            "Ask the operator to look at the server's log.",
            kind="UnexpectedError",
            cost=_UNKNOWN,
        )


def _route(request: Request) -> str:
    route = request.scope.get("route")
    return str(getattr(route, "path", ""))
