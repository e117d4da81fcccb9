"""k-anonymity: values are generalised until every record is like k − 1 others.

All columns are generalised as wholes (global recoding), by declared hierarchies. Combinations of levels
are tried in the order of what they lose, and the first one is taken that leaves at most a given share of
records to be suppressed (after Samarati 2001). l-diversity (Machanavajjhala et al. 2007) and t-closeness
(Li et al. 2007) are checked on what comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from privet.errors import DataError, ModelError, ParameterError
from privet.parameters import File, validate, with_parameters
from privet.perturbation.in_parts import AllAtOnce
from privet.perturbation.nominal.groups import Anonymity, grouped, measured, spread
from privet.perturbation.nominal.hierarchy import ANYTHING, Hierarchy, read_hierarchies
from privet.perturbation.nominal.recoding import Recoding
from privet.perturbation.nominal.tables import column_values, with_texts
from privet.perturbation.promise import MEASURED
from privet.perturbation.river_step import RiverStep
from privet.release import Guarantee
from privet.schema import Unit

__all__ = ["KAnonymity"]

# Combinations of levels that are looked at before the search gives up.
MOST = 20_000


@with_parameters
class KAnonymity(AllAtOnce, RiverStep, TransformerMixin, BaseEstimator):
    """Generalises quasi-identifying columns until groups have at least ``k`` records. Guarantee: none.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [31, 33, 38, 52, 58, 59], "ill": ["no", "yes", "no", "yes", "no", "no"]})
    >>> model = KAnonymity(hierarchies=[Hierarchy("age", widths=(5, 20))], k=3)
    >>> model.fit_transform(table)["age"].unique().tolist()
    ['[20, 40)', '[40, 60)']
    >>> model.anonymity_.k
    3
    """

    hierarchies: Annotated[
        Any | None,
        File(),
        "A Hierarchy for each quasi-identifying column, or TOML with widths or ancestors of its values.",
    ] = None
    k: Annotated[int, Ge(2), "The least number of records that look the same."] = 5
    suppression: Annotated[float, Ge(0), Le(1), "The largest share of records that may be hidden."] = 0.02
    sensitive: Annotated[str | None, "The column that diversity and closeness are about."] = None
    diversity: Annotated[int, Ge(1), "How many different sensitive values each group has at least (l)."] = 1
    closeness: Annotated[
        float, Gt(0), Le(1), "How far a group's shares of sensitive values may be from those of all (t)."
    ] = 1.0

    def fit(self, X: Any, y: Any = None) -> KAnonymity:
        """Find the levels that lose least."""
        del y
        validate(self)
        self._ladder = self._ladders()
        if self.sensitive is None and (self.diversity > 1 or self.closeness < 1):
            raise ParameterError("Diversity and closeness are about a sensitive column.", "Name it.")
        values = [column_values(X, ladder.column) for ladder in self._ladder]
        if len(values[0]) < self.k:
            raise DataError(f"There are fewer records than k = {self.k}.", "Choose a smaller k.")
        sensitive = None if self.sensitive is None else column_values(X, self.sensitive)
        # Each level of each column is worked out once, for its distinct values only.
        self._general = [_levels(ladder, column) for ladder, column in zip(self._ladder, values, strict=True)]
        for levels in self._combinations():
            hidden = self._hidden(levels, sensitive)
            if hidden is not None:
                break
        else:
            raise DataError(
                "No combination of levels reaches what was asked for.",
                "Allow more suppression or a smaller k, less diversity or less closeness.",
            )
        self.levels_ = dict(zip((ladder.column for ladder in self._ladder), levels, strict=True))
        self.suppressed_ = float(hidden.mean())
        released = self._texts(levels, hidden)
        self.anonymity_: Anonymity = measured(released, sensitive)
        groups = frozenset(tuple(row) for row in zip(*released, strict=True))
        self.recoding_ = Recoding(tuple(self.levels_.items()), groups)
        self.guarantee_ = self._promise(
            f"What came out: {self.anonymity_.sentence()} "
            f"{self.suppressed_:.2%} of the records are suppressed."
        )
        return self

    def take_up(self, recoding: Recoding) -> KAnonymity:
        """Generalise a stream as a table was before: to its levels, and into its groups only."""
        validate(self)
        ladder = {each.column: each for each in self._ladders()}
        if set(ladder) != {column for column, _ in recoding.levels}:
            raise ModelError(
                "The recoding was made with hierarchies of other columns.",
                "Give the file of hierarchies that it was made with.",
            )
        self._ladder = [ladder[column] for column, _ in recoding.levels]
        self.levels_ = dict(recoding.levels)
        self.recoding_ = recoding
        self.guarantee_ = self._promise("Records that fall into none of the table's groups are suppressed.")
        return self

    def begin(self, names: Sequence[str]) -> KAnonymity:
        """A stream with these columns; it needs the levels and groups of a table that was fitted before."""
        check_is_fitted(self, "recoding_")
        for column in self.levels_:
            if column not in names:
                raise DataError(f"The table has no column '{column}'.", "Give all that are generalised.")
        return self

    def learn_one(self, x: Mapping[str, Any]) -> None:
        """Nothing is learned from one record: there are no groups of k before there are k records."""

    def transform_one(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """One record generalised; ``*`` in all these columns where no group is known for it."""
        self.begin(tuple(x))
        row = tuple(each.general(x[each.column], self.levels_[each.column]) for each in self._ladder)
        if row not in self.recoding_.groups:
            row = (ANYTHING,) * len(row)
        return {**x, **dict(zip(self.levels_, row, strict=True))}

    def csv_filter(self, **how: Any) -> Any:
        """What generalises a stream of CSV with it (``text_filter.TextFilter``)."""
        from privet.perturbation.nominal.text_filter import TextFilter

        return TextFilter(self, **how)

    def announcement(self) -> str:
        """What is promised, for whoever starts a stream."""
        return "Guarantee: NONE. k-anonymity is not differential privacy."

    def described(self) -> dict[str, Any]:
        """How far each column was generalised, and the share of records that are hidden."""
        return {"levels": self.levels_, "suppressed": self.suppressed_}

    def _ladders(self) -> list[Hierarchy]:
        found = self.hierarchies or ()
        if isinstance(found, str | Path):
            found = read_hierarchies(found)
        ladders: list[Hierarchy] = list(found.values()) if isinstance(found, Mapping) else list(found)
        if not ladders:
            raise ParameterError(
                "There is no hierarchy, so nothing can be generalised.", "Give one for each column."
            )
        return ladders

    def transform(self, X: Any) -> Any:
        """The table with these columns generalised; records that would stand out are ``*`` in all of them."""
        check_is_fitted(self, "levels_")
        columns = []
        for ladder in self._ladder:
            level, column = self.levels_[ladder.column], column_values(X, ladder.column)
            columns.append([ladder.general(value, level) for value in column])
        known = [row in self.recoding_.groups for row in zip(*columns, strict=True)]
        texts = [[text if fine else ANYTHING for text, fine in zip(c, known, strict=True)] for c in columns]
        return with_texts(X, dict(zip(self.levels_, texts, strict=True)))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        return input_features

    def _combinations(self) -> Iterator[tuple[int, ...]]:
        """Levels of all columns, those that lose least first: the loss is the mean share of the way up."""
        heights = [ladder.height for ladder in self._ladder]
        if int(np.prod([height + 1 for height in heights], dtype=float)) > MOST:
            raise ParameterError(f"There are more than {MOST} combinations of levels.", "Give fewer levels.")
        every = product(*(range(height + 1) for height in heights))
        loss = {
            levels: sum(level / height for level, height in zip(levels, heights, strict=True))
            for levels in every
        }
        yield from sorted(loss, key=lambda levels: (loss[levels], levels))

    def _texts(self, levels: Sequence[int], hidden: NDArray[np.bool_]) -> list[list[str]]:
        return [
            np.where(hidden, ANYTHING, texts[level]).tolist()
            for texts, level in zip(self._general, levels, strict=True)
        ]

    def _hidden(self, levels: Sequence[int], sensitive: Any) -> NDArray[np.bool_] | None:
        """The records to suppress at these levels; None if that would not do."""
        groups = grouped([texts[level].tolist() for texts, level in zip(self._general, levels, strict=True)])
        sizes = np.bincount(groups)
        bad = sizes < self.k
        if sensitive is not None:
            different, away = spread(groups, sensitive)
            bad |= (different < self.diversity) | (away > self.closeness)
        # The suppressed are a group too: the smallest good groups join them until they are k.
        for group in np.argsort(np.where(bad, len(groups) + 1, sizes), kind="stable"):
            if not bad.any() or sizes[bad].sum() >= self.k:
                break
            bad[group] = True
        hidden = bad[groups]
        if hidden.mean() > self.suppression:
            return None
        found = measured(self._texts(levels, hidden), sensitive)
        fine = found.k >= self.k
        if found.l is not None and found.t is not None:
            fine &= found.l >= self.diversity and found.t <= self.closeness + 1e-12
        return hidden if fine else None

    def _promise(self, outcome: str) -> Guarantee:
        return Guarantee.none(
            ["k-anonymity is not differential privacy: no bound holds on what it gives away."],
            Unit("replace"),
            public=tuple((f"the hierarchy of '{ladder.column}'", "declared") for ladder in self._ladder),
            caveats=(
                outcome,
                "Whoever knows more about a person than these columns, or what the others in the "
                "group have, can "
                "find out the rest; releases of two tables can be held against each other.",
                MEASURED,
            ),
        )


def _levels(ladder: Hierarchy, column: Sequence[Any]) -> list[NDArray[Any]]:
    known: dict[Any, int] = {}
    places = np.array([known.setdefault(None if value != value else value, len(known)) for value in column])
    return [
        np.array([ladder.general(value, level) for value in known], dtype=object)[places]
        for level in range(ladder.height + 1)
    ]
