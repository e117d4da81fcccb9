"""Cells on other processes and machines: blocks are dealt to workers, and each runs its own in cells there.

The proof is that of ``isolation.blocks``: which blocks a worker gets, and in which order, follows from their
public places and the public number of workers. A worker takes the function as packed code, which it does not
load itself, and refuses to run it where a cell cannot be closed. If a worker dies, whoever deals out the work
may repeat its blocks: their content is the same, and each counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from privet.errors import ParameterError
from privet.isolation.cell import Isolated, Job, Result, encoded
from privet.sources.base import Source
from privet.sources.parts import Workers

__all__ = ["run"]


def run(isolated: Isolated, source: Source, blocks: Sequence[pa.Table]) -> list[Result]:
    """What the function returns for each block: by the source's workers, if it has any, else here."""
    if not isinstance(source, Workers):
        return isolated.run(blocks)
    hands = min(source.hands, len(blocks))
    # Round by round, so that each worker has about as many, and each block its place.
    dealt = [(place, [bytes(encoded(block)) for block in blocks[place::hands]]) for place in range(hands)]
    results: list[Result] = [None] * len(blocks)
    for place, found in enumerate(source.shared(_Work(isolated.job), dealt)):
        if found is None:
            raise ParameterError(
                "A worker could not run the function: what it needs is not installed there, or it cannot be "
                "shut off there from files, network and other processes.",
                "Install the same packages on every worker; or run it on this machine.",
            )
        results[place::hands] = found
    return results


@dataclass(frozen=True)
class _Work:
    """A worker's blocks, one after the other in one lane; None if it cannot run the function."""

    job: Job

    def __call__(self, dealt: tuple[int, list[bytes]]) -> list[Result] | None:
        place, blocks = dealt
        try:
            with Isolated.of(self.job, lane=place) as isolated:
                return isolated.run(blocks)
        except Exception:  # what it says may end in a log
            return None
