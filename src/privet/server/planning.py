"""Plans: what a run would do, priced from public knowledge alone, and what an attacker could learn in total.

No record is read: a plan is a rehearsal on a table without records. So its price, its steps and its
refusals can be shown to anybody who may plan.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row

from privet.budget import Amount, Approximate, Balance, Ledger, Pure, rounded_down
from privet.errors import BudgetExceeded
from privet.server.cases import Asked, Model
from privet.server.flows import FLOW, asked_for
from privet.server.genotypes import STUDY_FILE, require_kind
from privet.server.guests import Caller
from privet.server.meters import meter_of
from privet.server.most import most_that_fits
from privet.server.problems import Refusal
from privet.server.seeing import ServerSession
from privet.server.shapes import Account, Assumed, Odds, PlanShown, StepShown, amount
from privet.server.state import Server
from privet.server.store import datasets, runs
from privet.server.store.flows import KeptSteps
from privet.service.odds import COIN, odds_of

__all__ = [
    "account_of",
    "asked_of",
    "left_for",
    "make_plan",
    "models_of",
    "schema_file",
    "shown_plan",
    "sum_of",
]


_FREE = "All that it would measure is public or was released before: it costs nothing."


def schema_file(server: Server, dataset: str, version: int) -> Any:
    return server.folder(dataset) / f"schema-{version}.toml"


def account_of(balance: Balance) -> Account:
    return Account(
        limit=amount(balance.limit),
        spent=amount(balance.spent),
        left=amount(None if balance.left is None else rounded_down(balance.left)),
        odds_so_far=odds_of(balance.spent),
        meter=meter_of(balance.limit, balance.spent),
    )


def asked_of(row: Row[Any]) -> Asked:
    """What a stored plan asks for."""
    return asked_for(**json.loads(row.document))


def models_of(connection: Connection, asked: Asked) -> tuple[Model | None, Model | None]:
    """The model that is to be scored, and the one that it is compared with."""
    first = _model_of(connection, asked, asked.release, "release")
    second = _model_of(connection, asked, asked.other, "other")
    if first is not None and second is not None and first.name == second.name:
        first, second = first.called("the first"), second.called("the second")
    return first, second


def _model_of(connection: Connection, asked: Asked, release: str | None, name: str) -> Model | None:
    if release is None:
        return None
    found = runs.find_release(connection, release)
    if found is None or found.dataset != asked.dataset or found.model is None:
        raise Refusal(
            422, "There is no such model", "The release has none, or is of another dataset.", "", name
        )
    if found.practice and not asked.practice:
        raise Refusal(
            422,
            "That model was practice",
            "It was learned from made-up people.",
            "Practise with it.",
            name,
        )
    return Model.of(runs.answer_of(found), str(found.model))


def make_plan(server: Server, caller: Caller, asked: Asked, row: Row[Any]) -> PlanShown:
    """Plan, price and keep it. ``row`` is the dataset as this caller found it (``datasets.find_for``)."""
    schema = schema_file(server, asked.dataset, asked.version)
    prepared = server.preparing.of(asked, datasets.slug(row.name), schema)
    with server.database.read() as connection:
        models = models_of(connection, asked)
        already = None if asked.practice else runs.already(connection, prepared.hash)
    ledger = server.database.ledger
    require_kind(server, row, asked)
    lists = server.folder(asked.dataset) / STUDY_FILE
    kept = None if asked.practice else KeptSteps(server.database, asked.dataset, asked.version)
    ready = asked.case(schema, *models) if prepared.case is None else nullcontext(prepared.case)
    with ready as case, ledger.reading_once():

        def planned(book: Ledger | None) -> Any:
            return case.plan(ServerSession(book, caller.name, kept=kept, lists=lists))

        refused = ""
        before = ledger.balance(asked.dataset)
        try:
            preview = planned(None if asked.practice else ledger)
        except BudgetExceeded as error:
            preview, refused = planned(None), f"{error.message} {error.advice}"
        free = preview is None and asked.use_case == FLOW  # all that it would measure was released before
        if not free and (preview is None or preview.amount is None):
            raise Refusal(
                422, "This has no price", "It would promise nothing, or measure nothing.", "Set an epsilon."
            )
        after = None if asked.practice or free or refused else preview.after
        left = _least(before.left, ledger.left(asked.dataset, caller.name))
        price: Amount | None = None if free else preview.amount

        def price_at(epsilon: float) -> Amount | None:
            if not refused:
                return None  # nobody asks then
            smaller = replace(asked, parameters=asked.parameters | {"epsilon": epsilon})
            with smaller.case(schema, *models) as case:
                found: Any = case.plan(ServerSession(None, caller.name, kept=kept, lists=lists))
            return None if found is None else found.amount

        given = asked.parameters.get("epsilon")
        most = None if left is None else most_that_fits(given, price, left, price_at)
    spent = after.spent if after is not None else sum_of(before.spent, price)
    state = "fits"
    if refused:
        state = "too_much" if left is not None else "empty"
    elif free:
        state = "free"
    elif row.approval and row.role != "owner" and not asked.practice:
        state = "ask_owner"
    answer = PlanShown(
        id="",
        hash=prepared.hash,
        use_case=asked.use_case,
        dataset=asked.dataset,
        algorithm=None if asked.chosen is None else asked.chosen.name,
        release=asked.release,
        other=asked.other,
        parameters=asked.parameters,
        practice=asked.practice,
        price=amount(None if asked.practice else price),
        left=amount(None if before.left is None else rounded_down(before.left)),
        left_after=amount(after.left) if after is not None else None,
        meter=meter_of(before.limit, before.spent, None if asked.practice else price),
        state=state,  # type: ignore[arg-type]
        most=most,
        odds=Odds(
            coin=COIN,
            so_far=odds_of(before.spent),
            after=odds_of(before.spent) if asked.practice else odds_of(spent),
        ),
        steps=[] if free else [_step(step) for step in preview.steps],
        assumed=[] if free else [Assumed(what=what, origin=origin) for what, origin in preview.public],
        caveats=[] if refused or free else list(preview.caveats),
        command=prepared.command,
        already=already,
        words=refused or (_FREE if free else preview.text()),
        created="",
    )
    with server.database.jot() as connection:  # a plan that a power cut takes cost nothing
        answer.id, answer.created = runs.add_plan(
            connection,
            hash=prepared.hash,
            user=caller.id,
            dataset=asked.dataset,
            version=asked.version,
            practice=asked.practice,
            document=json.dumps(asked.to_dict()),
            price=answer.model_dump_json(),
        )
    return answer


def shown_plan(row: Row[Any]) -> PlanShown:
    """A plan as it was priced when it was made."""
    plan = PlanShown.model_validate_json(row.price)
    plan.id, plan.created = row.id, row.created
    return plan


def _step(step: Any) -> StepShown:
    cost = step.amount
    epsilon = float(cost.epsilon) if isinstance(cost, Pure | Approximate) else float(cost.rho)
    return StepShown(
        what=step.what, mechanism=step.mechanism, epsilon=epsilon, error=step.error, words=step.sentence()
    )


def left_for(server: Server, dataset: str, name: str) -> Pure | Approximate | None:
    """What this person may still ask for at most: of the dataset's limit, and of their own."""
    ledger = server.database.ledger
    return _least(ledger.left(dataset), ledger.left(dataset, name))


def _least(*left: Amount | None) -> Pure | Approximate | None:
    """The least of what is left by several limits; None if nothing is known to be."""
    known = [each for each in left if isinstance(each, Pure | Approximate)]
    if len(known) < len(left):
        return None
    least = rounded_down(min(known, key=lambda each: each.epsilon))
    return least if isinstance(least, Pure | Approximate) else None


def sum_of(spent: Amount | None, price: Amount | None) -> Amount | None:
    """What a spend that does not fit would come to, by plain addition."""
    if price is None:
        return spent
    if (
        spent is None
        or not isinstance(spent, Pure | Approximate)
        or not isinstance(price, Pure | Approximate)
    ):
        return price
    delta = spent.delta + price.delta
    epsilon = spent.epsilon + price.epsilon
    return Approximate(epsilon, delta) if 0 < delta < 1 else Pure(epsilon)
