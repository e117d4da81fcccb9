"""Checks of what a fit promises."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privet.budget import Pure, Zcdp, exact, rho_for
from privet.checks.example import Make, example, public, refused, split
from privet.errors import ParameterError, SchemaError
from privet.model import learned_part
from privet.release import Guarantee
from privet.schema import Unit, draft

__all__ = [
    "check_approximate",
    "check_epsilon_is_refused",
    "check_guarantee",
    "check_inferred_schema_voids",
    "check_neighbours",
    "check_schema_is_needed",
    "check_secure_runs_differ",
    "check_seed_voids",
]


def check_epsilon_is_refused(make: Make) -> None:
    """An epsilon that is no positive number, or drowns everything in noise, never means "no privacy"."""
    for epsilon in (0, 0.0, -1.0, 1e-300, 1e-12, math.nan, math.inf, -math.inf, None, "1", True, 10**400):
        with refused(ParameterError, f"epsilon = {epsilon!r:.20}"):
            make(schema=public(make), epsilon=epsilon).fit(example())
    for delta in (-0.1, 1.0, math.nan, None):
        with refused(ParameterError, f"delta = {delta!r}"):
            make(schema=public(make), delta=delta).fit(example())


def check_guarantee(make: Make) -> None:
    """The guarantee holds, for the epsilon asked for, and its steps add up to exactly that."""
    guarantee = make(schema=public(make), epsilon=0.7).fit(example()).guarantee_
    assert guarantee.holds, "A declared schema and secure noise must give a guarantee."
    assert guarantee.amount == Pure(exact(0.7)), "The guarantee is for another epsilon."
    assert guarantee.unit == public(make).unit, "The guarantee is for another unit of privacy."
    assert guarantee.steps, "The guarantee names no step."
    assert _total(guarantee) == exact(0.7), "The steps do not add up to epsilon."
    assert Guarantee.from_dict(json.loads(json.dumps(guarantee.to_dict()))) == guarantee
    named = " ".join(what for what, _ in guarantee.public)
    assert all(f"'{name}'" in named for name in public(make).names), "A public entry goes unmentioned."


def check_approximate(make: Make) -> None:
    """With δ > 0 the steps' ρ add up to at most what (ε, δ) allows; or pure ε is promised, which is more."""
    guarantee = make(schema=public(make), epsilon=0.7, delta=1e-6).fit(example()).guarantee_
    told = (guarantee.epsilon, guarantee.delta)
    assert told in ((0.7, 0.0), (0.7, 1e-6)), "The guarantee is for another (ε, δ)."
    if not guarantee.delta:
        pure = all(isinstance(step.amount, Pure) for step in guarantee.steps)
        assert pure, "Pure ε is promised, and steps have noise that needs a δ."
        assert _total(guarantee) <= exact(0.7), "The steps cost more than ε."
        return
    assert _total(guarantee) <= rho_for(exact(0.7), exact(1e-6)), "The steps cost more than (ε, δ)."


def check_neighbours(make: Make) -> None:
    """Both neighbour relations work, and exchanging a record costs more noise than adding one."""
    one, other = (
        make(schema=public(make, Unit(relation)), epsilon=1.0) for relation in ("add_remove", "replace")
    )
    relations = [model.fit(example()).guarantee_.unit.neighbours for model in (one, other)]
    assert relations == ["add_remove", "replace"]
    # Of a fit, what is asked later may depend on what was released before; a rehearsal is always the same.
    for less, more in zip(one.rehearse().steps, other.rehearse().steps, strict=True):
        assert less.error <= more.error, f"'{more.what}' has less noise under replace."


def check_schema_is_needed(make: Make) -> None:
    """Without a schema, or with one that nobody has confirmed, nothing is read."""
    with refused(SchemaError, "No schema"):
        make(schema=None).fit(example())
    unconfirmed = draft(example().to_batches(), target=public(make).target)
    with refused(SchemaError, "A draft that nobody has confirmed"):
        make(schema=unconfirmed).fit(example())
    assert make(schema=unconfirmed.confirm()).fit(example()).guarantee_.holds


def check_seed_voids(make: Make) -> None:
    """A seeded run repeats itself, and says that it promises nothing."""
    runs = [make(schema=public(make), random_state=7).fit(example()) for _ in range(2)]
    assert learned_part(runs[0]) == learned_part(runs[1]), "The same seed must give the same model."
    _says_none(runs[0].guarantee_)


def check_inferred_schema_voids(make: Make) -> None:
    """Bounds read off the data are possible by asking for them, and promise nothing."""
    model = make(schema="infer").fit(*split(make))
    _says_none(model.guarantee_)


def check_secure_runs_differ(make: Make) -> None:
    """Noise is fresh in every fit, also in a second fit of one object."""
    model = make(schema=public(make), epsilon=0.5)
    first = learned_part(model.fit(example()))
    assert _differs(first, lambda: model.fit(example())), "A second fit draws the same noise."
    assert _differs(first, lambda: make(schema=public(make), epsilon=0.5).fit(example())), (
        "Two objects draw the same noise."
    )


def _differs(first: Any, fit: Callable[[], Any]) -> bool:
    """Whether a fit gives something else, in a few attempts: whole-numbered noise may agree by chance."""
    return any(learned_part(fit()) != first for _ in range(12))


def _says_none(guarantee: Any) -> None:
    assert not guarantee.holds, "This run has no guarantee and must say so."
    assert guarantee.headline.startswith("Guarantee: NONE"), "'None' must be said first."
    assert guarantee.to_dict()["epsilon"] is None, "The JSON claims an epsilon that does not hold."


def _total(guarantee: Any) -> Fraction:
    amounts = [step.amount for step in guarantee.steps]
    return sum((a.rho if isinstance(a, Zcdp) else a.epsilon for a in amounts), start=Fraction(0))
