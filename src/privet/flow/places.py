"""Where the tables of a flow's sources are, and what is public about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.curator.tables import as_source
from privet.errors import ParameterError, SchemaError
from privet.flow.steps import FlowStep
from privet.schema import Schema, read_schema

__all__ = ["Places"]


@dataclass(frozen=True)
class Places:
    """Tables that are given by the names of their sources; others are files, found from a folder.

    Without a folder there are no files, neither to read nor to write.
    """

    tables: Mapping[str, Any]
    folder: Path | None

    def schema(self, step: FlowStep) -> Schema:
        """What is public about a source; every entry must be confirmed."""
        if step.name in self.tables:
            given = self.tables[step.name]
            if not (isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Schema)):
                raise ParameterError(f"For the source '{step.name}', give a pair: its table and its schema.")
            found = given[1]
        else:
            named = step.settings.get("schema")
            if isinstance(named, Mapping):
                found = Schema.from_plain(named)
            else:
                place = self._schema_file(step)
                if not place.exists():
                    raise SchemaError(
                        f"What is public about '{step.name}' is not known: there is no {place.name}.",
                        f"Draft a schema beside the table, or name one under [steps.{step.name}].",
                        "draft-schema",
                    )
                found = read_schema(place)
        found.require_confirmed()
        return found

    def files(self, step: FlowStep) -> tuple[Path, ...]:
        """The file that a source reads, if its table is one."""
        if step.name not in self.tables:
            return (self._data(step),)
        table = self.tables[step.name][0]
        return (Path(table),) if isinstance(table, str | Path) and Path(table).is_file() else ()

    def source(self, step: FlowStep, schema: Schema) -> Any:
        """The table of a source."""
        if step.name in self.tables:
            return as_source(self.tables[step.name][0], schema=schema)
        return as_source(self._data(step), schema=schema)

    def state(self, step: FlowStep) -> str:
        """What distinguishes a file from a changed one: its name, size and date; "" for tables in memory."""
        for place in self.files(step):
            try:
                found = place.stat()
            except OSError:
                raise ParameterError(
                    f"The source '{step.name}' has no file {place.name}.", "Check its path."
                ) from None
            return f"{place.name} {found.st_size} {found.st_mtime_ns}"
        return ""

    def _schema_file(self, step: FlowStep) -> Path:
        named, data = step.settings.get("schema"), self._data(step)
        if named and self.folder is not None:
            return self.folder / named
        return data.with_name(f"{data.name.split('.')[0]}.schema.toml")

    def _data(self, step: FlowStep) -> Path:
        data = step.settings.get("data")
        if self.folder is None:
            raise ParameterError(f"The source '{step.name}' has no table here.")
        if isinstance(data, list | tuple):
            raise ParameterError(
                f"The source '{step.name}' is in parts, and each of them is a flow of its own.",
                "In Python: plan_parts(flow) and run_parts(flow).",
            )
        if not isinstance(data, str | Path) or not str(data):
            raise ParameterError(
                f"The source '{step.name}' names no table.",
                f'Write under [steps.{step.name}]:  data = "people.csv"',
            )
        return self.folder / data
