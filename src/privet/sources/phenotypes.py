"""Who is a case and who a control, and who is of which stratum, from small text files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.sources.files import FilePath, reading
from privet.sources.genotypes import CASE, CONTROL, UNKNOWN

__all__ = ["read_phenotypes", "read_strata"]

_WORDS = {"1": CONTROL, "control": CONTROL, "2": CASE, "case": CASE}
_UNKNOWN = {"", "0", "-9", "na", "nan", "unknown"}


def read_phenotypes(path: FilePath, subjects: Sequence[str]) -> NDArray[np.int8]:
    """The phenotype of each subject, from lines of an id and 1/2 or control/case.

    Subjects who are not in the file have an unknown phenotype; people in the file who are no subjects are
    ignored.
    """
    path = Path(path)
    with reading(path):
        lines = path.read_text(encoding="utf-8").splitlines()
    known: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        parts = line.replace(",", " ").split()
        if not parts or line.startswith("#"):
            continue
        word = parts[-1].lower()
        if len(parts) != 2 or (word not in _WORDS and word not in _UNKNOWN):
            if number == 1:
                continue  # a header
            raise DataError(
                f"Line {number} of {path.name} is not an id and 1, 2, control or case.",
                "The phenotype must be binary: split a measured trait by a public rule.",
            )
        if parts[0] in known:
            raise DataError(f"{path.name} names a person twice (line {number}).", "Keep one line for each.")
        known[parts[0]] = _WORDS.get(word, UNKNOWN)
    phenotype = np.array([known.get(name, UNKNOWN) for name in subjects], np.int8)
    if (phenotype == UNKNOWN).all():
        raise DataError(
            f"{path.name} has a phenotype for none of the subjects.", "Check that the ids are the same."
        )
    return phenotype


def read_strata(path: FilePath) -> dict[str, str]:
    """The stratum of each person, from lines of an id and a name: a population, a centre, a sex."""
    path = Path(path)
    with reading(path):
        lines = path.read_text(encoding="utf-8").splitlines()
    strata: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        parts = line.replace(",", " ").split()
        if not parts or line.startswith("#"):
            continue
        if len(parts) != 2:
            raise DataError(f"Line {number} of {path.name} is not an id and a stratum.", "Write: id stratum")
        if parts[0] in strata:
            raise DataError(f"{path.name} names a person twice (line {number}).", "Keep one line for each.")
        strata[parts[0]] = parts[1]
    return strata
