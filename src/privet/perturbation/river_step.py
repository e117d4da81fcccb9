"""What a River pipeline asks of a perturbation: to be known to River, or to refuse."""

from __future__ import annotations

from typing import Any, ClassVar

from privet.errors import ParameterError

__all__ = ["RiverStep"]


class RiverStep:
    """A step of River pipelines once ``privet.perturbation.river`` is imported; before that it refuses."""

    known_to_river: ClassVar[bool] = False

    @property
    def _supervised(self) -> bool:
        """Asked for by River's pipelines, and by nobody else."""
        if not self.known_to_river:
            raise ParameterError(
                "River does not know this perturbation, and would pass records by it unperturbed.",
                "Import it for River first:  import privet.perturbation.river",
            )
        return False

    def __or__(self, other: Any) -> Any:
        """A River pipeline of this and what follows."""
        from river import compose

        return compose.Pipeline(self, other)
