"""The scikit-learn contract, once: ``fit`` opens the curator and the algorithm writes only ``_fit``.

An algorithm is a class with declared parameters, ``_fit(curator)``, and what it does with what it learned.
Everything else follows here: parameters are checked, arrays, data frames, files and database tables become a
source, the schema is settled, the budget is reserved and committed, and the guarantee is kept.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from privet import randomness
from privet.budget import Approximate, Ledger, Pure, budget
from privet.curator import Curator
from privet.curator.owner import as_read
from privet.curator.run import Run
from privet.curator.tables import as_source, empty_table, infer_schema, is_table, read_rows
from privet.errors import SchemaError
from privet.estimator.past import admit_past, selection_of
from privet.estimator.tables import (
    cut,
    labels_of,
    names_of,
    plain_array,
    refuse_weights,
    require_array,
    require_distinct,
    require_finite,
    require_target,
    target_of,
)
from privet.parameters import Delta, Epsilon, Seed, validate, with_parameters
from privet.release import Guarantee
from privet.schema import Schema, read_schema
from privet.schema.item_sets import set_columns, sets_refused
from privet.stats import Rows

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["LedgerParameter", "PrivateEstimator", "SchemaParameter"]

SchemaParameter = Annotated[
    Any,
    "What is public about the table: a Schema, a dictionary, a file, or 'infer' (no guarantee).",
]
LedgerParameter = Annotated[Ledger | None, "Where the run is paid from; None keeps no count of other runs."]


@with_parameters
class PrivateEstimator(BaseEstimator):
    """Base of every private algorithm. Subclasses declare parameters of their own and write ``_fit``."""

    #: Whether it knows columns whose cells are sets (``schema.Items``).
    takes_sets: ClassVar[bool] = False
    #: Whether it looks for values that nobody listed: then δ is for that, and ε is spent as such.
    searches: ClassVar[bool] = False

    epsilon: Epsilon = 1.0
    delta: Delta = 0.0
    schema: SchemaParameter = None
    ledger: LedgerParameter = None
    random_state: Seed = None

    def fit(self, X: Any, y: Any = None, **more: Any) -> Any:
        """Learn from a table: arrays or frames (X, y), or a file or database table that holds the target."""
        refuse_weights(more)
        validate(self)
        declared = self._declared()
        if self.ledger is not None and declared is not None and not self._rehearsed_as(declared):
            self.rehearse()  # what fails for any reason but the data fails here, before it is paid for
        source, schema = self._table(X, y, ledger=self.ledger)
        schema.require_columns(source.names)
        self._forget()
        run = self._whole_run(schema, self.ledger)
        admit_past(run, X)
        self._run(source, run)
        return self

    def rehearse(self) -> Guarantee:
        """What a fit would cost and how large its errors would be, without reading data or spending."""
        guarantee: Guarantee = self._rehearsed().guarantee_
        self._rehearsal = (self._declared(), self.get_params(deep=False))
        return guarantee

    def _rehearsed_as(self, declared: Schema) -> bool:
        """Whether just this was rehearsed already, and need not be before it is paid for."""
        schema, parameters = getattr(self, "_rehearsal", (None, {}))
        now = self.get_params(deep=False)
        same = all(parameters.get(name, ...) is value for name, value in now.items())
        return same and schema == declared

    def _rehearsed_by(self, twin: Any) -> None:
        """Count a twin's rehearsal as this one's own: the two differ in who pays, and in nothing else."""
        mine, others = (
            {k: v for k, v in m.get_params(deep=False).items() if k != "ledger"} for m in (self, twin)
        )
        if all(others[name] is value for name, value in mine.items()):
            self._rehearsal = (self._declared(), self.get_params(deep=False))

    def _rehearsed(self) -> Any:
        """A twin that was fitted to a table without records: what is public about a fit."""
        validate(self)
        schema = self._declared()
        if schema is None:
            raise SchemaError("A rehearsal reads no data, so it needs a declared schema.")
        twin = clone(self)
        twin._rehearse_with(schema)
        return twin

    def _rehearse_with(self, schema: Schema) -> Guarantee:
        """Fit to a table without records: reads no data, and costs nothing."""
        self._run(empty_table(schema), self._whole_run(schema))
        guarantee: Guarantee = self.guarantee_
        return guarantee

    def in_words(self) -> str:
        """What was learned, for a reader; "" if that cannot be said in a few lines."""
        return ""

    def pictures(self) -> tuple[Chart, ...]:
        """What was learned, as charts of released values; none if there is nothing to look at."""
        return ()

    def _steered(self) -> dict[str, Any]:
        """Parameters that were left open and that this algorithm sets by its ε alone, whatever the data."""
        return {}

    def _learning(self) -> Any:
        """What will learn, by what is public: this algorithm, unless it is one that chooses another."""
        return self

    def _foreseen(self) -> str:
        """After a rehearsal: how a fit would go, as far as that can be said before it is paid for."""
        return str(getattr(self, "explanation_", ""))

    @classmethod
    def _from_earlier(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a model that an earlier version has written, as this version names them."""
        return dict(parameters)

    @abstractmethod
    def _fit(self, curator: Curator) -> None:
        """Learn through the curator; store what was learned in attributes that end in ``_``."""

    def _prepare(self, curator: Curator) -> None:
        """Ask what costs nothing, before the budget is reserved: a refusal then costs nothing either."""

    def _amount(self) -> Pure | Approximate:
        """What a run takes of (ε, δ): all of it, unless pure ε, which is (ε, δ) too, has the smaller noise.

        It depends on what is public only. A δ that is not taken is not charged.
        """
        return budget(float(self.epsilon), float(self.delta))

    def _whole_run(self, schema: Schema, ledger: Ledger | None = None) -> Run:
        """A run of this estimator's own budget."""
        return Run(
            schema,
            self._amount(),
            ledger=ledger,
            randomness=randomness.of(self.random_state),
            inferred=self._declared() is None,
            what=f"fit {type(self).__name__}",
            searches=self.searches,
        )

    def _run(self, source: Any, run: Run) -> None:
        """Learn from a table in this run: of this estimator alone, or a part of a process."""
        sets = set_columns(run.schema.columns)
        if sets and not self.takes_sets:
            raise sets_refused(sets[0].name)
        curator = Curator.within(run, source)
        self._prepare(curator)
        with curator:
            self._fit(curator)
        self.schema_ = run.declared
        self.guarantee_ = curator.guarantee

    def _forget(self) -> None:
        """Drop what an earlier fit has learned: this one's guarantee does not cover it."""
        of_the_table = {"columns_", "n_features_in_", "feature_names_in_"}  # just read off this fit's table
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            if name not in of_the_table:
                delattr(self, name)

    def _declared(self) -> Schema | None:
        """The declared schema; None if it is to be read off the data."""
        if isinstance(self.schema, Schema):
            return self.schema
        if isinstance(self.schema, str) and self.schema == "infer":
            return None
        if isinstance(self.schema, str | Path):
            return read_schema(self.schema)
        if isinstance(self.schema, Mapping) and self.schema:
            return Schema.from_plain(self.schema)
        raise SchemaError(
            f"{type(self).__name__} needs a schema: what is public about the table.",
            "Declare one, e.g. schema={'columns': {'age': (0, 120), 'ill': ['no', 'yes']}, 'target': 'ill'}, "
            "or a file (Privet drafts one). schema='infer' reads it off the data and gives no guarantee.",
        )

    def _table(self, X: Any, y: Any, *, ledger: Ledger | None = None) -> tuple[Any, Schema]:
        """The source and the schema that X and y stand for.

        With a schema, no cell is looked at here: what is outside it, whoever reads the table counts or
        refuses as its owner wants it (``ledger``).
        """
        declared, selection = self._declared(), selection_of(X)
        if declared is not None and selection is not None:
            # What a preparer has learned of the columns replaces what was declared: bought bounds travel so.
            declared = selection.schema or cut(declared, selection.names)
        labels = labels_of(X)
        if y is None and (is_table(X) or (declared is not None and declared.target in labels)):
            if declared is None:
                raise SchemaError(
                    "A whole table needs a declared schema, which names the target.",
                    "Draft one from the table, and confirm it.",
                    "draft-schema",
                )
            self.columns_ = tuple(column.name for column in declared.attributes)
            self.n_features_in_ = len(self.columns_)
            self.feature_names_in_ = np.array(self.columns_, dtype=object)
            return as_source(X, schema=as_read(declared, ledger)), declared
        if declared is None:
            return self._inferred(X, y, labels)
        require_target(declared, y)
        if labels:
            require_distinct(labels)
        else:
            X = plain_array(X)
        y = target_of(X, y, declared)  # first: columns are counted in an array that has a row for each record
        chosen = None if selection is None else selection.names
        self.columns_ = tuple(labels) if labels else names_of(declared, X.shape[1], chosen)
        validate_data(self, X, skip_check_array=True)  # how many columns there are, and their names
        reads = as_read(declared, ledger)
        return as_source(X, y, names=self.columns_, target=declared.target, schema=reads), declared

    def _inferred(self, X: Any, y: Any, labels: list[str]) -> tuple[Any, Schema]:
        """The same where the schema is read off the data, without a guarantee: scikit-learn's own checks."""
        if labels:
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(target_of(X, y), warn=True)
            self.columns_ = tuple(labels)
        else:
            require_array(X, y)
            X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")
            self.columns_ = names_of(None, X.shape[1])
        check_classification_targets(y)
        source = as_source(X, y, names=self.columns_, target="target")
        return source, infer_schema(source, "target")

    def _rows(self, X: Any) -> Iterator[Rows]:
        """Records to be predicted, batch by batch, seen through the schema."""
        check_is_fitted(self)
        if not is_table(X):
            inferred = isinstance(self.schema, str) and self.schema == "infer"
            if labels := labels_of(X):
                # Columns are found by their names, in any order, and beside others. scikit-learn insists on
                # the order of ``fit`` where nothing else is known of them.
                wanted, there = set(self.columns_), set(labels)
                if not wanted <= there or (inferred and wanted == there):
                    validate_data(self, X, reset=False, skip_check_array=True)
                return read_rows(X, self._read_schema, labels)
            if inferred:
                require_array(X)
                X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite="allow-nan")
            else:
                X = plain_array(X)
                validate_data(self, X, reset=False, skip_check_array=True)
                require_finite(X, None, self.columns_)
            return read_rows(X, self._read_schema, self.columns_)
        return read_rows(X, self._read_schema)

    @property
    def _read_schema(self) -> Schema:
        """The schema through which records to be predicted are seen: all of its attributes are read."""
        return self.schema_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
