"""Where a flow ends: reports and files of what was released."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import ParameterError
from privet.flow.steps import FlowStep
from privet.flow.walk import RowsAt
from privet.model import save_model
from privet.sources import write_csv, write_parquet

if TYPE_CHECKING:
    from privet.flow.flow import Flow
    from privet.flow.places import Places

__all__ = ["FlowEnd", "ended", "require_places"]

ENDINGS = {"report": (".html",), "save": (".json",)}
TABLES = (".csv", ".parquet", ".pq")


@dataclass(frozen=True)
class FlowEnd:
    """A file that a flow has written."""

    step: str
    place: Path


def ended(step: FlowStep, given: list[Any], flow: Flow, folder: Path) -> FlowEnd:
    """Write what a report or a file is to hold."""
    place = place_of(step, folder)
    if step.do == "report":
        _page(step, given, flow).write(place)
    elif isinstance(given[0], RowsAt):
        writer = write_parquet if place.suffix in (".parquet", ".pq") else write_csv
        writer(given[0].source.batches(), place)
    else:
        save_model(given[0].model, place)
    return FlowEnd(step.name, place)


def place_of(step: FlowStep, folder: Path) -> Path:
    """Where a step writes to."""
    output = step.settings.get("output")
    if not isinstance(output, str) or not output:
        raise ParameterError(
            f"The step '{step.name}' names no file.",
            f'Write under [steps.{step.name}]:  output = "{step.name}.html"',
        )
    return folder / output


def require_places(steps: Sequence[FlowStep], tables: Collection[str], places: Places) -> None:
    """Refuse files that cannot be written, or that hold something else, before anything is paid for.

    ``tables`` are the steps that give made-up records. What a file is for shows in its name's ending, so that
    a flow writes over no schema, no ledger and no other flow; and over no table that it reads.
    """
    assert places.folder is not None
    taken = {file.resolve() for step in steps if step.do == "source" for file in places.files(step)}
    for step in steps:
        if step.kind.gives:
            continue
        place = place_of(step, places.folder)
        rows = step.do == "save" and step.inputs[0] in tables
        endings = TABLES if rows else ENDINGS[step.do]
        if place.suffix not in endings:
            raise ParameterError(
                f"The step '{step.name}' cannot write to {place.name}: it is no name for what it writes.",
                f"Let the name end in {' or '.join(endings)}.",
            )
        if place.is_dir() or not os.access(place if place.exists() else place.parent, os.W_OK):
            raise ParameterError(
                f"The step '{step.name}' cannot write to {place}.", "Name a file in a folder that exists."
            )
        if place.resolve() in taken:
            raise ParameterError(
                f"The step '{step.name}' would write over {place.name}, which the flow reads, or writes in "
                "another step.",
                "Give the file another name.",
            )
        taken.add(place.resolve())


def _page(step: FlowStep, given: list[Any], flow: Flow) -> Any:
    from privet.report import Page

    page = Page(f"Flow: {flow.name}", "What was released, and with which guarantee.")
    for name, each in zip(step.inputs, given, strict=True):
        section = page.section(name)
        if isinstance(each, RowsAt):
            section.text(f"A table of made-up records with {len(each.schema.columns)} columns.")
            continue
        each.show_in(section)
    return page
