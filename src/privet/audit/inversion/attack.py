"""Model inversion: what a released model gives away about a known person's sensitive attribute.

The attacker (Fredrikson et al. 2014) holds the model and, of one person, the target and all attributes but
one. They know how common each value of that attribute is. For every value v it could have, they ask the model
how probable the person's target would then be, and guess the v that maximises

    P(v) · P_model(target | rest of the record, v).

For a class that is the model's own probability. For a number it is a normal density around the model's
prediction, with the spread of the model's errors, which the attacker knows (``inversion_target``).

Two attackers *without* the model stand beside: one who always guesses the most common value (the base rate),
and, if records of other people are given, one who has learned from half of those how the attribute depends on
the rest and the target. Against the latter goes an attacker who has both, the model and those records: for
them P(v) becomes P(v | rest of the record).

**What privacy can prevent.** A good model of how smoking relates to illness lets anybody infer smoking from
illness, for people who took no part as well. That is what the model is for, and differential privacy does not
hide it. What it bounds is the difference that a person's own record makes. So the attack runs on records that
the model learned from and on records that it never saw; how much more often it succeeds on the former is the
part that privacy can prevent.

Reference: Fredrikson, Lantz, Jha, Lin, Page and Ristenpart (2014), Privacy in pharmacogenetics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from privet import randomness
from privet.audit.inversion.records import LEAST, Group, Secret
from privet.audit.inversion.report import OTHERS, TRAINING, Attempt, Estimate, InversionReport
from privet.audit.inversion.rivals import Rival, non_private_model
from privet.audit.inversion.target import NumberTarget, Shares, Target, target_of
from privet.errors import ParameterError
from privet.schema import Schema

__all__ = ["audit_inversion", "non_private_model"]

Progress = Callable[[int, int | None], None]


def audit_inversion(
    models: Any,
    training: Any,
    *,
    attribute: str,
    others: Any = None,
    schema: Schema | None = None,
    records: int = 5000,
    bins: int = 5,
    confidence: float = 0.95,
    random_state: Any = None,
    progress: Progress | None = None,
) -> InversionReport:
    """Infer ``attribute`` of known records from one fitted model, or from several by name, side by side.

    For the owner of the data: the result is computed from the records and is **not private**. ``training`` is
    the table that the models learned from, ``others`` a table of records that they did not (a random part put
    aside before the fit). A model is one of Privet's or scikit-learn's: a classifier with
    ``predict_proba``, or a regression if the target is a number. scikit-learn's get a data frame of the
    schema's attributes. Of each table a random sample of ``records`` is attacked. A number is guessed as one
    of ``bins`` parts of its public bounds.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from privet import LogisticRegression
    >>> draw = np.random.default_rng(0)
    >>> gene = draw.choice(["no", "yes"], 4000)
    >>> ill = np.where(draw.random(4000) < np.where(gene == "yes", 0.9, 0.1), "yes", "no")
    >>> table = pa.table({"gene": gene, "age": draw.uniform(20, 80, 4000), "ill": ill})
    >>> schema = Schema.of({"gene": ["no", "yes"], "age": (0, 100), "ill": ["no", "yes"]}, target="ill")
    >>> model = LogisticRegression(epsilon=1.0, schema=schema).fit(table.slice(0, 2000))
    >>> found = audit_inversion(model, table.slice(0, 2000), others=table.slice(2000), attribute="gene")
    >>> found.attempts[0].over_base_rate.low > 0.3, found.memorised["the model"].low > 0
    (True, False)
    """
    named = dict(models) if isinstance(models, Mapping) else {"the model": models}
    if not named:
        raise ParameterError("There is no model to attack.", "Give a fitted classifier or regression.")
    schema = schema or next((m.schema_ for m in named.values() if hasattr(m, "schema_")), None)
    if schema is None:
        raise ParameterError("The attack needs to know what is public.", "Give schema=…")
    target = target_of(schema)
    _check(named, schema, target, attribute, records, bins, confidence)
    generator = randomness.of(random_state).generator()
    secret = Secret.of(schema, attribute, bins)
    groups = {TRAINING: Group.of(training, schema, secret, target, records, generator)}
    rival = None
    if others is not None:
        aside = Group.of(others, schema, secret, target, 2 * records, generator)
        known, groups[OTHERS] = aside.halves()
        rival = Rival(known, secret, target)
    prior = groups[TRAINING].shares(secret.size)
    # What is right without the model, record by record: by the base rate, and by others' records alone.
    plain = {name: people.hit(np.log(prior)[None, :]) for name, people in groups.items()}
    alone = {} if rival is None else {name: rival.right(people) for name, people in groups.items()}
    work = [(name, group) for name in named for group in groups]
    attempts, hits = [], {}
    for place, (name, group) in enumerate(work):
        if progress is not None:
            progress(place, len(work))
        people = groups[group]
        likelihood = target.log_likelihood(named[name], people.supposed(secret), people.known, people.secret)
        hits[name, group] = right = people.hit(likelihood + np.log(prior))
        attempt = Attempt(
            name,
            group,
            len(right),
            Estimate.of(right, confidence),
            float(plain[group].mean()),
            Estimate.of(right - plain[group], confidence),
        )
        if rival is not None:
            both = people.hit(likelihood + rival.log_prior(people))
            attempt = replace(
                attempt,
                with_others=float(both.mean()),
                without_model=float(alone[group].mean()),
                over_without_model=Estimate.of(both - alone[group], confidence),
            )
        attempts.append(attempt)
    if progress is not None:
        progress(len(work), len(work))
    memorised = {}
    if rival is not None:
        own, new = (np.stack([plain[group], alone[group]], axis=1) for group in (TRAINING, OTHERS))
        for name in named:
            memorised[name] = _difference(hits[name, TRAINING], hits[name, OTHERS], own, new, confidence)
    return InversionReport(
        attribute,
        secret.size,
        confidence,
        tuple(attempts),
        memorised,
        target=target.name,
        number=isinstance(target, NumberTarget),
    )


def _difference(own: Shares, new: Shares, easy_own: Shares, easy_new: Shares, confidence: float) -> Estimate:
    """How much more often guesses are right on own records than on new ones, of equal difficulty.

    One sample may by chance hold more records that are easy for anybody. What those without the model get
    right says which; a regression on it (within groups) takes that part of the chance away.
    """
    outcome = np.concatenate([own - own.mean(), new - new.mean()])
    easy = np.concatenate([easy_own - easy_own.mean(axis=0), easy_new - easy_new.mean(axis=0)])
    slope = np.linalg.lstsq(easy, outcome, rcond=None)[0]
    return Estimate.of(own - easy_own @ slope, confidence, minus=new - easy_new @ slope)


def _check(
    models: Mapping[str, Any],
    schema: Schema,
    target: Target,
    attribute: str,
    records: int,
    bins: int,
    confidence: float,
) -> None:
    names = [column.name for column in schema.attributes]
    if attribute == target.name:
        raise ParameterError(
            f"'{attribute}' is the {target.word} that the model predicts.", "Choose one of the other columns."
        )
    if attribute not in names:
        raise ParameterError(
            f"The schema has no attribute '{attribute}'.", f"Choose one of: {', '.join(names)}."
        )
    if records < LEAST or bins < 2 or not 0 < confidence < 1:
        raise ParameterError(
            "The attack needs at least 30 records and 2 bins, and a confidence between 0 and 1.",
            "Keep the defaults.",
        )
    for name, model in models.items():
        target.require(name, model)
