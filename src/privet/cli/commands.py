"""Commands, from the catalogue of use cases: nothing about any one of them is written here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import click

from privet.cli.execute import execute
from privet.cli.forms import option_for, typed
from privet.cli.options import options_of
from privet.parameters import OfAlgorithm, parameters_of
from privet.registry import Algorithm, algorithms_with
from privet.service.catalogue import GROUPS, USE_CASES, Command

__all__ = ["Suggesting", "commands"]


def commands() -> list[click.Command]:
    """Every command, in the order of the catalogue; groups where their first member stands."""
    found: dict[str, click.Command] = {}
    for entry in USE_CASES:
        first, *rest = entry.words
        if entry.per_algorithm:
            found[first] = PerAlgorithm(entry)
        elif rest:
            group = found.setdefault(first, LazyGroup(first, help=GROUPS[first]))
            assert isinstance(group, LazyGroup)
            group.entries[rest[0]] = entry
        else:
            found[first] = Lazy(entry)
    return list(found.values())


class Lazy(click.Command):
    """A command whose use case is loaded when it is used or asked for help, not to list it."""

    def __init__(self, entry: Command, algorithm: Algorithm | None = None) -> None:
        name, line = (entry.words[-1], entry.line) if algorithm is None else (algorithm.word, algorithm.line)
        super().__init__(name, short_help=line)
        self._entry, self._algorithm, self._loaded = entry, algorithm, False

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        case, algorithm = self._entry.load(), self._algorithm
        about = inspect.cleandoc(case.__doc__ or self._entry.line)
        self.help = about if algorithm is None else f"{algorithm.line}\n\n{about}"
        self.epilog = case.examples or None
        declared = {p.name: p for p in parameters_of(case)}
        inner, holder = {}, next((p.name for p in declared.values() if p.marker(OfAlgorithm)), None)
        if algorithm is not None:
            loaded = algorithm.load()
            inner = {p.name: p for p in parameters_of(loaded)}
            if holder is not None:
                # What the use case declares itself (a schema, a file for the result) is not asked for twice.
                inner = {name: p for name, p in inner.items() if name not in declared}
            declared = {name: p for name, p in declared.items() if p.applies_to(loaded, algorithm.commands)}
        own = {n: p for n, p in declared.items() if n not in ("algorithm", holder) or algorithm is None}
        made = {name: option for name, p in [*inner.items(), *own.items()] if (option := option_for(p))}

        def run(**values: Any) -> None:
            session = {name: values.pop(name) for name in list(values) if name not in made}
            given = {n: typed((inner | own)[n], v) for n, v in values.items()}
            parameters = {name: given.pop(name) for name in inner if name in given}
            if algorithm is not None:
                given["algorithm"] = algorithm.name
                if holder is not None:
                    given[holder] = parameters
            execute(self._entry, given, session)

        self.callback: Callable[..., Any] = run
        arguments = [p for p in made.values() if isinstance(p, click.Argument)]
        options = [p for p in made.values() if not isinstance(p, click.Argument)]
        self.params = [*arguments, *options, *options_of(case)]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        self._load()
        return super().get_params(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self._load()
        super().format_help(ctx, formatter)

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        self._load()
        return super().make_context(*words, **more)


class Suggesting(click.Group):
    """A group that, given a word that it does not know, names the nearest that it does."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not near or getattr(error, "possibilities", None):  # newer versions of click name some
                raise
            raise click.UsageError(f"{error.format_message()} Did you mean {near[0]}?", ctx) from None


class LazyGroup(Suggesting):
    """A group of use cases. A member called ``algorithm`` is meant if none of the others is named."""

    def __init__(self, name: str, help: str) -> None:
        super().__init__(name, help=help)
        self.entries: dict[str, Command] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entries.get(cmd_name)
        return None if entry is None else Lazy(entry)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        helping = args[:1] in ([], ["-h"], ["--help"])
        if "algorithm" in self.entries and not helping and args[0] not in self.entries:
            args = ["algorithm", *args]
        return super().parse_args(ctx, args)


class PerAlgorithm(Suggesting):
    """One subcommand for each algorithm that the command takes, made (and imported) when it is used."""

    def __init__(self, entry: Command) -> None:
        super().__init__(entry.words[0], help=entry.line)
        self._entry = entry

    @property
    def _algorithms(self) -> dict[str, Algorithm]:
        return {each.word: each for each in algorithms_with(self._entry.words[0])}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._algorithms)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        algorithm = self._algorithms.get(cmd_name)
        return None if algorithm is None else Lazy(self._entry, algorithm)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        helping = args[:1] in ([], ["-h"], ["--help"])
        if self._entry.default is not None and not helping and args[0] not in self._algorithms:
            args = [self._entry.default, *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Algorithms"):
            formatter.write_dl([(each.word, each.line) for each in self._algorithms.values()])
