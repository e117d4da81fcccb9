"""OpenAPI is the contract: whatever it allows to be sent, no answer is a 500 or outside its schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.house import HOST, House, house
from tests.server.test_access import PAID_TABLE, experiment_of

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
#: They end the session, or answer as long as a run takes.
LEFT_OUT = ("DELETE /api/v1/session", "GET /api/v1/runs/{run}/events", "POST /api/v1/forecasts")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    """A server of its own: each call of schemathesis starts and stops it."""
    with house(tmp_path) as found:
        yield found


def test_whatever_is_sent_the_answer_is_in_the_contract(home: House):
    done = home.run(home.owner, home.dataset)
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", home.app, headers={"Host": "localhost"})
    known = {
        "study": home.study,
        "dataset": home.dataset,
        "run": done["id"],
        "release": done["release"],
        "plan": done["plan"],
        "experiment": experiment_of(home, home.owner, PAID_TABLE)["id"],
    }
    headers = {"Cookie": f"privet_session={home.owner.cookie}", "Origin": HOST, "Host": "localhost"}
    tried = 0
    for operation in (result.ok() for result in schema.get_all_operations()):
        if operation.label in LEFT_OUT:
            continue

        @settings(
            max_examples=4,
            deadline=None,
            database=None,
            derandomize=True,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        def tries(case: schemathesis.Case) -> None:
            # Random ids name nothing: half of the time, one that is there.
            for name in case.path_parameters or {}:
                if name in known and len(repr(case.body)) % 2:
                    case.path_parameters[name] = known[name]
            case.headers = {**(case.headers or {}), **headers}
            case.call_and_validate(checks=list(CHECKS))

        given(case=operation.as_strategy())(tries)()
        tried += 1
    assert tried >= 45
