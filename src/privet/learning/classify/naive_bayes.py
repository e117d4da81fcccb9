"""Naive Bayes from noisy tables: one table for each attribute, measured in a single pass.

Naive Bayes needs, for each attribute, how its values are distributed within each class. Every such table is
a sum over records with each record in one cell, so it has sensitivity 1 however many cells it has; the
budget is split over the *attributes* and never over cells or classes. The class totals cost nothing: every
table's column totals estimate them, and the precision-weighted mean of all of them is better than a
measurement of their own would be.

**Privacy.** The m measurements have shares that add up to 1 (``_shares``), so the curator's sequential
composition gives ε (or ρ) in total; proofs of the sensitivities are in ``stats.contingency`` and
``stats.moments``. Everything after ``curator.measure`` is computed from released numbers and the schema.
At a small budget the class counts come first (``learning.first_look``). If they say that not all attributes
can be paid for, a third of what is left buys a private choice of as many as can: one question with a share of
its own, by the number of records that each attribute alone gets right (``stats.association.counts``), and the
tables of the chosen ones share the rest. How many are chosen follows from the released counts, which
composition allows.

**Where the budget goes.** Noise of a table with c cells and sensitivity Δ, at a share s, has a total squared
error proportional to c·Δ²/s² (pure ε) or c·Δ²/s (zCDP). Under Σs = 1 the sum is least for s ∝ (c·Δ²)^(1/3)
and s ∝ (c·Δ²)^(1/2). ``allocation="uniform"`` gives every attribute the same.

References: Vaidya, Shafiq, Basu and Hong (2013) for the problem, whose printed algorithm spends about m·ε
and is not used here (``docs/concepts/naive-bayes.md`` says why).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Le
from numpy.typing import NDArray
from scipy.special import logsumexp

from privet.budget import Approximate, Pure, budget
from privet.curator import Curator, Measure, TopK
from privet.estimator import PrivateClassifier
from privet.learning.first_look import FirstLook, LookFirst, carried, first_look, plenty
from privet.mechanisms.top_k import How
from privet.parameters import Bins, with_parameters
from privet.release import Release
from privet.schema import Category, Column, Number, Schema
from privet.schema.bins import bin_labels, public_cuts
from privet.stats import Contingency, Moments, Rows, Statistic
from privet.stats.association import Attributes, Majority

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["NaiveBayes"]

Table = NDArray[np.float64]

# The least variance of a number within a class, as a share of its squared half range: below this, a density
# is a spike that noise alone has made.
VARIANCE_FLOOR = 1e-4

ASSUMED_RECORDS = 10_000
MANY_TABLES = 14  # from which on a share of (ε, δ) buys less noise than a share of ε
# Records times ε. Chosen on one half of public tables (docs/experiments/small-tables.md).
NEEDED = 40  # below, whatever is learned is noise
EACH = 80  # for each attribute, where not all can be paid for,
ALL = 30  # and for each from which on all are
CHOICE = Fraction(1, 3)  # of the budget, for the choice of those that are paid for


@with_parameters
class NaiveBayes(PrivateClassifier):
    """Differentially private naive Bayes for nominal, numeric and mixed tables.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation; with δ = 0 it is pure ε.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 5000)
    >>> fever = 36.5 + 2 * ill + generator.normal(0, 0.5, 5000)
    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": [0, 1]}, target="ill")
    >>> model = NaiveBayes(epsilon=1.0, schema=schema).fit(fever[:, None], ill)
    >>> model.predict([[36.6], [38.9]])
    array([0, 1])
    >>> model.guarantee_.epsilon, model.guarantee_.holds
    (1.0, True)
    """

    numeric: Annotated[
        Literal["histogram", "gaussian"],
        "How a number is described within a class: counts in bins, or a normal distribution.",
    ] = "histogram"
    bins: Bins = 16
    allocation: Annotated[
        Literal["balanced", "uniform"],
        "How the budget is split over attributes: for the least total error, or the same for each.",
    ] = "balanced"
    smoothing: Annotated[
        float, Ge(0), Le(1000), "Records added to every cell (Laplace estimator) before dividing."
    ] = 0.5

    records: Annotated[
        int | None,
        Ge(1),
        "About how many records there are, if that is public; decides only whether a delta is worth taking.",
    ] = None
    look_first: LookFirst = True

    def _amount(self) -> Pure | Approximate:
        """Pure ε where few tables are foreseen: Gaussian noise is larger then."""
        schema = self._declared()
        if schema is None:
            return super()._amount()
        carried = (self.records or ASSUMED_RECORDS) * float(self.epsilon) / EACH
        many = min(len(schema.attributes), carried) >= MANY_TABLES
        return super()._amount() if many else budget(float(self.epsilon))

    def _fit(self, curator: Curator) -> None:
        schema = curator.schema
        target = schema.nominal_target()
        look = None
        needed = max(NEEDED, ALL * len(schema.attributes))
        if self.look_first and schema.attributes and target.size > 1 and not plenty(curator, target, needed):
            look = first_look(curator, target, NEEDED)
            if not look.enough:
                self._learn_nothing(target, look)
                return
        binned = [c for c in schema.attributes if isinstance(c, Number) and self.numeric == "histogram"]
        self.cuts_: dict[str, list[float]] = {
            column.name: list(public_cuts(column, self.bins)) for column in binned
        }
        plan = self._statistics(schema, target)
        if look is not None and not curator.rehearsing:
            telling = [each for each in plan if each.columns[0] != target.name]  # classes are counted already
            if carried(curator, target, look, ALL) < len(telling):
                plan = self._chosen(curator, telling, target, carried(curator, target, look, EACH))
        pure = curator.amount.delta == 0
        shares = _shares([_weight(s, schema, pure) if self.allocation == "balanced" else 1.0 for s in plan])
        asked = [Measure(s, f"'{s.columns[0]}' within each '{target.name}'") for s in plan]
        left = curator.left
        releases = curator.ask_together(
            [(each, left * share) for each, share in zip(asked, shares, strict=True)]
        )
        self._learn(target, list(zip(plan, releases, strict=True)), look)

    def _learn_nothing(self, target: Category, look: FirstLook) -> None:
        """The largest class for every record."""
        self.classes_ = np.array(target.labels)
        self.class_count_, self.class_count_error_ = np.maximum(look.counts, 0), 1.96 * look.deviation
        self.class_log_prior_ = np.log(look.shares)
        self.cuts_ = {}
        self.tables_: dict[str, Table] = {}
        self.table_errors_: dict[str, float] = {}
        self.normals_: dict[str, Table] = {}
        self.explanation_ = look.explanation

    def _statistics(self, schema: Schema, target: Category) -> list[Statistic]:
        """One statistic per attribute; the class counts only where no table would give them.

        An attribute with a single possible value cannot tell classes apart, so nothing is spent on it.
        """
        telling = [c for c in schema.attributes if not isinstance(c, Category) or c.size > 1]
        plan: list[Statistic] = [self._statistic(column, target) for column in telling]
        if not any(isinstance(statistic, Contingency) for statistic in plan):
            plan.append(Contingency(None, target.name))
        return plan

    def _chosen(
        self, curator: Curator, plan: list[Statistic], target: Category, most: int
    ) -> list[Statistic]:
        """The attributes that the budget carries, chosen privately by how often each alone is right."""
        tables = tuple(
            Contingency(s.columns[0], target.name, public_cuts(curator.schema[s.columns[0]], self.bins))
            for s in plan
        )
        how: How = "permute_and_flip" if curator.amount.delta == 0 else "exponential"
        what = f"which {most} of {len(plan)} attributes tell most about '{target.name}'"
        question = TopK(Majority(), Attributes(tables), most, what, how, values=False)
        places = sorted(curator.ask(question, CHOICE * curator.left).chosen.tolist())
        self.explanation_ = (
            f"{most} of {len(plan)} attributes, chosen privately: at this budget noise would hide more."
        )
        return [plan[place] for place in places]

    def _statistic(self, column: Column, target: Category) -> Statistic:
        if isinstance(column, Number) and self.numeric == "gaussian":
            return Moments(column.name, target.name)
        return Contingency(column.name, target.name, tuple(self.cuts_.get(column.name, ())))

    def _learn(
        self, target: Category, measured: list[tuple[Statistic, Release]], look: FirstLook | None
    ) -> None:
        """Everything from here on is post-processing of what was released."""
        tables = [(s, r) for s, r in measured if isinstance(s, Contingency)]
        totals, variance = _class_totals([r for _, r in tables], look)
        self.classes_ = np.array(target.labels)
        self.class_count_ = np.maximum(totals, 0)
        self.class_count_error_ = 1.96 * float(np.sqrt(variance))
        prior = self.class_count_ + max(self.smoothing, 1e-9)
        self.class_log_prior_ = np.log(prior / prior.sum())
        shares, told = prior / prior.sum(), [(s.row, r) for s, r in tables if s.row is not None]
        clear = [_beyond_noise(r, shares) for _, r in told]
        together = sum(clear) / len(clear) ** 0.5 if clear else 0.0
        self.tables_ = {
            name: _drawn_together(
                _log_conditional(r, totals, self.smoothing),
                float(np.clip(max(own / 2, together / 3), 0, 1)),
                shares,
            )
            for (name, r), own in zip(told, clear, strict=True)
        }
        self.table_errors_ = {s.row: float(r.error) for s, r in tables if s.row is not None}
        self.normals_ = {
            s.number: _normal(r.value, r.standard_deviation, self.class_count_)
            for s, r in measured
            if isinstance(s, Moments)
        }

    def pictures(self) -> tuple[Chart, ...]:
        """How each attribute is distributed within each class, with error bars for the noise."""
        from privet.report.charts import Bars, Series, numbers

        classes, target = [str(label) for label in self.classes_], self.schema_.target
        off = (self.class_count_error_,) * len(classes)
        charts = [
            Bars(
                f"Records in each '{target}'",
                tuple(classes),
                (Series("records", numbers(self.class_count_), off, (0, None)),),
                y="records",
                note="Bars are for the privacy noise (95 %).",
            )
        ]
        errors = getattr(self, "table_errors_", {})  # models of earlier versions have none
        for name, table in self.tables_.items():
            labels = bin_labels(self.schema_[name], self.cuts_.get(name, ()))
            shares = np.exp(np.asarray(table)[: len(labels)])
            series = tuple(
                Series(
                    f"'{target}' is {label}",
                    numbers(shares[:, place]),
                    (min(1.0, errors[name] / max(float(size), 1.0)),) * len(labels) if errors else None,
                    (0, 1),
                )
                for place, (label, size) in enumerate(zip(classes, self.class_count_, strict=True))
            )
            note = "Share of each class's records. Bars are for the noise of a single count (95 %)."
            charts.append(Bars(f"'{name}' within each class", labels, series, y="share", note=note))
        return tuple(charts)

    def _drawn(self, records: int, draw: np.random.Generator) -> pa.Table:
        """Records as the model takes them to be: a class by the prior, then each attribute by its table."""
        places = draw.choice(len(self.classes_), records, p=np.exp(self.class_log_prior_))
        names = [column.name for column in self.schema_.attributes]
        drawn = {name: self._values(name, places, draw) for name in names}
        target = self.schema_.nominal_target()
        return pa.table(drawn | {target.name: pa.array([target.labels[place] for place in places])})

    def _values(self, name: str, places: NDArray[np.int64], draw: np.random.Generator) -> pa.Array:
        """Values of one attribute within these classes: labels, or numbers anywhere in their bins."""
        column: Any = self.schema_[name]
        if name in self.normals_:
            mean, variance = self.normals_[name]
            z = np.asarray(mean)[places] + np.sqrt(np.asarray(variance))[places] * draw.normal(
                size=len(places)
            )
            return pa.array(np.clip(column.midpoint + z * column.half_range, column.low, column.high))
        if name not in self.tables_:  # nothing was spent on it: any value that it may publicly have
            if isinstance(column, Category):
                return pa.array(draw.choice(np.array(column.labels, object), len(places)).tolist())
            return pa.array(draw.uniform(column.low, column.high, len(places)))
        shares = np.exp(np.asarray(self.tables_[name])[:-1])  # nobody's value is missing
        steps = (shares / shares.sum(axis=0)).cumsum(axis=0)
        codes = np.minimum((draw.random(len(places)) > steps[:, places]).sum(axis=0), len(steps) - 1)
        if isinstance(column, Category):
            return pa.array([column.labels[code] for code in codes])
        edges = np.array([column.low, *self.cuts_[name], column.high])
        return pa.array(edges[codes] + draw.random(len(places)) * np.diff(edges)[codes])

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        scores = np.repeat(self.class_log_prior_[None, :], rows.size, axis=0)
        for name, table in self.tables_.items():
            scores += table[rows.codes(name, self.cuts_.get(name, ()))]
        for name, normal in self.normals_.items():
            column: Any = rows.schema[name]
            z = (np.clip(rows.numbers(name), column.low, column.high) - column.midpoint) / column.half_range
            mean, variance = normal
            terms = -0.5 * ((z[:, None] - mean) ** 2 / variance + np.log(variance))
            scores += np.where(np.isnan(z)[:, None], 0.0, terms)
        return scores


def _weight(statistic: Statistic, schema: Schema, pure: bool) -> float:
    """The share that makes the total squared error least (see the module's docstring)."""
    norms = statistic.norms(schema)
    cells = statistic.start(schema)[0, :, :].size
    scale = statistic.scale
    return float(
        (cells * (norms.l1 / scale) ** 2) ** (1 / 3) if pure else (cells * norms.squared_l2 / scale**2) ** 0.5
    )


def _shares(weights: list[float]) -> list[Fraction]:
    """Exact shares that add up to 1."""
    whole = [max(1, round(1000 * weight)) for weight in weights]
    return [Fraction(part, sum(whole)) for part in whole]


def _class_totals(releases: list[Release], look: FirstLook | None = None) -> tuple[Table, float]:
    """The class totals as the precision-weighted mean of the tables' column totals, and their variance."""
    squared = [r.standard_deviation**2 * r.value.shape[0] for r in releases]
    margins = [r.value.sum(axis=0).astype(float) for r in releases]
    if look is not None:
        squared.append(look.deviation**2)
        margins.append(look.counts)
    # At an enormous epsilon the noise vanishes: a floor keeps the weights finite.
    precision = 1 / np.maximum(squared, 1e-12)
    return precision @ np.stack(margins) / precision.sum(), float(1 / precision.sum())


def _log_conditional(release: Release, totals: Table, smoothing: float) -> Table:
    """log P(value | class) with a last row of zeros for missing values, which say nothing."""
    counts = _consistent(release.value.astype(float), np.maximum(totals, 1.0))
    present = counts[:-1] + max(smoothing, 1e-9)
    return np.vstack([np.log(present / present.sum(axis=0)), np.zeros(counts.shape[1])])


def _beyond_noise(release: Release, prior: Table) -> float:
    """How much more classes differ in a table than noise alone would make them, in standard deviations.

    If all classes were alike, a cell would hold its row's records in the classes' shares. How far counts are
    off is compared with what noise does: over all cells, and along the rows, whose order means something for
    numbers.
    """
    counts = release.value.astype(float)
    if len(prior) == 1:
        return 0.0
    alike = np.eye(len(prior)) - prior  # takes what a class would have of a row off each cell
    off = counts @ alike
    noise = max(release.standard_deviation**2, 1e-12) * float((alike**2).sum())
    overall = (float((off**2).sum()) / (noise * len(counts)) - 1) / np.sqrt(5 / counts.size)
    steps = np.linspace(-1, 1, len(counts) - 1)
    along = float(((steps @ off[:-1]) ** 2).sum()) / (noise * float((steps**2).sum()))
    return float(max(overall, (along - 1) / np.sqrt(2 / (len(prior) - 1))))


def _drawn_together(table: Table, kept: float, prior: Table) -> Table:
    """The table with its classes drawn to their mean, as far as they are not ``kept`` apart."""
    if kept == 1:
        return table
    alike = (table[:-1] @ prior)[:, None]
    drawn = alike + kept * (table[:-1] - alike)
    return np.vstack([drawn - logsumexp(drawn, axis=0), table[-1:]])


def _consistent(counts: Table, totals: Table) -> Table:
    """The nearest table (least squares) without negative counts whose columns add up to the totals.

    Compared with cutting at zero it takes the bias out of empty cells: where noise lifts some cells, all are
    lowered by the same amount until the column's total is right (Duchi et al. 2008).
    """
    falling = -np.sort(-counts, axis=0)
    excess = falling.cumsum(axis=0) - totals
    places = np.arange(1, len(counts) + 1)[:, None]
    last = (falling - excess / places > 0).sum(axis=0) - 1
    level = excess[last, np.arange(counts.shape[1])] / (last + 1)
    return np.maximum(counts - level, 0)


def _normal(value: Table, deviation: float, totals: Table) -> Table:
    """Mean and variance of z in [−1, 1] within each class, shrunk to a flat start where noise rules."""
    first, square, weighted_missing = value.T
    missing = np.clip(weighted_missing / (Moments.missing_weight / Moments.scale), 0, totals)
    # A flat density on [−1, 1] has mean 0 and variance 1/3; it stands for the records that noise hides.
    number = np.maximum(totals - missing, 0)
    flat = max(1.0, deviation)
    mean = np.clip(first / (number + flat), -1, 1)
    second = (square + number / 2 + flat / 3) / (number + flat)
    return np.stack([mean, np.clip(second - mean**2, VARIANCE_FLOOR, 1.0)])
