"""The client against a real server: fits as at home, errors as at home, and nothing is spent twice."""

from __future__ import annotations

import os

import httpx
import numpy as np
import pytest

import privet
from privet.client import Client, ServerError
from privet.client.connection import Connection
from privet.errors import BudgetExceeded, ParameterError
from privet.learning.classify import LogisticRegression, NaiveBayes


@pytest.fixture
def client(live):
    with privet.connect(live.url, live.token) as found:
        yield found


@pytest.fixture
def people(live, client):
    return client.dataset(live.house.dataset)


def spent(live):
    return live.house.spent(live.house.dataset)


def test_a_fit_gives_a_local_model_with_its_guarantee(live, people):
    before, steps = spent(live), []
    model = people.fit(NaiveBayes(epsilon=0.5, bins=7), watch=lambda state, step: steps.append(state))
    assert isinstance(model, NaiveBayes)
    assert (model.epsilon, model.bins) == (0.5, 7)
    assert model.guarantee_.holds
    assert model.guarantee_.epsilon == 0.5
    assert set(model.predict([[30, "no"], [70, "yes"]])) <= {"no", "yes"}
    assert np.isclose(spent(live) - before, 0.5)
    assert steps[-1] == "released"
    again = people.fit(NaiveBayes(epsilon=0.5, bins=7))  # paid for already
    assert np.array_equal(again.class_count_, model.class_count_)
    assert np.isclose(spent(live) - before, 0.5)
    scored = people.evaluate(model, epsilon=0.25)
    assert scored["use_case"] == "evaluate"
    assert people.compare_models(model, model, epsilon=0.1)["figures"]["models"] == [
        "Naive Bayes (ε = 0.5), the first",
        "Naive Bayes (ε = 0.5), the second",
    ]
    assert people.diagnose(model, epsilon=0.1)["use_case"] == "diagnose"  # noise may hide every curve
    assert np.isclose(spent(live) - before, 0.95)
    latest = [each["use_case"] for each in people.releases()][:4]
    assert latest == ["diagnose", "compare-models", "evaluate", "fit"]


def test_plans_and_rehearsals_are_free(live, people):
    before = spent(live)
    plan = people.plan(NaiveBayes(epsilon=0.3))
    assert plan.fits
    assert plan.epsilon == 0.3
    assert plan.text() in str(plan)
    model = people.rehearse(NaiveBayes(epsilon=0.3))
    assert not model.guarantee_.holds or model.guarantee_.epsilon == 0.3
    assert spent(live) == before


def test_what_the_budget_does_not_allow_is_the_error_that_a_local_ledger_raises(live, client):
    small = client.dataset(live.house.new_dataset(0.5, name="small"))
    with pytest.raises(BudgetExceeded, match="Nothing was spent") as refused:
        small.fit(NaiveBayes(epsilon=0.7))
    assert refused.value.advice
    assert small.account["spent"]["epsilon"] == 0
    small.fit(NaiveBayes(epsilon=0.5))
    assert small.account["left"]["epsilon"] == 0


def test_a_wrong_parameter_is_said_with_what_to_do(people):
    with pytest.raises(ParameterError, match="no parameter"):
        people.plan(NaiveBayes(), nonsense=3)
    with pytest.raises(ParameterError, match="seed"):
        people.fit(NaiveBayes(random_state=3))
    with pytest.raises(ParameterError, match="no dataset"):
        privet.connect(people._ask.url, people._ask._http.headers["Authorization"][7:]).dataset("nobody's")
    with pytest.raises(ParameterError, match="released"):
        people.evaluate(LogisticRegression())


def test_a_wrong_token_is_refused(live):
    with pytest.raises(ServerError) as refused:
        privet.connect(live.url, "privet_nothing").datasets()
    assert refused.value.exit_code == 9


class Flaky(httpx.HTTPTransport):
    """Loses the answer to the first requests to start a run: the server took them, nobody heard."""

    def __init__(self, lost):
        super().__init__()
        self.lost, self.keys = lost, []

    def handle_request(self, request):
        answer = super().handle_request(request)
        if request.method == "POST" and request.url.path.endswith("/runs"):
            self.keys.append(request.headers["Idempotency-Key"])
            if len(self.keys) <= self.lost:
                answer.read()
                raise httpx.ReadError("lost", request=request)
        return answer


def test_a_lost_answer_is_asked_for_again_with_the_same_key_and_spends_once(live):
    flaky = Flaky(lost=2)
    client, before = Client(Connection(live.url, live.token, transport=flaky)), spent(live)
    client.dataset(live.house.dataset).fit(NaiveBayes(epsilon=0.11, bins=5))
    assert len(flaky.keys) == 3
    assert len(set(flaky.keys)) == 1
    assert np.isclose(spent(live) - before, 0.11)


def test_without_events_it_asks_again_and_again(live, monkeypatch):
    monkeypatch.setattr(Connection, "events", lambda self, path: iter(()))
    with privet.connect(live.url, live.token) as client:
        assert client.dataset(live.house.dataset).fit(NaiveBayes(epsilon=0.12)).guarantee_.epsilon == 0.12


def test_a_plan_is_never_sent_twice(live):
    """It costs nothing, but a request without a key must not be repeated: it could be another kind."""
    tried = []

    class Dead(httpx.HTTPTransport):
        def handle_request(self, request):
            tried.append(request.method)
            raise httpx.ConnectError("away", request=request)

    connection = Connection(live.url, live.token, transport=Dead())
    with pytest.raises(ServerError, match="does not answer"):
        connection.post("/plans", {})
    assert tried == ["POST"]


@pytest.mark.parametrize(
    "url", ["ftp://x", "privet.example", "http://privet.example", "https://user:pw@privet.example", "http://"]
)
def test_addresses_that_are_refused(url):
    with pytest.raises(ParameterError) as refused:
        privet.connect(url, "privet_x")
    assert "privet_x" not in str(refused.value)


def test_the_token_comes_from_a_file_that_others_cannot_read(live, tmp_path, monkeypatch):
    file = tmp_path / "token"
    file.write_text(live.token + "\n")
    os.chmod(file, 0o644)
    with pytest.raises(ParameterError, match="chmod 600"):
        privet.connect(live.url, token_file=file)
    os.chmod(file, 0o600)
    assert privet.connect(live.url, token_file=file).datasets()
    monkeypatch.delenv("PRIVET_TOKEN", raising=False)
    with pytest.raises(ParameterError, match="PRIVET_TOKEN"):
        privet.connect(live.url)
    monkeypatch.setenv("PRIVET_TOKEN", live.token)
    found = privet.connect(live.url)
    assert found.datasets()
    assert live.token not in repr(found)


def test_accounts_history_and_head(live):
    with privet.connect(live.url, live.owner) as client:
        head = client.head()
        assert client.verify(head)["intact"]
        assert not client.verify("1:00")["intact"]
        assert {account["dataset"] for account in client.accounts()} >= {live.house.dataset}
        assert client.history(live.house.dataset)["entries"]
