"""The demonstration: from a table on disk to a private model, its evaluation, and a budget that says no."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet import service
from privet.budget import Ledger
from privet.demo.figures import exact_evaluation
from privet.demo.patients import DATASET, TARGET, public_knowledge
from privet.demo.teller import Teller
from privet.errors import BudgetExceeded, ModelError, SchemaError
from privet.model import load_model
from privet.schema import Schema, write_schema
from privet.schema.file import schema_text
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
    ledger = _open_ledger(files, teller, schema)
    model = _fit(files, teller, schema, ledger)
    evaluation = _evaluate(files, teller, model, ledger, holdout)
    alteration = _save(files, teller, model)
    budget_refusal = _second_analyst(files, teller, schema, ledger)
    _history(files, teller, ledger)
    return Outcome(schema, drafted, draft_refusal, model, evaluation, alteration, budget_refusal, ledger)


def _draft(files: Files, teller: Teller, learning: int, testing: int) -> tuple[Schema, SchemaError]:
    teller.step("Draft a schema: what is in this table?")
    teller.say(
        f"{files.training.name} holds {learning:,} patients to learn from; {files.holdout.name} holds "
        f"{testing:,} others to test on."
    )
    teller.command(f"privet schema draft patients.csv --target {TARGET} --dataset {DATASET} -o draft.toml")
    drafted = service.draft_schema(files.training, target=TARGET, dataset=DATASET)
    write_schema(drafted, files.draft)
    teller.show(_excerpt(schema_text(drafted), "[columns.age]", 5))
    teller.say(
        "These bounds are the youngest and the oldest patient: copied from people, so marked as a draft."
    )

    teller.step("Nothing private runs on a draft")
    teller.command("privet fit naive-bayes patients.csv --schema draft.toml --epsilon 1 -o model.json")
    try:
        service.fit("naive-bayes", files.training, files.draft, {"epsilon": FIT_EPSILON})
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
    check = service.check_schema(files.training, schema)
    teller.say("The table fits." if check.fits else "The table does not fit.")
    return schema


def _open_ledger(files: Files, teller: Teller, schema: Schema) -> Ledger:
    teller.step(f"The owner opens a budget of ε = {LIMIT:g}")
    teller.command(
        f"privet ledger open patients.csv --schema schema.toml --epsilon {LIMIT:g} --each-analyst {LIMIT:g}"
    )
    ledger = service.open_ledger(files.ledger, "owner", create=True)
    table = service.open_table(files.training, schema)
    limit = service.limit_of(LIMIT)
    service.open_account(ledger, table, schema, limit, each_analyst=limit)
    teller.say(f"However many analysts ask, '{DATASET}' never gives out more than ε = {LIMIT:g} in total.")
    return ledger


def _fit(files: Files, teller: Teller, schema: Schema, ledger: Ledger) -> Any:
    ana = ledger.as_analyst("ana")
    request: dict[str, Any] = {"epsilon": FIT_EPSILON}
    teller.step("Ana asks what a model would cost, then learns it")
    command = "privet fit naive-bayes patients.csv --schema schema.toml --analyst ana"
    teller.command(f"{command} --epsilon 1 --dry-run")
    plan = service.plan_fit("naive-bayes", files.training, schema, request, ledger=ana)
    largest = max(step.error for step in plan.steps)
    teller.say(
        f"It would take {plan.amount} in {len(plan.steps)} measurements, each cell off by at most "
        f"{largest:.0f} records in 95 % of cases, and leave {plan.after.left if plan.after else 'nothing'}.",
        "Nothing has been spent.",
    )
    teller.command(f"{command} --epsilon 1 -o model.json")
    model = service.fit("naive-bayes", files.training, schema, request, ledger=ana)
    teller.show("\n".join(model.guarantee_.text().splitlines()[:8]) + "\n…")
    return model


def _evaluate(files: Files, teller: Teller, model: Any, ledger: Ledger, holdout: pa.Table) -> Any:
    teller.step("How good is the model? That is paid for too")
    teller.say(
        "A score on private records says something about them. So the confusion matrix gets noise as well,",
        "and the score gets an error bar.",
    )
    teller.command(f"privet evaluate model.json holdout.csv --epsilon {EVALUATION_EPSILON:g} --analyst ana")
    ana = ledger.as_analyst("ana")
    evaluation = service.evaluate(model, files.holdout, epsilon=EVALUATION_EPSILON, ledger=ana)
    teller.show("\n".join(evaluation.text().splitlines()[:3]))
    exact = exact_evaluation(model, holdout)
    teller.say(
        f"The exact accuracy is {exact.accuracy}. Only the owner of generated data can show",
        "you that: with real patients it would be an unpaid release.",
    )
    return evaluation


def _save(files: Files, teller: Teller, model: Any) -> ModelError:
    teller.step("The model is plain JSON, and notices when it is altered")
    service.save(model, files.model)
    teller.say(f"{files.model.name} holds what was learned, the schema and the guarantee, and no record.")
    text = files.model.read_text(encoding="utf-8")
    files.altered.write_text(text.replace('"epsilon": 1.0', '"epsilon": 0.1', 1), encoding="utf-8")
    teller.say("Somebody makes its guarantee look ten times stronger, in a copy:")
    teller.command("privet model show model-altered.json")
    try:
        load_model(files.altered)
    except ModelError as refusal:
        teller.refused(refusal)
        return refusal
    raise AssertionError("an altered model must be refused")


def _second_analyst(files: Files, teller: Teller, schema: Schema, ledger: Ledger) -> BudgetExceeded:
    teller.step("Ben comes too late")
    teller.command(
        "privet fit naive-bayes patients.csv --schema schema.toml --analyst ben --epsilon 1 -o ben.json"
    )
    ben = ledger.as_analyst("ben")
    before = ledger.spent(DATASET)
    try:
        service.fit("naive-bayes", files.training, schema, {"epsilon": FIT_EPSILON}, ledger=ben)
    except BudgetExceeded as refusal:
        teller.refused(refusal)
        assert ledger.spent(DATASET) == before
        teller.say(f"Nothing was measured and nothing was spent: still {ledger.balance(DATASET)}.")
        return refusal
    raise AssertionError("the budget must be refused")


def _history(files: Files, teller: Teller, ledger: Ledger) -> None:
    teller.step("Everything is written down")
    teller.command(f"privet ledger history {DATASET}")
    for entry in ledger.history(DATASET):
        spent = f"{entry.amount}, {entry.state}" if entry.kind == "reserve" else ""
        teller.show(f"{entry.number:>2}  {entry.who:<6} {entry.what:<32} {spent}")
    teller.command("privet ledger verify")
    ledger.verify()
    teller.say("The chain of entries is whole: none was changed or taken out.")


def _excerpt(text: str, start: str, lines: int) -> str:
    """Some lines of a file, from the one that begins with ``start``."""
    every = text.splitlines()
    place = every.index(start)
    return "\n".join([*every[place : place + lines], "…"])
