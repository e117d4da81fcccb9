"""Tables of people who do not exist, to begin with: two entries of their schemas are to be confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import ParameterError

if TYPE_CHECKING:
    from privet.schema import Schema

__all__ = ["EXAMPLES", "Example", "write_example", "write_study"]

#: Columns whose bounds a newcomer is to look at before anything private runs.
UNCONFIRMED = ("bmi", "glucose")


@dataclass(frozen=True)
class Example:
    """An example by its name, with a line that says what it is."""

    name: str
    title: str
    line: str
    target: str
    #: What kind of file it is kept in: a table, or a study of genotypes.
    ending: str = ".csv"


EXAMPLES = (
    Example(
        "clinic",
        "The clinic",
        "20,000 generated patients of a clinic: who is at risk of diabetes?",
        "diabetes",
    ),
    Example(
        "genome",
        "The genome study",
        "1,500 generated people, half of them ill, and 20,000 variants: which go with the illness?",
        "phenotype",
        ".bed",
    ),
)


def write_study(place: Path) -> None:
    """Write the example study, as PLINK keeps one."""
    from privet.service.gwas.made_up import example_study
    from privet.sources import write_plink

    write_plink(example_study(), place)


def write_example(name: str, place: Path) -> Schema:
    """Write the example's table as a CSV file; gives a schema of which two columns are not confirmed."""
    from privet.demo.patients import patients, public_knowledge
    from privet.schema import Schema
    from privet.sources import ArrowSource, write_csv

    if name not in {example.name for example in EXAMPLES if example.ending == ".csv"}:
        raise ParameterError(
            "There is no such example.", f"Choose one of: {', '.join(e.name for e in EXAMPLES)}."
        )
    table = patients()
    write_csv(ArrowSource(table), place)
    drafted = Schema.draft(table.select([*UNCONFIRMED]))
    known = public_knowledge()
    columns = tuple(drafted[c.name] if c.name in UNCONFIRMED else c for c in known.columns)
    return replace(known, columns=columns)
