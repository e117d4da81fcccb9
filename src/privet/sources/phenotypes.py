"""Who is a case and who a control, and who is of which stratum, from small text files.

Both are public in a study's guarantee, so a file may be judged as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.sources.files import FilePath, open_text
from privet.sources.genotypes import CASE, CONTROL, UNKNOWN

__all__ = ["read_phenotypes", "read_strata"]

_WORDS = {"1": CONTROL, "control": CONTROL, "2": CASE, "case": CASE}
_ZERO_ONE = {"0": CONTROL, "1": CASE}
_UNKNOWN = {"", "0", "-9", "na", "nan", "unknown"}
# How a line that names the columns begins or ends. Any other first line is a person's.
_FIRST = {"fid", "iid", "id", "eid", "subject", "sample", "person", "patient", "participant", "user", "name"}
_LAST = {"pheno", "phenotype", "pheno1", "phenotype1", "status", "diagnosis", "affected", "affection"}


def read_phenotypes(
    path: FilePath, subjects: Sequence[str], families: Sequence[str] | None = None
) -> NDArray[np.int8]:
    """The phenotype of each subject, from lines of an id and a phenotype, or PLINK's ``FID IID PHENO``.

    A phenotype is ``control`` or ``case``, or PLINK's 1 (control) or 2 (case); -9, NA and, beside 1 and 2, 0
    are unknown. A file of 0 and 1 without any 2 is read as 0 control, 1 case. The first line may name the
    columns.

    Subjects who are not in the file have an unknown phenotype; people in the file who are no subjects are
    ignored. ``families`` are the subjects' own: with them, a line of three entries must match both.
    """
    path = Path(path)
    known: dict[tuple[str, ...], str] = {}
    for number, line, parts in _lines(path):
        if number == 1 and _names_columns(parts, subjects):
            continue
        word = parts[-1].lower()
        if len(parts) not in (2, 3) or (word not in _WORDS and word not in _UNKNOWN):
            first = " It is read as a person's, since it does not name columns." if number == 1 else ""
            raise DataError(
                f"Line {line} of {path.name} is not an id (or FID and IID) and 0, 1, 2, control or case."
                + first,
                "The phenotype must be binary, and one: split a measured trait by a public rule. Name the "
                "columns IID and PHENO, or not at all.",
            )
        who = tuple(parts[:-1]) if families is not None else (parts[-2],)
        if who in known:
            raise DataError(f"{path.name} names a person twice (line {line}).", "Keep one line for each.")
        known[who] = word
    codes = _WORDS
    if {"0", "1"} <= set(known.values()) <= {"0", "1", *_UNKNOWN}:
        codes = _ZERO_ONE
    family = families if families is not None else subjects
    phenotype = np.full(len(subjects), UNKNOWN, np.int8)
    for place, (name, own) in enumerate(zip(subjects, family, strict=True)):
        # A subject whose id repeats from family to family is named by both.
        within = name.removeprefix(f"{own}:") if families is not None else name
        for who in ((own, within), (own, name), (name,)):
            if who in known:
                phenotype[place] = codes.get(known[who], UNKNOWN)
                break
    if (phenotype == UNKNOWN).all():
        raise DataError(
            f"{path.name} has a phenotype for none of the subjects.", "Check that the ids are the same."
        )
    return phenotype


def _lines(path: Path) -> Iterator[tuple[int, int, list[str]]]:
    """The entries of each line that is no comment, with its number among those and in the file."""
    number = 0
    with open_text(path) as file:
        for line, text in enumerate(file, 1):
            parts = text.replace(",", " ").replace(";", " ").split()
            if parts and not text.startswith("#"):
                number += 1
                yield number, line, parts


def _names_columns(parts: list[str], subjects: Sequence[str]) -> bool:
    if set(parts) & set(subjects):
        return False
    return parts[0].lower() in _FIRST or parts[-1].lower() in _LAST


def read_strata(path: FilePath) -> dict[str, str]:
    """The stratum of each person, from lines of an id and a name: a population, a centre, a sex."""
    path = Path(path)
    strata: dict[str, str] = {}
    for _, line, parts in _lines(path):
        if len(parts) != 2:
            raise DataError(f"Line {line} of {path.name} is not an id and a stratum.", "Write: id stratum")
        if parts[0] in strata:
            raise DataError(f"{path.name} names a person twice (line {line}).", "Keep one line for each.")
        strata[parts[0]] = parts[1]
    return strata
