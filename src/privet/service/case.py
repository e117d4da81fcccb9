"""The contract of a use case: a frozen value with declared parameters that can be planned and run.

The command line, the run documents and every other face work with this contract alone, so a new use case is
one dataclass and one line in ``catalogue``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from privet.parameters import Parameter, parameters_of, validate

if TYPE_CHECKING:
    from privet.release import Guarantee
    from privet.report import Chart, Page
    from privet.service.session import Session

__all__ = ["Preview", "Result", "Shown", "UseCase"]


class Preview(Protocol):
    """What a run would do, to be looked at before it does: its cost, or what a person is to agree to."""

    def to_dict(self) -> dict[str, Any]:
        """The preview as plain data, for JSON."""

    def text(self) -> str:
        """The preview for a reader."""


@dataclass(frozen=True)
class Shown:
    """A small table of a result, as texts: its title, the names of its columns, and its rows."""

    title: str
    header: list[str]
    rows: list[list[str]]


class Result:
    """What a run gives: plain data, text, a page, and the guarantee of what was released (None if none was).

    ``notes`` are for a person, beside the result; ``remedy`` is a word for what comes next (as errors have
    one), from which each face says how that is done there; ``exit_code`` is 0 unless the answer is a "no".
    """

    guarantee: Guarantee | None = None
    notes: tuple[str, ...] = ()
    remedy: str = ""
    exit_code: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON."""
        raise NotImplementedError

    def text(self) -> str:
        """The result for a reader."""
        raise NotImplementedError

    def charts(self) -> tuple[Chart, ...]:
        """What there is to look at, drawn by each face in its own way; none if there is nothing."""
        return ()

    def tables(self) -> tuple[Shown, ...]:
        """What is released as a table of texts and is in no chart; none if there is nothing."""
        return ()

    def headline(self) -> str:
        """The result in one line, for a heading; "" where the first of its words serves."""
        return ""

    def in_words(self) -> str:
        """What was learned, in sentences; "" where there is nothing to say."""
        return ""

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Its figures by name, as text with their errors, where the words do not say them."""
        return ()

    def model_document(self) -> dict[str, Any] | None:
        """The released model as the document that its file holds; None if the result is none."""
        return None

    def page(self) -> Page:
        """The result as a self-contained HTML page."""
        from privet.report import Page

        page = Page(type(self).__name__)
        page.section("Result").code(self.text())
        if self.guarantee is not None:
            page.section("Guarantee").prose(self.guarantee.text())
        return page


def restored(parameter: Parameter, value: Any) -> Any:
    """A value in its declared form: paths where texts name files, tuples where lists are given."""
    from privet.sources.address import as_path

    if parameter.many and isinstance(value, list | tuple):
        return tuple(as_path(each) if parameter.kind is Path else each for each in value)
    return as_path(value) if parameter.kind is Path and isinstance(value, str) else value


@dataclass(frozen=True, kw_only=True)
class UseCase:
    """Something that Privet can do. Subclasses are frozen dataclasses with declared parameters as fields."""

    #: Whether a run may spend privacy budget: then it is planned, and a person is asked, before it runs.
    spends: ClassVar[bool] = False
    #: Whether a ledger is used at all.
    uses_ledger: ClassVar[bool] = False
    #: Whether the plan is shown where nobody is asked, too: the parameters do not say what a run will do.
    always_planned: ClassVar[bool] = False
    #: Whether standard input and output are read and written while it runs.
    filters: ClassVar[bool] = False
    #: What the file that it writes is called while it is on its way to standard output.
    stdout_name: ClassVar[str] = "result"
    #: What a result of it is called, where it has no algorithm to be called after.
    title: ClassVar[str] = ""
    #: Examples for its help.
    examples: ClassVar[str] = ""

    def __post_init__(self) -> None:
        validate(self)
        for parameter in parameters_of(type(self)):  # a text that names a file, and a list, are taken as such
            object.__setattr__(self, parameter.name, restored(parameter, getattr(self, parameter.name)))

    def plan(self, session: Session) -> Preview | None:
        """What a run would cost, or needs consent to; None if there is nothing to ask about."""
        return None

    def run(self, session: Session) -> Result:
        """Do it. What can be refused is refused before the budget is touched."""
        raise NotImplementedError
