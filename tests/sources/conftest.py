"""What the tests of sources share."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import pytest

from privet.errors import DataError

SENTINEL = "S3NT1NEL"


@pytest.fixture
def refuses() -> Callable[..., str]:
    """Run something that must end in a DataError which nowhere shows the sentinel, a value of the data."""

    def check(action: Callable[[], object], *says: str) -> str:
        with pytest.raises(DataError) as caught:
            action()
        error = caught.value
        shown = "".join(traceback.format_exception_only(error))
        assert SENTINEL not in str(error)
        assert SENTINEL not in shown
        assert error.__cause__ is None
        assert error.__context__ is None or error.__suppress_context__
        for part in says:
            assert part in str(error)
        return str(error)

    return check
