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
from privet.curator.public import public_answers
from privet.selection.gwas import Study, top_snps
from privet.sources import PackedGenotypes, write_plink
from privet.stats.association.distances import distance_scores
from reproduction.dpweka.recovery import simulated_tables

SIZES = ((300, 262_622), (5_000, 100_000))
_COUNT = """
import sys
from privet.curator.public import public_answers
from privet.curator.study import Study
study = Study.open(sys.argv[1])
def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(key))
before = status("VmRSS")
public_answers(study.source, study.schema, [study.question])
print(status("VmHWM"), before)
"""


_FOLDER = """
import resource, sys, time
from privet.sources import ConsumerDnaSource
start = time.process_time()
source = ConsumerDnaSource(sys.argv[1])
took = time.process_time() - start
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, source.variant_count, len(source.problems))
"""
PEOPLE, LINES = 20, 100_000


def write_folder(folder: Path, people: int = PEOPLE, lines: int = LINES) -> None:
    """DNA files of two genome builds, with no-calls and absent lines, and one file that is none."""
    folder.mkdir()
    draw = np.random.default_rng(0)
    letters = np.array(list("ACGT"))
    first = draw.integers(0, 4, lines)
    second = (first + draw.integers(1, 4, lines)) % 4
    frequency = draw.uniform(0.05, 0.5, lines)
    places = np.arange(lines)
    for person in range(people):
        build = 36 if person % 4 == 0 else 37
        alleles = np.where(draw.random((2, lines)) < frequency, letters[first], letters[second])
        calls = np.where(draw.random(lines) < 0.01, "--", np.char.add(*alleles))
        head = f"# a file of build {build}\n# rsid\tchromosome\tposition\tgenotype\n"
        body = "".join(
            f"rs{place}\t{1 + place * 22 // lines}\t{1000 + 300 * place - 50 * (build == 36)}\t{calls[place]}\n"
            for place in places[draw.random(lines) > 0.02].tolist()
        )
        (folder / f"user{person}_file.txt").write_text(head + body)
    (folder / "user999_file.txt").write_text("<html>not found</html>\n")


def _folder_figures(folder: Path) -> list[Figure]:
    write_folder(folder / "dna")
    run = subprocess.run(
        [sys.executable, "-c", _FOLDER, str(folder / "dna")], capture_output=True, text=True, check=True
    )
    took, memory, variants, problems = map(float, run.stdout.split())
    assert variants > 0.9 * LINES
    assert problems == 1
    what = f"a folder of {PEOPLE} DNA files of {LINES:,} lines"
    return [
        Figure(f"{what}, one of them bad: CPU time", took, unit="s"),
        Figure("  most memory of the whole process", memory, unit="MB"),
    ]


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
        Figure(f"  most memory of the whole process, counting {what}", most, 200, unit="MB"),
        Figure("  of which counting itself, with the compiled code that it loads", most - before, unit="MB"),
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
        figures += _folder_figures(folder)
        path = folder / "study300.bed"
        top_snps(Study.open(path), 10, epsilon=1)
        whole = best_time(lambda: top_snps(Study.open(path), 10, epsilon=1), repeats=3)
    tables = simulated_tables()
    for test in ("genotypic", "allelic", "trend"):
        distance_scores(tables[:100], test)
        took = best_time(lambda test=test: distance_scores(tables, test), repeats=3)
        figures.append(Figure(f"distance scores of 262,622 × 300, {test}", took, 1.0, unit="s"))
    return [*figures, Figure("private top-10 of 262,622 × 300, from file to release", whole, 3.0, unit="s")]
