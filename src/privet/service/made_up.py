"""Made-up people as a use case reads them: to practise on, drawn from the public schema alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.schema import Schema
    from privet.sources import Source

__all__ = ["made_up_source"]

RECORDS = 5_000


def made_up_source(schema: Schema, records: int = RECORDS) -> Source:
    """People who do not exist, with the columns of this schema: for everybody the same.

    >>> from privet.schema import Schema
    >>> made_up_source(Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")).names
    ('age', 'ill')
    """
    from privet.sources import ArrowSource
    from privet.worlds import made_up

    return ArrowSource(made_up(schema, records))
