"""Options and arguments of the command line, from declared parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from privet.parameters import Argument, ColumnOf, File, Named

if TYPE_CHECKING:
    from privet.parameters import Parameter

__all__ = ["option_for", "typed"]


class Declared(click.ParamType):
    """A value that is checked by the parameter's own declaration."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        self.name = {int: "integer", float: "number"}.get(parameter.kind, "text")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str):
            try:
                value = self.parameter.kind(value)
            except ValueError:
                self.fail(f"must be a {self.name}.", param, ctx)
        if fault := self.parameter.fault((value,) if self.parameter.many else value):
            self.fail(f"{fault}, but is {value}.", param, ctx)
        return value


class Numbers(click.ParamType):
    """Numbers with commas between them: ``0.1,0.5``."""

    name = "numbers"

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str):
            try:
                value = tuple(self.parameter.kind(each) for each in value.split(","))
            except ValueError:
                self.fail("is written as numbers with commas between them.", param, ctx)
        if fault := self.parameter.fault(value):
            self.fail(f"{fault}.", param, ctx)
        return value


class NameAndValue(click.ParamType):
    """``NAME=VALUE``; the last ``=`` divides, so that names may hold one."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        name, equals, rest = value.rpartition("=")
        if not equals or not name:
            self.fail("is written NAME=VALUE.", param, ctx)
        return name, rest


def option_for(parameter: Parameter) -> click.Parameter | None:
    """The option or argument for a parameter; None for what only Python can give (a ledger, a generator).

    >>> from typing import Annotated
    >>> from annotated_types import Ge
    >>> from privet.parameters import parameters_of
    >>> class Toy:
    ...     def __init__(self, *, most_rules: Annotated[int, Ge(2), "How many rules."] = 16) -> None: ...
    >>> option = option_for(parameters_of(Toy)[0])
    >>> option.opts, option.help
    (['--most-rules'], 'How many rules. (at least 2)')
    """
    if not parameter.typed:
        return None
    kind = _type(parameter)
    if parameter.marker(Argument):
        default = None if parameter.required else parameter.default
        return click.Argument(
            [parameter.name],
            type=kind,
            required=parameter.required,
            default=default,
            nargs=-1 if parameter.many else 1,
        )
    flags, numbers = parameter.flags, parameter.many and parameter.kind in (int, float)
    limits = f" ({', '.join(parameter.limits)})" if parameter.limits else ""
    more: dict[str, Any] = {
        "help": f"{_typed(parameter.help)}{limits}{_dash(parameter)}",
        "required": parameter.required,
    }
    if numbers and not parameter.required:
        default = parameter.default and ",".join(f"{each:g}" for each in parameter.default)
        more |= {"default": default, "show_default": bool(default)}
    elif not parameter.required and parameter.kind is not dict and not parameter.many:
        more |= {"default": parameter.default, "show_default": parameter.default is not None}
    if parameter.kind is bool:
        plain = parameter.default is False
        names = flags if plain else [f"{flags[-1]}/--no-{flags[-1][2:]}"]
        return click.Option([*names, parameter.name], is_flag=True, **more | {"show_default": not plain})
    if (parameter.many and not numbers) or parameter.kind is dict:
        more |= {"multiple": True, "help": f"{more['help']} Repeat for more."}
    return click.Option([*flags, parameter.name], type=kind, metavar=_metavar(parameter), **more)


def _dash(parameter: Parameter) -> str:
    file = parameter.marker(File)
    if file is None or not file.stdout:
        return ""
    return " (- for stdout)" if file.role == "out" else " (- for stdin)"


def _type(parameter: Parameter) -> click.ParamType:
    # That a file exists is checked by its reader, whose errors have exit codes.
    # A text becomes a path in the use case: it may be an address, which a path would shorten.
    if file := parameter.marker(File):
        return click.Path(allow_dash=file.stdout)
    if parameter.kind is dict:
        return NameAndValue()
    if parameter.choices and all(isinstance(choice, str) for choice in parameter.choices):
        return click.Choice(parameter.choices)
    if parameter.many and parameter.kind in (int, float):
        return Numbers(parameter)
    return Declared(parameter)


def _metavar(parameter: Parameter) -> str | None:
    if parameter.marker(File):
        return "FILE"
    if parameter.marker(ColumnOf):
        return "COLUMN"
    named = parameter.marker(Named)
    return named.metavar if named else None


def _typed(help: str) -> str:
    """The help for whoever types an option: nobody can type None, it is left out.

    >>> _typed("How many steps; None chooses by the budget.")
    'How many steps; left out: chosen by the budget.'
    """
    for said, typed in (("None chooses ", "chosen "), ("None takes it ", "taken "), ("None for ", "")):
        help = help.replace(said, f"left out: {typed}")
    return help


def typed(parameter: Parameter, value: Any) -> Any:
    """What click collected, in its declared form: ``NAME=VALUE`` pairs as a mapping, no values as None."""
    if parameter.kind is dict and not isinstance(value, Mapping):
        return dict(value) if value or not parameter.optional else None
    if parameter.many and parameter.optional and not value:
        return None
    return value
