"""Reports: a result's page in a file, and its figures as JSON beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from privet.service.case import Result

if TYPE_CHECKING:
    from privet.report import Page

__all__ = ["Reported", "written"]


@dataclass(frozen=True, kw_only=True)
class Reported(Result):
    """What was found, which has a text, a page and plain data of its own, and the files that hold it.

    ``trouble`` is why a file could not be written. The result itself is not lost then: it may be paid for.
    """

    found: Any
    files: tuple[Path, ...] = ()
    trouble: str = ""

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        if self.trouble:
            return (self.trouble,)
        if not self.files:
            return ()
        page, *beside = map(str, self.files)
        return (f"The report was written to {page}" + (f", and more to {beside[0]}." if beside else "."),)

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        return 1 if self.trouble else 0

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = self.found.to_dict()
        return found

    def text(self) -> str:
        return str(self.found.text())

    def page(self) -> Page:
        page: Page = self.found.page()
        return page


Given = TypeVar("Given", bound=Reported)


def written(result: Given, place: Path | None, *, figures: bool = False) -> Given:
    """The result, with its page in a file if one was named, and with its figures in a JSON file beside it."""
    if place is None:
        return result
    files = [place]
    try:
        result.page().write(place)
        if figures:
            files.append(place.with_suffix(".json"))
            text = json.dumps(result.to_dict(), indent=1, ensure_ascii=False) + "\n"
            files[-1].write_text(text, encoding="utf-8")
    except Exception as error:  # whatever it was, the result must not be lost with its report
        reason = error.strerror if isinstance(error, OSError) else type(error).__name__
        return replace(result, trouble=f"The report {place} could not be written: {reason}.")
    return replace(result, files=tuple(files))
