"""Genotypes as tables that other tools read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from privet.errors import ParameterError
from privet.schema import Schema
from privet.sources import write_parquet, write_plink
from privet.sources.arff_header import quoted
from privet.sources.files import replacing
from privet.sources.genotypes import CASE, GenotypeSubset

__all__ = ["convert_genotypes"]

# How many subjects' genotypes are held unpacked while rows are written.
_TOGETHER = 64


def convert_genotypes(study: Any, place: Path) -> tuple[int, int]:
    """Write the subjects and variants that pass quality control; returns how many of each."""
    subjects, variants = study.passed.subjects, study.variant_places
    if place.suffix == ".bed":
        write_plink(GenotypeSubset(study.source, subjects, study.passed.variants), place)
        return int(subjects.sum()), len(variants)
    names = [study.source.variant_names[v] for v in variants]
    if place.suffix == ".arff":  # without ids: every attribute of an ARFF file is mined
        head = [f"@relation {quoted(place.stem)}", ""]
        head += [f"@attribute {quoted(name)} {{0,1,2}}" for name in names]
        head += ["@attribute phenotype {control,case}", "", "@data", ""]
        _write_rows(study, place, "\n".join(head), missing="?", ids=False)
    elif place.suffix in (".parquet", ".pq"):
        write_parquet(_Kept(study.source, ["iid", *names, "phenotype"], subjects), place)
    elif place.name.endswith((".csv", ".csv.gz")):
        if any('"' in name or "," in name for name in (*names, *study.source.subjects)):
            raise ParameterError("A name has a comma or a quote in it.", "Write .parquet or .arff instead.")
        _write_rows(study, place, ",".join(["iid", *names, "phenotype"]) + "\n", missing="", ids=True)
    else:
        raise ParameterError(
            f"Privet does not write {place.suffix or 'such'} files.", "Use .arff, .parquet, .csv or .bed."
        )
    return int(subjects.sum()), len(variants)


def _write_rows(study: Any, place: Path, head: str, *, missing: str, ids: bool) -> None:
    """One line per subject, a few subjects at a time: a genome has too many columns for a table in memory."""
    cells = np.array(["0", "1", "2", missing], object)
    with replacing(place) as stream:
        stream.write(head.encode())
        chosen = np.flatnonzero(study.passed.subjects)
        for start in range(0, len(chosen), _TOGETHER):
            together = chosen[start : start + _TOGETHER]
            copies = study.source.copies(together, study.passed.variants)
            for column, subject in enumerate(together):
                line = [study.source.subjects[subject]] if ids else []
                line += cells[copies[:, column]].tolist()
                line.append("case" if study.source.phenotype[subject] == CASE else "control")
                stream.write((",".join(line) + "\n").encode())


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
