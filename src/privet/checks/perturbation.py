"""The common checks of perturbations. They promise nothing or local privacy, and must say which."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from privet.checks.contract import bad_values, check_constructor_only_stores
from privet.checks.example import SENTINEL, Make, example, public, refused
from privet.errors import ParameterError, PrivetError
from privet.parameters import parameters_of
from privet.perturbation import Key
from privet.perturbation.nominal import Hierarchy
from privet.release import Guarantee

__all__ = ["CHECKS"]


def check_perturbation_is_declared(make: Make) -> None:
    """Every parameter has a line of help and a default that fits its own declaration."""
    for parameter in parameters_of(type(make())):
        assert parameter.help.strip(), f"The parameter {parameter.name} has no line of help."
        assert parameter.fault(parameter.default) is None, f"The default of {parameter.name} is refused."


def check_bad_values_are_refused(make: Make) -> None:
    """``fit`` refuses every value that the declaration rules out."""
    for parameter in parameters_of(type(make())):
        for value in bad_values(parameter):
            model = _ready(make).set_params(**{parameter.name: value})
            with refused(ParameterError, f"{parameter.name} = {value!r}"):
                model.fit(_complete())


def check_fit_keeps_parameters(make: Make) -> None:
    """``fit`` leaves the parameters as they are and returns the model."""
    model = _ready(make)
    before = model.get_params(deep=False)
    assert model.fit(_complete()) is model, "fit must return the model itself."
    for name, value in model.get_params(deep=False).items():
        assert value is before[name], f"fit changes the parameter {name}."


def check_guarantee_is_stated(make: Make) -> None:
    """A guarantee comes with what was fitted: it holds for all that leaves, or says why it does not."""
    model = _ready(make).fit(_complete())
    guarantee = model.guarantee_
    assert isinstance(guarantee, Guarantee), "A perturbation must say what it promises: guarantee_."
    unchanged = [name for name in _complete().column_names if _leaves_as_it_is(model, name)]
    if unchanged:
        assert not guarantee.holds, f"Columns leave as they are ({unchanged}), so no guarantee can hold."
    assert guarantee.holds or guarantee.voided, "A guarantee that does not hold must say why."


def check_seed_voids(make: Make) -> None:
    """Draws that can be repeated protect nobody, and a run without a seed cannot be repeated."""
    if not _takes(make, "random_state"):
        return
    first, second = (_ready(make, random_state=1).fit_transform(_complete()) for _ in range(2))
    assert first.equals(second), "The same seed must give the same table."
    assert not _ready(make, random_state=1).fit(_complete()).guarantee_.holds, (
        "A seed must void the guarantee."
    )
    first, second = (_ready(make).fit_transform(_complete()) for _ in range(2))
    assert not first.equals(second), "Without a seed two runs must differ."


def check_parts_are_perturbed(make: Make) -> None:
    """A table that comes in parts gives as many records as it has, in the columns of the whole."""
    table = _complete()
    parts = list(_ready(make).in_parts(iter(table.to_batches(max_chunksize=70))))
    assert sum(part.num_rows for part in parts) == table.num_rows, "Every record must come out once."
    names = _ready(make).fit_transform(table).column_names
    assert all(part.schema.names == names for part in parts), "Parts must have the columns of the whole."


def check_key_round_trip(make: Make) -> None:
    """A key comes back from its file as it was, for its owner's eyes alone, and is then used."""
    if not _takes(make, "key"):
        return
    model = _ready(make).fit(_complete())
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "key.json"
        model.key_.save(place)
        assert place.stat().st_mode & 0o077 == 0, "A key must be readable by its owner alone."
        assert Key.load(place) == model.key_, "A key must come back from its file as it was."
        again = _ready(make, key=place).fit(_complete())
    assert again.key_ == model.key_, "A key that is given must be used."
    shown = f"{model.key_!r} {model.guarantee_.to_dict()} {model.described()}"
    assert not any(text in shown for text in _secrets(model.key_.values)), "A key must not be shown."


def check_errors_hold_no_data(make: Make) -> None:
    """What cannot be perturbed is not quoted."""
    table = _complete()
    for name in table.column_names:
        cells = pa.array([SENTINEL, *map(str, table[name].to_pylist()[1:])])
        spoilt = table.set_column(table.column_names.index(name), name, cells)
        said = ""
        try:
            _ready(make).fit_transform(spoilt)
        except PrivetError as error:
            said = str(error)
        assert SENTINEL not in said, "An error quotes the table."


CHECKS = (
    check_constructor_only_stores,
    check_perturbation_is_declared,
    check_bad_values_are_refused,
    check_fit_keeps_parameters,
    check_guarantee_is_stated,
    check_seed_voids,
    check_parts_are_perturbed,
    check_key_round_trip,
    check_errors_hold_no_data,
)


def _takes(make: Make, name: str) -> bool:
    return any(parameter.name == name for parameter in parameters_of(type(make())))


def _ready(make: Make, **more: Any) -> Any:
    """The perturbation with what it needs to know of the example."""
    given = {"schema": public(), "hierarchies": [Hierarchy("age", widths=(10, 40))], **more}
    return make(**{name: value for name, value in given.items() if _takes(make, name)})


def _complete() -> pa.Table:
    """The example without missing values: what becomes of these is the method's own affair."""
    table = example()
    for name, value in (("age", 50), ("smoker", "no")):
        filled = pc.fill_null(table[name], value)
        table = table.set_column(table.column_names.index(name), name, filled)
    return table


def _leaves_as_it_is(model: Any, name: str) -> bool:
    """Whether a column of the example comes out of a fitted model unchanged, in 200 records."""
    after = model.transform(_complete())
    return name in after.column_names and after[name].to_pylist() == _complete()[name].to_pylist()


def _secrets(values: Any) -> list[str]:
    """The numbers of a key that would give it away, as texts."""
    if isinstance(values, dict):
        return [text for value in values.values() for text in _secrets(value)]
    if isinstance(values, list):
        return [text for value in values for text in _secrets(value)]
    return [repr(values)] if isinstance(values, float) and len(repr(values)) > 10 else []
