"""``privet gwas`` from the file to the report."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.sources import ArffSource, PackedGenotypes, PlinkSource, open_source, write_plink


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


def test_a_dry_run_tells_the_cost_and_spends_nothing(bed, run, answer):
    run("gwas", "open", bed, "--epsilon", 3)
    before = answer("ledger", "show")
    plan = answer("gwas", "top-snps", bed, "-k", 2, "--epsilon", 2, "--dry-run")
    assert plan["dry_run"] is True
    assert [step["amount"]["epsilon"] for step in plan["steps"]] == ["1", "1"]
    assert plan["after"]["left"]["epsilon"] == "1"
    count = answer("gwas", "count-significant", bed, "--epsilon", 1, "--dry-run")
    assert len(count["steps"]) == 1
    assert "Nothing has been spent." in run("gwas", "top-snps", bed, "--epsilon", 2, "--dry-run").stdout
    run("gwas", "top-snps", bed, "--epsilon", 4, "--dry-run", code=5)  # more than there is
    assert answer("ledger", "show") == before


def test_a_dry_run_without_a_ledger_reads_no_genotype(bed, run, answer):
    genotypes = bed.read_bytes()
    # Whatever the genotypes are, the plan is the same: it is made of public things.
    plans = []
    for fill in (b"\x00", b"\xff"):
        bed.write_bytes(genotypes[:3] + fill * (len(genotypes) - 3))
        plans.append(answer("gwas", "top-snps", bed, "--epsilon", 2, "--dry-run", "--no-ledger"))
    assert plans[0] == plans[1]
    assert plans[0]["dataset"] is None


def test_a_study_without_an_account_is_told_how_to_open_one(bed, run):
    said = run("gwas", "top-snps", bed, "--epsilon", 1, code=6).stderr
    assert f"privet gwas open {bed}" in said
    run("gwas", "open", bed.parent / "s.bed", "--epsilon", 3, "--maf", 0.01)
    other = bed.with_name("t.bed")
    for ending in (".bed", ".bim"):
        other.with_suffix(ending).write_bytes(bed.with_suffix(ending).read_bytes())
    other.with_suffix(".fam").write_text(bed.with_suffix(".fam").read_text().replace("s0 s0", "u0 u0"))
    said = run("gwas", "count-significant", other, "--epsilon", 1, code=6).stderr
    assert "privet gwas open" in said


def test_a_damaged_list_of_variants_costs_nothing(bed, run, answer):
    run("gwas", "open", bed, "--epsilon", 3)
    before = answer("ledger", "show")
    bim = bed.with_suffix(".bim")
    bim.write_text(bim.read_text().replace("rs4\t0\t", "rs4\t"))
    run("gwas", "top-snps", bed, "--epsilon", 1, code=4)
    assert answer("ledger", "show") == before


def test_a_report_of_odds_ratios(bed, run, tmp_path):
    report = tmp_path / "odds.html"
    run(
        "gwas",
        "top-snps",
        bed,
        "--no-ledger",
        "-k",
        2,
        "--epsilon",
        40,
        "--score",
        "odds_ratio",
        "-o",
        report,
    )
    html = report.read_text()
    assert "odds ratio of a1 (95 % interval)" in html
    assert html.count("<svg") == 1


def test_a_measured_trait_with_a_public_split(bed, run, answer, tmp_path):
    fam = bed.with_suffix(".fam")
    people = [line.split() for line in fam.read_text().splitlines()]
    fam.write_text(
        "".join(" ".join([*line[:5], f"{place / 7:.3f}"]) + "\n" for place, line in enumerate(people))
    )
    assert "--phenotypes" in run("gwas", "qc", bed, code=4).stderr
    split = tmp_path / "split.txt"
    split.write_text("".join(f"{line[1]} {'case' if line[5] == '2' else 'control'}\n" for line in people))
    assert answer("gwas", "qc", bed, "--phenotypes", split)["cases"] == 60


def test_a_filtered_copy_in_plink_format(bed, run, answer, tmp_path):
    run("gwas", "convert", bed, "-o", "few.bed", "--maf", 0.3)
    few = answer("gwas", "qc", tmp_path / "few.bed", "--maf", 0.3)
    assert few["variants"] == few["variants_kept"] < 300
    [kept] = PlinkSource(tmp_path / "few.bed").batches(["rs17"])
    [all_] = PlinkSource(bed).batches(["rs17"])
    assert kept["rs17"].equals(all_["rs17"])


def test_strata_from_a_file(bed, run, answer, tmp_path):
    strata = tmp_path / "strata.txt"
    strata.write_text("id stratum\n" + "".join(f"s{i},{'north' if i % 2 else 'south'}\n" for i in range(120)))
    how = ("--strata", strata, "--no-ledger", "-k", 1, "--epsilon", 100)
    top = answer("gwas", "top-snps", bed, *how, "--score", "chi2", "--test", "trend")
    assert top["snps"][0]["id"] == "rs17"
    assert any("2 strata" in caveat for caveat in top["guarantee"]["caveats"])
    run("gwas", "top-snps", bed, *how, code=2)
    for wrong, said in [("s0 a b\n", "not an id"), ("s0 a\ns0 b\n", "twice"), ("s0 a\n", "no stratum")]:
        strata.write_text(wrong)
        assert said in run("gwas", "top-snps", bed, *how, code=4).stderr


def test_every_format_holds_the_same_genotypes(bed, run, tmp_path):
    how = ("--maf", 0.25, "--subject-missing", 0.01)
    for name in ("s.parquet", "s.csv", "s.csv.gz", "s.arff"):
        run("gwas", "convert", bed, "-o", name, *how)
    whole = pq.read_table(tmp_path / "s.parquet")
    assert 0 < whole.num_rows < 120
    assert 2 < whole.num_columns < 302
    for name in ("s.csv", "s.csv.gz", "s.arff"):
        source = open_source(tmp_path / name)
        read = pa.Table.from_batches(source.batches())
        columns = [c for c in whole.column_names if c != "iid" or name != "s.arff"]
        assert list(source.names) == columns
        for column in columns:
            cells = [None if cell is None else str(cell) for cell in read[column].to_pylist()]
            assert cells == [None if cell is None else str(cell) for cell in whole[column].to_pylist()]


def test_rows_are_sorted_and_signs_are_explained(bed, run, answer):
    top = ("gwas", "top-snps", bed, "--no-ledger", "-k", 5, "--epsilon", 40, "--seed", 1)
    values = [snp["value"] for snp in answer(*top)["snps"]]
    assert values == sorted(values, reverse=True)
    shown = run(*top).stdout
    assert "1 − d, so 0 or below" in shown
    assert "Of these 5, the first can be told from noise." in shown


def test_a_plain_verdict_where_noise_swamps_the_signal(bed, run, answer, tmp_path):
    # The verdict is right in 95 % of runs: five wrong ones in a row are less than one in a million.
    tries = (run("gwas", "top-snps", bed, "--no-ledger", "-k", 10, "--epsilon", 0.1).stdout for _ in range(5))
    shown = next(text for text in tries if "None of these 10 can be told from noise." in text)
    assert "In a study of this size even a variant as strong as 60% among cases" in shown
    words = answer("gwas", "top-snps", bed, "--no-ledger", "-k", 10, "--epsilon", 0.1)["in_words"]
    assert any("told from noise" in line for line in words)
    run("gwas", "top-snps", bed, "--no-ledger", "-k", 10, "--epsilon", 0.1, "-o", tmp_path / "r.html")
    assert "told from noise" in (tmp_path / "r.html").read_text()


def test_the_epsilon_that_is_said_to_be_needed_is_enough(tmp_path, run):
    draw = np.random.default_rng(1)
    phenotype = np.repeat([1, 0], 300).astype(np.int8)
    copies = draw.binomial(2, draw.uniform(0.2, 0.5, 100)[:, None], (100, 600)).astype(np.uint8)
    copies[17] = draw.binomial(2, np.where(phenotype == 1, 0.6, 0.3))
    table = pa.table({"chromosome": ["1"] * 100, "id": [f"rs{i}" for i in range(100)],
                      "position": [-9] * 100, "a1": ["A"] * 100, "a2": ["G"] * 100})  # fmt: skip
    bed = tmp_path / "t.bed"
    write_plink(PackedGenotypes(copies, [f"s{i}" for i in range(600)], phenotype, table), bed)
    top = ("gwas", "top-snps", bed, "--no-ledger", "-k", 1, "--epsilon")
    # In one release of forty noise alone stands out, and nothing more is said to be needed.
    tries = (run(*top, 0.01).stdout.split("about ε ≥ ")[1:] for _ in range(6))
    needed = next(said[0] for said in tries if said).split()[0]
    enough = run(*top, 5 * float(needed)).stdout  # noise beyond five times its 95 % error: once in 3 million
    assert "rs17" in enough
    assert "told from noise" not in enough


def test_a_plan_with_quality_control_reads_no_genotype(bed, answer):
    bed.write_bytes(bed.read_bytes()[:3] + b"\x01" * (bed.stat().st_size - 3))  # others than in the fixture
    checks = ("--call-rate", 0.99, "--maf", 0.4, "--subject-missing", 0.01, "--hwe", 0.5)
    plan = ("gwas", "top-snps", bed, "--no-ledger", "-k", 2, "--epsilon", 1, "--dry-run", *checks)
    assert "300 variants" in str(answer(*plan))


def test_gzipped_plink_files(bed, answer):
    import gzip

    for name in ("s.bed", "s.bim", "s.fam"):
        packed = bed.with_name(f"{name}.gz")
        packed.write_bytes(gzip.compress(bed.with_name(name).read_bytes()))
        bed.with_name(name).unlink()
    packed = bed.with_name("s.bed.gz")
    top = answer("gwas", "top-snps", packed, "--no-ledger", "-k", 1, "--epsilon", 40)
    assert top["snps"][0]["id"] == "rs17"


@pytest.mark.parametrize(("control", "case"), [("0", "1"), ("1", "2"), ("control", "case")])
def test_phenotypes_in_any_coding_with_or_without_a_header(bed, answer, control, case, tmp_path):
    people = [line.split()[:2] for line in bed.with_suffix(".fam").read_text().splitlines()]
    lines = [f"{fid} {iid} {case if place < 60 else control}" for place, (fid, iid) in enumerate(people)]
    top = ("gwas", "qc", bed, "--phenotypes", tmp_path / "p.txt")
    for head in ([], ["FID IID PHENO"]):
        (tmp_path / "p.txt").write_text("\n".join([*head, *lines]))
        assert (answer(*top)["cases"], answer(*top)["controls"]) == (60, 60)
