"""Tables 5.16 to 5.22 and 5.25 of the thesis: 1R and naive Bayes over ε, with and without feature selection.

One repeat is 10-fold cross-validation; deviations are over the means of repeats, as in the thesis. Only
*training* is private here: the noise is on counts, so there is no perturbed test set, and models predict the
exact test records. "With selection" is the thesis's order: its (non-private) ABC–DE selection sees the whole
table before the folds are made, which flatters every row that uses it; ``top k`` is chosen privately and
within the fold, with a fifth of ε, and k as in table 5.23.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from privet.registry import algorithm
from privet.schema import Schema
from privet.selection import SelectKBest
from reproduction import markdown
from reproduction.grid import WITHOUT_NOISE, folded
from reproduction.rules.as_published import Bayes, OneRule
from reproduction.rules.protocol import Score, cut, score
from reproduction.rules.selected import PUBLISHED as KEPT

__all__ = ["EPSILONS", "LITERATURE", "METHODS", "PUBLISHED", "literature", "repeat", "table_of"]

EPSILONS = (3.0, 2.0, 1.0, 0.5, 0.25, 0.1)
#: Published rows; the columns are: without noise, then ``EPSILONS``. (mean, deviation over repeats)
Row = tuple[tuple[float, float], ...]
ROWS = ("1R with selection", "NB with selection", "1R", "NB")


def _row(*pairs: float) -> Row:
    return tuple(zip(pairs[::2], pairs[1::2], strict=True))


#: Set → (table, published rows in the order of ``ROWS``).
PUBLISHED: dict[str, tuple[str, tuple[Row, Row, Row, Row]]] = {
    "votes": ("5.16", (
        _row(.956, 2e-16, .950, .004, .944, .008, .903, .021, .839, .034, .721, .038, .656, .078),
        _row(.933, .001, .928, .005, .927, .006, .908, .006, .900, .014, .844, .027, .652, .055),
        _row(.956, 2e-16, .886, .014, .800, .017, .739, .048, .625, .038, .558, .033, .570, .046),
        _row(.901, .001, .893, .004, .886, .006, .866, .009, .799, .025, .701, .033, .603, .063),
    )),
    "mushroom": ("5.17", (
        _row(.985, 2e-16, .972, .011, .971, .011, .969, .012, .931, .018, .893, .029, .770, .042),
        _row(.979, .006, .967, .008, .960, .009, .950, .008, .939, .008, .900, .011, .831, .035),
        _row(.950, .008, .968, .007, .946, .010, .862, .016, .760, .029, .641, .025, .560, .028),
        _row(.957, 2e-16, .929, .001, .926, .004, .911, .002, .873, .006, .803, .008, .688, .020),
    )),
    "heart_statlog": ("5.18", (
        _row(.722, .01, .617, .01, .575, .03, .550, .03, .502, .02, .532, .03, .530, .02),
        _row(.845, .002, .645, .02, .637, .02, .574, .02, .533, .02, .537, .03, .506, .04),
        _row(.722, .01, .535, .02, .517, .03, .512, .03, .503, .03, .515, .02, .506, .02),
        _row(.835, .006, .564, .03, .550, .03, .540, .02, .508, .04, .503, .03, .492, .02),
    )),
    "spect_heart": ("5.19", (
        _row(.723, .001, .690, .01, .662, .01, .610, .02, .592, .03, .539, .03, .512, .03),
        _row(.693, .02, .643, .02, .606, .02, .565, .02, .548, .02, .521, .02, .509, .02),
        _row(.723, .001, .571, .02, .564, .02, .526, .01, .510, .03, .504, .02, .515, .02),
        _row(.681, .03, .619, .02, .605, .01, .568, .02, .512, .01, .515, .03, .484, .03),
    )),
    "credit_approval": ("5.20", (
        _row(.855, 1e-15, .772, .01, .733, .01, .680, .02, .611, .02, .540, .03, .514, .02),
        _row(.693, .02, .589, .01, .566, .02, .533, .02, .521, .02, .501, .01, .503, .01),
        _row(.855, 1e-15, .689, .01, .628, .01, .588, .01, .554, .02, .516, .02, .511, .01),
        _row(.681, .03, .535, .02, .530, .01, .514, .01, .495, .01, .501, .01, .490, .01),
    )),
    "breast_w": ("5.21", (
        _row(.917, .003, .861, .01, .835, .01, .817, .01, .768, .02, .655, .06, .595, .05),
        _row(.960, .001, .924, .006, .915, .006, .857, .01, .792, .02, .636, .03, .570, .05),
        _row(.917, .003, .772, .02, .748, .02, .675, .03, .614, .04, .576, .03, .536, .06),
        _row(.973, 4e-4, .893, .004, .843, .01, .779, .01, .668, .03, .590, .05, .545, .03),
    )),
    "nursery": ("5.22", (
        _row(.709, 2e-16, .709, 2e-16, .709, 2e-16, .708, .001, .695, .007, .550, .039, .283, .019),
        _row(.898, 2e-4, .894, .001, .887, .002, .859, .004, .758, .015, .534, .014, .387, .018),
        _row(.709, 2e-16, .709, 2e-16, .709, 2e-16, .707, .001, .691, .008, .545, .023, .347, .026),
        _row(.902, 2e-4, .895, .001, .886, .002, .854, .004, .740, .011, .549, .016, .386, .014),
    )),
}  # fmt: skip

#: Table 5.25, ε = 1: methods of others as the thesis quotes them; votes, mushroom, nursery.
LITERATURE: dict[str, tuple[float | None, float, float]] = {
    "private ID3 (Friedman and Schuster 2010)": (None, 0.830, 0.404),
    "private random trees (Jagannathan et al. 2012)": (0.900, 0.922, 0.639),
    "private naive Bayes (Vaidya et al. 2013)": (0.866, 0.911, 0.854),
    "private random forest (Fletcher and Islam 2015)": (None, 0.935, 0.690),
    "thesis, 1R with selection": (0.900, 0.969, 0.708),
    "thesis, NB with selection": (0.900, 0.950, 0.859),
    "thesis, 1R": (0.739, 0.862, 0.707),
    "thesis, NB": (0.866, 0.911, 0.854),
}


@dataclass
class Method:
    """A learner, as published or Privet's; of the ``columns`` alone, or of k that it chooses with ε/5."""

    schema: Schema
    epsilon: float
    delta: float
    random_state: int
    learner: str
    columns: Sequence[str] | None = None
    k: int | None = None

    def fit(self, table: pa.Table) -> Method:
        schema, epsilon, seed = self.schema, self.epsilon, self.random_state
        if self.columns is not None:
            schema = cut(schema, self.columns)
        if self.k is not None:
            chooser = SelectKBest(
                k=self.k, epsilon=epsilon / 5, schema=schema, values=False, random_state=seed
            )
            schema, epsilon = cut(schema, chooser.fit(table).chosen_), epsilon * 4 / 5
        self._names = [column.name for column in schema.attributes]
        if self.learner in AS_PUBLISHED:
            self._model = AS_PUBLISHED[self.learner](
                schema, None if epsilon >= WITHOUT_NOISE else epsilon, seed
            )
        else:
            learner = algorithm(self.learner).load()
            self._model = learner(epsilon=epsilon, schema=schema, random_state=seed + 1)
        self._model.fit(table.select(list(schema.names)))
        return self

    def predict(self, table: pa.Table) -> Any:
        return self._model.predict(table.select(self._names))


AS_PUBLISHED: dict[str, Any] = {"1R": OneRule, "NB": Bayes}
#: Row → (its learner, what it learns from: the attributes that ABC–DE kept, k that it chooses, or all).
METHODS: dict[str, tuple[str, str]] = {
    "1R with selection, as published": ("1R", "kept"),
    "NB with selection, as published": ("NB", "kept"),
    "1R, as published": ("1R", "all"),
    "NB, as published": ("NB", "all"),
    "`OneR` with public selection": ("one-r", "kept"),
    "`NaiveBayes` with public selection": ("naive-bayes", "kept"),
    "`OneR`": ("one-r", "all"),
    "`NaiveBayes`": ("naive-bayes", "all"),
    "`NaiveBayes`, private top k": ("naive-bayes", "top k"),
}


def repeat(
    name: str,
    table: pa.Table,
    schema: Schema,
    kept: Sequence[str],
    *,
    seed: int,
    folds: int = 10,
    epsilons: Sequence[float] = (WITHOUT_NOISE, *EPSILONS),
) -> dict[str, list[float]]:
    """Method → the accuracy of one cross-validation for each ε; the first is without noise.

    ``kept`` are the attributes that the non-private selection found in the whole table.
    """
    k = min(KEPT[name][1], len(schema.attributes)) if name in KEPT else len(kept)
    given: dict[str, dict[str, Any]] = {"kept": {"columns": list(kept)}, "all": {}, "top k": {"k": k}}
    makes = {m: (Method, {"learner": learner} | given[which]) for m, (learner, which) in METHODS.items()}
    found = folded(table, schema, makes, epsilons, folds=folds, seed=seed)
    return {
        m: [score([one["accuracy"] for one in found[m, epsilon]]).mean for epsilon in epsilons]
        for m in METHODS
    }


def table_of(name: str, repeats: Sequence[Mapping[str, Sequence[float]]]) -> str:
    """One of the tables 5.16 to 5.22: published rows first, then what was measured."""
    number, published = PUBLISHED[name]
    rows = [
        [f"thesis, {label}", *(f"{mean:.3f} ± {spread:.3f}" for mean, spread in row)]
        for label, row in zip(ROWS, published, strict=True)
    ]
    for method in METHODS:
        rows.append([method, *(str(_over(repeats, method, place)) for place in range(1 + len(EPSILONS)))])
    heads = ["", "no noise", *(f"ε = {e:g}" for e in EPSILONS)]
    return f"**Table {number}, {name}** ({len(repeats)} × 10-fold)\n\n{markdown.table(heads, rows)}\n"


def _over(repeats: Sequence[Mapping[str, Sequence[float]]], method: str, place: int) -> Score:
    return score([one[method][place] for one in repeats])


def literature(found: Mapping[str, Sequence[Mapping[str, Sequence[float]]]]) -> str:
    """Table 5.25: what others published at ε = 1 on three sets, and what was measured."""
    sets = ("votes", "mushroom", "nursery")
    rows = [
        [label, *("–" if value is None else f"{value:.3f}" for value in published)]
        for label, published in LITERATURE.items()
    ]
    place = 1 + EPSILONS.index(1.0)
    for method in METHODS:
        cells = (str(_over(found[name], method, place)) if name in found else "–" for name in sets)
        rows.append([method, *cells])
    return markdown.table(["ε = 1", *sets], rows)
