"""THE ONE DOOR: exact answers exist only in this package, between the engine and the mechanism."""

from privet.curator.run import (
    Curator,
    Measurement,
    as_source,
    currency_of,
    empty_table,
    event_of,
    genotype_engine,
    in_order,
    infer_schema,
    is_table,
    promise,
    public_answers,
    read_rows,
    reserve,
    standing,
)

__all__ = [
    "Curator",
    "Measurement",
    "as_source",
    "currency_of",
    "empty_table",
    "event_of",
    "genotype_engine",
    "in_order",
    "infer_schema",
    "is_table",
    "promise",
    "public_answers",
    "read_rows",
    "reserve",
    "standing",
]
