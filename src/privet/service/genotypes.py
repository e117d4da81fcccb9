"""Converting genotypes to tables that other tools read: the file is as private as the study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import ParameterError
from privet.schema import Schema
from privet.sources import write_arff, write_csv, write_parquet, write_plink

__all__ = ["convert_genotypes"]


def convert_genotypes(study: Any, place: Path) -> tuple[int, int]:
    """Write the subjects and variants that pass quality control; returns how many of each."""
    subjects, variants = study.passed.subjects, study.variant_places
    if place.suffix == ".bed":
        write_plink(study.source, place)
        return len(study.source.subjects), study.source.variant_count
    names = ["iid", *(study.source.variant_names[v] for v in variants), "phenotype"]
    rows = _Kept(study.source, names, subjects)
    if place.suffix == ".arff":  # without ids: every attribute of an ARFF file is mined
        rows = _Kept(study.source, names[1:], subjects)
        columns: dict[str, Any] = {name: [0, 1, 2] for name in names[1:-1]}
        write_arff(rows, place, Schema.of({**columns, "phenotype": ["control", "case"]}, target="phenotype"))
    elif place.suffix in (".parquet", ".pq"):
        write_parquet(rows, place)
    elif place.name.endswith((".csv", ".csv.gz")):
        write_csv(rows, place)
    else:
        raise ParameterError(
            f"Privet does not write {place.suffix or 'such'} files.", "Use .arff, .parquet, .csv or .bed."
        )
    return int(subjects.sum()), len(variants)


class _Kept:
    """The rows and columns that are kept, as a source."""

    def __init__(self, source: Any, names: Sequence[str], subjects: Any) -> None:
        self._source, self.names, self._subjects = source, tuple(names), subjects

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        mask = pa.array(self._subjects)
        for batch in self._source.batches(self.names):
            yield batch.select([n for n in self.names if columns is None or n in columns]).filter(mask)

    def table(self) -> Any | None:
        return None

    def declared(self) -> Schema | None:
        return None
