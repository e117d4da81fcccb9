"""How a table was generalised, kept so that a stream can be generalised the same way."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from privet.errors import ModelError

__all__ = ["Recoding", "require_new"]

FORMAT = "privet recoding, 1"


def require_new(path: str | Path) -> None:
    """Refuse to write a recoding where there is a file."""
    if Path(path).exists():
        raise ModelError(
            f"There is already a file {Path(path).name}; a recoding is never replaced.",
            "Choose another name.",
        )


@dataclass(frozen=True)
class Recoding:
    """The level of each column, and the groups that had enough records. Both can be read off the release.

    A record of a stream that falls into one of the groups looks like at least k records of the table; one
    that does not is suppressed.
    """

    levels: tuple[tuple[str, int], ...]
    groups: frozenset[tuple[str, ...]] = field(repr=False)

    def save(self, path: str | Path) -> None:
        """Write it; a file that is there already is never replaced."""
        document = {"format": FORMAT, "levels": dict(self.levels), "groups": sorted(self.groups)}
        require_new(path)
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                json.dump(document, file, indent=1, ensure_ascii=False)
        except OSError as error:
            raise ModelError(
                f"The recoding {Path(path).name} cannot be written: {error.strerror}.",
                "Choose another folder.",
            ) from None

    @classmethod
    def load(cls, path: str | Path) -> Recoding:
        """A recoding from its file."""
        name = Path(path).name
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            if document["format"] != FORMAT:
                raise ValueError
            levels = tuple((str(column), int(level)) for column, level in document["levels"].items())
            groups = frozenset(tuple(map(str, group)) for group in document["groups"])
        except FileNotFoundError:
            raise ModelError(
                f"There is no recoding {name}.", "Generalise a table first, and keep it."
            ) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise ModelError(f"{name} is not a whole recoding.", "Generalise a table again.") from None
        if any(len(group) != len(levels) for group in groups):
            raise ModelError(f"{name} is not a whole recoding.", "Generalise a table again.")
        return cls(levels, groups)
