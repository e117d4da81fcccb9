"""What a perturbation promises: in the strict sense nothing, and that is what its guarantee says first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from privet.budget.amounts import Pure
from privet.errors import DataError
from privet.release import Guarantee, Step
from privet.schema import Schema, Unit

__all__ = ["local_guarantee", "no_guarantee", "require_promised", "row_labels"]

MEASURED = (
    "What it offers is resistance that was measured, not proved: audit the perturbed table beside the "
    "original, and read the error of the best attack for each column. An attack nobody has tried may do "
    "better."
)


def no_guarantee(
    what: str, schema: Schema, chosen: Sequence[str], passed: Sequence[str], caveats: Sequence[str] = ()
) -> Guarantee:
    """The guarantee of a method that is not differential privacy.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]})
    >>> print(no_guarantee("Rotation", schema, ["age"], ["ill"]).headline)
    Guarantee: NONE. Rotation is not differential privacy: no bound holds on what it gives away.
    """
    return Guarantee.none(
        [f"{what} is not differential privacy: no bound holds on what it gives away."],
        Unit("replace"),
        public=_bounds(schema, chosen),
        caveats=(MEASURED, *_in_the_clear(passed), *caveats),
    )


def local_guarantee(
    steps: Sequence[Step],
    amount: Pure,
    schema: Schema,
    chosen: Sequence[str],
    passed: Sequence[str],
    voided: Sequence[str] = (),
    caveats: Sequence[str] = (),
) -> Guarantee:
    """The guarantee of noise on each record by itself: real for the chosen columns, and for those alone."""
    reasons = list(voided)
    if passed:
        reasons.append(
            f"{len(passed)} column(s) leave in the clear; local {amount} holds for {_listed(chosen)} only."
        )
    return Guarantee(
        None if reasons else amount,
        Unit("replace"),
        steps=tuple(steps),
        public=(*_bounds(schema, chosen), ("the number of records", "each leaves as a record of its own")),
        caveats=(
            "The guarantee is local: it is about what one record says, each time it is released. Releasing "
            "the same record again costs the same again, and no ledger keeps count.",
            *_in_the_clear(passed),
            *caveats,
        ),
        voided=tuple(reasons),
    )


def row_labels(X: Any) -> tuple[str, ...]:
    """What leaves with a data frame besides its columns: labels of its rows that are more than places.

    >>> import pandas as pd
    >>> row_labels(pd.DataFrame({"age": [30]})), row_labels(pd.DataFrame({"age": [30]}, index=["Ann"]))
    ((), ('the labels of the rows',))
    """
    index = X.index if hasattr(X, "iloc") and hasattr(X, "index") else None
    if index is None or (index.nlevels == 1 and index.name is None and index.dtype.kind in "iu"):
        return ()
    return ("the labels of the rows",)


def require_promised(guarantee: Guarantee, known: Iterable[str], leaving: Iterable[str]) -> None:
    """Refuse to let columns out of which a guarantee that holds says nothing: they came after it was made."""
    if guarantee.holds and (surplus := sorted(set(leaving) - set(known))):
        raise DataError(
            f"The table has columns that were not there when it was fitted: {_listed(surplus)}. They would "
            "leave in the clear, and the guarantee does not say so.",
            "Leave them out, or fit it to a table that has them.",
        )


def _bounds(schema: Schema, chosen: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (f"{'bounds' if hasattr(schema[name], 'low') else 'domain'} of '{name}'", schema[name].origin)
        for name in chosen
    )


def _in_the_clear(passed: Sequence[str]) -> tuple[str, ...]:
    return (f"These columns leave as they are, for anyone to read: {_listed(passed)}.",) if passed else ()


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
