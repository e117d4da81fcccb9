"""Private association: what is chosen, what it costs, what the guarantee says, what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.budget import Ledger, budget
from privet.errors import BudgetExceeded, DataError, ParameterError
from privet.schema import Unit
from privet.selection.gwas import QualityControl, Study, count_significant, noisy_tables, top_snps
from privet.sources import PackedGenotypes, write_plink
from privet.stats.association.candidates import genotype_tables
from privet.stats.genotypes.kernels import hardy_weinberg

SIGNALS = (70, 250, 333)


def make(
    cases: int = 150, controls: int = 150, variants: int = 500, missing: float = 0.01
) -> PackedGenotypes:
    draw = np.random.default_rng(3)
    phenotype = np.repeat([1, 0], [cases, controls]).astype(np.int8)
    frequency = draw.uniform(0.1, 0.5, variants)
    copies = draw.binomial(2, frequency[:, None], (variants, cases + controls)).astype(np.uint8)
    for place in SIGNALS:
        copies[place] = draw.binomial(2, np.where(phenotype == 1, 0.6, 0.2))
    copies[draw.random(copies.shape) < missing] = 3
    table = pa.table(
        {
            "chromosome": ["7"] * variants,
            "id": [f"rs{i}" for i in range(variants)],
            "position": np.arange(variants) * 1000,
            "a1": ["A"] * variants,
            "a2": ["G"] * variants,
        }
    )
    return PackedGenotypes(copies, [f"p{i}" for i in range(len(phenotype))], phenotype, table)


@pytest.fixture(scope="module")
def study() -> Study:
    return Study(make(), dataset="study")


@pytest.mark.parametrize("mechanism", ["permute_and_flip", "exponential", "laplace", "gaussian"])
@pytest.mark.parametrize(
    ("score", "test"),
    [
        ("distance", "genotypic"),
        ("distance", "allelic"),
        ("distance", "trend"),
        ("chi2", "genotypic"),
        ("chi2", "allelic"),
        ("odds_ratio", "allelic"),
    ],
)
def test_the_signals_are_found(study, score, test, mechanism):
    release = top_snps(
        study,
        3,
        epsilon=80,
        delta=1e-6 if mechanism == "gaussian" else 0,
        score=score,
        test=test,
        mechanism=mechanism,
    )
    assert {snp.name for snp in release.snps} == {f"rs{i}" for i in SIGNALS}
    assert release.guarantee.holds
    assert release.guarantee.epsilon == 80
    assert release.guarantee.unit.neighbours == "replace"
    if score == "odds_ratio":
        for snp in release.snps:  # 0.6/0.4 : 0.2/0.8 = 6
            assert 1 < snp.odds_ratio.low < snp.odds_ratio.value < snp.odds_ratio.high
    else:
        assert all(snp.value > 0 for snp in release.snps)


def test_the_guarantee_tells_what_was_assumed(study):
    text = str(top_snps(study, 1, epsilon=1).guarantee)
    assert "who is a case (150) or a control (150)" in text
    assert "Missing genotypes" in text
    assert "No covariate" in text
    assert "READ OFF THE DATA" not in text
    filtered = Study(make(), quality=QualityControl.usual())
    text = str(top_snps(filtered, 1, epsilon=1).guarantee)
    assert text.count("READ OFF THE DATA") == 4
    assert "Quality control looked at the data" in text


def test_a_seed_voids_and_repeats(study):
    first, second = (top_snps(study, 5, epsilon=1, random_state=4) for _ in range(2))
    assert not first.guarantee.holds
    assert first.snps == second.snps


def test_without_values_the_choice_has_the_whole_budget(study):
    release = top_snps(study, 2, epsilon=3, values=False)
    assert [step.amount for step in release.guarantee.steps] == [budget(3)]
    assert release.error is None
    assert all(snp.value is None for snp in release.snps)


def test_one_subject_changes_one_cell_of_each_group(study):
    """What the sensitivities rest on: with missing ones put in a row, one changed subject is one move."""
    source = make()
    data = source._data.copy()
    draw = np.random.default_rng(0)
    [before] = _counts(study, source)
    for _ in range(20):
        other = make()
        place = int(draw.integers(0, source.row_bytes))
        column = other._data[:-8].reshape(-1, source.row_bytes)[:, place]
        column ^= draw.integers(0, 4, len(column)).astype(np.uint8)  # one subject, all variants
        [after] = _counts(study, other)
        moved = np.abs(genotype_tables(after) - genotype_tables(before))
        assert moved.sum(axis=(1, 2)).max() == 2
        assert (moved.sum(axis=2).max(axis=1) == moved.sum(axis=(1, 2))).all()  # within one group
    np.testing.assert_array_equal(source._data, data)


def _counts(study, source):
    from privet.engines import GenotypeEngine

    return GenotypeEngine().answer([study.question], source, study.schema)


def test_how_many_are_significant(study):
    answer = count_significant(study, tau=1e-8, epsilon=5)
    assert answer.count == len(SIGNALS)
    assert answer.guarantee.epsilon == 5
    assert answer.records < 10
    assert count_significant(study, tau=1e-8, epsilon=5, most=2).count <= 2


def test_the_ledger_pays(study):
    ledger = Ledger.in_memory()
    ledger.open_account("study", budget(2), unit=Unit("replace"))
    top_snps(study, 3, epsilon=1.5, ledger=ledger)
    with pytest.raises(BudgetExceeded):
        top_snps(study, 3, epsilon=1, ledger=ledger)
    count_significant(study, epsilon=0.5, ledger=ledger)
    assert ledger.left("study") is None or float(ledger.left("study").epsilon) == 0


def test_refusals_cost_nothing(study):
    ledger = Ledger.in_memory()
    ledger.open_account("study", budget(1), unit=Unit("replace"))
    for wrong in (
        {"k": 0},
        {"k": 501},
        {"k": True},
        {"tau": 0},
        {"tau": 1},
        {"tau": float("nan")},
        {"tau": 1e-200},
        {"mechanism": "gaussian"},
        {"mechanism": "other"},
        {"score": "other"},
        {"score": "p_value", "test": "trend"},
        {"epsilon": 0},
    ):
        with pytest.raises(ParameterError):
            top_snps(study, **{"k": 1, "ledger": ledger, **wrong})
    for wrong in ({"tau": 2}, {"most": 0}, {"epsilon": -1}):
        with pytest.raises(ParameterError):
            count_significant(study, ledger=ledger, **wrong)
    assert ledger.left("study") == budget(1)


def test_studies_that_cannot_be_used(tmp_path):
    for wrong, says in (("case", "no case"), ("control", "no control")):
        source = PackedGenotypes(
            np.zeros((2, 4), np.uint8),
            "abcd",
            np.full(4, 0 if wrong == "case" else 1, np.int8),
            make().variants[:2],
        )
        with pytest.raises(DataError, match=says):
            Study(source)
    with pytest.raises(DataError, match="genotype"):
        Study(pa.table({"a": [1]}))
    with pytest.raises(DataError, match="none of the variants"):
        Study(make(variants=400), keep=["rs9999"])
    with pytest.raises(DataError, match="No variant passes"):
        Study(make(variants=400), quality=QualityControl(call_rate=1.0, frequency=0.5))


def test_monomorphic_and_all_missing_variants_are_not_significant():
    source = make(variants=400)
    rows = source._data[:-8].reshape(400, -1)
    rows[1] = 0b01010101  # all missing
    rows[2] = 0
    release = top_snps(Study(source, keep=["rs1", "rs2", f"rs{SIGNALS[0]}"]), 3, epsilon=60)
    values = {snp.name: snp.value for snp in release.snps}
    assert values["rs1"] < 0 > values["rs2"]
    assert values[f"rs{SIGNALS[0]}"] > 0


def test_quality_control():
    source = make(variants=400, missing=0.01)
    rows = source._data[:-8].reshape(400, -1)
    rows[5, :20] = 0b01010101  # 80 of 300 missing
    rows[6] = 0xFF  # monomorphic
    rows[7, :] = 0b10101010  # all heterozygous: not in equilibrium
    rows[:, 0] = rows[:, 0] & ~np.uint8(3) | np.uint8(1)  # the first subject: all missing
    study = Study(source, quality=QualityControl(0.05, 0.95, 0.01, 10, 1e-6))
    dropped = study.passed.dropped
    assert dropped["subject_missing"] == 1
    assert not study.passed.subjects[0]
    assert not study.passed.variants[[5, 6, 7]].any()
    assert study.passed.variants.sum() > 380
    assert dropped["call_rate"] >= 1 <= dropped["hardy_weinberg"]
    assert study.cases == 149
    for wrong in (
        {"call_rate": 2},
        {"frequency": 0.6},
        {"allele_count": -1},
        {"hardy_weinberg": float("nan")},
    ):
        with pytest.raises(ParameterError):
            QualityControl(**wrong)


def test_hardy_weinberg_is_exact():
    """Against the definition: P(h) ∝ n!/(a! h! b!)·2^h over all h of the same allele counts."""
    from math import factorial

    def exact(a: int, h: int, b: int) -> float:
        total, alleles = a + h + b, 2 * a + h
        chances = {}
        for hets in range(alleles % 2, min(alleles, 2 * total - alleles) + 1, 2):
            first = (alleles - hets) // 2
            second = total - hets - first
            chances[hets] = (
                factorial(total) * 2**hets / (factorial(first) * factorial(hets) * factorial(second))
            )
        return sum(c for c in chances.values() if c <= chances[h] * (1 + 1e-9)) / sum(chances.values())

    draw = np.random.default_rng(0)
    tables = np.vstack([draw.integers(0, 25, (200, 3)), [[0, 0, 9], [1, 0, 8], [0, 9, 0], [5, 0, 5]]])
    tables = tables[tables.sum(axis=1) > 0]
    found = np.empty(len(tables))
    hardy_weinberg(np.ascontiguousarray(tables), found)
    assert found == pytest.approx([exact(*map(int, table)) for table in tables], rel=1e-9)


def test_from_files(tmp_path):
    write_plink(make(variants=400), tmp_path / "s.bed")
    people = tmp_path / "swapped.txt"
    people.write_text("".join(f"p{i} {'control' if i < 150 else 'case'}\n" for i in range(300)))
    study = Study.open(tmp_path / "s.bed", phenotypes=people)
    assert (study.cases, study.controls) == (150, 150)
    release = top_snps(study, 3, epsilon=80, score="odds_ratio")
    assert all(snp.odds_ratio.high < 1 for snp in release.snps)  # cases and controls changed places


def test_strata_take_a_confounder_away(tmp_path):
    """Cases are more frequent in one of two populations, and so is an allele that does nothing."""
    draw = np.random.default_rng(3)
    people = 800
    population = np.repeat([0, 1], people // 2)
    phenotype = (draw.random(people) < np.where(population == 0, 0.8, 0.2)).astype(np.int8)
    copies = draw.binomial(2, 0.3, (50, people)).astype(np.uint8)
    copies[7] = draw.binomial(2, np.where(population == 0, 0.9, 0.1))
    copies[11] = draw.binomial(2, np.where(phenotype == 1, 0.65, 0.35))
    table = pa.table(
        {
            "chromosome": ["1"] * 50,
            "id": [f"rs{i}" for i in range(50)],
            "position": range(50),
            "a1": ["A"] * 50,
            "a2": ["C"] * 50,
        }
    )
    names = [f"s{i}" for i in range(people)]
    source = PackedGenotypes(copies, names, phenotype, table)
    how = {"epsilon": 200.0, "score": "chi2", "test": "trend", "random_state": 1}
    plain = top_snps(Study(source), 1, **how)
    assert plain.snps[0].name == "rs7"
    assert any("No covariate" in caveat for caveat in plain.guarantee.caveats)
    strata = {name: str(p) for name, p in zip(names, population, strict=True)}
    study = Study(source, strata=strata)
    within = top_snps(study, 1, **how)
    assert within.snps[0].name == "rs11"
    assert any("within 2 strata" in caveat for caveat in within.guarantee.caveats)
    assert ("the stratum of every subject", "given with the request") in within.guarantee.public
    for refused in (
        lambda: top_snps(study, 1, epsilon=1.0),
        lambda: count_significant(study, epsilon=1.0),
        lambda: noisy_tables(study, epsilon=1.0),
    ):
        with pytest.raises(ParameterError):
            refused()
    with pytest.raises(DataError, match="no stratum"):
        Study(source, strata=dict(list(strata.items())[1:]))
    alone = {name: str(p) for name, p in zip(names, phenotype, strict=True)}
    with pytest.raises(DataError, match="both cases and controls"):
        top_snps(Study(source, strata=alone), 1, **how)


def test_a_rehearsal_reads_no_genotype_and_has_the_steps_of_the_run(study):
    class Unread(PackedGenotypes):
        def blocks(self):
            raise AssertionError("a genotype was read")

    closed = Study(study.source)
    closed.source.__class__ = Unread
    try:
        planned = top_snps(closed.rehearsal(), 3, epsilon=2.0).guarantee
        counted = count_significant(closed.rehearsal(), epsilon=2.0).guarantee
        with pytest.raises(AssertionError):
            top_snps(closed, 3, epsilon=2.0)
    finally:
        closed.source.__class__ = PackedGenotypes
    assert planned.steps == top_snps(study, 3, epsilon=2.0).guarantee.steps
    assert counted.steps == count_significant(study, epsilon=2.0).guarantee.steps
