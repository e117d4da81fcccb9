"""The application: routes, gates and workers put together, from settings alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from privet import __version__
from privet.server.access import ACCESS, PREFIX
from privet.server.gates import Gates
from privet.server.pages import add_pages
from privet.server.problems import MEDIA, Problem, add_problems
from privet.server.routes import (
    accounts,
    algorithms,
    attacks,
    connections,
    datasets,
    experiments,
    flows,
    forecasts,
    openid,
    people,
    perturbations,
    releases,
    runs,
    studies,
    submissions,
)
from privet.server.settings import Settings
from privet.server.state import Server
from privet.server.worker import settle_the_dead, start_workers

__all__ = ["application"]

ROUTERS = (  # in the order in which an address is looked for: what is asked most often comes first
    runs,
    people,
    openid,
    studies,
    datasets,
    connections,
    algorithms,
    flows,
    forecasts,
    releases,
    accounts,
    attacks,
    perturbations,
    submissions,
    experiments,
)
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": about, "content": {MEDIA: {}}}
    for status, about in (
        (400, "The request cannot be understood."),
        (401, "Nobody is signed in, or the token is not valid."),
        (403, "The role or the token does not allow it."),
        (404, "There is no such thing, or not for you."),
        (405, "This cannot be done here."),
        (409, "The state of things, or the budget, does not allow it."),
        (413, "The request is too large."),
        (415, "This kind of file is not known."),
        (421, "The server is not known by that name."),
        (422, "A parameter or the schema cannot be used as it is."),
        (429, "Too often."),
        (500, "The server met an error that it did not expect."),
        (501, "A part of Privet is not installed on this server."),
        (502, "A provider does not answer."),
        (503, "The database does not answer, or nobody waits for the answer any more."),
        (507, "There is no room on the server's disk."),
    )
}


def application(settings: Settings) -> FastAPI:
    """The server as an ASGI application. Its database is made or brought up to date first."""
    _require_rules()
    server = Server(settings)
    server.database.prepare()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        settle_the_dead(server)
        workers = start_workers(server)
        yield
        server.stopping.set()
        server.awake.set()
        for worker in workers:  # the run at hand is paid for: it is finished
            worker.join()
        server.database.close()

    app = FastAPI(
        title="Privet",
        version=__version__,
        description="Mine sensitive tables, and let out only what is safe to let out.",
        lifespan=life,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=_PROBLEMS,
    )
    app.state.server = server
    add_problems(app)
    for module in ROUTERS:
        app.include_router(module.router, prefix=PREFIX)

    @app.get("/health", include_in_schema=False)
    def health() -> JSONResponse:
        return JSONResponse({"alive": True})

    @app.get("/ready", include_in_schema=False)
    def ready() -> JSONResponse:
        try:
            with server.database.read() as connection:
                connection.exec_driver_sql("SELECT 1")
            able = not server.stopping.is_set()
        except Exception:
            able = False
        return JSONResponse({"ready": able}, 200 if able else 503)

    add_pages(app)
    app.add_middleware(Gates, settings=settings)
    return app


def _require_rules() -> None:
    """Refuse to start with a route that nobody has said who may use, or with a rule for none."""
    found = {
        (method, route.path)
        for module in ROUTERS
        for route in module.router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    if odd := sorted(found ^ set(ACCESS)):
        raise RuntimeError(f"Routes and the table of access do not agree: {odd}")
