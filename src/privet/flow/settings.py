"""The settings of a flow's own steps, declared once: checks, forms and the docs follow from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le

from privet.parameters import (
    ColumnOf,
    Delta,
    File,
    Named,
    Parameter,
    When,
    parameters_of,
    with_parameters,
)

__all__ = ["OF_THE_RUN", "settings_of"]

#: What a flow itself gives to an algorithm: its rows' schema, and its part of the budget.
OF_THE_RUN = ("schema", "ledger", "random_state", "epsilon", "delta")


@with_parameters
class Head:
    """What is said of a flow as a whole, besides its epsilon and its steps."""

    name: Annotated[str, "What the flow is called, here and in the ledger."] = "flow"
    delta: Delta = 0.0
    allocation: Annotated[
        Literal["auto", "equal", "weights", "fixed"],
        "How the budget is divided among the steps that measure: by the steps' own errors (auto), in equal "
        "parts, by each step's weight, or fixed by each step's own epsilon.",
    ] = "auto"
    goal: Annotated[
        Literal["model", "interval"],
        When("allocation", "auto"),
        "What the automatic division serves: a good last model, or a narrow interval around its score.",
    ] = "model"


@with_parameters
class Part:
    """What is said of a step's part of the budget."""

    weight: Annotated[
        float | None, Gt(0), When("allocation", "weights"), "Its weight when the budget is divided."
    ] = None
    epsilon: Annotated[
        float | None, Gt(0), When("allocation", "fixed"), "Its own part of the budget (epsilon)."
    ] = None


@with_parameters
class Source:
    data: Annotated[Any, File(), "The table's file; or a list of files, the parts of a growing table."] = None
    schema: Annotated[Any, File(), "What is public about it; by default the schema beside the file."] = None
    public: Annotated[bool, "The rows are public: then nothing is paid, and nothing promised."] = False
    people: Annotated[
        Literal["new", "same"] | None,
        When("data"),
        "Of a table in parts: nobody is in two of them (new), or somebody may be (same).",
    ] = None
    owner_says: Annotated[str | None, "The owner's word, where a ledger knows the people."] = None


@with_parameters
class Keep:
    columns: Annotated[tuple[str, ...], ColumnOf("data"), "The columns that go on; the target always does."]


@with_parameters
class Clip:
    bounds: Annotated[
        dict[str, Any], Named("COLUMN=LOW,HIGH"), "Numbers are clamped to these bounds, column by column."
    ]


@with_parameters
class Split:
    folds: Annotated[int, Ge(2), Le(100), "One part of so many is held out for testing."] = 4


@with_parameters
class Evaluate:
    measures: Annotated[Literal["all", "confusion"], "All measures, or the confusion matrix alone."] = "all"


@with_parameters
class End:
    output: Annotated[str | None, File("out"), "The file to write."] = None


@with_parameters
class Drawn:
    records: Annotated[int, Ge(1), Le(1_000_000), "How many made-up records are drawn."] = 1000


def settings_of(declaring: type | None, algorithm: type | None = None) -> tuple[Parameter, ...]:
    """What may be set of a step: its own settings, and its algorithm's but those that the flow gives.

    >>> [each.name for each in settings_of(Split)]
    ['folds']
    """
    own = () if declaring is None else parameters_of(declaring)
    learned = () if algorithm is None else parameters_of(algorithm)
    return (*own, *(each for each in learned if each.name not in OF_THE_RUN))
