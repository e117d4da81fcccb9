"""Counting genotype tables beside PLINK, distance scores, and a whole private top-10 from file to release."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.figures import Figure, best_time
from privet.curator import public_answers
from privet.experiments.gwas import simulated_tables
from privet.selection.distances import distance_scores
from privet.selection.gwas import Study, top_snps
from privet.sources import PackedGenotypes, write_plink

SIZES = ((300, 262_622), (5_000, 100_000))
_COUNT = """
import sys
from privet.curator import public_answers
from privet.selection.gwas.study import Study
study = Study.open(sys.argv[1])
def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(key))
before = status("VmRSS")
public_answers(study.source, study.schema, [study.question])
print(status("VmHWM"), before)
"""


def write_study(path: Path, subjects: int, variants: int) -> None:
    """Genotypes without effect, half a percent missing."""
    draw = np.random.default_rng(0)
    copies = np.empty((variants, subjects), np.uint8)
    for start in range(0, variants, 4096):
        frequency = draw.uniform(0.05, 0.5, (min(4096, variants - start), 1)).astype(np.float32)
        uniform = draw.random((len(frequency), subjects), np.float32)
        part = (uniform < frequency).astype(np.uint8) + (uniform < frequency**2)
        part[draw.random(part.shape, np.float32) < 0.005] = 3
        copies[start : start + len(part)] = part
    table = pa.table(
        {
            "chromosome": ["1"] * variants,
            "id": [f"rs{i}" for i in range(variants)],
            "position": np.arange(1, variants + 1),
            "a1": ["A"] * variants,
            "a2": ["G"] * variants,
        }
    )
    phenotype = (np.arange(subjects) < subjects // 2).astype(np.int8)
    write_plink(PackedGenotypes(copies, [f"s{i}" for i in range(subjects)], phenotype, table), path)


def _plink(folder: Path, stem: str, *words: str) -> float:
    command = ["plink1.9", "--bfile", stem, "--allow-no-sex", "--keep-allele-order", "--out", stem, *words]
    return best_time(lambda: subprocess.run(command, cwd=folder, check=True, capture_output=True))


def _same_counts(path: Path, counts: np.ndarray) -> bool:
    lines = path.with_suffix(".frqx").read_text().splitlines()[1:]
    theirs = np.array([[int(cell) for cell in np.array(line.split("\t"))[[4, 5, 6, 9]]] for line in lines])
    return bool((counts.sum(axis=1) == theirs).all())


def _one_size(folder: Path, subjects: int, variants: int) -> list[Figure]:
    stem = f"study{subjects}"
    path = folder / f"{stem}.bed"
    write_study(path, subjects, variants)
    study = Study.open(path)
    [counts] = public_answers(study.source, study.schema, [study.question])
    ours = best_time(lambda: public_answers(study.source, study.schema, [study.question]))
    what = f"{variants:,} × {subjects:,}"
    figures = [Figure(f"tables of {what} from .bed", ours, unit="s")]
    run = subprocess.run(
        [sys.executable, "-c", _COUNT, str(path)], capture_output=True, text=True, check=True
    )
    most, before = map(float, run.stdout.split())
    figures += [
        Figure(f"  memory of the whole process while counting {what}", most, unit="MB"),
        Figure(f"  of which counting itself {what}", most - before, 200, unit="MB"),
    ]
    if shutil.which("plink1.9") is None:
        print("  plink1.9 is not installed: apt-get install plink1.9")
        return figures
    theirs = _plink(folder, stem, "--freqx")
    figures += [
        Figure(f"  beside plink1.9 --freqx ({theirs:.3f} s wall)", ours / theirs, 1.0),
        Figure("  counts equal to PLINK's", float(_same_counts(path, counts)), 1, at_least=True, unit=""),
        Figure("  plink1.9 --assoc", _plink(folder, stem, "--assoc"), unit="s"),
    ]
    return figures


def run() -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for subjects, variants in SIZES:
            figures += _one_size(folder, subjects, variants)
        path = folder / "study300.bed"
        top_snps(Study.open(path), 10, epsilon=1)
        whole = best_time(lambda: top_snps(Study.open(path), 10, epsilon=1), repeats=3)
    tables = simulated_tables()
    for test in ("genotypic", "allelic", "trend"):
        distance_scores(tables[:100], test)
        took = best_time(lambda test=test: distance_scores(tables, test), repeats=3)
        figures.append(Figure(f"distance scores of 262,622 × 300, {test}", took, 1.0, unit="s"))
    return [*figures, Figure("private top-10 of 262,622 × 300, from file to release", whole, 3.0, unit="s")]
