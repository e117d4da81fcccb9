"""One person's DNA file: 23andMe, AncestryDNA or FamilyTreeDNA, read in one go by Arrow."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from privet.errors import DataError

__all__ = ["ALLELES", "PersonalFile", "VariantNames", "read_personal_file"]

#: The letters of a call, in the order of the alphabet; a call of two letters is 1 + 4·first + second.
ALLELES = "ACGT"
#: A real file has hundreds of thousands of variants; one with fewer lines is damaged or something else.
FEWEST_VARIANTS = 2

_BUILD = re.compile(rb"(?:build|grch|hg)\s*(3[678]|1[89])", re.IGNORECASE)
_HG = {"18": "36", "19": "37"}
_COMMENT = re.compile(rb"^#.*\n?", re.MULTILINE)


@dataclass(frozen=True)
class PersonalFile:
    """What a file says: one entry a variant, sorted by its number (``VariantNames``)."""

    build: str
    variants: NDArray[np.int64]
    chromosomes: NDArray[np.object_]
    positions: NDArray[np.int64]
    #: Which alleles were seen, a bit each; and the call, 0 where it is missing or not two letters.
    seen: NDArray[np.uint8]
    calls: NDArray[np.uint8]


class VariantNames:
    """Whole numbers for variants' names: those of rsids are their own, others are counted.

    >>> names = VariantNames()
    >>> numbers = names.numbers(pa.array(["rs12", "i7", "kgp1", "rs012"]))
    >>> numbers.tolist(), names.texts(numbers)
    ([24, 15, -1, -2], ['rs12', 'i7', 'kgp1', 'rs012'])
    """

    def __init__(self) -> None:
        self._others: dict[str, int] = {}

    def numbers(self, names: pa.Array) -> NDArray[np.int64]:
        found = np.zeros(len(names), np.int64)
        rest = np.ones(len(names), bool)
        for odd, start in enumerate(("rs", "i")):
            digits = pc.utf8_slice_codeunits(names, len(start))
            plain = pc.and_(pc.starts_with(names, start), _whole(digits))
            plain = pc.and_not(plain, pc.starts_with(digits, "0")).to_numpy(zero_copy_only=False)
            found[plain] = 2 * digits.filter(pa.array(plain)).cast(pa.int64()).to_numpy() + odd
            rest &= ~plain
            if not rest.any():
                break
        for place in np.flatnonzero(rest):
            name = names[place].as_py()
            found[place] = self._others.setdefault(name, -1 - len(self._others))
        return found

    def texts(self, numbers: NDArray[np.int64]) -> list[str]:
        others = list(self._others)
        return [
            others[-1 - number] if number < 0 else f"{'i' if number % 2 else 'rs'}{number // 2}"
            for number in numbers.tolist()
        ]


def read_personal_file(path: Path, names: VariantNames) -> PersonalFile:
    """Read a file; a DataError, whose text holds nothing of the file, where that cannot be done."""
    try:
        raw = path.read_bytes()
        text = zlib.decompress(raw, 31) if path.suffix == ".gz" else raw
        text.decode("utf-8")
    except (OSError, UnicodeDecodeError, zlib.error):
        raise DataError("cannot be read as text") from None
    build, text = _without_comments(text.removeprefix(b"\xef\xbb\xbf"))
    table, lines = _cells(text)
    if table.num_columns == 5:  # the two letters in columns of their own
        letters = pc.binary_join_element_wise(table["f3"], table["f4"], "")
        table = table.set_column(3, "f3", letters)
    header = pc.equal(pc.utf8_lower(table["f0"]), "rsid")
    table = table.filter(pc.and_not(_whole(table["f2"]), header))
    lines -= pc.sum(header).as_py() or 0
    if lines < FEWEST_VARIANTS or lines - len(table) > lines // 10:
        raise DataError("is not a DNA file of a known kind, or is damaged")
    variants = names.numbers(table["f0"].combine_chunks())
    # The last line of a variant counts; from here on variants are in the order of their numbers.
    variants, place = np.unique(variants[::-1], return_index=True)
    table = table.take(pa.array(len(table) - 1 - place))
    seen, calls = _letters(table["f3"])
    return PersonalFile(
        build,
        variants,
        table["f1"].to_numpy(),
        table["f2"].cast(pa.int64()).to_numpy(),
        seen,
        calls,
    )


def _without_comments(text: bytes) -> tuple[str, bytes]:
    """The genome build that the comments name, and the lines that are none."""
    build = "unknown"
    start = 0
    while text.startswith(b"#", start):  # nearly always they are all at the beginning
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end + 1
        if build == "unknown" and (found := _BUILD.search(text, start, end)):
            build = found.group(1).decode()
            build = _HG.get(build, build)
        start = end
    text = text[start:]
    return build, _COMMENT.sub(b"", text) if b"\n#" in text else text


def _whole(texts: Any) -> Any:
    """Whether a text is a whole number that fits in 64 bits."""
    return pc.and_(pc.ascii_is_decimal(texts), pc.less_equal(pc.binary_length(texts), 17))


def _cells(text: bytes) -> tuple[pa.Table, int]:
    """The lines of four (or five) cells each, without blanks at their ends, and how many lines there were."""
    start = text.lstrip()[:4096].split(b"\n", 2)
    first = start[1] if start[0].lower().startswith((b"rsid", b'"rsid')) and len(start) > 1 else start[0]
    delimiter = "\t" if b"\t" in first else ","
    width = first.count(delimiter.encode()) + 1
    if width not in (4, 5):
        raise DataError("is not a DNA file of a known kind, or is damaged")
    odd = 0

    def count(row: csv.InvalidRow) -> str:
        nonlocal odd
        odd += 1
        return "skip"

    names = [f"f{place}" for place in range(width)]
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            csv.ReadOptions(column_names=names, use_threads=False),
            csv.ParseOptions(delimiter=delimiter, invalid_row_handler=count),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, null_values=[]
            ),
        )
    except pa.ArrowInvalid:
        raise DataError("is not a DNA file of a known kind, or is damaged") from None
    trimmed = {name: pc.utf8_trim_whitespace(table[name]) for name in names}
    return pa.table(trimmed), len(table) + odd


def _letters(calls: pa.ChunkedArray) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Alleles seen and calls, by a table of the few different texts."""
    coded = calls.combine_chunks().dictionary_encode()
    texts = [text.upper() for text in coded.dictionary.to_pylist()]
    seen = np.array(
        [sum(1 << a for a, letter in enumerate(ALLELES) if letter in text) for text in texts] or [0]
    )
    # One letter stands for two equal ones, as in PLINK: the sex chromosomes of men.
    pairs = [text * 2 if len(text) == 1 else text for text in texts]
    known = [len(pair) == 2 and set(pair) <= set(ALLELES) for pair in pairs]
    call = np.array(
        [
            1 + 4 * ALLELES.index(pair[0]) + ALLELES.index(pair[1]) if fine else 0
            for pair, fine in zip(pairs, known, strict=True)
        ]
        or [0]
    )
    place = coded.indices.to_numpy()
    return seen.astype(np.uint8)[place], call.astype(np.uint8)[place]
