"""Schemas as readable TOML files."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from privet.errors import SchemaError
from privet.schema.columns import DRAFTED, Column, Number, toml_key, toml_text
from privet.schema.table import Schema

__all__ = ["read_schema", "schema_text", "write_schema"]

_INTRODUCTION = """\
# What is public about this table. Only columns named here are ever read.
# A number needs the bounds it is publicly known to keep (values outside are clamped to them);
# a category needs the values it is publicly known to take (set `other` to collect the rest).
"""
_DRAFT_NOTE = """\
#
# Entries marked "read off the data" are a draft. Bounds and domains copied from private data give
# people away, so nothing private runs until a person has checked each one and set its origin to
# "declared" (or has confirmed it in Privet).
"""
_LEFT_OUT_NOTE = """\
#
# Columns of the table that were left out of the draft. Declare one by hand if it is to be used:
"""
_MARK = "  # read off the data: is this public knowledge?"


def schema_text(schema: Schema) -> str:
    """The schema as the text of its file."""
    lines = [_INTRODUCTION + (_DRAFT_NOTE + _left_out(schema) if schema.drafted else ""), "format = 1"]
    if schema.dataset is not None:
        lines.append(f"dataset = {toml_text(schema.dataset)}")
    if schema.target is not None:
        lines.append(f"target = {toml_text(schema.target)}")
    lines.append(f'missing = "{schema.missing}"')
    if schema.outside is not None:
        lines.append(f'outside = "{schema.outside}"')
    lines += ["", "[unit]"]
    lines += [f"{key} = {_value(value)}" for key, value in schema.unit.to_dict().items()]
    for column in schema.columns:
        lines += ["", f"[columns.{toml_key(column.name)}]", *_column_lines(column)]
    return "\n".join(lines) + "\n"


def _left_out(schema: Schema) -> str:
    lines = [f"#   {toml_text(name)}: {reason}\n" for name, reason in schema.left_out]
    return "".join([_LEFT_OUT_NOTE, *lines]) if lines else ""


def _column_lines(column: Column) -> list[str]:
    mark = _MARK if column.origin == DRAFTED else ""
    guessed = ("kind", "low", "high") if isinstance(column, Number) else ("kind", "values")
    return [
        f"{key} = {_value(value)}{mark if key in guessed else ''}" for key, value in column.to_dict().items()
    ]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(value)


def write_schema(schema: Schema, path: str | Path) -> None:
    """Write a schema; a file that is there already is replaced in one step."""
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(schema_text(schema), encoding="utf-8")
    partial.replace(path)


def read_schema(path: str | Path) -> Schema:
    """Read a schema file."""
    try:
        return _parsed(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SchemaError(
            f"There is no schema file {Path(path).name}.",
            "Check its path, or draft one from the table.",
            "draft-schema",
        ) from None
    except OSError:
        raise SchemaError(f"The schema file {Path(path).name} cannot be read.", "Check its path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"The schema {Path(path).name} is not valid TOML: {error}") from None


@lru_cache(maxsize=32)
def _parsed(text: str) -> Schema:
    """A schema is a frozen value and follows from its text alone: the same text gives the same one."""
    return Schema.from_dict(tomllib.loads(text))
