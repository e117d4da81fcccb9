"""Model inversion: what a released model gives away about a known person's sensitive attribute.

The attacker (Fredrikson et al. 2014) holds the model and, of one person, the class and all attributes but
one. They know how common each value of that attribute is. For every value v it could have, they ask the model
how probable the person's class would then be, and guess the v that maximises

    P(v) · P_model(class | rest of the record, v).

Two attackers *without* the model stand beside: one who always guesses the most common value (the base rate),
and, if records of other people are given, one who has learned from half of those how the attribute depends on
the rest and the class. Against the latter goes an attacker who has both, the model and those records: for
them P(v) becomes P(v | rest of the record).

**What privacy can prevent.** A good model of how smoking relates to illness lets anybody infer smoking from
illness, for people who took no part as well. That is what the model is for, and differential privacy does not
hide it. What it bounds is the difference that a person's own record makes. So the attack runs on records that
the model learned from and on records that it never saw; how much more often it succeeds on the former is the
part that privacy can prevent.

Reference: Fredrikson, Lantz, Jha, Lin, Page and Ristenpart (2014), Privacy in pharmacogenetics.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet import randomness
from privet.audit.inversion_report import OTHERS, TRAINING, Attempt, Estimate, InversionReport
from privet.curator import as_source
from privet.errors import DataError, ParameterError
from privet.learning.linear import Encoder
from privet.schema import Category, Schema
from privet.stats import Rows

__all__ = ["audit_inversion", "non_private_model"]

Progress = Callable[[int, int | None], None]
Codes = NDArray[np.int64]
Shares = NDArray[np.float64]
LEAST = 30


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
    """Infer ``attribute`` of known records from one fitted classifier, or from several by name, side by side.

    For the owner of the data: the result is computed from the records and is **not private**. ``training`` is
    the table that the models learned from, ``others`` a table of records that they did not (a random part put
    aside before the fit). A model is one of Privet's or scikit-learn's, with ``predict_proba``;
    scikit-learn's get a data frame of the schema's attributes. Of each table a random sample of ``records``
    is attacked. A number is guessed as one of ``bins`` parts of its public bounds.

    >>> import numpy as np
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
        raise ParameterError("There is no model to attack.", "Give a fitted classifier.")
    schema = schema or next((m.schema_ for m in named.values() if hasattr(m, "schema_")), None)
    if schema is None:
        raise ParameterError("The attack needs to know what is public.", "Give schema=…")
    _check(named, schema, attribute, records, bins, confidence)
    generator = randomness.of(random_state).generator()
    secret = _Secret.of(schema, attribute, bins)
    groups = {TRAINING: _Group.of(training, schema, secret, records, generator)}
    rival = None
    if others is not None:
        known, groups[OTHERS] = _Group.of(others, schema, secret, 2 * records, generator).halves()
        rival = _Rival(known, secret)
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
        likelihood = _likelihood(named[name], people, secret)
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
    return InversionReport(attribute, secret.size, confidence, tuple(attempts), memorised)


def _difference(own: Shares, new: Shares, easy_own: Shares, easy_new: Shares, confidence: float) -> Estimate:
    """How much more often guesses are right on own records than on new ones, of equal difficulty.

    One sample may by chance hold more records that are easy for anybody. What those without the model get
    right says which; a regression on it (within groups) takes that part of the chance away.
    """
    outcome = np.concatenate([own - own.mean(), new - new.mean()])
    easy = np.concatenate([easy_own - easy_own.mean(axis=0), easy_new - easy_new.mean(axis=0)])
    slope = np.linalg.lstsq(easy, outcome, rcond=None)[0]
    return Estimate.of(own - easy_own @ slope, confidence, minus=new - easy_new @ slope)


def non_private_model(
    table: Any,
    schema: Schema,
    kind: Literal["logistic", "tree"] = "logistic",
    random_state: int | None = None,
) -> Any:
    """scikit-learn's logistic regression or full-grown tree on the same encoding. NOT private."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    learners = {
        "logistic": LogisticRegression(max_iter=2000),
        "tree": DecisionTreeClassifier(random_state=random_state),
    }
    if kind not in learners:
        raise ParameterError(f"There is no model '{kind}' to compare with.", "Choose logistic or tree.")
    people = _read(table, schema)
    target = schema.nominal_target().name
    people = people.filter(people[target].is_valid())
    if len(people[target].unique()) < 2:
        raise DataError("All records have the same class: there is nothing to learn.", "Give other records.")
    labels = np.asarray(people[target].to_pylist(), dtype=str)
    return make_pipeline(Encoder(schema=schema), learners[kind]).fit(_frame(people, schema), labels)


@dataclass(frozen=True)
class _Secret:
    """The attribute that is guessed: how many values it may have, and one to put in a record for each."""

    name: str
    cuts: tuple[float, ...]
    stands: tuple[Any, ...]

    @property
    def size(self) -> int:
        return len(self.stands)

    @classmethod
    def of(cls, schema: Schema, name: str, bins: int) -> _Secret:
        column = schema[name]
        if isinstance(column, Category):
            return cls(name, (), tuple(column.labels))
        cuts = tuple(column.cuts) or tuple(np.linspace(column.low, column.high, bins + 1)[1:-1].tolist())
        edges = np.array([column.low, *cuts, column.high])
        middles = (edges[1:] + edges[:-1]) / 2
        return cls(name, cuts, tuple((np.floor(middles) if column.integer else middles).tolist()))


@dataclass(frozen=True)
class _Group:
    """Records that are attacked: the table, the true codes of the secret, and the class as text."""

    schema: Schema
    table: pa.Table
    secret: Codes
    labels: NDArray[Any]

    @classmethod
    def of(
        cls, data: Any, schema: Schema, secret: _Secret, records: int, generator: np.random.Generator
    ) -> _Group:
        table = _read(data, schema)
        target = schema.nominal_target().name
        codes = np.concatenate([np.zeros(0, np.int64), *_codes(table, schema, secret)])
        whole = np.flatnonzero((codes < secret.size) & table[target].is_valid().to_numpy())
        if len(whole) < LEAST:
            raise DataError(
                f"Fewer than {LEAST} records have both '{secret.name}' and a class.", "Give a larger table."
            )
        chosen = generator.permutation(whole)[:records]
        table = table.take(chosen).combine_chunks()
        return cls(schema, table, codes[chosen], np.asarray(table[target].to_pylist(), dtype=str))

    def halves(self) -> tuple[_Group, _Group]:
        middle = len(self.secret) // 2
        return self._part(slice(0, middle)), self._part(slice(middle, None))

    def _part(self, where: slice) -> _Group:
        size = len(self.secret[where])
        return _Group(
            self.schema, self.table.slice(where.start, size), self.secret[where], self.labels[where]
        )

    def hit(self, scores: Shares) -> Shares:
        """1 for each record whose own value has the highest score, else 0."""
        return (scores.argmax(axis=1) == self.secret).astype(float)

    def shares(self, size: int) -> Shares:
        """How common each value is; none is taken to be impossible."""
        counts = np.bincount(self.secret, minlength=size) + 0.5
        return np.asarray(counts / counts.sum())


class _Rival:
    """Whoever learned from other people how the attribute depends on the rest, and on the class as well."""

    def __init__(self, known: _Group, secret: _Secret) -> None:
        self.secret = secret
        self.by_rest = self._learned(self._rest(known), known.secret)
        self.by_all = self._learned(self._all(known), known.secret)

    def right(self, people: _Group) -> Shares:
        """1 for each record that this rival gets right without the model."""
        return people.hit(self.by_all(self._all(people)))

    def log_prior(self, people: _Group) -> Shares:
        """log P(v | rest of the record), for an attacker who has the model too."""
        return np.log(self.by_rest(self._rest(people)))

    def _learned(self, seen: Shares, truth: Codes) -> Callable[[Shares], Shares]:
        """Probabilities of the secret's values; those that nobody had are rare, not impossible."""
        from sklearn.linear_model import LogisticRegression

        classes = np.unique(truth)
        model = LogisticRegression(max_iter=500).fit(seen, truth) if len(classes) > 1 else None

        def probabilities(records: Shares) -> Shares:
            result = np.full((len(records), self.secret.size), 1e-6)
            result[:, classes] = 1.0 if model is None else np.maximum(model.predict_proba(records), 1e-6)
            return result

        return probabilities

    def _rest(self, people: _Group) -> Shares:
        rest = tuple(column for column in people.schema.columns if column.name != self.secret.name)
        if len(rest) < 2:  # nothing but the class
            return np.ones((len(people.secret), 1))
        encoder = Encoder(schema=replace(people.schema, columns=rest))
        return encoder.transform(people.table.select([column.name for column in rest]))

    def _all(self, people: _Group) -> Shares:
        encoded = self._rest(people)
        classes = np.array([str(label) for label in people.schema.nominal_target().labels])
        label = (people.labels[:, None] == classes).astype(float)
        # The class may matter differently for different records.
        return np.hstack([encoded, label, encoded * label[:, :1]])


def _likelihood(model: Any, people: _Group, secret: _Secret) -> Shares:
    """log P_model(class of the record | the rest, v), one column for each value v."""
    classes = np.array([str(label) for label in model.classes_])
    unknown = set(people.labels) - set(classes)
    if unknown:
        raise DataError(
            f"The table holds {len(unknown)} class(es) that the model has never heard of.",
            "Attack the model with a table of its own schema.",
        )
    order = np.argsort(classes)
    own = order[np.searchsorted(classes[order], people.labels)]
    logs = np.empty((len(own), secret.size))
    where = people.table.column_names.index(secret.name)
    kind = None if secret.cuts else people.table.schema.field(where).type
    for value, stand in enumerate(secret.stands):
        supposed = people.table.set_column(where, secret.name, pa.array([stand] * len(own), kind))
        probability = _probabilities(model, supposed, people.schema)[np.arange(len(own)), own]
        logs[:, value] = np.log(np.maximum(probability, 1e-300))
    return logs


def _probabilities(model: Any, table: pa.Table, schema: Schema) -> Shares:
    ours = hasattr(model, "schema_")
    records = table.drop_columns([schema.nominal_target().name]) if ours else _frame(table, schema)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a model fitted without names gets named columns
        return np.asarray(model.predict_proba(records))


def _frame(table: pa.Table, schema: Schema) -> Any:
    return table.select([column.name for column in schema.attributes]).to_pandas()


def _read(data: Any, schema: Schema) -> pa.Table:
    source = as_source(data, schema=schema)
    missing = [name for name in schema.names if name not in source.names]
    if missing:
        raise DataError(
            f"The table has no column '{missing[0]}', though the schema names it.",
            "Give a table with all attributes and the class.",
        )
    batches = list(source.batches(list(schema.names)))
    return pa.Table.from_batches(batches) if batches else _nothing()


def _nothing() -> pa.Table:
    raise DataError("The table is empty.", "Give records to attack.")


def _codes(table: pa.Table, schema: Schema, secret: _Secret) -> Iterator[Codes]:
    for batch in table.to_batches():
        yield Rows(batch, schema, unknown="missing").codes(secret.name, secret.cuts).astype(np.int64)


def _check(
    models: Mapping[str, Any], schema: Schema, attribute: str, records: int, bins: int, confidence: float
) -> None:
    target = schema.nominal_target().name
    names = [column.name for column in schema.attributes]
    if attribute == target:
        raise ParameterError(
            f"'{attribute}' is the class that the model predicts.", "Choose one of the other columns."
        )
    if attribute not in names:
        raise ParameterError(
            f"The schema has no attribute '{attribute}'.", f"Choose one of: {', '.join(names)}."
        )
    if records < LEAST or bins < 2 or not 0 < confidence < 1:
        raise ParameterError(
            "The attack needs at least 30 records and 2 bins, and a confidence between 0 and 1.",
            "Leave them at what they are by default.",
        )
    for name, model in models.items():
        if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
            raise ParameterError(
                f"{name} is no fitted classifier with class probabilities.",
                "Give a fitted model that has predict_proba.",
            )
