"""A function of one's own on disjoint blocks of a table, and the private aggregate of what it returns."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privet.errors import ParameterError
from privet.parameters import Alias
from privet.service.building import build, settled
from privet.service.case import Result
from privet.service.common import Data, EngineName, OwnerSays, SchemaFile, SeedNumber, Settings
from privet.service.paying import Paid
from privet.service.reading import OfTable
from privet.service.session import Session
from privet.service.text import columns

if TYPE_CHECKING:
    from privet.release import Guarantee
    from privet.schema import Schema
    from privet.service.plans import Plan

__all__ = ["Aggregate", "Aggregated"]


@dataclass(frozen=True, kw_only=True)
class Aggregate(Paid, OfTable):
    """Run a function of your own on disjoint blocks of the table DATA, and release the mean of its results.

    The function is written FILE.py:NAME. It takes a data frame of the schema's columns and returns one number
    for each pair of a low and a high. It runs shut off from files, the network, other processes and the
    clock.
    """

    algorithm: Annotated[str, "How blocks are aggregated."] = "sample-aggregate"
    data: Data
    parameters: Settings = field(default_factory=dict)
    function: Annotated[str, Alias("f"), "The function, as FILE.py:NAME."]
    low: Annotated[tuple[float, ...], "The least value of each number that it returns, as is known publicly."]
    high: Annotated[tuple[float, ...], "The largest value of each of them."]
    schema: SchemaFile = None
    engine: EngineName = "auto"
    seed: SeedNumber = None
    owner_says: OwnerSays = None

    def plan(self, session: Session) -> Plan:
        """What it would cost, by a trial of the function on made-up records."""
        from privet.service.plans import planned

        self.require_columns(session, self._schema)
        guarantee = self._estimator(None).rehearse()
        return planned(self._what, guarantee, self._schema, None, session.opened_ledger())

    def run(self, session: Session) -> Aggregated:
        with self.paid(session, self._schema, self._what) as ledger:
            estimator = self._estimator(ledger)
            with session.progress("Running the function", ""):
                table = self.opened(session, self._schema, self.engine, ledger)
                return Aggregated(self.function, estimator.fit(table))

    @property
    def _what(self) -> str:
        return f"run {self.function}"

    @cached_property
    def _schema(self) -> Schema:
        return settled(self.schema, self.data)

    @cached_property
    def _loaded(self) -> Callable[[Any], Any]:
        place, _, name = self.function.rpartition(":")
        if not place or not name or not Path(place).is_file():
            raise ParameterError(
                f"'{self.function}' does not name a function in a file.", "Write it as FILE.py:NAME."
            )
        found = runpy.run_path(place).get(name)
        if not callable(found):
            raise ParameterError(f"{Path(place).name} defines no function '{name}'.", "Check its name.")
        loaded: Callable[[Any], Any] = found
        return loaded

    def _estimator(self, ledger: Any) -> Any:
        own = {"function": self._loaded, "low": self.low, "high": self.high}
        return build(self.algorithm, self._schema, {**self.parameters, **own}, ledger=ledger, seed=self.seed)


@dataclass(frozen=True)
class Aggregated(Result):
    """The released numbers, each with the error of its noise."""

    function: str
    model: Any

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        found: Guarantee = self.model.guarantee_
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            "function": self.function,
            "values": self.model.value_.tolist(),
            "errors": self.model.error_.tolist(),
            "guarantee": self.guarantee.to_dict(),
        }

    def text(self) -> str:
        pairs = zip(self.model.value_, self.model.error_, strict=True)
        rows = [[place, f"{value:.5g}", f"± {error:.3g}"] for place, (value, error) in enumerate(pairs, 1)]
        return "\n".join([columns(["output", "value", "noise"], rows), self.guarantee.headline])
