"""The workbench's pages: static files, built from ``web/``; where they are missing, how to build them."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response

__all__ = ["FOLDER", "add_pages"]

FOLDER = Path(__file__).parent / "pages"
_MISSING = """\
This is a Privet server. Its API is at /api/v1 and described at /api/v1/openapi.json.

The workbench's pages are not built. In a checkout of Privet:
    cd web && npm ci && npm run build
"""


def add_pages(app: FastAPI, folder: Path = FOLDER) -> None:
    """Serve the pages. Addresses that name no file are the page's own, and get its first page."""
    root = folder.resolve()

    @app.get("/{path:path}", include_in_schema=False)
    def page(request: Request, path: str) -> Response:
        if path.startswith("api/"):
            from privet.server.guests import missing

            raise missing()
        index = root / "index.html"
        if not index.is_file():
            return PlainTextResponse(_MISSING, 200 if path == "" else 404)
        try:
            place = (root / path).resolve()
            found = place.is_file() and place.is_relative_to(root)
        except (ValueError, OSError):  # a name that no file can have
            found = False
        headers = {"Cache-Control": "no-cache"}
        if found and path.startswith("assets/"):  # their names change with their content
            headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        if not found and "." in path.rpartition("/")[2]:
            return PlainTextResponse("There is no such file.\n", 404)
        return FileResponse(place if found else index, headers=headers)
