"""Everything that Privet can do, one line per use case: its command, its home, and what it does.

Only names are held, so that listing the commands imports none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from privet.errors import ParameterError
from privet.parameters import json_schema
from privet.service.case import UseCase

__all__ = ["GROUPS", "USE_CASES", "Command", "entry_of", "use_case"]


@dataclass(frozen=True)
class Command:
    """One use case: the words of its command, the home of its class, and a line that says what it does.

    ``per_algorithm`` is the command of the families whose algorithms each get a command of their own;
    ``default`` is the algorithm that is meant if none is named.
    """

    words: tuple[str, ...]
    home: str
    line: str
    per_algorithm: bool = False
    default: str | None = None

    @property
    def name(self) -> str:
        return " ".join(self.words)

    def load(self) -> type[UseCase]:
        """The use case's class."""
        module, _, cls = self.home.partition(":")
        loaded: type[UseCase] = getattr(import_module(module), cls)
        return loaded

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the use case's parameters."""
        return json_schema(self.load(), title=self.name, description=self.line)


def _entry(command: str, home: str, line: str, **more: bool | str) -> Command:
    return Command(tuple(command.split()), f"privet.service.{home}", line, **more)  # type: ignore[arg-type]


GROUPS: dict[str, str] = {
    "schema": "Declare what is public about a table: draft, confirm, show, check.",
    "ledger": "Budgets and what was spent: open, register, schema, show, history, limit, verify, head, move.",
    "flow": "Whole processes with one budget: show, plan, run.",
    "experiment": "Compare algorithms over tables, settings and epsilons: make, run, show.",
    "model": "Released models: show, export.",
    "audit": "Put a claim of privacy to the test: of an algorithm (by its name), a perturbed table or a model.",
    "study": "Studies of several parties: make one, and take it to its result.",
    "gwas": "Genome-wide association: top variants, counts and tables with a guarantee.",
}

USE_CASES: tuple[Command, ...] = (
    _entry("schema draft", "schemas:DraftSchema", "Draft a schema from a table, for a person to check."),
    _entry("schema confirm", "schemas:ConfirmSchema", "Confirm that entries read off the data are public knowledge."),
    _entry("schema show", "schemas:ShowSchema", "Show each column, what is public about it, and where that came from."),
    _entry("schema check", "checking:CheckSchema", "Check that a table fits its schema."),
    _entry("fit", "fitting:Fit", "Learn a private model from a table.", per_algorithm=True),
    _entry("stream", "streaming:Stream", "Learn privately from records that keep coming.", per_algorithm=True),
    _entry("predict", "predicting:Predict", "Predict the class (or number) of each record of a table."),
    _entry("synthesise", "synthesising:Synthesise", "Draw made-up records from a released model."),
    _entry("evaluate", "scoring:Evaluate", "Score a released model on a table."),
    _entry("diagnose", "diagnosing:Diagnose", "Draw a released model's ROC curve, calibration and lift, or its residuals."),
    _entry("compare-models", "diagnosing:CompareModels", "Say which of two released models is better on the same records."),
    _entry("importance", "diagnosing:ShowImportance", "Say which attributes a released model rests on; costs nothing."),
    _entry("cross-validate", "scoring:CrossValidate", "Only measure how good such a model is: learn from all parts of a table but one, score on that one, in turn.", per_algorithm=True),
    _entry("select", "selecting:Select", "Choose the attributes that say most about the target.", per_algorithm=True, default="select-k-best"),
    _entry("prepare", "preparing:Prepare", "Buy bounds, cuts or domains of a table's columns: a schema with a guarantee.", per_algorithm=True),
    _entry("describe", "querying:Describe", "Take a first look at a table: histograms, two-way tables, quartiles, means."),
    _entry("query", "querying:AskQuery", "Ask a table a question in SQL."),
    _entry("aggregate", "aggregating:Aggregate", "Run a function of your own on blocks of a table, and release the mean of what it returns.", per_algorithm=True, default="sample-aggregate"),
    _entry("forecast", "forecasting:ForecastRun", "Forecast how good a model would be at each epsilon; no data is read.", per_algorithm=True),
    _entry("made-up", "forecasting:MakeUp", "Write a table of made-up people with a schema's columns, to practise on."),
    _entry("flow show", "flows:ShowFlow", "Show the steps and edges of a flow, or draw them."),
    _entry("flow plan", "flows:PlanFlow", "Say what each step of a flow would get, and what all of it would cost."),
    _entry("flow run", "flows:RunFlow", "Run a flow, paid for once; what was released before is used again."),
    _entry("experiment make", "experiments:MakeExperiment", "Write the text file of an experiment to begin with."),
    _entry("experiment run", "experiments:RunExperiment", "Run an experiment, or what is left of it; private tables are priced as a whole first."),
    _entry("experiment show", "experiments:ShowExperiment", "Show what an experiment has found so far, or write it as HTML, CSV, ARFF or LaTeX."),
    _entry("ledger open", "ledgers:OpenAccount", "Give the people in a table a budget."),
    _entry("ledger register", "ledgers:RegisterSchema", "Register a new version of a table's schema."),
    _entry("ledger schema", "ledgers:ShowRegistered", "Print the schema that is registered for an account."),
    _entry("ledger show", "ledgers:ShowAccounts", "Show each account: its limit, what is spent and what is left."),
    _entry("ledger history", "ledgers:ShowHistory", "Show everything that was done, in order."),
    _entry("ledger limit", "ledgers:SetLimit", "Raise or lower a limit."),
    _entry("ledger verify", "ledgers:VerifyLedger", "Check that no entry was changed, removed or put back."),
    _entry("ledger head", "ledger_heads:ShowHead", "Print or publish the head, or check one that was noted down."),
    _entry("ledger move", "ledger_moves:MoveLedger", "Move a whole ledger to another file or database."),
    _entry("algorithms", "algorithms:ShowAlgorithms", "List the algorithms, or show the parameters of one."),
    _entry("audit algorithm", "audits:AuditAlgorithm", "Search for a violation of the privacy that an algorithm claims."),
    _entry("audit perturbation", "audits:AuditPerturbation", "Attack a perturbed table with the original at hand."),
    _entry("audit inversion", "audits:AuditInversion", "Infer a sensitive attribute of known people from a released model."),
    _entry("perturb", "perturbing:Perturb", "Hide the values of a table or a stream.", per_algorithm=True),
    _entry("compare", "comparing:Compare", "Mine a perturbed table beside the original."),
    _entry("gwas open", "gwas:OpenStudy", "Give the people of a study a budget."),
    _entry("gwas qc", "gwas:ControlQuality", "Show what quality control keeps: exact numbers, for the owner."),
    _entry("gwas top-snps", "gwas:ChooseTopSnps", "Choose the variants most associated with the phenotype."),
    _entry("gwas count-significant", "gwas:CountSignificant", "Count the significant variants privately."),
    _entry("gwas tables", "gwas:ReleaseTables", "Release noisy genotype tables of named variants."),
    _entry("gwas convert", "gwas:ConvertGenotypes", "Write the genotypes as a table that other tools read."),
    _entry("gwas homer", "gwas:AttackStudy", "Attack a study, as its owner: who can be recognised?"),
    _entry("study make", "party_studies:MakeStudy", "Make a study of several parties."),
    _entry("study next", "party_studies:RunStudy", "Do the coordinator's next step, and make the result."),
    _entry("party", "party_studies:ContributeToStudy", "Do a party's next step in a study: join, send, agree, reveal."),
    _entry("model show", "models:ShowModel", "Show what a model was made with, and its guarantee."),
    _entry("model export", "exchanging:ExportModel", "Write a model as ONNX or PMML, for tools that do not know Privet."),
    _entry("keys", "keys:MakeKeys", "Make a pair of keys to sign models with."),
    _entry("export", "exporting:Export", "Turn a run document into a script, a notebook or a command."),
    Command(("serve",), "privet.server.commands:Serve", "Serve many people, with one ledger."),
    Command(("backup",), "privet.server.backup:BackUp", "Copy a server, with its ledger, while it runs."),
    Command(("restore",), "privet.server.backup:Restore", "Put a backup of a server in its place."),
    Command(("workbench",), "privet.server.commands:Workbench", "Open the workbench in a browser."),
    _entry("demo", "demonstration:Demonstrate", "Tell Privet's story on a table of generated patients."),
)  # fmt: skip


def entry_of(name: str) -> Command:
    """The use case of that name, such as ``schema draft``."""
    for entry in USE_CASES:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in USE_CASES)
    raise ParameterError(f"There is no use case '{name}'.", f"Choose one of: {known}.")


def use_case(name: str) -> type[UseCase]:
    """The class of the use case of that name.

    >>> use_case("fit").__name__
    'Fit'
    """
    return entry_of(name).load()
