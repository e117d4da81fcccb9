"""``privet audit``: an algorithm by its name, ``perturbation`` of a table, ``inversion`` of a model."""

from __future__ import annotations

import click

from privet.cli.audit import audit as of_an_algorithm
from privet.cli.inversion import inversion
from privet.cli.perturb import attack_report

__all__ = ["audit"]


class Auditing(click.Group):
    """A group whose unnamed command is the audit of an algorithm: ``privet audit naive-bayes``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        helping = args[:1] in (["-h"], ["--help"])
        if not helping and (not args or args[0] not in self.commands):
            args = ["algorithm", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from privet.registry import ALGORITHMS

        if any(entry.name == cmd_name for entry in ALGORITHMS):
            cmd_name = "algorithm"
        return super().get_command(ctx, cmd_name)


audit = Auditing(
    "audit",
    help="Put a claim of privacy to the test: an algorithm's (by its name), a perturbed table's, a model's.",
)
audit.add_command(of_an_algorithm, "algorithm")
audit.add_command(attack_report)
audit.add_command(inversion)
