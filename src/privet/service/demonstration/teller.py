"""How the demonstration speaks: numbered steps, short sentences, and the command that does the same."""

from __future__ import annotations

from privet.errors import PrivetError
from privet.service.session import Tell

__all__ = ["Teller"]


class Teller:
    """Tells a story to whoever listens, saying what kind of text each part is."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._step = 0

    def title(self, text: str) -> None:
        self._tell(text, "title")

    def step(self, heading: str) -> None:
        """Begin the next step."""
        self._step += 1
        self._tell(f"{self._step:>2}  {heading}", "step")

    def say(self, *sentences: str) -> None:
        self._tell(" ".join(sentences), "text")

    def command(self, command: str) -> None:
        """The command line that does what this step does."""
        self._tell(command, "command")

    def show(self, text: str) -> None:
        """Output worth seeing: lines kept as they are."""
        self._tell(text.rstrip("\n"), "output")

    def refused(self, error: PrivetError) -> None:
        """A refusal that is part of the story."""
        self._tell(f"Refused (exit code {error.exit_code}): {error}", "refusal")
