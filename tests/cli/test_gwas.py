"""``privet gwas`` from the file to the report."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.sources import ArffSource, PackedGenotypes, PlinkSource, write_plink


@pytest.fixture
def bed(tmp_path):
    draw = np.random.default_rng(0)
    phenotype = np.repeat([1, 0], 60).astype(np.int8)
    copies = draw.binomial(2, draw.uniform(0.2, 0.5, 300)[:, None], (300, 120)).astype(np.uint8)
    copies[17] = draw.binomial(2, np.where(phenotype == 1, 0.8, 0.1))
    copies[draw.random(copies.shape) < 0.01] = 3
    table = pa.table(
        {
            "chromosome": np.repeat(["1", "2", "X"], 100),
            "id": [f"rs{i}" for i in range(300)],
            "position": np.tile(np.arange(100) * 50 + 1, 3),
            "a1": ["A"] * 300,
            "a2": ["G"] * 300,
        }
    )
    write_plink(PackedGenotypes(copies, [f"s{i}" for i in range(120)], phenotype, table), tmp_path / "s.bed")
    return tmp_path / "s.bed"


def test_the_whole_story(bed, run, answer, tmp_path):
    run("gwas", "open", bed, "--epsilon", 30, "--dataset", "study")
    exact = answer("gwas", "qc", bed, "--call-rate", 0.95, "--maf", 0.01)
    assert exact["cases"] == 60
    assert exact["variants"] == 300
    assert exact["private"] is False
    assert "not for release" in run("gwas", "qc", bed).stderr
    count = answer("gwas", "count-significant", bed, "--dataset", "study", "--epsilon", 8, "--tau", 1e-6)
    assert count["count"] == 1
    report = tmp_path / "report.html"
    top = answer("gwas", "top-snps", bed, "--dataset", "study", "-k", 2, "--epsilon", 20, "-o", report)
    assert "rs17" in [snp["id"] for snp in top["snps"]]
    assert top["guarantee"]["epsilon"] == 20
    html = report.read_text()
    assert "rs17" in html
    assert html.count("<svg") == 2
    assert "chance" in html
    (tmp_path / "list.txt").write_text("rs17\nrs18\n")
    tables = answer("gwas", "tables", bed, "--dataset", "study", "--keep", "list.txt", "--epsilon", 2)
    assert list(tables["tables"]) == ["rs17", "rs18"]
    run("gwas", "tables", bed, "--dataset", "study", "--keep", "list.txt", "--epsilon", 0.5, code=5)
    shown = answer("ledger", "show")
    assert "study" in str(shown)


@pytest.mark.parametrize("score", ["distance", "chi2", "odds_ratio"])
def test_text_for_people(bed, run, score):
    result = run(
        "gwas",
        "top-snps",
        bed,
        "--no-ledger",
        "-k",
        3,
        "--epsilon",
        60,
        "--score",
        score,
        "--test",
        "allelic",
    )
    assert "rs17" in result.stdout
    assert "Guarantee: differential privacy with ε = 60" in result.stdout
    assert "no ledger" in result.stderr
    result = run("gwas", "count-significant", bed, "--no-ledger", "--epsilon", 9, "--seed", 1)
    assert "Guarantee: NONE" in result.stdout


def test_convert(bed, run, tmp_path):
    run("gwas", "convert", bed, "-o", "s.parquet", "--maf", 0.1)
    table = pq.read_table(tmp_path / "s.parquet")
    assert table.num_rows == 120
    assert table.column_names[-1] == "phenotype"
    run("gwas", "convert", bed, "-o", "s.arff")
    arff = ArffSource(tmp_path / "s.arff")
    assert len(arff.names) == 301
    [batch] = arff.batches(["rs17", "phenotype"])
    [other] = PlinkSource(bed).batches(["rs17", "phenotype"])
    assert batch["rs17"].null_count == other["rs17"].null_count
    run("gwas", "convert", bed, "-o", "s.arff", code=2)
    run("gwas", "convert", bed, "-o", "s.xlsx", code=2)
    run("gwas", "convert", bed, "-o", "copy.bed")
    assert (tmp_path / "copy.bed").read_bytes() == bed.read_bytes()


def test_homer(bed, answer):
    result = answer("gwas", "homer", bed, "--releases", 3)
    assert result["exact_area"] > 0.75
    assert abs(result["private_area"] - 0.5) < 0.3


def test_refusals(bed, run, tmp_path):
    run("gwas", "top-snps", bed, "--no-ledger", "--epsilon", 1, "-k", 301, code=2)
    run("gwas", "top-snps", bed, "--no-ledger", "--epsilon", 1, "--tau", 1, code=2)
    run("gwas", "top-snps", bed, "--no-ledger", "--epsilon", 1, "--mechanism", "gaussian", code=2)
    run("gwas", "top-snps", bed, "--epsilon", 1, code=6)
    run("gwas", "tables", bed, "--no-ledger", "--epsilon", 1, code=2)
    run("gwas", "top-snps", tmp_path / "none.bed", "--no-ledger", "--epsilon", 1, code=4)
    run("gwas", "qc", bed, "--maf", 0.7, code=2)
    fam = bed.with_suffix(".fam")
    fam.write_text(fam.read_text().replace(" 2\n", " 1\n"))
    assert "no case" in run("gwas", "qc", bed, code=4).stderr
