"""The common checks of learners of streams."""

from __future__ import annotations

import copy
import json
import math
import pickle
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from privet.audit import Pair, audit
from privet.audit.examples import quick_schema
from privet.audit.pairs import random_record, table_of
from privet.budget import Ledger, Pure, exact
from privet.checks.contract import (
    bad_values,
    check_constructor_only_stores,
    check_parameters_are_declared,
)
from privet.checks.example import DATASET, SENTINEL, Make, example, public, refused
from privet.errors import BudgetExceeded, LedgerError, ParameterError, PrivetError, SchemaError
from privet.model import learned_part, load_model, name_of, save_model
from privet.parameters import parameters_of
from privet.release import Guarantee
from privet.schema import Schema, Unit

__all__ = ["CHECKS"]


def check_bad_values_are_refused(make: Make) -> None:
    """Every value that the declaration rules out is refused before a record is read."""
    for parameter in parameters_of(type(make())):
        for value in bad_values(parameter):
            model = make(schema=public(make)).set_params(**{parameter.name: value})
            with refused(ParameterError, f"{parameter.name} = {value!r}"):
                model.learn_one(_Unread())
    for epsilon in (0, -1.0, 1e-300, math.nan, math.inf, None):
        with refused(ParameterError, f"epsilon = {epsilon!r}"):
            make(schema=public(make), epsilon=epsilon).learn_one(_Unread())


def check_schema_is_needed(make: Make) -> None:
    """Without a declared schema nothing is learned: there is no table to read one off."""
    for schema in (None, "infer"):
        with refused(SchemaError, f"schema = {schema!r}"):
            make(schema=schema).learn_one(_Unread())


def check_guarantee(make: Make) -> None:
    """The guarantee holds, for the epsilon and the unit asked for, and says when steps end."""
    for unit in (Unit(), Unit("replace"), Unit(id="who", most=3)):
        model = _fed(make(schema=public(make, unit), epsilon=0.7))
        guarantee = model.guarantee_
        assert guarantee.holds, "A declared schema and secure noise must give a guarantee."
        assert guarantee.amount == Pure(exact(0.7)), "The guarantee is for another epsilon."
        assert guarantee.unit == unit, "The guarantee is for another unit of privacy."
        assert any("teps end" in caveat for caveat in guarantee.caveats), "Nothing says when steps end."
        assert Guarantee.from_dict(json.loads(json.dumps(guarantee.to_dict()))) == guarantee
        assert make(schema=public(make, unit), epsilon=0.7).rehearse() == guarantee, "It did something else."


def check_counted_steps_need_exchange(make: Make) -> None:
    """Steps of so many records are refused where a record may be absent: all later ones would move."""
    with refused(PrivetError, "Counted steps and add_remove"):
        make(schema=public(make), every=10).learn_one(_Unread())
    assert make(schema=public(make, Unit("replace")), every=10).rehearse().holds


def check_seed_voids(make: Make) -> None:
    """A seed voids the guarantee, and runs without one differ."""
    seeded = [_fed(make(schema=public(make), random_state=1)) for _ in range(2)]
    assert not seeded[0].guarantee_.holds, "A seed must void the guarantee."
    assert learned_part(seeded[0]) == learned_part(seeded[1]), "The same seed must give the same stream."
    secure = [_fed(make(schema=public(make))) for _ in range(2)]
    assert learned_part(secure[0]) != learned_part(secure[1]), "Without a seed two streams must differ."


def check_stream_pays_once(make: Make) -> None:
    """The whole epsilon is reserved before the first record is read, and nothing more is ever charged."""
    ledger = _ledger()
    model = make(schema=public(make), epsilon=0.4, ledger=ledger)
    with refused(_Read, "A record"):
        model.learn_one(_Unread(lambda: ledger.spent(DATASET) == _EPSILON))
    assert _fed(model, steps=5).guarantee_.holds
    assert ledger.spent(DATASET) == _EPSILON, "The ledger holds another amount than epsilon."
    spends = [entry for entry in ledger.history(DATASET) if entry.kind == "reserve"]
    assert [entry.state for entry in spends] == ["committed"], "A stream must spend once, and commit."
    with refused(BudgetExceeded, "More than is left"):
        make(schema=public(make), epsilon=0.7, ledger=ledger).learn_one(_Unread())
    with refused(ParameterError, "Seeded noise with a ledger"):
        make(schema=public(make), epsilon=0.1, ledger=ledger, random_state=1).learn_one(_Unread())


def check_copies_learn_no_more(make: Make) -> None:
    """A copy predicts as last released, holds nothing else, and neither learns nor releases."""
    model = _fed(make(schema=public(make)))
    model.learn_one(_records()[0])
    for copied in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        other = copied(model)
        assert learned_part(other) == learned_part(model), "A copy must hold what was released."
        known = {parameter.name for parameter in parameters_of(type(model))}
        surplus = [name for name in vars(other) if name not in known and not name.endswith("_")]
        assert not surplus, f"A copy holds more than was released: {surplus}."
        with refused(ParameterError, "Learning with a copy"):
            other.learn_one(_records()[0])
        with refused(ParameterError, "A release by a copy"):
            other.end_step()


def check_checkpoint_is_taken_up_once(make: Make) -> None:
    """A restart goes on where the stream was; of two that go on from one state, one releases."""
    ledger = _ledger()
    how = {"schema": public(make), "epsilon": 0.4, "ledger": ledger}
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / name for name in ("one", "two")]
        model = _fed(make(**how))
        model.checkpoint(places[0])
        assert places[0].stat().st_mode & 0o077 == 0, "A checkpoint must be readable by its owner alone."
        learned = learned_part(model)
        places[1].write_bytes(places[0].read_bytes())
        del model
        one, two = (make(**how).resume(place) for place in places)
        assert learned_part(one) == learned, "A stream must go on where it was."
        one.end_step()
        with refused(LedgerError, "A second release from one state"):
            two.end_step()
    assert ledger.spent(DATASET) == _EPSILON, "To take up a checkpoint is paid for already."


def check_nobody_does_not_count(make: Make) -> None:
    """Records whose id is missing change nothing: if NaN were a person, each record would be a new one."""
    for nobody in (None, math.nan):
        schema = public(make, Unit(id="who", most=1))
        one, other = (make(schema=schema, random_state=1, horizon=2) for _ in range(2))
        for record in _records()[:50]:
            one.learn_one(record | {"who": nobody})
        one.end_step()
        other.end_step()
        assert learned_part(one) == learned_part(other), f"Records of {nobody} count."


def check_model_round_trip(make: Make) -> None:
    """A released model's file predicts the same and promises the same; it learns no more."""
    model = _fed(make(schema=public(make)))
    try:
        name_of(model)
    except ParameterError:
        return  # a plug-in that is not registered has no file of its own yet
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "model.json")
        loaded = load_model(Path(folder) / "model.json")
    assert loaded.guarantee_ == model.guarantee_, "The file holds another guarantee."
    assert list(loaded.predict(example())) == list(model.predict(example())), "It predicts something else."
    with refused(ParameterError, "Learning with a released model"):
        loaded.end_step()


def check_errors_hold_no_data(make: Make) -> None:
    """What cannot be learned from is not quoted."""
    for name in public(make).names:
        said = ""
        try:
            make(schema=public(make)).learn_one(_records()[0] | {name: SENTINEL})
        except PrivetError as error:
            said = f"{error} {error.args}"
        assert said, f"A bad value in '{name}' was not refused."
        assert SENTINEL not in said, "An error quotes the stream."


def check_claim_is_not_refuted(make: Make) -> None:
    """A quick audit of everything that a short stream releases finds no violation."""
    schema = quick_schema(make())
    values = random_record(schema, np.random.default_rng(0))
    rows = [{**values, str(schema.target): None}] * 3
    pair = Pair("one record more", table_of(schema, [values, *rows]), table_of(schema, [*rows[:1], *rows]))
    found = audit(_transcript(make, schema), schema=schema, epsilon=1.0, pairs=[pair], runs=400,
                  confidence=1 - 1e-7)  # fmt: skip
    assert not found.violated, found.text()


CHECKS = (
    check_constructor_only_stores,
    check_parameters_are_declared,
    check_bad_values_are_refused,
    check_schema_is_needed,
    check_guarantee,
    check_counted_steps_need_exchange,
    check_seed_voids,
    check_stream_pays_once,
    check_copies_learn_no_more,
    check_checkpoint_is_taken_up_once,
    check_nobody_does_not_count,
    check_model_round_trip,
    check_errors_hold_no_data,
    check_claim_is_not_refuted,
)

_EPSILON = Pure(exact(0.4))


class _Read(Exception):
    """A record was read that must not have been, or that tells when it is."""


class _Unread(Mapping[str, Any]):
    """A record that must not be read before something is true."""

    def __init__(self, allowed: Any = lambda: False) -> None:
        self._allowed = allowed

    def __getitem__(self, name: str) -> Any:
        if not self._allowed():
            raise AssertionError("A record was read although nothing was paid, or the parameters are bad.")
        raise _Read

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


def _transcript(make: Make, schema: Schema) -> Any:
    def run(table: Any) -> dict[str, Any]:
        model = make(schema=schema, epsilon=1.0, horizon=4)
        seen: dict[str, Any] = {}
        for step, record in enumerate(table.to_pylist()):
            model.learn_one(record)
            model.end_step()
            seen |= {f"{name} {step}": value for name, value in _numbers(learned_part(model)).items()}
        return seen

    return run


def _numbers(learned: Any, name: str = "") -> dict[str, float]:
    """Every number that was learned, by where it is."""
    if isinstance(learned, dict):
        return {k: v for key, item in learned.items() for k, v in _numbers(item, f"{name}/{key}").items()}
    if isinstance(learned, list):
        return {k: v for i, item in enumerate(learned) for k, v in _numbers(item, f"{name}/{i}").items()}
    return {name: round(float(learned), 6)} if isinstance(learned, int | float) else {}


def _records() -> list[dict[str, Any]]:
    return [record | {"who": place} for place, record in enumerate(example().to_pylist())]


def _fed(model: Any, steps: int = 2) -> Any:
    """The stream after the example's records, in so many steps."""
    records = _records()
    for step in range(steps):
        for record in records[step::steps]:
            model.learn_one(record)
        model.end_step()
    return model


def _ledger() -> Ledger:
    ledger = Ledger.in_memory().as_analyst("checks")
    ledger.open_account(DATASET, Pure(exact(1)), unit=Unit())
    return ledger
