"""Parameters that several use cases share, each declared once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Gt

from privet.parameters import Alias, Argument, File, Named, OfAlgorithm

__all__ = [
    "ENGINES",
    "Data",
    "EngineName",
    "Force",
    "Guesses",
    "Known",
    "ModelFile",
    "OriginalSchema",
    "OwnerSays",
    "Public",
    "Report",
    "SchemaFile",
    "SeedNumber",
    "Settings",
    "Until",
    "VerifyKey",
]

ENGINES = ("auto", "memory", "duckdb", "processes", "spark")

Data = Annotated[Path, File(), Argument(), "The table."]
SchemaFile = Annotated[
    Path | None,
    File(),
    Alias("s"),
    "What is public about the table; None takes it from NAME.schema.toml beside the table.",
]
OriginalSchema = Annotated[Path, File(), Alias("s"), "The schema of the original table."]
ModelFile = Annotated[Path, File(), Argument(), "A released model."]
VerifyKey = Annotated[Path | None, File(), "Refuse a model that the owner of this public key has not signed."]
EngineName = Annotated[
    Literal["auto", "memory", "duckdb", "processes", "spark"],
    "Who reads the table: Privet itself (memory; processes, one for each core; or spark, for Parquet files), "
    "or DuckDB for CSV and Parquet files.",
]
SeedNumber = Annotated[
    int | None, "Repeatable noise, for tests only: it voids the guarantee and needs a run without a ledger."
]
Settings = Annotated[Mapping[str, Any], OfAlgorithm(), "The algorithm's own parameters."]
Guesses = Annotated[
    Mapping[str, Any], Named("NAME=VALUE"), "What you guess: records, attainable, share:CLASS."
]
Force = Annotated[bool, "Replace the output file if it is there already."]
Report = Annotated[Path | None, File("out"), Alias("o"), "Write an HTML report."]
OwnerSays = Annotated[
    str | None,
    "If the ledger knows these people and the run is not paid for: who of their owners says why. Recorded.",
]
Until = Annotated[
    float | None,
    Gt(0),
    "Add precision step by step until the first figure (accuracy, R², AUC, a difference) is off by at most "
    "this much (95 %); epsilon is a limit, and what is not needed is given back.",
]
Known = Annotated[
    float | None,
    Gt(0),
    "Instead of an epsilon: how far off the accuracy (or the AUC) may be, noise and choice of test records "
    "together (95 %). The smallest epsilon expected to reach it is taken, by what you guess.",
]
Public = Annotated[bool, "The table is public: exact scores, free. Never say this of private data."]
