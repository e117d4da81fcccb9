"""The demonstration: from a table on disk to a private model, its evaluation, and a budget that says no."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.budget import Ledger
from privet.demo.patients import DATASET, TARGET, public_knowledge
from privet.errors import BudgetExceeded, ModelError, SchemaError
from privet.schema import Schema, write_schema
from privet.schema.file import schema_text
from privet.service.checking import CheckSchema
from privet.service.demonstration.figures import exact_evaluation
from privet.service.demonstration.teller import Teller
from privet.service.fitting import Fit
from privet.service.ledgers import OpenAccount, VerifyLedger
from privet.service.models import ShowModel
from privet.service.schemas import DraftSchema
from privet.service.scoring import Evaluate
from privet.service.session import Session
from privet.sources import ArrowSource, write_csv

__all__ = ["EVALUATION_EPSILON", "FIT_EPSILON", "LIMIT", "Files", "Outcome", "split", "tell"]

LIMIT = 1.5
FIT_EPSILON = 1.0
EVALUATION_EPSILON = 0.2


@dataclass(frozen=True)
class Files:
    """Where the demonstration writes: these files of one folder, and no others."""

    training: Path
    holdout: Path
    draft: Path
    schema: Path
    ledger: Path
    model: Path
    altered: Path
    report: Path

    @classmethod
    def within(cls, folder: Path) -> Files:
        return cls(
            folder / "patients.csv",
            folder / "holdout.csv",
            folder / "draft.toml",
            folder / "schema.toml",
            folder / "privet-ledger.db",
            folder / "model.json",
            folder / "model-altered.json",
            folder / "report.html",
        )

    def clear(self) -> None:
        """Remove what an earlier run has left."""
        for path in vars(self).values():
            path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Outcome:
    """What the story came to, for the report."""

    schema: Schema
    drafted: Schema
    draft_refusal: SchemaError
    model: Any
    evaluation: Any
    alteration: ModelError
    budget_refusal: BudgetExceeded
    ledger: Ledger


def split(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Three quarters to learn from; the rest, other people, to test on."""
    kept = table.num_rows * 3 // 4
    return table.slice(0, kept), table.slice(kept)


def tell(files: Files, teller: Teller, training: pa.Table, holdout: pa.Table) -> Outcome:
    """Run every step, saying what happens and which command does the same."""
    write_csv(ArrowSource(training), files.training)
    write_csv(ArrowSource(holdout), files.holdout)
    drafted, draft_refusal = _draft(files, teller, training.num_rows, holdout.num_rows)
    schema = _confirm(files, teller)
    ledger = _open_ledger(files, teller)
    ana = Session(ledger=ledger, analyst="ana")
    model = _fit(files, teller, ana)
    evaluation = _evaluate(files, teller, ana, model, holdout)
    alteration = _alter(files, teller)
    budget_refusal = _second_analyst(files, teller, ledger)
    _history(teller, ledger)
    return Outcome(schema, drafted, draft_refusal, model, evaluation, alteration, budget_refusal, ledger)


def _draft(files: Files, teller: Teller, learning: int, testing: int) -> tuple[Schema, SchemaError]:
    teller.step("Draft a schema: what is in this table?")
    teller.say(
        f"{files.training.name} holds {learning:,} patients to learn from; {files.holdout.name} holds "
        f"{testing:,} others to test on."
    )
    teller.command(f"privet schema draft patients.csv --target {TARGET} --dataset {DATASET} -o draft.toml")
    case = DraftSchema(data=files.training, target=TARGET, dataset=DATASET, output=files.draft)
    drafted = case.run(Session()).schema
    teller.show(_excerpt(schema_text(drafted), "[columns.age]", 5))
    teller.say(
        "These bounds are the youngest and the oldest patient: copied from people, so marked as a draft."
    )

    teller.step("Nothing private runs on a draft")
    teller.command("privet fit naive-bayes patients.csv --schema draft.toml --epsilon 1 -o model.json")
    try:
        _naive_bayes(files, schema=files.draft).run(Session())
    except SchemaError as refusal:
        teller.refused(refusal)
        return drafted, refusal
    raise AssertionError("a draft must be refused")


def _confirm(files: Files, teller: Teller) -> Schema:
    teller.step("A person says what is public")
    teller.say(
        "The clinic's data owner replaces what was read off the data by round numbers and by the answers",
        "printed on the clinic's form: knowledge that nobody's record was needed for.",
    )
    schema = public_knowledge()
    write_schema(schema, files.schema)
    teller.show(_excerpt(schema_text(schema), "[columns.age]", 5))
    teller.command("privet schema check patients.csv --schema schema.toml")
    check = CheckSchema(data=files.training, schema=files.schema).run(Session())
    teller.say("The table fits." if check.fits else "The table does not fit.")
    return schema


def _open_ledger(files: Files, teller: Teller) -> Ledger:
    teller.step(f"The owner opens a budget of ε = {LIMIT:g}")
    teller.command(
        f"privet ledger open patients.csv --schema schema.toml --epsilon {LIMIT:g} --each-analyst {LIMIT:g}"
    )
    case = OpenAccount(data=files.training, schema=files.schema, epsilon=LIMIT, each_analyst=LIMIT)
    case.run(Session(ledger=files.ledger, analyst="owner"))
    teller.say(f"However many analysts ask, '{DATASET}' never gives out more than ε = {LIMIT:g} in total.")
    return Ledger.open(files.ledger).as_analyst("owner")


def _naive_bayes(files: Files, schema: Path, output: Path | None = None) -> Fit:
    parameters = {"epsilon": FIT_EPSILON}
    return Fit(
        algorithm="naive-bayes", data=files.training, schema=schema, parameters=parameters, output=output
    )


def _fit(files: Files, teller: Teller, ana: Session) -> Any:
    case = _naive_bayes(files, files.schema, files.model)
    teller.step("Ana asks what a model would cost, then learns it")
    command = "privet fit naive-bayes patients.csv --schema schema.toml --analyst ana"
    teller.command(f"{command} --epsilon 1 --dry-run")
    plan = case.plan(ana)
    largest = max(step.error for step in plan.steps)
    teller.say(
        f"It would take {plan.amount} in {len(plan.steps)} measurements, each cell off by at most "
        f"{largest:.0f} records in 95 % of cases, and leave {plan.after.left if plan.after else 'nothing'}.",
        "Nothing has been spent.",
    )
    teller.command(f"{command} --epsilon 1 -o model.json")
    model = case.run(ana).model
    teller.show("\n".join(model.guarantee_.text().splitlines()[:8]) + "\n…")
    return model


def _evaluate(files: Files, teller: Teller, ana: Session, model: Any, holdout: pa.Table) -> Any:
    teller.step("How good is the model? That is paid for too")
    teller.say(
        "A score on private records says something about them. So the confusion matrix gets noise as well,",
        "and the score gets an error bar.",
    )
    teller.command(f"privet evaluate model.json holdout.csv --epsilon {EVALUATION_EPSILON:g} --analyst ana")
    case = Evaluate(model=files.model, data=files.holdout, epsilon=EVALUATION_EPSILON)
    evaluation = case.run(ana).found
    teller.show("\n".join(evaluation.text().splitlines()[:3]))
    exact = exact_evaluation(model, holdout)
    teller.say(
        f"The exact accuracy is {exact.accuracy}. Only the owner of generated data can show",
        "you that: with real patients it would be an unpaid release.",
    )
    return evaluation


def _alter(files: Files, teller: Teller) -> ModelError:
    teller.step("The model is plain JSON, and notices when it is altered")
    teller.say(f"{files.model.name} holds what was learned, the schema and the guarantee, and no record.")
    text = files.model.read_text(encoding="utf-8")
    files.altered.write_text(text.replace('"epsilon": 1.0', '"epsilon": 0.1', 1), encoding="utf-8")
    teller.say("Somebody makes its guarantee look ten times stronger, in a copy:")
    teller.command("privet model show model-altered.json")
    try:
        ShowModel(file=files.altered).run(Session())
    except ModelError as refusal:
        teller.refused(refusal)
        return refusal
    raise AssertionError("an altered model must be refused")


def _second_analyst(files: Files, teller: Teller, ledger: Ledger) -> BudgetExceeded:
    teller.step("Ben comes too late")
    teller.command(
        "privet fit naive-bayes patients.csv --schema schema.toml --analyst ben --epsilon 1 -o ben.json"
    )
    before = ledger.spent(DATASET)
    try:
        _naive_bayes(files, files.schema).run(Session(ledger=ledger, analyst="ben"))
    except BudgetExceeded as refusal:
        teller.refused(refusal)
        assert ledger.spent(DATASET) == before
        teller.say(f"Nothing was measured and nothing was spent: still {ledger.balance(DATASET)}.")
        return refusal
    raise AssertionError("the budget must be refused")


def _history(teller: Teller, ledger: Ledger) -> None:
    teller.step("Everything is written down")
    teller.command(f"privet ledger history {DATASET}")
    for entry in ledger.history(DATASET):
        spent = f"{entry.amount}, {entry.state}" if entry.kind == "reserve" else ""
        teller.show(f"{entry.number:>2}  {entry.who:<6} {entry.what:<32} {spent}")
    teller.command("privet ledger verify")
    VerifyLedger().run(Session(ledger=ledger))
    teller.say("The chain of entries is whole: none was changed or taken out.")


def _excerpt(text: str, start: str, lines: int) -> str:
    """Some lines of a file, from the one that begins with ``start``."""
    every = text.splitlines()
    place = every.index(start)
    return "\n".join([*every[place : place + lines], "…"])
