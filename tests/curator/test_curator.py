"""The one door: nothing is read before it is paid, and the noise is the noise that is claimed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from privet import randomness
from privet.budget import Approximate, Ledger, Pure, budget, exact, rho_for
from privet.checks.example import WatchedSource
from privet.curator import Curator, Measure, Minimise
from privet.curator.tables import empty_table, read_rows
from privet.errors import BudgetExceeded, DataError, LedgerError, ParameterError, SchemaError
from privet.schema import Number, Schema, Unit
from privet.stats import Contingency, Moments

DATA = pa.table(
    {"x": [0.5, -3.0, None, 9.0], "colour": ["red", "blue", "red", None], "ill": ["no", "yes", "no", "no"]}
)
SCHEMA = Schema.of(
    {"x": (-1.0, 1.0), "colour": ["red", "blue"], "ill": ["no", "yes"]}, target="ill", dataset="people"
)
COUNTS = Contingency(None, "ill")


def whole(statistic=COUNTS, share=Fraction(1)):
    return Measure(statistic, "a question"), share


def broken(curator):
    """The curator with an engine that breaks, and what the engine was asked."""
    calls = []

    class Broken:
        def answer(self, statistics, source, schema):
            calls.append(statistics)
            raise DataError("The engine broke.")

    curator._engine = Broken()
    return calls


@pytest.fixture
def ledger():
    ledger = Ledger.in_memory().as_analyst("ann")
    ledger.open_account("people", Pure(exact(1)), unit=Unit())
    return ledger


def states(ledger):
    return [entry.state for entry in ledger.history("people") if entry.kind == "reserve"]


def test_reserved_before_and_committed_after(ledger):
    seen = []
    source = WatchedSource(DATA, lambda: seen.append(states(ledger)))
    with Curator(source, SCHEMA, budget(0.5), ledger=ledger) as curator:
        assert seen == []
        curator.ask(*whole(share=Fraction(1, 2)))
        curator.ask(*whole(share=Fraction(1, 2)))
    assert seen == [["reserved"], ["reserved"]]
    assert states(ledger) == ["committed"]
    [entry] = [entry for entry in ledger.history("people") if entry.kind == "reserve"]
    assert entry.amount == Pure(exact(0.5))
    assert entry.guarantee == curator.guarantee.to_dict()


def test_a_failing_engine_leaves_the_reservation(ledger):
    curator = Curator(DATA, SCHEMA, budget(0.5), ledger=ledger)
    broken(curator)
    with pytest.raises(DataError, match="broke"), curator:
        curator.ask(*whole())
    assert states(ledger) == ["reserved"]
    assert ledger.spent("people") == Pure(exact(0.5))


def test_a_refusal_reads_and_spends_nothing(ledger):
    def read():
        raise AssertionError("read")

    curator = Curator(WatchedSource(DATA, read), SCHEMA, budget(1.01), ledger=ledger)
    with pytest.raises(BudgetExceeded), curator:
        curator.ask(*whole())
    assert ledger.spent("people") is None


def test_the_last_digit_fits(ledger):
    """Ten times a tenth is a budget of one, and nothing more fits."""
    for _ in range(10):
        with Curator(DATA, SCHEMA, budget(0.1), ledger=ledger) as curator:
            curator.ask(*whole())
    with pytest.raises(BudgetExceeded), Curator(DATA, SCHEMA, budget(1e-9), ledger=ledger):
        pass


def test_shares_cannot_pass_the_whole():
    with Curator(DATA, SCHEMA, budget(1.0)) as curator:
        curator.ask(*whole(share=Fraction(2, 3)))
        with pytest.raises(ParameterError, match=r"only 0\.333 is left"):
            curator.ask(*whole(share=Fraction(2, 3)))
        with pytest.raises(ParameterError, match="positive share"):
            curator.ask(*whole(share=Fraction(0)))
        curator.ask(*whole(share=Fraction(1, 3)))
        with pytest.raises(ParameterError, match="only 0 is left"):
            curator.ask(*whole(share=Fraction(1, 10**9)))
    assert [step.amount for step in curator.guarantee.steps] == [Pure(Fraction(2, 3)), Pure(Fraction(1, 3))]


def test_a_failed_measurement_uses_its_share():
    with Curator(DATA, SCHEMA, budget(1.0)) as curator:
        calls = broken(curator)
        with pytest.raises(DataError):
            curator.ask(*whole())
        with pytest.raises(ParameterError, match="only 0 is left"):
            curator.ask(*whole())
    assert len(calls) == 1


def test_unconfirmed_schemas_are_refused():
    drafted = Schema((Number("x", 0, 1, origin="read off the data"), SCHEMA["ill"]), target="ill")
    with pytest.raises(SchemaError, match="not confirmed"):
        Curator(DATA, drafted, budget(1.0))
    Curator(DATA, drafted, budget(1.0), inferred=True)


@pytest.mark.parametrize("more", [{"randomness": randomness.of(1)}, {"inferred": True}])
def test_what_promises_nothing_cannot_be_paid_for(ledger, more):
    with (
        pytest.raises(ParameterError, match="without a guarantee"),
        Curator(DATA, SCHEMA, budget(0.1), ledger=ledger, **more),
    ):
        pass
    assert ledger.spent("people") is None
    with Curator(DATA, SCHEMA, budget(0.1), **more) as curator:
        curator.ask(*whole())
    assert not curator.guarantee.holds


def test_another_unit_is_refused(ledger):
    schema = Schema(SCHEMA.columns, target="ill", unit=Unit("replace"), dataset="people")
    with (
        pytest.raises(LedgerError, match="different units"),
        Curator(DATA, schema, budget(0.1), ledger=ledger),
    ):
        pass


def test_a_missing_ledger_is_a_caveat(ledger):
    with Curator(DATA, SCHEMA, budget(0.1)) as curator:
        curator.ask(*whole())
    assert any("no ledger" in caveat for caveat in curator.guarantee.caveats)
    with Curator(DATA, SCHEMA, budget(0.1), ledger=ledger) as curator:
        curator.ask(*whole())
    assert not any("no ledger" in caveat for caveat in curator.guarantee.caveats)


def test_nothing_is_measured_outside_of_a_run(ledger):
    """A curator that was never entered has reserved nothing, so it must not answer."""
    with pytest.raises(Exception):  # noqa: B017, PT011 - which error is the curator's choice
        Curator(DATA, SCHEMA, budget(0.1), ledger=ledger).ask(*whole())
    with Curator(DATA, SCHEMA, budget(0.1), ledger=ledger) as curator:
        pass
    with pytest.raises(Exception):  # noqa: B017, PT011
        curator.ask(*whole())


# The noise


WIDE = Schema.of({"c": [f"v{place}" for place in range(15_000)], "ill": ["no", "yes"]}, target="ill")
ROWS = pa.table({"c": ["v0"] * 50, "ill": ["no"] * 50})
EXACT = np.zeros((15_001, 2))
EXACT[0, 0] = 50
SHARE = Fraction(1, 4)


def noise(amount, unit, source):
    schema = Schema(WIDE.columns, target="ill", unit=unit)
    with Curator(ROWS, schema, amount, randomness=source) as curator:
        release = curator.ask(*whole(Contingency("c", "ill"), SHARE))
    return release, (release.value - EXACT).ravel()


def laplace_size(epsilon, sensitivity):
    """The mean absolute value of noise with P(x) ∝ exp(−ε|x|/Δ): 2a / (1 − a²)."""
    decay = np.exp(-epsilon / sensitivity)
    return 2 * decay / (1 - decay**2)


def is_of_size(sample, size):
    """Whether the mean absolute noise of 30,000 draws (standard error 0.6 %) fits, within 6 %."""
    return abs(np.abs(sample).mean() / size - 1) < 0.06


UNITS = {
    "record": (Unit(), 1),
    "replace": (Unit("replace"), 2),
}


@pytest.mark.parametrize("source", [randomness.of(5), randomness.secure()], ids=["seeded", "secure"])
@pytest.mark.parametrize(("unit", "sensitivity"), UNITS.values(), ids=UNITS)
def test_pure_noise_has_the_claimed_size(unit, sensitivity, source):
    release, sample = noise(Pure(exact(0.8)), unit, source)
    size = laplace_size(0.8 / 4, sensitivity)
    assert is_of_size(sample, size)
    assert not is_of_size(sample, 1.1 * size), "the test must notice noise that is 10 % too small"
    assert not is_of_size(sample, 0.9 * size), "and 10 % too large"
    assert abs(sample.mean()) < 5 * sample.std() / np.sqrt(sample.size)
    assert release.standard_deviation == pytest.approx(sample.std(), rel=0.1)
    assert 0.93 < (np.abs(sample) <= release.error).mean() < 0.98
    assert release.step.amount == Pure(exact(0.2))


@pytest.mark.parametrize(("unit", "sensitivity"), UNITS.values(), ids=UNITS)
def test_gaussian_noise_has_the_claimed_size(unit, sensitivity):
    amount = Approximate(exact(0.8), exact(1e-6))
    release, sample = noise(amount, unit, randomness.of(6))
    rho = rho_for(amount.epsilon, amount.delta) * SHARE
    sigma = float(sensitivity / (2 * rho)) ** 0.5  # squared L2 sensitivity 1, or 2 for an exchange
    size = sigma * np.sqrt(2 / np.pi)
    assert is_of_size(sample, size)
    assert not is_of_size(sample, 1.1 * size)
    assert not is_of_size(sample, 0.9 * size)
    assert release.step.mechanism.endswith("gaussian noise")


def test_a_person_of_many_records_gets_more_noise():
    table = ROWS.append_column("p", pa.array([f"p{place}" for place in range(50)]))
    schema = Schema(WIDE.columns, target="ill", unit=Unit(id="p", most=3))
    with Curator(table, schema, budget(0.8), randomness=randomness.of(1)) as curator:
        release = curator.ask(*whole(Contingency("c", "ill")))
    assert is_of_size((release.value - EXACT).ravel(), laplace_size(0.8, 3))


def test_moments_noise_is_in_units_of_the_half_range():
    schema = Schema.of({"x": (-1.0, 1.0), "ill": [f"c{place}" for place in range(15_000)]}, target="ill")
    with Curator(empty_table(schema), schema, budget(0.5), randomness=randomness.of(1)) as curator:
        release = curator.ask(*whole(Moments("x", "ill")))
    assert is_of_size(release.value.ravel(), 1.5 / 0.5)
    assert release.step.unit == "half ranges"


def test_two_questions_in_one_pass_get_different_noise():
    same = (Measure(Contingency("c", "ill"), "twice"), Fraction(1, 2))
    with Curator(ROWS, WIDE, budget(1.0), randomness=randomness.of(3)) as curator:
        one, other = curator.ask_together([same, same])
    assert (one.value != other.value).any()
    assert abs(np.corrcoef((one.value - EXACT).ravel(), (other.value - EXACT).ravel())[0, 1]) < 0.06


def test_prediction_takes_unknown_as_missing():
    data = pa.table({"x": [0.5, None], "colour": ["S3NT1NEL", "red"]})
    [rows] = read_rows(data, Schema(SCHEMA.columns, target="ill", missing="error"))
    assert rows.codes("colour").tolist() == [2, 0]


def test_files_and_paths(tmp_path):
    from privet.sources import ArrowSource, write_csv

    write_csv(ArrowSource(DATA), tmp_path / "people.csv")
    with Curator(tmp_path / "people.csv", SCHEMA, budget(1e6)) as curator:
        release = curator.ask(*whole())
    assert release.value.tolist() == [[3, 1]]


@pytest.mark.parametrize("amount", [Pure(exact(1)), Approximate(exact(1), exact(1e-6))], ids=str)
@pytest.mark.parametrize("unit", [Unit(), Unit("replace", id="who", most=2)], ids=Unit.describe)
def test_a_tilt_is_for_this_loss_and_this_unit_and_the_solver_gets_it_as_drawn(monkeypatch, amount, unit):
    from privet.mechanisms.perturbed_minimum import ObjectivePerturbation
    from privet.stats.linear.encoding import Encoding
    from privet.stats.linear.logistic_loss import LogisticLoss

    schema = Schema.of({"x": (-1.0, 1.0), "colour": ["red", "blue"], "ward": ["a", "b", "c"]}, target="ward")
    schema = Schema(schema.columns, target="ward", unit=unit)
    loss = LogisticLoss("ward", Encoding.of(schema), 3)
    records = 4 if unit.most == 2 else 1  # m + 1 = 3, twice for three classes; T = 2/3 of 3 for each record
    parts = (6 * records, 6 * records**2, Fraction(1), Fraction(2) * unit.most, 2 * unit.most, 3)
    given, drawn = {}, ObjectivePerturbation.tilt

    def tilt(self, randomness):
        given.update(mechanism=self, drawn=drawn(self, randomness))
        return given["drawn"]

    def minimum(loss, source, schema, **how):
        given.update(how)
        return np.zeros(loss.shape)

    monkeypatch.setattr(ObjectivePerturbation, "tilt", tilt)
    monkeypatch.setattr("privet.curator.minimum.minimum", minimum)
    with Curator(empty_table(schema), schema, amount) as curator:
        curator.ask(Minimise(loss, "objective", Fraction(1), "weights", Fraction(1, 4)), Fraction(1))
    mechanism = given["mechanism"]
    assert mechanism == ObjectivePerturbation(
        curator.currency, 12, *parts, Fraction(1, 4), unit.neighbours == "replace"
    )
    assert (given["tilt"].ravel() == given["drawn"]).all()
    assert Fraction(given["ridge"]) == mechanism.regularisation
    assert given["tolerance"] <= mechanism.tolerance - mechanism.slack(given["drawn"]) * (1 - 1e-6)
