"""Made-up records from a released model, written as they are drawn: in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Le

from privet.errors import ModelError
from privet.parameters import Alias, File
from privet.service.case import UseCase
from privet.service.common import Force, ModelFile, VerifyKey
from privet.service.reports import Reported, written
from privet.service.session import Session

__all__ = ["Drawn", "Synthesise"]

AT_ONCE = 100_000
REPORTED = 20_000  # records that a report is made of


@dataclass(frozen=True, kw_only=True)
class Synthesise(UseCase):
    """Draw made-up records from a released MODEL of the family "synthesise". Costs no privacy budget.

    They are like the records that the model was learned from as far as the model carries that, and stand for
    no person. All they tell about people was paid for when the model was fitted: draw as many as you like.
    """

    stdout_name: ClassVar[str] = "made-up.csv"

    model: ModelFile
    output: Annotated[
        Path, File("out", stdout=True), Alias("o"), "Where the records go: .csv, .parquet, .feather or .arff."
    ]
    records: Annotated[
        int | None,
        Ge(1),
        Le(10**9),
        Alias("n"),
        "How many records; by default about as many as were learned from.",
    ] = None
    seed: Annotated[int | None, "Draw the same records each time. They are no less private."] = None
    report: Annotated[
        Path | None,
        File("out"),
        "Write an HTML report of what the records carry and what they cannot; the real table is not read.",
    ] = None
    downstream: Annotated[
        Path | None,
        File("out"),
        "Write a model that was learned from made-up records. It costs nothing; evaluating it on real "
        "records does, and says how good the made-up ones are to learn from.",
    ] = None
    verify_key: VerifyKey = None
    force: Force = False

    def run(self, session: Session) -> Drawn:
        from privet.model import load_model, save_model
        from privet.registry import FAMILIES
        from privet.service.outputs import check_place
        from privet.service.writers import takes_schema, writer_for

        model = load_model(self.model, self.verify_key)
        if not isinstance(model, FAMILIES["synthesise"].load()):
            raise ModelError(
                f"{self.model.name} is a model that draws no records.",
                "Fit a synthesiser to the table first.",
            )
        for place in (self.output, self.report, self.downstream):
            if place is not None:
                check_place(place, force=self.force)
        wanted = self.report is not None or self.downstream is not None
        if wanted and not hasattr(model, "parents_"):
            raise ModelError(
                "This synthesiser keeps no tables that a report could be made of.", "Leave it out."
            )
        if self.downstream is not None and model.schema_.target is None:
            raise ModelError("The schema names no target that a model could predict.", "Leave it out.")
        write = writer_for(self.output)
        about = round(float(getattr(model, "records_", 1000)))
        records = self.records if self.records is not None else min(max(about, 1), 10**9)
        with session.progress("Drawing", "rows") as watch:
            batches = self._batches(model, records, watch)
            if takes_schema(write):
                write(batches, self.output, model.schema_)
            else:
                write(batches, self.output)
        found = self._report(model)
        if self.downstream is not None and found is not None and found.downstream is not None:
            save_model(found.downstream.model, self.downstream)
        drawn = Drawn(self.output, records, model.guarantee_, found=found, learned=self.downstream)
        return written(drawn, self.report)

    def _report(self, model: Any) -> Any:
        """What records of this model carry, by some that are drawn for it; None if nobody asks."""
        from privet.evaluation.synthetic import SyntheticReport

        if self.report is None and self.downstream is None:
            return None
        seed = None if self.seed is None else self.seed + 1
        made, other = (model.sample(REPORTED, random_state=each) for each in (self.seed, seed))
        return SyntheticReport.of(model, made, other)

    def _batches(self, model: Any, records: int, watch: Any) -> Iterator[Any]:
        """The records, so many at once; with a seed each part has one of its own."""
        for part, start in enumerate(range(0, records, AT_ONCE)):
            some = min(AT_ONCE, records - start)
            seed = None if self.seed is None else self.seed + part
            yield from model.sample(some, random_state=seed).combine_chunks().to_batches()
            if watch is not None:
                watch(start + some, records)


@dataclass(frozen=True)
class Drawn(Reported):
    """Where the made-up records are, how many there are, and the guarantee of the model they come from."""

    place: Path
    count: int
    promised: Any
    learned: Path | None = None

    def to_dict(self) -> dict[str, Any]:
        told = {"records": self.count, "file": str(self.place), "guarantee": self.promised.to_dict()}
        told |= {"downstream": str(self.learned)} if self.learned else {}
        return told | ({"carried": self.found.to_dict()} if self.found else {})

    def text(self) -> str:
        lines = [f"{self.count} made-up records are in {self.place}.", self.promised.headline]
        if self.learned is not None:
            lines.append(f"A model learned from made-up records is in {self.learned}.")
        return "\n".join([*lines, "", self.found.text()] if self.found else lines)
