"""``privet.connect``: a server, the datasets on it, and what it says about budgets."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Any

from privet.client.connection import Connection
from privet.client.dataset import RemoteDataset
from privet.errors import ParameterError

__all__ = ["Client", "connect", "token_from"]


def connect(url: str, token: str | None = None, *, token_file: str | Path | None = None) -> Client:
    """A client of the server at ``url``.

    The token is given, or read from a file that only its owner may read, or from the variable PRIVET_TOKEN.

    >>> client = connect("http://localhost:8000", "privet_x")  # nothing is asked yet
    >>> client
    <Client of http://localhost:8000>
    """
    return Client(Connection(url, token or token_from(token_file)))


def token_from(file: str | Path | None = None) -> str:
    """The token in a file with safe permissions, or in PRIVET_TOKEN."""
    if file is None:
        if token := os.environ.get("PRIVET_TOKEN", "").strip():
            return token
        raise ParameterError(
            "No token was given.",
            "Set PRIVET_TOKEN, or name a file that holds it and that only you may read.",
        )
    path = Path(file)
    try:
        with path.open(encoding="ascii") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            token = opened.read(4096).strip()
    except (OSError, ValueError):
        raise ParameterError(f"The token's file {path.name} cannot be read.", "Check its path.") from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ParameterError(f"Others may read the token's file {path.name}.", f"Run  chmod 600 {path.name}")
    return token


class Client:
    """A Privet server, as the holder of one token sees it."""

    def __init__(self, connection: Connection) -> None:
        self._ask = connection

    def __repr__(self) -> str:
        return f"<Client of {self._ask.url}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ask.close()

    def datasets(self) -> list[RemoteDataset]:
        """The datasets that this token's holder may see."""
        return [RemoteDataset(self._ask, found) for found in self._ask.get("/datasets")]

    def dataset(self, name: str) -> RemoteDataset:
        """The dataset of this name or id."""
        found = self.datasets()
        chosen = [each for each in found if each.id == name] or [each for each in found if each.name == name]
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            ids = ", ".join(each.id for each in chosen)
            raise ParameterError(f"Several datasets are called '{name}'.", f"Name one by its id: {ids}.")
        names = ", ".join(sorted({each.name for each in found})) or "none"
        raise ParameterError(f"There is no dataset '{name}' for you on this server.", f"There are: {names}.")

    def accounts(self) -> list[dict[str, Any]]:
        """Limits, what is spent and what is left."""
        return list(self._ask.get("/accounts"))

    def history(self, dataset: str) -> dict[str, Any]:
        """Everything that was done with a dataset's account."""
        return dict(self._ask.get(f"/accounts/{self.dataset(dataset).id}/history"))

    def head(self) -> str:
        """The head of the server's ledger: note it down elsewhere."""
        return str(self._ask.get("/ledger/head")["head"])

    def verify(self, head: str | None = None) -> dict[str, Any]:
        """Whether the server's ledger is intact, and holds a head that was noted down."""
        return dict(self._ask.post("/ledger/verify", {} if head is None else {"head": head}))
