"""How the demonstration speaks: numbered steps, short sentences, and the command that does the same."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from privet.errors import PrivetError

__all__ = ["Teller"]


class Teller:
    """Prints a story. Everything is printed as plain text: nothing in it is taken for markup."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._step = 0

    def title(self, text: str) -> None:
        self._console.print(Text(text, style="bold"))

    def step(self, heading: str) -> None:
        """Begin the next step."""
        self._step += 1
        self._console.print()
        self._console.print(Text(f"{self._step:>2}  {heading}", style="bold cyan"))

    def say(self, *sentences: str) -> None:
        self._indented(Text(" ".join(sentences)))

    def command(self, command: str) -> None:
        """The command line that does what this step does."""
        self._whole(Text(f"    $ {command}", style="green"))

    def file(self, sentence: str, path: Path) -> None:
        """Name a file."""
        self._whole(Text(f"    {sentence} {path}", style="bold"))

    def show(self, text: str) -> None:
        """Output worth seeing: lines kept as they are."""
        self._indented(Text(text.rstrip("\n"), style="dim"), left=6)

    def refused(self, error: PrivetError) -> None:
        """A refusal that is part of the story."""
        self._indented(Text(f"Refused (exit code {error.exit_code}): {error}", style="yellow"), left=6)

    def _whole(self, text: Text) -> None:
        """A line that is never broken, so that it can be copied."""
        self._console.print(text, soft_wrap=True)

    def _indented(self, text: Text, left: int = 4) -> None:
        self._console.print(Padding(text, (0, 0, 0, left), expand=False))
