"""Command-line options from the parameters that an algorithm declares, and commands from the registry."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import click

from privet.registry import ALGORITHMS

if TYPE_CHECKING:
    from privet.parameters import Parameter

__all__ = ["AlgorithmGroup", "option_for"]


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
        if fault := self.parameter.fault(value):
            self.fail(f"{fault}, but is {value}.", param, ctx)
        return value


def option_for(parameter: Parameter) -> click.Option | None:
    """The option for a parameter; none for what only Python can give (a schema, a ledger, a generator).

    >>> from typing import Annotated
    >>> from annotated_types import Ge
    >>> from privet.parameters import parameters_of
    >>> class Toy:
    ...     def __init__(self, *, most_rules: Annotated[int, Ge(2), "How many rules."] = 16) -> None: ...
    >>> option = option_for(parameters_of(Toy)[0])
    >>> option.opts, option.help
    (['--most-rules'], 'How many rules. (at least 2)')
    """
    if parameter.kind is object:
        return None
    flag = "--" + parameter.name.replace("_", "-")
    limits = f" ({', '.join(parameter.limits)})" if parameter.limits else ""
    common: dict[str, Any] = {
        "default": parameter.default,
        "show_default": parameter.default is not None,
        "help": f"{_typed(parameter.help)}{limits}",
    }
    if parameter.kind is bool:
        return click.Option([f"{flag}/--no-{flag[2:]}", parameter.name], **common)
    if parameter.choices and all(isinstance(choice, str) for choice in parameter.choices):
        return click.Option([flag, parameter.name], type=click.Choice(parameter.choices), **common)
    return click.Option([flag, parameter.name], type=Declared(parameter), **common)


def _typed(help: str) -> str:
    """The help for whoever types an option: nobody can type None, it is left out.

    >>> _typed("How many steps; None chooses by the budget.")
    'How many steps; left out: chosen by the budget.'
    """
    for said, typed in (("None chooses ", "chosen "), ("None takes it ", "taken "), ("None for ", "")):
        help = help.replace(said, f"left out: {typed}")
    return help


class AlgorithmGroup(click.Group):
    """One subcommand for each algorithm of some families, made (and imported) when it is asked for.

    ``body`` is called with the algorithm's name and its parameters, and with the values of the options and
    arguments that were put on it with click's decorators, which all algorithms share.
    """

    def __init__(self, name: str, body: Callable[..., Any], help: str, families: Collection[str]) -> None:
        super().__init__(name, help=help)
        self._entries = [entry for entry in ALGORITHMS if entry.family in families]
        self._body = body
        self._common: list[click.Parameter] = list(reversed(getattr(body, "__click_params__", [])))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in self._entries]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = next((entry for entry in self._entries if entry.name == cmd_name), None)
        if entry is None:
            return None
        from privet.parameters import parameters_of

        cls: Any = entry.load()
        options = {p.name: option for p in parameters_of(cls) if (option := option_for(p))}

        def run(**values: Any) -> Any:
            parameters = {name: values.pop(name) for name in options}
            return self._body(entry.name, parameters, **values)

        arguments = [each for each in self._common if isinstance(each, click.Argument)]
        others = [each for each in self._common if not isinstance(each, click.Argument)]
        return click.Command(
            entry.name, callback=run, params=[*arguments, *options.values(), *others], help=entry.line
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The registry knows each line of help; asking the commands would import every algorithm.
        with formatter.section("Algorithms"):
            formatter.write_dl([(entry.name, entry.line) for entry in self._entries])
