"""Use cases shared by the three faces of Privet: plain functions with plain values, and no printing."""

from privet.service.evaluations import cross_validate, evaluate, plan_cross_validation, plan_evaluation
from privet.service.genotypes import convert_genotypes
from privet.service.ledgers import AccountView, NoAccount, limit_of, open_account, open_ledger, view_accounts
from privet.service.outputs import Unsaved, check_key, check_place, save
from privet.service.plans import Plan
from privet.service.predictions import predict
from privet.service.runs import fit, plan_fit, settled
from privet.service.schemas import SchemaCheck, check_schema, confirm_schema, draft_schema
from privet.service.tables import ENGINES, Watch, open_table
from privet.service.tuning import plan_tuning, read_grid, tune

__all__ = [
    "ENGINES",
    "AccountView",
    "NoAccount",
    "Plan",
    "SchemaCheck",
    "Unsaved",
    "Watch",
    "check_key",
    "check_place",
    "check_schema",
    "confirm_schema",
    "convert_genotypes",
    "cross_validate",
    "draft_schema",
    "evaluate",
    "fit",
    "limit_of",
    "open_account",
    "open_ledger",
    "open_table",
    "plan_cross_validation",
    "plan_evaluation",
    "plan_fit",
    "plan_tuning",
    "predict",
    "read_grid",
    "save",
    "settled",
    "tune",
    "view_accounts",
]
