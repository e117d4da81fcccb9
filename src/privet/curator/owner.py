"""What the owner of a table decides for runs that a ledger pays for: its account, and how cells are read.

An account is found by the dataset's name, never by the table's content: whoever may spend could otherwise
submit guesses of the table, and see which one is recognised. Cells outside the schema are counted, not
refused: a schema that lists all values but one would otherwise tell whether that value occurs.
"""

from __future__ import annotations

from dataclasses import replace

from privet.budget import Ledger
from privet.errors import LedgerError, SchemaError
from privet.schema import Schema
from privet.schema.narrowing import require_narrowing

__all__ = ["account_name", "as_read", "require_word"]


def account_name(schema: Schema) -> str:
    """The account that pays for runs under this schema."""
    if schema.dataset is None:
        raise SchemaError(
            "A run that a ledger pays for needs the name of its data set, and the schema has none.",
            'Declare it in the schema: dataset = "…"; tables and streams of the same people share it.',
            "name-dataset",
        )
    return schema.dataset


def as_read(schema: Schema, ledger: Ledger | None) -> Schema:
    """The schema as a run reads the table through it: how cells outside it count is for the owner to say.

    With a ledger, these are counted unless the owner's schema says that they are refused: the registered one,
    or the given one if none is registered. Without a ledger the schema stays as it is.

    >>> ledger = Ledger.in_memory()
    >>> as_read(Schema.of({"ill": ["no", "yes"]}, dataset="people"), ledger).outside
    'count'
    """
    if ledger is None:
        return schema
    found = ledger.registered_schema(schema.dataset)
    if found is None:
        return replace(schema, outside=schema.outside or "count")
    registered = Schema.from_dict(found)
    require_narrowing(schema, registered)
    return replace(schema, outside=registered.outside or "count", missing=registered.missing)


def require_word(ledger: Ledger | None, schema: Schema, what: str, owner_says: str | None) -> None:
    """Before a run that nobody pays for: if the ledger knows its people, their owner's word is needed.

    The word is written into the ledger's history, so that such a run leaves a trace.
    """
    if ledger is None or not ledger.accounts():
        return
    dataset = account_name(schema)  # without a name nobody can say whether the ledger knows these people
    if not ledger.knows(dataset):
        return
    if not (owner_says or "").strip():
        raise LedgerError(
            f"'{dataset}' has an account in the ledger, and this run would not be paid from it.",
            "Pay for it; or let the owner of the data say why it need not be paid for, which is recorded.",
            "owner-says",
        )
    ledger.record_word(dataset, f"not paid for: {what}. The owner's word: {owner_says}")
