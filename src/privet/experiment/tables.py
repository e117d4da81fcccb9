"""Where the tables of an experiment are, what is public about them, and how a changed one is recognised."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.curator.tables import as_source
from privet.demo.genotypes import genotype_knowledge, genotypes
from privet.demo.patients import patients, public_knowledge
from privet.errors import ParameterError, SchemaError
from privet.experiment.parts import Dataset
from privet.experiment.value import Experiment
from privet.schema import Schema, read_schema

__all__ = ["GENERATED", "RECORDS", "Tables"]


@dataclass(frozen=True)
class Generated:
    """A table of people who do not exist."""

    title: str
    line: str
    table: Callable[[int, int], pa.Table]
    schema: Callable[[], Schema]


GENERATED = {
    "clinic": Generated(
        "Generated patients",
        "Patients who do not exist, with a disease to be predicted: free.",
        patients,
        public_knowledge,
    ),
    "genotypes": Generated(
        "Generated genotypes",
        "A small study of 300 variants, of which ten go with a trait: free.",
        genotypes,
        genotype_knowledge,
    ),
}
#: How many people are generated or made up where the experiment does not say.
RECORDS = 5000


class Tables:
    """The tables by name: given ones, and files found from a folder. What is read is read once."""

    def __init__(self, experiment: Experiment, given: Mapping[str, Any], folder: Path) -> None:
        self._given, self._folder = dict(given), folder
        self._schemas: dict[str, Schema] = {}
        self._tables: dict[str, pa.Table] = {}
        names = {dataset.name for dataset in experiment.data}
        if unknown := sorted(set(given) - names):
            raise ParameterError(f"The experiment has no table '{unknown[0]}'.")

    def public(self, experiment: Experiment) -> Tables:
        """The tables that nobody is protected in: all that may be sent to other processes and machines."""
        private = {dataset.name for dataset in experiment.data if dataset.private}
        given = {name: pair for name, pair in self._given.items() if name not in private}
        return Tables(experiment, given, self._folder)

    def schema(self, dataset: Dataset) -> Schema:
        """What is public about a table; every entry must be confirmed."""
        if dataset.name not in self._schemas:
            found = self._schema(dataset)
            found.require_confirmed()
            if found.target is None:
                raise SchemaError(f"The schema of '{dataset.name}' names no target to predict.")
            self._schemas[dataset.name] = found
        return self._schemas[dataset.name]

    def _schema(self, dataset: Dataset) -> Schema:
        if dataset.name in self._given:
            pair = self._given[dataset.name]
            if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], Schema)):
                raise ParameterError(f"For '{dataset.name}', give a pair: its table and its schema.")
            return pair[1]
        if dataset.kind == "generated":
            if dataset.place not in GENERATED:
                raise ParameterError(
                    f"There is no generated table '{dataset.place}'.", f"There are: {', '.join(GENERATED)}."
                )
            return GENERATED[dataset.place].schema()
        place = self._folder / dataset.place
        if dataset.kind != "made-up":
            beside = place.with_name(f"{place.name.split('.')[0]}.schema.toml")
            place = beside if dataset.schema is None else self._folder / dataset.schema
        if not place.exists():
            raise SchemaError(
                f"What is public about '{dataset.name}' is not known: there is no {place.name}.",
                f"Draft a schema beside the table, or name one under [data.{dataset.name}].",
                "draft-schema",
            )
        return read_schema(place)

    def source(self, dataset: Dataset, schema: Schema) -> Any:
        """A private table, to be handed to the curator."""
        if dataset.name in self._given:
            return as_source(self._given[dataset.name][0], schema=schema)
        return as_source(self._folder / dataset.place, schema=schema)

    def table(self, dataset: Dataset) -> pa.Table:
        """The rows of a table that nobody needs to be protected in."""
        assert not dataset.private
        if dataset.name not in self._tables:
            self._tables[dataset.name] = self._opened(dataset)
        return self._tables[dataset.name]

    def _opened(self, dataset: Dataset) -> pa.Table:
        schema = self.schema(dataset)
        if dataset.name not in self._given and dataset.kind == "generated":
            return GENERATED[dataset.place].table(dataset.records or RECORDS, dataset.seed)
        if dataset.name not in self._given and dataset.kind == "made-up":
            from privet.worlds import made_up

            return made_up(schema, dataset.records or RECORDS, dataset.seed)
        return pa.Table.from_batches(list(self.source(dataset, schema).batches()))

    def state(self, dataset: Dataset) -> str:
        """What marks a changed table. Of a private file: its size and date, never its content."""
        about: dict[str, Any] = {"data": dataset.to_dict(), "schema": self.schema(dataset).to_dict()}
        if dataset.name not in self._given and dataset.kind in ("public", "private"):
            place = self._folder / dataset.place
            try:
                if dataset.private:
                    about["file"] = [place.stat().st_size, place.stat().st_mtime_ns]
                else:
                    with place.open("rb") as file:
                        about["file"] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                raise ParameterError(
                    f"'{dataset.name}' has no file {place.name}.", "Check its path."
                ) from None
        return hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode()).hexdigest()[:16]
