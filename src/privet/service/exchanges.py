"""Where the messages of a study meet: a folder, or a study on a server."""

from __future__ import annotations

import re
from typing import Any

from privet.errors import DataError, ParameterError, ServerError
from privet.parties import Exchange

__all__ = ["ServerExchange", "exchange_at"]


def exchange_at(place: str) -> Exchange:
    """The exchange in a folder, or at an address such as ``https://privet.example/studies/ID``."""
    found = re.fullmatch(r"(https?://[^/]+)/studies/([A-Za-z0-9_-]+)/?", place)
    if found:
        from privet.client.client import connect

        return ServerExchange(connect(found[1])._ask, found[2])
    if "://" in place:
        raise ParameterError(
            "This is not a study's address.", "It looks like  https://privet.example/studies/ID"
        )
    return Exchange(place)


class ServerExchange(Exchange):
    """A study on a server: the same messages, which its server checks before they stand."""

    def __init__(self, connection: Any, study: str) -> None:
        super().__init__(study)
        self._ask, self._study = connection, study

    def get(self, name: str) -> Any:
        return self._ask.get(self._path(name))["document"]

    def put(self, name: str, content: Any) -> None:
        try:
            self._ask.put(self._path(name), {"document": content})
        except ServerError as error:
            raise DataError(error.message, error.advice) from None

    def forget(self) -> None:
        """The server deletes sealed rows itself as soon as a result stands; so it is said once more."""
        self.put("result", self.get("result"))

    def _path(self, name: str) -> str:
        kind = "submissions" if "/" in name else "coordination"
        return f"/studies/{self._study}/{kind}/{name}"
