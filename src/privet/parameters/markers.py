"""What a declaration says of a parameter besides its type: a file, a column, a place on the command line.

They are metadata of ``Annotated`` types, beside the line of help and the bounds, and mean nothing by
themselves: each face of Privet reads those that it can use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "Alias",
    "Argument",
    "ColumnOf",
    "Consent",
    "File",
    "IfAlgorithm",
    "IfTaken",
    "Named",
    "OfAlgorithm",
    "When",
]


@dataclass(frozen=True)
class Argument:
    """Given by its place on the command line, not by an option."""


@dataclass(frozen=True)
class Alias:
    """Another name that the command line knows the parameter by: ``--for``, or one letter, ``-o``.

    One of each may be given: the letter stands beside the longer name, which replaces the parameter's own.
    """

    name: str


@dataclass(frozen=True)
class File:
    """The path of a file that is read (``in``) or written (``out``).

    ``stdout`` says that ``-`` stands for standard output (or, for a file that is read, standard input).
    ``kept`` says that without this file the result of a run would be lost to whoever runs a command.
    """

    role: Literal["in", "out"] = "in"
    stdout: bool = False
    kept: bool = False


@dataclass(frozen=True)
class ColumnOf:
    """The name of a column of the table (or schema) that another parameter names."""

    parameter: str


@dataclass(frozen=True)
class Consent:
    """A person's word, without which the use case does not run: yes, after they have seen its plan.

    Each face shows the plan and puts the question; ``declined`` is what a "no" comes to.
    """

    question: str
    declined: str


@dataclass(frozen=True)
class Named:
    """A mapping of names to values, typed as ``NAME=VALUE``; ``metavar`` shows how."""

    metavar: str = "NAME=VALUE"


@dataclass(frozen=True)
class OfAlgorithm:
    """The parameters of the algorithm that another parameter names."""

    parameter: str = "algorithm"


@dataclass(frozen=True)
class IfAlgorithm:
    """The parameter applies only to algorithms whose class has this parameter or method."""

    has: str


@dataclass(frozen=True)
class IfTaken:
    """The parameter applies only to algorithms that this command takes, too."""

    by: str


@dataclass(frozen=True)
class When:
    """The parameter applies only where another one has one of these values (any, if none is given).

    >>> When("method", "objective", "output").values
    ('objective', 'output')
    """

    parameter: str
    values: tuple[Any, ...]

    def __init__(self, parameter: str, *values: Any) -> None:
        object.__setattr__(self, "parameter", parameter)
        object.__setattr__(self, "values", values)

    def holds(self, given: Any) -> bool:
        """Whether the parameter applies where the other one has this value."""
        return given in self.values if self.values else given not in (None, False, ())
