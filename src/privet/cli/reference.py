"""The reference pages of the docs, from the commands and the registry themselves.

``python -m privet.cli.reference`` writes them; a test fails while they differ from what the code says.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

__all__ = ["algorithms_page", "cli_page", "pages", "write_pages"]

_NOTE = "<!-- Made by `python -m privet.cli.reference`; do not edit. -->"


def pages() -> dict[str, str]:
    """Each page by its file's name."""
    return {"cli.md": cli_page(), "algorithms.md": algorithms_page()}


def write_pages(folder: Path) -> None:
    """Write every page into this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def cli_page() -> str:
    """Every command with its options."""
    from privet.cli.app import app

    lines = [_NOTE, "", "# The command line", ""]
    context = click.Context(app, info_name="privet")
    lines += [*_prose(app.help), *_prose(app.epilog), *_options(app)]
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command is not None
        lines += _command(command, context, name, level=2)
    return "\n".join(lines).rstrip() + "\n"


def _command(command: click.Command, parent: click.Context, name: str, level: int) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    options = _options(command)  # read first: that loads the command, and with it its help
    yield from (f"{'#' * level} {context.command_path}", "")
    yield from _prose(command.help)
    if not isinstance(command, click.Group):
        yield from (
            "```",
            " ".join([context.command_path, *command.collect_usage_pieces(context)]),
            "```",
            "",
        )
        yield from options
        return
    for child in command.list_commands(context):
        found = command.get_command(context, child)
        assert found is not None
        yield from _command(found, context, child, level + 1)


def _options(command: click.Command) -> list[str]:
    rows = []
    for option in command.get_params(click.Context(command)):
        if isinstance(option, click.Option) and not option.hidden and "--help" not in option.opts:
            names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
            default = "required" if option.required else option.default if option.show_default else ""
            choices = getattr(option.type, "choices", None)
            kind = " or ".join(choices) if choices else option.metavar or option.type.name.split()[0].upper()
            value = "" if option.is_flag else kind
            rows.append((names, value, default, option.help or ""))
    return _table(("Option", "Value", "Default", "What it does"), rows) if rows else []


def _prose(text: str | None) -> list[str]:
    """Click's help as Markdown: paragraphs, and those after ``\\b`` as they stand."""
    lines = []
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        kept = paragraph.removeprefix("\b\n")
        indented = any(line.startswith(" ") for line in kept.splitlines())
        lines += ["```text", kept, "```", ""] if kept != paragraph and indented else [kept, ""]
    return lines


def algorithms_page() -> str:
    """Every algorithm with its parameters."""
    from privet.registry import ALGORITHMS, FAMILIES
    from privet.service.algorithms import described

    lines = [_NOTE, "", "# Algorithms", "", "An algorithm's own parameters come first, then the common ones."]
    lines += ["Those marked *object* are options of their own on the command line (`--schema`, `--ledger`)."]
    for entry in ALGORITHMS:
        cls = entry.load()
        lines += ["", f"## {entry.name}", "", entry.line, ""]
        lines += [f"In Python: `{cls.__module__}.{cls.__name__}` (family: {entry.family})."]
        commands = [f"`privet {command} {entry.word}`" for command in FAMILIES[entry.family].commands]
        lines += [f"On the command line: {', '.join(commands)}."]
        lines += [""]
        rows = [(f"`{p['name']}`", p["kind"], p["limits"], p["default"], p["help"]) for p in described(cls)]
        lines += _table(("Parameter", "Kind", "Limits", "Default", "What it is"), rows)
    return "\n".join(lines).rstrip() + "\n"


def _table(heads: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[str]:
    def line(cells: tuple[Any, ...]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return [line(heads), line(tuple("---" for _ in heads)), *map(line, rows), ""]


if __name__ == "__main__":
    write_pages(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
