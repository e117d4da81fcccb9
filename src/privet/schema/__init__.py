"""WHAT IS PUBLIC: columns, tables, the unit of privacy, and drafts that a person must confirm."""

from privet.schema.columns import Category, Column, Number
from privet.schema.draft import Draft, draft, draft_columns
from privet.schema.file import read_schema, schema_text, write_schema
from privet.schema.item_sets import Items
from privet.schema.table import Schema
from privet.schema.unit import Neighbours, Unit

__all__ = [
    "Category",
    "Column",
    "Draft",
    "Items",
    "Neighbours",
    "Number",
    "Schema",
    "Unit",
    "draft",
    "draft_columns",
    "read_schema",
    "schema_text",
    "write_schema",
]
