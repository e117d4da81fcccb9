"""One server for the tests of a module; those that break things make their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.house import House, house


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("server")) as found:
        yield found
