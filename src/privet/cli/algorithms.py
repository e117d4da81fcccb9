"""``privet algorithms``: what can be learned, and with which parameters."""

from __future__ import annotations

from typing import Any

import click

from privet.cli.output import output, shows_json

__all__ = ["algorithms", "described"]


@click.command()
@click.argument("name", required=False)
@shows_json
def algorithms(name: str | None) -> None:
    """List the algorithms, or show the parameters of the one called NAME."""
    from privet.registry import ALGORITHMS, algorithm

    to = output()
    if name is None:
        rows = [(entry.name, entry.family, entry.line) for entry in ALGORITHMS]
        listed = [{"name": n, "family": family, "line": line} for n, family, line in rows]
        to.result({"algorithms": listed}, lambda: to.table(("Algorithm", "Family", "What it does"), rows))
        return
    entry = algorithm(name)
    found = described(entry.load())

    def text() -> None:
        click.echo(f"{entry.name}: {entry.line}\n")
        heads = ("Parameter", "Kind", "Limits", "Default", "What it is")
        to.table(heads, [(p["name"], p["kind"], p["limits"], p["default"], p["help"]) for p in found])

    to.result({"name": entry.name, "family": entry.family, "line": entry.line, "parameters": found}, text)


def described(algorithm: type) -> list[dict[str, Any]]:
    """The declared parameters of an algorithm as plain data."""
    from privet.parameters import parameters_of

    kinds = {float: "number", int: "whole number", bool: "yes or no", str: "text"}
    return [
        {
            "name": p.name,
            "kind": kinds.get(p.kind, "object"),
            "limits": f"one of {', '.join(map(str, p.choices))}" if p.choices else ", ".join(p.limits),
            "default": p.default,
            "help": p.help,
        }
        for p in parameters_of(algorithm)
    ]
