"""Checks of how a fit is paid for."""

from __future__ import annotations

from dataclasses import replace

from privet.budget import Ledger, Pure, exact
from privet.checks.example import DATASET, Make, WatchedSource, example, public, refused, split
from privet.errors import BudgetExceeded, DataError, ParameterError, PrivetError

__all__ = [
    "check_failed_fit_stays_spent",
    "check_fit_spends_once",
    "check_ledger_needs_a_guarantee",
    "check_refusal_reads_nothing",
    "check_rehearsal_is_free",
    "check_unfit_table_costs_nothing",
]


def check_fit_spends_once(make: Make) -> None:
    """The whole epsilon is reserved once, before the engine reads, and committed with the guarantee."""
    ledger = _ledger()
    spent_when_read: list[bool] = []
    source = WatchedSource(example(), lambda: spent_when_read.append(ledger.spent(DATASET) == _EPSILON))
    model = make(schema=public(make), epsilon=0.4, ledger=ledger).fit(source)
    assert spent_when_read, "The fit read nothing."
    assert all(spent_when_read), "The data was read before the budget was reserved."
    assert ledger.spent(DATASET) == _EPSILON, "The ledger holds another amount than epsilon."
    spends = [entry for entry in ledger.history(DATASET) if entry.kind == "reserve"]
    assert [entry.state for entry in spends] == ["committed"], "A fit must spend once, and commit."
    assert spends[0].guarantee == model.guarantee_.to_dict(), "The ledger keeps another guarantee."


def check_refusal_reads_nothing(make: Make) -> None:
    """A fit that the ledger refuses spends nothing and reads nothing."""
    ledger = _ledger()
    with refused(BudgetExceeded, "More than the budget"):
        make(schema=public(make), epsilon=1.1, ledger=ledger).fit(WatchedSource(example(), _must_not_read))
    assert ledger.spent(DATASET) is None, "A refused fit was charged."


def check_unfit_table_costs_nothing(make: Make) -> None:
    """What is wrong for a reason that is public (a column that is not there) is refused before it is paid."""
    ledger = _ledger()
    source = WatchedSource(example().drop_columns(["smoker"]), _must_not_read)
    with refused(DataError, "A table without a column of the schema"):
        make(schema=public(make), epsilon=0.4, ledger=ledger).fit(source)
    tiny = make(schema=public(make), epsilon=1e-9, ledger=ledger)
    try:
        tiny.rehearse()
    except ParameterError:  # too small for its steps: then a fit must find that out before it pays
        with refused(ParameterError, "An epsilon that is too small for its steps"):
            tiny.fit(WatchedSource(example(), _must_not_read))
    assert ledger.spent(DATASET) is None, "A fit that read nothing was charged."


def check_failed_fit_stays_spent(make: Make) -> None:
    """A fit that fails once the data was touched stays reserved, for nobody knows what was seen."""

    def fail() -> None:
        raise DataError("The disk is gone.")

    ledger = _ledger()
    with refused(DataError, "A source that fails"):
        make(schema=public(make), epsilon=0.4, ledger=ledger).fit(WatchedSource(example(), fail))
    assert ledger.spent(DATASET) == _EPSILON, "A failed fit lost its reservation."
    assert [e.state for e in ledger.history(DATASET) if e.kind == "reserve"] == ["reserved"]


def check_ledger_needs_a_guarantee(make: Make) -> None:
    """A run that promises nothing cannot be paid for."""
    ledger = _ledger()
    with refused(PrivetError, "Seeded noise with a ledger"):
        make(schema=public(make), random_state=1, ledger=ledger).fit(example())
    with refused(PrivetError, "An inferred schema with a ledger"):
        make(schema="infer", ledger=ledger).fit(*split(make))
    assert ledger.spent(DATASET) is None, "A run without a guarantee was charged."


def check_rehearsal_is_free(make: Make) -> None:
    """A rehearsal names the steps of the fit, reads no data, spends nothing and fits nothing."""
    ledger = _ledger()
    model = make(schema=public(make), epsilon=0.4, ledger=ledger)
    rehearsed = model.rehearse()
    assert ledger.spent(DATASET) is None, "A rehearsal was charged."
    assert not [name for name in vars(model) if name.endswith("_")], "A rehearsal fitted the model."
    # Noise is whole numbers, so an error may differ in its last digits with the scale that is released first.
    # So many records that no first look at them finds too few to learn from.
    told = [
        [replace(step, error=float(f"{step.error:.3g}")) for step in steps]
        for steps in (rehearsed.steps, model.fit(example(500)).guarantee_.steps)
    ]
    assert told[0] == told[1], "The fit did something else."


_EPSILON = Pure(exact(0.4))


def _ledger() -> Ledger:
    ledger = Ledger.in_memory().as_analyst("checks")
    ledger.open_account(DATASET, Pure(exact(1)), unit=public().unit)
    return ledger


def _must_not_read() -> None:
    raise AssertionError("Data was read although the fit was refused.")
