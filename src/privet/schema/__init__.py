"""WHAT IS PUBLIC: columns, tables, the unit of privacy, and drafts that a person must confirm."""

from privet.schema.columns import Category, Column, Number
from privet.schema.draft import draft
from privet.schema.file import read_schema, schema_text, write_schema
from privet.schema.table import Schema
from privet.schema.unit import Neighbours, Unit

__all__ = [
    "Category",
    "Column",
    "Neighbours",
    "Number",
    "Schema",
    "Unit",
    "draft",
    "read_schema",
    "schema_text",
    "write_schema",
]
