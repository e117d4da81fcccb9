"""Whatever is no value of an answer is the same for neighbours: queries, diagnoses, comparisons and genomes.

The same is asked of two neighbouring tables, and the second is given the answers of the first. What differs
then (a row more, an error bar, a word of a guarantee, a chart's scale, a question that is asked or not) does
not come from what was released, and would tell them apart at any ε. ``test_scales`` does this for every
algorithm.
"""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from privet import NaiveBayes, compare_models, diagnose, evaluate, randomness
from privet.audit.pairs import candidate_pairs
from privet.curator import Curator
from privet.queries import partition, query
from privet.queries.describe import describe
from privet.schema import Category, Number, Schema, Unit
from privet.selection.gwas import Study, count_significant, noisy_tables, top_snps
from privet.sources import PackedGenotypes

UNITS = {
    "record, add_remove": Unit(),
    "record, replace": Unit("replace"),
    "person, add_remove": Unit(id="person", most=2),
    "person, replace": Unit("replace", id="person", most=2),
}
SCHEMA = Schema(
    (
        Category("smoker", ("no",), other="else"),
        Number("age", 0, 90, integer=True),
        Category("ill", ("no", "yes")),
    ),
    target="ill",
)


def around(answer):
    """All of an answer but its values: shapes, errors, steps."""
    if isinstance(answer, np.ndarray):
        return (answer.shape, str(answer.dtype))
    if isinstance(answer, list | tuple):
        return [around(part) for part in answer]
    if dataclasses.is_dataclass(answer):
        told = [part for part in getattr(answer, "told", ()) if not isinstance(part, np.ndarray)]
        fields = {field.name: getattr(answer, field.name) for field in dataclasses.fields(answer)}
        return {n: around(v) for n, v in fields.items() if not any(v is part for part in told)}
    return "values" if isinstance(answer, int | dict) else str(answer)


@contextmanager
def replayed(monkeypatch, told=None):
    """Curators give these answers, and theirs are kept; all that follows from them uses the same seeds."""
    asked, shown, ask = [], [], Curator.ask_together

    def tells(self, questions, apart=None):
        if self.rehearsing:
            return ask(self, questions, apart)
        self._run.randomness = randomness.seeded(2 * len(asked) + 1)
        answers = ask(self, questions, apart)
        self._run.randomness = randomness.seeded(2 * len(asked) + 2)
        asked.append(answers)
        shown.append([around(answer) for answer in answers])
        return answers if told is None else told[len(asked) - 1]

    with monkeypatch.context() as patched:
        patched.setattr(Curator, "ask_together", tells)
        yield asked, shown


def same_for(monkeypatch, work, first, second):
    with replayed(monkeypatch) as (told, shown):
        one = work(first)
    with replayed(monkeypatch, told) as (_, also):
        other = work(second)
    assert shown == also
    assert one == other


def said(found):
    """Everything that a result shows."""
    texts = [str(found.to_dict()), found.guarantee.text()]
    return texts + [str(chart.to_dict()) for chart in (found.charts() if hasattr(found, "charts") else ())]


def works(schema):
    model, other = (
        NaiveBayes(schema=schema, random_state=seed, bins=bins).fit(MADE) for seed, bins in ((1, 4), (2, 8))
    )

    def asking(how):
        return lambda table: said(how(query(table, schema)))

    return {
        "counts and means": asking(lambda q: q.group_by("ill").count().mean("age").release(1.0)),
        "a total": asking(lambda q: q.group_by("smoker").count().with_total().release(1.0)),
        "where": asking(lambda q: q.where(q["age"] > 30).deviation("age").release(1.0, 1e-6)),
        "quantiles": asking(lambda q: q.group_by("ill").quantile("age", 0.5, 0.9).release(1.0)),
        "values that occur": asking(lambda q: q.distinct("ill").release(1.0)),
        "values found": asking(lambda q: q.group_by("smoker", find=["smoker"]).count().release(9.0, 0.01)),
        "until it is enough": asking(lambda q: q.group_by("ill").count().release(1.0, until=20.0)),
        "parts": lambda table: str(
            {
                label: said(answer)
                for label, answer in partition(
                    query(table, schema), "ill", {"no": lambda q: q.count(), "yes": lambda q: q.mean("age")}
                )
                .release(1.0)
                .items()
            }
        ),
        "a first look": lambda table: said(describe(table, schema, epsilon=1.0)),
        "a score": lambda table: said(evaluate(model, table, epsilon=1.0, until=0.2)),
        "a diagnosis": lambda table: said(diagnose(model, table, epsilon=1.0)),
        "a comparison": lambda table: said(compare_models(model, other, table, epsilon=1.0)),
    }


MADE = pa.table(
    {
        "person": [f"p{place}" for place in range(60)],
        "smoker": ["no", "yes", "often"] * 20,
        "age": np.linspace(0, 90, 60),
        "ill": ["no", "yes"] * 30,
    }
)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", works(SCHEMA))
def test_what_is_asked_of_neighbours_differs_in_values_alone(name, unit, monkeypatch):
    schema = replace(SCHEMA, unit=UNITS[unit], outside="count")
    work = works(schema)[name]
    pairs = candidate_pairs(schema, np.random.default_rng(0))
    for pair in pairs[:: max(1, len(pairs) // 3)]:
        same_for(monkeypatch, work, pair.first, pair.second)


def test_what_is_asked_of_neighbouring_genomes_differs_in_values_alone(monkeypatch):
    draw = np.random.default_rng(3)
    copies = draw.binomial(2, 0.3, (40, 24)).astype(np.uint8)
    other = copies.copy()
    other[:, 7] = draw.integers(0, 4, 40)  # one subject has other genotypes, and some missing ones
    variants = pa.table(
        {
            "chromosome": ["7"] * 40,
            "id": [f"rs{place}" for place in range(40)],
            "position": np.arange(40) * 1000,
            "a1": ["A"] * 40,
            "a2": ["G"] * 40,
        }
    )
    phenotype = np.repeat([1, 0], 12).astype(np.int8)
    names = [f"p{place}" for place in range(24)]
    scans = (
        lambda study: top_snps(study, 3),
        lambda study: top_snps(study, 3, score="chi2", test="trend"),
        lambda study: top_snps(study, 3, score="odds_ratio", test="allelic"),
        lambda study: count_significant(study, most=5),
        lambda study: noisy_tables(study),
    )
    for scan in scans:
        same_for(
            monkeypatch,
            lambda genotypes, scan=scan: said(
                scan(Study(PackedGenotypes(genotypes, names, phenotype, variants)))
            ),
            copies,
            other,
        )
