"""PLINK files: what is read is what was written, tables equal PLINK's own, and bad files are refused."""

from __future__ import annotations

import os
import shutil
import subprocess

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engines import GenotypeEngine, engine_for
from privet.schema import Schema
from privet.sources import PackedGenotypes, PlinkSource, fingerprint, open_source, write_plink
from privet.sources.genotypes import pack, unpack
from privet.stats.genotypes.tables import GenotypeTables

PLINK = shutil.which("plink1.9")
SCHEMA = Schema.of({"phenotype": ["control", "case"]}, target="phenotype")


def study(subjects: int, variants: int, seed: int = 0) -> PackedGenotypes:
    draw = np.random.default_rng(seed)
    copies = draw.choice(4, (variants, subjects), p=[0.5, 0.3, 0.15, 0.05]).astype(np.uint8)
    copies[: min(2, variants)] = np.array([[0], [3]], np.uint8)[
        : min(2, variants)
    ]  # monomorphic, all missing
    table = pa.table(
        {
            "chromosome": ["1"] * variants,
            "id": [f"rs{i}" for i in range(variants)],
            "position": np.arange(1, variants + 1),
            "a1": ["A"] * variants,
            "a2": ["C"] * variants,
        }
    )
    phenotype = draw.choice([0, 1, -1], subjects, p=[0.45, 0.45, 0.1]).astype(np.int8)
    return PackedGenotypes(copies, [f"s{i}" for i in range(subjects)], phenotype, table)


def exact(source, groups) -> np.ndarray:
    """The tables by the plainest way there is."""
    rows = [unpack(row, len(source.subjects)) for block in source.blocks() for row in block.data]
    return np.array([[[(row[g] == c).sum() for c in (2, 1, 0, 3)] for g in groups] for row in rows])


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 150), st.integers(1, 30), st.integers(0, 1000))
def test_tables_are_counted_exactly_whatever_the_number_of_subjects(subjects, variants, seed):
    source = study(subjects, variants, seed)
    groups = np.stack([source.phenotype == 1, source.phenotype == 0])
    [counts] = GenotypeEngine().answer([GenotypeTables(groups, variants)], source, SCHEMA)
    np.testing.assert_array_equal(counts, exact(source, groups))
    kept = np.random.default_rng(seed).random(variants) < 0.5
    [some] = GenotypeEngine().answer([GenotypeTables(groups, variants, kept)], source, SCHEMA)
    np.testing.assert_array_equal(some, counts[kept])


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_packing_is_undone_by_unpacking(subjects, variants, seed):
    copies = np.random.default_rng(seed).integers(0, 4, (variants, subjects)).astype(np.uint8)
    np.testing.assert_array_equal([unpack(row, subjects) for row in pack(copies)], copies)


def test_a_study_survives_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("privet.sources.plink.BLOCK_BYTES", 64)  # many blocks
    source = study(37, 50)
    write_plink(source, tmp_path / "study.bed")
    read = open_source(tmp_path / "study.bed")
    assert isinstance(read, PlinkSource)
    assert isinstance(engine_for(read), GenotypeEngine)
    assert read.subjects == source.subjects
    np.testing.assert_array_equal(read.phenotype, source.phenotype)
    assert read.variants.equals(source.variants)
    assert PlinkSource(tmp_path / "study").digest() == source.digest() == fingerprint(read)
    one, other = (pa.Table.from_batches(s.batches()) for s in (source, read))
    assert one.equals(other)
    assert one["rs1"].null_count == 37
    other = study(37, 50, seed=1)
    assert other.digest() != source.digest()


def test_ids_that_repeat_get_names_of_their_own(tmp_path):
    write_plink(study(8, 4), tmp_path / "s.bed")
    bim = tmp_path / "s.bim"
    bim.write_text("1 . 0 5 A C\n1  rs1 0 6 A C\n1 rs1 0 7 A C\n1 phenotype 0 8 A C\n")
    assert PlinkSource(tmp_path / "s").names == ("iid", "phenotype", "1:5:1", "rs1", "1:7:3", "1:8:4")


@pytest.fixture
def files(tmp_path):
    write_plink(study(9, 6), tmp_path / "s.bed")
    return tmp_path / "s.bed"


def test_bad_files_are_refused(files, refuses):
    bed, fam, bim = (files.with_suffix(end) for end in (".bed", ".fam", ".bim"))
    good = {path: path.read_bytes() for path in (bed, fam, bim)}

    def broken(path, content, *says):
        path.write_bytes(content)
        refuses(lambda: PlinkSource(bed).variants, *says)
        path.write_bytes(good[path])

    broken(bed, good[bed][:-1], "cut off")
    broken(bed, good[bed] + b"\0", "too long")
    broken(bed, b"\x6c\x1b\x00" + good[bed][3:], "individual-major")
    broken(bed, b"\x6c\x1b\x07" + good[bed][3:], "order")
    broken(bed, b"PK" + good[bed][2:], "not a PLINK")
    broken(bed, b"", "not a PLINK")
    broken(fam, good[fam].replace(b"s1", b"s0"), "twice")
    broken(fam, good[fam].replace(b"s0 s0 0 0 0 ", b"s0 s0 0 0 0 S3NT1NEL"), "not binary")
    broken(fam, b"", "no subject")
    broken(fam, good[fam] + b"one two\n", "six entries")
    broken(fam, good[fam] + b"\xff\xfe\n", "UTF-8")
    broken(bim, good[bim].replace(b"\t3\t", b"\tS3NT1NEL\t"), "whole number")
    broken(bim, good[bim].replace(b"rs1\t0\t", b"rs1\t"), "six entries")
    broken(bim, good[bim] + good[bim], "cut off")
    for path in (bed, fam, bim):
        path.unlink()
        refuses(lambda: PlinkSource(bed), "There is no file")
        path.write_bytes(good[path])


def test_a_file_that_shrinks_while_it_is_read_is_noticed(files, refuses):
    source = PlinkSource(files)
    files.write_bytes(files.read_bytes()[:-4])
    refuses(lambda: list(source.blocks()), "cut off")


@pytest.mark.skipif(PLINK is None and "CI" not in os.environ, reason="Debian's plink1.9 is not installed")
@pytest.mark.parametrize("subjects", [61, 300])
def test_counts_equal_those_of_plink(tmp_path, subjects):
    source = study(subjects, 400)
    write_plink(source, tmp_path / "s.bed")
    subprocess.run(
        [
            PLINK or "plink1.9",
            "--bfile",
            "s",
            "--freqx",
            "--model",
            "--cell",
            "0",
            "--allow-no-sex",
            "--keep-allele-order",
            "--out",
            "s",
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    groups = np.stack([source.phenotype == 1, source.phenotype == 0])
    everyone = np.stack([np.ones(subjects, bool), np.zeros(subjects, bool)])
    read = PlinkSource(tmp_path / "s")
    [counts] = GenotypeEngine().answer([GenotypeTables(everyone, 400)], read, SCHEMA)
    lines = [line.split("\t") for line in (tmp_path / "s.frqx").read_text().splitlines()[1:]]
    np.testing.assert_array_equal(counts[:, 0], [[int(line[i]) for i in (4, 5, 6, 9)] for line in lines])
    [counts] = GenotypeEngine().answer([GenotypeTables(groups, 400)], read, SCHEMA)
    seen = 0
    for line in (tmp_path / "s.model").read_text().splitlines()[1:]:
        _, name, _, _, test, cases, controls = line.split()[:7]
        if test == "GENO":
            row = counts[int(name[2:])]
            assert [list(map(int, cell.split("/"))) for cell in (cases, controls)] == row[:, :3].tolist()
            seen += 1
    assert seen > 300
