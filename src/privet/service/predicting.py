"""Predictions for a file of records, written as they are made: constant memory, whatever its length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from privet.errors import DataError, ParameterError
from privet.parameters import Alias, ColumnOf, File
from privet.service.case import Result
from privet.service.common import Data, Force, ModelFile, VerifyKey
from privet.service.reading import OfTable
from privet.service.session import Session, Watch

__all__ = ["Predict", "Predicted"]

PREDICTED = "predicted"


@dataclass(frozen=True, kw_only=True)
class Predict(OfTable):
    """Predict the class (or number) of each record in DATA with a released MODEL. Costs no privacy budget.

    A value that the model's schema does not know counts as missing. The predictions say something about the
    records in DATA, so they are as private as that file is.
    """

    stdout_name: ClassVar[str] = "predicted.csv"

    model: ModelFile
    data: Data
    output: Annotated[
        Path, File("out", stdout=True), Alias("o"), "Where the predictions go: .csv, .parquet or .arff."
    ]
    probabilities: Annotated[bool, "Write the probability of each class too."] = False
    keep: Annotated[tuple[str, ...], ColumnOf("data"), "Copy this column of the data."] = ()
    verify_key: VerifyKey = None
    force: Force = False

    def run(self, session: Session) -> Predicted:
        from privet.model import load_model
        from privet.service.outputs import check_place

        model = load_model(self.model, self.verify_key)
        check_place(self.output, force=self.force)
        with session.progress("Predicting", "rows") as watch:
            return Predicted(self.output, self._written(model, watch))

    def _written(self, model: Any, watch: Watch | None) -> int:
        """Write the predictions, and return how many there were."""
        import pyarrow as pa

        from privet.schema import Category, Schema
        from privet.service.writers import takes_schema, writer_for
        from privet.sources import ArrowSource, open_source

        write = writer_for(self.output)
        schema: Schema = model.schema_
        source = open_source(self.data, schema, self.options)
        wanted = [column.name for column in schema.attributes]
        if missing := [name for name in (*wanted, *self.keep) if name not in source.names]:
            raise DataError(
                f"The table has no column '{missing[0]}'.",
                "Predict from a table with the same attributes as the model's.",
            )
        labels = [str(label) for label in getattr(model, "classes_", ())]
        if self.probabilities and not labels:
            raise ParameterError(
                "A regression predicts a number, which has no probabilities.", "Leave them out."
            )
        added = [PREDICTED, *([f"probability_{label}" for label in labels] if self.probabilities else [])]
        if clash := [name for name in self.keep if name in added]:
            raise ParameterError(f"'{clash[0]}' is the name of a column that this writes.", "Leave it out.")
        count = 0

        def batches() -> Iterator[pa.RecordBatch]:
            nonlocal count
            for batch in source.batches(list(dict.fromkeys([*wanted, *self.keep]))):
                records = ArrowSource(pa.Table.from_batches([batch.select(wanted)]))
                columns = [batch.column(name) for name in self.keep]
                if labels:
                    chances = model.predict_proba(records)
                    columns.append(pa.array(labels).take(pa.array(chances.argmax(axis=1))))
                    columns += [pa.array(column) for column in chances.T] if self.probabilities else []
                else:
                    columns.append(pa.array(model.predict(records)))
                count += batch.num_rows
                if watch is not None:
                    watch(count, None)
                yield pa.RecordBatch.from_arrays(columns, names=[*self.keep, *added])
            if count == 0:
                raise DataError("The table holds no records.", "Check that it is the right file.")

        if takes_schema(write):
            target = schema[str(schema.target)]
            what = Category(PREDICTED, tuple(labels)) if labels else replace(target, name=PREDICTED)
            kept = tuple(column for column in schema.columns if column.name in self.keep)
            write(batches(), self.output, replace(schema, columns=(*kept, what), target=None))
        else:
            write(batches(), self.output)
        return count


@dataclass(frozen=True)
class Predicted(Result):
    """Where the predictions are, and how many there are."""

    place: Path
    count: int

    def to_dict(self) -> dict[str, Any]:
        return {"predictions": str(self.place), "records": self.count}

    def text(self) -> str:
        return f"{self.count} predictions were made; they are in {self.place}."
