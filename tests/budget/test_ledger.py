"""What every ledger does, whatever store it is in."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from fractions import Fraction

import pytest

from privet.budget import (
    Approximate,
    ApproximateEvent,
    GaussianEvent,
    Head,
    Ledger,
    NoGuarantee,
    Parallel,
    Pure,
    PureEvent,
    Zcdp,
    exact,
    rho_for,
)
from privet.errors import BudgetExceeded, LedgerError, ParameterError
from privet.schema import Schema, Unit

UNIT = Unit()
ONE = Pure(exact(1))
TENTH = PureEvent(exact(0.1), "laplace")


def spend(ledger, event=TENTH, dataset="patients", unit=UNIT):
    ledger.commit(ledger.reserve(dataset, event, unit=unit, what="a test"), {"epsilon": "0.1"})


class LedgerContract:
    """Written once, run against each store."""

    @pytest.fixture
    def empty(self, tmp_path) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def ledger(self, empty) -> Ledger:
        empty.open_account("patients", ONE, unit=UNIT)
        return empty

    def test_ten_tenths_fit_and_the_eleventh_is_refused(self, ledger):
        for _ in range(10):
            spend(ledger)
        before = len(ledger.history())
        with pytest.raises(BudgetExceeded) as refused:
            spend(ledger)
        assert refused.value.asked == Pure(exact(0.1))
        assert refused.value.balance.spent == ONE
        assert refused.value.balance.limit == ONE
        assert refused.value.balance.left is None
        assert refused.value.advice
        assert "ε = 0.1" in str(refused.value)
        assert len(ledger.history()) == before
        assert ledger.spent("patients") == ONE
        assert ledger.left("patients") is None

    def test_nothing_is_spent_on_the_word_of_what_was_read_once(self, ledger):
        address = ledger._chain.store.address
        other = ledger if address is None else Ledger.open(address)
        with ledger.reading_once():
            for _ in range(10):
                spend(other)
            with pytest.raises(BudgetExceeded):
                spend(ledger)
        assert ledger.left("patients") is None

    def test_a_refused_request_costs_nothing_and_a_smaller_one_still_fits(self, ledger):
        spend(ledger, PureEvent(exact(0.9)))
        with pytest.raises(BudgetExceeded, match=r"at most ε = 0\.1"):
            spend(ledger, PureEvent(exact(0.2)))
        assert ledger.left("patients") == Pure(exact(0.1))
        spend(ledger)

    def test_a_reservation_never_committed_is_spent(self, ledger):
        ledger.reserve("patients", PureEvent(exact(0.7)), unit=UNIT, what="crashed")
        assert ledger.spent("patients") == Pure(exact(0.7))
        assert [entry.state for entry in ledger.history() if entry.event] == ["reserved"]
        with pytest.raises(BudgetExceeded):
            spend(ledger, PureEvent(exact(0.4)))

    def test_a_reservation_is_committed_once(self, ledger):
        reservation = ledger.reserve("patients", TENTH, unit=UNIT, what="x")
        ledger.commit(reservation, {"epsilon": "0.1"})
        before = ledger.head()
        with pytest.raises(LedgerError, match="not open"):
            ledger.commit(reservation, {"epsilon": "0.2"})
        assert ledger.head() == before

    def test_the_very_same_commit_may_be_repeated_and_adds_nothing(self, ledger):
        """Who lost the answer to a commit asks again; a forged reservation gets nothing by it."""
        first, second = (ledger.reserve("patients", TENTH, unit=UNIT, what="x") for _ in range(2))
        ledger.commit(first, {"epsilon": "0.1"})
        before = ledger.head()
        ledger.commit(first, {"epsilon": "0.1"})
        assert ledger.head() == before
        for forged in (replace(first, hash=second.hash), replace(first, number=99), replace(first, number=0)):
            with pytest.raises(LedgerError, match="not open"):
                ledger.commit(forged, {"epsilon": "0.1"})

    def test_a_reservation_of_another_ledger_is_refused(self, ledger):
        other = Ledger.in_memory()
        other.open_account("patients", ONE, unit=UNIT)
        ledger.reserve("patients", TENTH, unit=UNIT, what="x")
        with pytest.raises(LedgerError, match="not open"):
            ledger.commit(other.reserve("patients", TENTH, unit=UNIT, what="x"), {})

    def test_a_guarantee_that_is_not_json_is_refused_and_stays_spent(self, ledger):
        reservation = ledger.reserve("patients", TENTH, unit=UNIT, what="x")
        for bad in ({"x": float("nan")}, {"x": object()}):
            with pytest.raises(LedgerError, match="JSON"):
                ledger.commit(reservation, bad)
        assert ledger.spent("patients") == Pure(exact(0.1))
        ledger.commit(reservation, {"x": "fine"})
        ledger.verify()

    def test_both_limits_hold(self, empty):
        empty.open_account("patients", ONE, unit=UNIT, analysts={"alice": Pure(exact(0.3))})
        alice, bob = empty.as_analyst("alice"), empty.as_analyst("bob")
        spend(alice, PureEvent(exact(0.3)))
        with pytest.raises(BudgetExceeded, match="'alice' on 'patients'"):
            spend(alice)
        spend(bob, PureEvent(exact(0.7)))
        with pytest.raises(BudgetExceeded, match="budget of 'patients'"):
            spend(bob)
        assert alice.spent("patients", "alice") == Pure(exact(0.3))
        assert alice.spent("patients", "bob") == Pure(exact(0.7))
        assert alice.left("patients", "alice") is None
        assert alice.spent("patients") == ONE

    def test_a_default_limit_for_each_analyst(self, empty):
        empty.open_account("patients", ONE, unit=UNIT, each_analyst=Pure(exact(0.2)))
        for name in ("alice", "bob"):
            spend(empty.as_analyst(name), PureEvent(exact(0.2)))
            with pytest.raises(BudgetExceeded):
                spend(empty.as_analyst(name))
        empty.set_limit("patients", Pure(exact(0.3)), analyst="bob")
        spend(empty.as_analyst("bob"))

    def test_limits_are_raised_and_lowered_on_record(self, ledger):
        spend(ledger, PureEvent(exact(1)))
        ledger.set_limit("patients", Pure(exact(2)))
        spend(ledger, PureEvent(exact(0.5)))
        ledger.set_limit("patients", Pure(exact(1)))
        with pytest.raises(BudgetExceeded):
            spend(ledger)
        assert [e.amount for e in ledger.history() if e.kind == "limit"] == [Pure(exact(2)), ONE]
        assert ledger.balance("patients").left is None

    def test_a_limit_that_cannot_count_what_was_spent_is_refused(self, empty):
        empty.open_account("patients", Zcdp(exact(1)), unit=UNIT)
        spend(empty, GaussianEvent(exact(0.1)))
        with pytest.raises(LedgerError, match="cannot be counted"):
            empty.set_limit("patients", ONE)
        empty.set_limit("patients", Approximate(exact(5), exact(1e-6)))
        assert empty.spent("patients").delta == exact(1e-6)

    def test_disjoint_parts_cost_one(self, ledger):
        spend(ledger, Parallel((PureEvent(exact(1)), PureEvent(exact(1)))))
        assert ledger.spent("patients") == ONE

    def test_gaussian_noise_under_an_epsilon_delta_limit(self, empty):
        limit = Approximate(exact(1), exact(1e-6))
        empty.open_account("patients", limit, unit=UNIT)
        assert empty.left("patients") == limit
        rho = rho_for(limit.epsilon, limit.delta)
        for _ in range(4):
            spend(empty, GaussianEvent(rho / 4))
        assert empty.left("patients") is None
        assert empty.spent("patients").epsilon <= 1
        with pytest.raises(BudgetExceeded):
            spend(empty, GaussianEvent(rho / 1000))

    def test_a_zcdp_limit(self, empty):
        empty.open_account("patients", Zcdp(exact(0.5)), unit=UNIT)
        spend(empty, PureEvent(exact(0.6)))  # 0.18
        spend(empty, GaussianEvent(exact(0.32)))
        assert empty.spent("patients") == Zcdp(exact(0.5))
        with pytest.raises(BudgetExceeded):
            spend(empty, GaussianEvent(Fraction(1, 10**12)))

    @pytest.mark.parametrize(
        "event", [NoGuarantee("seeded"), GaussianEvent(exact(0.1)), ApproximateEvent(exact(0.1), exact(1e-9))]
    )
    def test_what_cannot_be_counted_is_refused(self, ledger, event):
        with pytest.raises(BudgetExceeded, match="refused"):
            spend(ledger, event)
        assert ledger.spent("patients") is None

    @pytest.mark.parametrize("unit", [Unit("replace"), Unit(id="patient", most=3)])
    def test_another_unit_of_privacy_is_refused(self, ledger, unit):
        with pytest.raises(LedgerError, match="do not add up"):
            spend(ledger, unit=unit)
        with pytest.raises(LedgerError, match="do not add up"):
            ledger.preview("patients", TENTH, unit=unit)
        assert ledger.spent("patients") is None

    def test_a_dataset_without_an_account(self, ledger):
        with pytest.raises(LedgerError, match="The owner of the data opens one"):
            spend(ledger, dataset="strangers")
        with pytest.raises(LedgerError, match="already"):
            ledger.open_account("patients", ONE, unit=UNIT)
        with pytest.raises(ParameterError, match="no accountant"):
            ledger.open_account("strangers", ONE, unit=UNIT, accountant="guess")

    def test_preview_writes_nothing(self, ledger):
        before = ledger.head()
        balance = ledger.preview("patients", PureEvent(exact(0.25)), unit=UNIT)
        assert balance.left == Pure(exact(0.75))
        with pytest.raises(BudgetExceeded):
            ledger.preview("patients", PureEvent(exact(2)), unit=UNIT)
        assert ledger.head() == before

    def test_accounts_are_copies(self, ledger):
        spend(ledger)
        (account,) = ledger.accounts()
        account.analyst_costs.clear()
        account.limit = Pure(exact(100))
        assert ledger.balance("patients").limit == ONE
        assert ledger.spent("patients", ledger.analyst) == Pure(exact(0.1))

    def test_history_tells_who_what_when_how_much(self, ledger):
        spend(ledger.as_analyst("alice"))
        opened, spent = ledger.history("patients")
        assert opened.kind == "account"
        assert (spent.who, spent.what, spent.state) == ("alice", "a test", "committed")
        assert spent.event == TENTH
        assert spent.amount == Pure(exact(0.1))
        assert spent.guarantee == {"epsilon": "0.1"}
        assert spent.when.endswith("+00:00")
        assert spent.to_dict()["amount"] == {"kind": "pure", "epsilon": "1/10"}
        assert ledger.history("strangers") == []

    def test_the_same_table_gets_no_second_budget_under_another_name(self, ledger):
        ledger.open_account("clinic", ONE, unit=UNIT, fingerprint=b"content")
        before = ledger.head()
        with pytest.raises(LedgerError, match=r"registered as 'clinic'.* second budget"):
            ledger.open_account("clients", ONE, unit=UNIT, fingerprint=b"content")
        assert ledger.head() == before
        ledger.open_account("others", ONE, unit=UNIT, fingerprint=b"other content")

    def test_a_table_with_an_anonymous_account_of_an_older_ledger_gets_no_second_name(self, ledger):
        ledger.open_account("clinic", ONE, unit=UNIT, fingerprint=b"content")
        old = ledger._digest(b"more")[:16]
        ledger.open_account(f"table-{old}", ONE, unit=UNIT)
        with pytest.raises(LedgerError, match="second budget"):
            ledger.open_account("clients", ONE, unit=UNIT, fingerprint=b"more")

    def test_the_fingerprint_stays_inside(self, ledger):
        ledger.open_account("clinic", ONE, unit=UNIT, fingerprint=b"content")
        assert b"content".hex() not in repr(ledger.history())
        assert "content" not in repr(ledger.history())
        assert Ledger.in_memory()._digest(b"content") != ledger._digest(b"content")  # keyed

    def test_a_schema_is_registered_frozen_and_versioned(self, ledger):
        assert ledger.registered_schema("patients") is None
        assert ledger.registered_schema("nobody") is None
        first, second = Schema.of({"age": (0, 120)}), Schema.of({"age": (0, 100)})
        ledger.open_account("clinic", ONE, unit=UNIT, schema=first)
        assert ledger.registered_schema("clinic") == first.to_dict()
        assert ledger.register_schema("clinic", second) == 2
        assert ledger.registered_schema("clinic") == second.to_dict()
        assert [entry.what for entry in ledger.history("clinic")][1:] == [
            "version 1 of the schema was registered",
            "version 2 of the schema was registered",
        ]
        ledger.verify()
        with pytest.raises(LedgerError, match="different units"):
            ledger.register_schema("clinic", Schema.of({"age": (0, 100)}, unit=Unit("replace")))

    def test_the_owners_word_is_kept(self, ledger):
        ledger.as_analyst("ann").record_word("patients", "declared public: it was published")
        assert (ledger.history()[-1].who, ledger.history()[-1].kind) == ("ann", "word")
        assert ledger.history()[-1].what == "declared public: it was published"
        ledger.verify()
        with pytest.raises(LedgerError, match="empty"):
            ledger.record_word("patients", " ")
        with pytest.raises(LedgerError, match="no account"):
            ledger.record_word("nobody", "whatever")

    def test_times_do_not_show_how_long_a_run_took(self, ledger):
        """How long a search took hints at the secret number of its trials."""
        spend(ledger)
        rows = ledger._chain.rows()
        assert {row.when for row in rows if row.kind == "commit"} == {""}
        for row in rows:
            assert row.kind == "commit" or re.fullmatch(r"[-0-9]{10}T[0-9]{2}:[0-9]{2}[+]00:00", row.when)

    def test_the_chain_verifies_and_the_head_moves(self, ledger):
        ledger.verify()
        first = ledger.head()
        spend(ledger)
        assert ledger.head() != first
        ledger.verify(head=first)
        ledger.verify(head=Head.parse(str(ledger.head())))
        with pytest.raises(LedgerError, match="noted down"):
            ledger.verify(head=Head(first.count, "0" * 64))
        with pytest.raises(LedgerError, match="missing"):
            ledger.verify(head=Head(99, first.hash))

    def test_eight_threads_never_overspend(self, ledger):
        accepted = []

        def work():
            for _ in range(5):
                try:
                    spend(ledger, PureEvent(exact(0.05)))
                    accepted.append(1)
                except BudgetExceeded:
                    return

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(accepted) == 20
        assert ledger.spent("patients") == ONE
        ledger.verify()

    def test_an_interrupted_step_leaves_no_trace(self, ledger):
        def interrupted():
            with ledger._chain.writing() as step:
                body = {"limit": Pure(exact(9)).to_dict(), "analyst": None}
                step.append("limit", who="x", dataset="patients", body=body)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert ledger.balance("patients").limit == ONE
        spend(ledger)
        ledger.verify()


class TestMemory(LedgerContract):
    @pytest.fixture
    def empty(self, tmp_path):
        return Ledger.in_memory()


class StoredLedgerContract(LedgerContract):
    """What is kept outlives the process."""

    def test_it_is_there_tomorrow(self, ledger):
        spend(ledger)
        again = Ledger.open(ledger._chain.store.address)
        assert again.spent("patients") == Pure(exact(0.1))
        assert again.head() == ledger.head()
        assert again._digest(b"content") == ledger._digest(b"content")
        spend(again)
        assert ledger.spent("patients") == Pure(exact(0.2))


class TestSqlite(StoredLedgerContract):
    @pytest.fixture
    def empty(self, tmp_path):
        return Ledger.open(tmp_path / "ledger.db", create=True)


class TestPostgres(StoredLedgerContract):
    @pytest.fixture
    def empty(self, postgres_url):
        return Ledger.open(postgres_url, create=True)


def test_the_analyst_is_the_login_name_unless_said(monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "carol")
    assert Ledger.in_memory().analyst == "carol"
    monkeypatch.setattr("getpass.getuser", lambda: (_ for _ in ()).throw(KeyError("no user")))
    assert Ledger.in_memory().analyst == "anonymous"
    with pytest.raises(LedgerError, match="name"):
        Ledger.in_memory().as_analyst("")
