"""Checks of what leaves: released models, and the texts of errors."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from privet.checks.example import SENTINEL, Make, WatchedSource, example, public
from privet.errors import ParameterError, PrivetError
from privet.model import learned_part, load_model, restore_learned, save_model
from privet.registry import name_of

__all__ = ["check_errors_hold_no_data", "check_model_round_trip"]


def check_model_round_trip(make: Make) -> None:
    """What was learned is plain JSON, and a model made from it answers in the same way."""
    table = example()
    model = make(schema=public(make), epsilon=1.0).fit(table)
    twin = make(schema=public(make))
    restore_learned(twin, json.loads(json.dumps(learned_part(model), allow_nan=False)))
    twin.schema_, twin.guarantee_ = model.schema_, model.guarantee_
    _answers_equal(model, twin, table)
    try:
        name_of(model)
    except ParameterError:
        return  # a plug-in that is not registered has no file of its own yet
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        save_model(model, path)
        loaded = load_model(path)
    assert loaded.guarantee_ == model.guarantee_, "The file holds another guarantee."
    _answers_equal(model, loaded, table)


def check_errors_hold_no_data(make: Make) -> None:
    """No error of a fit holds a value of the table, whichever of the columns that it reads is spoilt."""
    table = example(1000)  # so many that no first look at them finds too few to learn from
    read = _columns_read(make, table)
    assert read, "The fit read no column."
    cells = pa.array([SENTINEL] * table.num_rows)
    for name in read:
        spoilt = table.set_column(table.column_names.index(name), name, cells)
        _refused_silently(lambda spoilt=spoilt: make(schema=public(make)).fit(spoilt), name)
    gaps = replace(public(make), missing="error")
    if any(table[name].null_count for name in read):
        _refused_silently(lambda: make(schema=gaps).fit(table), "missing values")


def _columns_read(make: Make, table: pa.Table) -> list[str]:
    """The columns that a fit reads."""
    source = WatchedSource(table, lambda: None)
    make(schema=public(make)).fit(source)
    return [name for name in table.column_names if name in source.columns_read]


def _refused_silently(fit: Any, what: str) -> None:
    try:
        fit()
    except PrivetError as error:
        shown: BaseException | None = error
        while shown is not None:
            assert SENTINEL not in f"{shown} {shown.args}", (
                f"The error about {what} holds a value of the data."
            )
            shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
        return
    except Exception as error:
        raise AssertionError(f"A bad table ({what}) ended in {type(error).__name__}.") from error
    raise AssertionError(f"A bad table ({what}) was not refused.")


def _answers_equal(one: Any, other: Any, table: pa.Table) -> None:
    for method in ("predict", "predict_proba", "predict_log_proba", "transform"):
        if hasattr(one, method):
            answers = [np.asarray(getattr(each, method)(table)).tolist() for each in (one, other)]
            assert repr(answers[0]) == repr(answers[1]), f"{method} gives something else."  # NaN is a NaN
