"""Files of phenotypes: PLINK's and plain ones, with and without a header, and no line lost."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from privet.sources import PackedGenotypes, PlinkSource, open_source, write_plink
from privet.sources.phenotypes import read_phenotypes
from tests.sources.test_plink import study

SUBJECTS = ["a", "b", "c", "d"]


def read(tmp_path, text, subjects=SUBJECTS, **more):
    path = tmp_path / "p.txt"
    path.write_text(text)
    return read_phenotypes(path, subjects, **more).tolist()


@pytest.mark.parametrize(
    "header", ["", "FID IID PHENO\n", "#FID IID PHENO1\n", "fid\tiid\tT2D\n", "IID PHENO\n"]
)
@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("1 2 -9 2", [0, 1, -1, 1]),
        ("1 2 0 NA", [0, 1, -1, -1]),
        ("0 1 -9 1", [0, 1, -1, 1]),
        ("0 1 0 0", [0, 1, 0, 0]),
        ("control case unknown case", [0, 1, -1, 1]),
        ("1 1 2 2", [0, 0, 1, 1]),
    ],
)
def test_phenotype_files(tmp_path, header, words, codes):
    two = "".join(f"{name}\t{word}\n" for name, word in zip(SUBJECTS, words.split(), strict=True))
    three = "".join(f"f{name} {name} {word}\n" for name, word in zip(SUBJECTS, words.split(), strict=True))
    for text in (two, three, three.replace(" ", ",")):
        assert read(tmp_path, header + text) == codes
    with gzip.open(tmp_path / "p.txt.gz", "wt") as file:
        file.write(header + three)
    assert read_phenotypes(tmp_path / "p.txt.gz", SUBJECTS).tolist() == codes


@pytest.mark.parametrize("first", ["a 3", "a 1.5", "a yes", "x maybe", "a f 2 7", "S3NT1NEL"])
def test_a_first_line_is_never_dropped_silently(tmp_path, first, refuses):
    """Today's trap: the first person's odd phenotype was taken for a header."""
    path = tmp_path / "p.txt"
    path.write_text(f"{first}\nb 1\nc 2\n")
    refuses(lambda: read_phenotypes(path, SUBJECTS), "Line 1", "columns")


def test_a_subject_with_the_name_of_a_column_is_a_subject(tmp_path):
    assert read(tmp_path, "id case\nb control\n", ["id", "b"]) == [1, 0]
    assert read(tmp_path, "id case\na 0\nb 1\n") == [0, 1, -1, -1]


def test_families(tmp_path, refuses):
    """With families a line of three entries means both; the same id in another family is somebody else."""
    text = "f1 1 1\nf2 1 2\nf1 2 2\n"
    assert read(tmp_path, text, ["f1:1", "f2:1", "f1:2"], families=["f1", "f2", "f1"]) == [0, 1, 1]
    assert read(tmp_path, text, ["1", "2"], families=["f2", "f1"]) == [1, 1]
    assert read(tmp_path, "1 1\n2 2\n", ["1", "2"], families=["f2", "f1"]) == [0, 1]
    refuses(lambda: read(tmp_path, text, ["1", "2"]), "twice (line 2)")
    refuses(lambda: read(tmp_path, text, ["1", "2"], families=["g", "g"]), "none of the subjects")


def test_a_plink_study_with_a_plink_phenotype_file(tmp_path):
    write_plink(study(6, 4), tmp_path / "s.bed")
    names = PlinkSource(tmp_path / "s").subjects
    (tmp_path / "p.pheno").write_text(
        "FID IID PHENO\n" + "".join(f"{n} {n} {i % 2}\n" for i, n in enumerate(names))
    )
    assert PlinkSource(tmp_path / "s", tmp_path / "p.pheno").phenotype.tolist() == [0, 1] * 3


def zipped(folder, endings):
    for ending in endings:
        plain = folder / f"s{ending}"
        (folder / f"s{ending}.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()


@pytest.mark.parametrize("endings", [(".bed", ".bim", ".fam"), (".bed",), (".bim", ".fam")])
def test_compressed_plink_files(tmp_path, endings, monkeypatch):
    monkeypatch.setattr("privet.sources.plink.BLOCK_BYTES", 64)
    source = study(37, 50)
    write_plink(source, tmp_path / "s.bed")
    zipped(tmp_path, endings)
    for path in (tmp_path / "s", tmp_path / "s.bed.gz", tmp_path / "s.bed"):
        read = PlinkSource(path)
        assert read.digest() == source.digest()
        assert read.variants.equals(source.variants)
        assert read.subjects == source.subjects
    if ".bed" in endings:
        assert isinstance(open_source(tmp_path / "s.bed.gz"), PlinkSource)


def test_compressed_files_that_do_not_fit(tmp_path, refuses):
    write_plink(study(37, 50), tmp_path / "s.bed")
    whole = (tmp_path / "s.bed").read_bytes()
    (tmp_path / "s.bed").unlink()
    path = tmp_path / "s.bed.gz"
    for data, says in (
        (gzip.compress(whole[:-1]), "cut off for"),
        (gzip.compress(whole + b"\0"), "too long"),
        (gzip.compress(whole)[:-200], "cut off"),
    ):
        path.write_bytes(data)
        refuses(lambda: list(PlinkSource(path).blocks()), says)
    path.write_bytes(whole)
    refuses(lambda: PlinkSource(path), "cut off or damaged")


def test_unknown_positions(tmp_path):
    source = study(5, 3)
    write_plink(source, tmp_path / "s.bed")
    (tmp_path / "s.bim").write_text("0\trs0\t0\t-9\tA\tC\n1\trs1\t0\t0\tA\tC\n1\trs2\t0\t7\tA\tC\n")
    read = PlinkSource(tmp_path / "s.bed")
    assert read.variants["position"].to_pylist() == [-9, 0, 7]
    assert isinstance(source, PackedGenotypes)
    assert np.array_equal(read.digest(), source.digest())
