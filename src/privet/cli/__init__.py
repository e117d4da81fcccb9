"""The command line of Privet. Only click is imported until a command runs."""

from __future__ import annotations

from privet.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """The entry point of the ``privet`` command."""
    app(prog_name="privet")
