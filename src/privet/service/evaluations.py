"""Scores of models: exact on data declared public, noised and paid for on all other data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.budget import Ledger, budget
from privet.schema import Schema
from privet.service.ledgers import account_of
from privet.service.plans import Plan, event_for, plan_against
from privet.service.runs import build, settled
from privet.service.tables import Watch, database_errors, open_table

__all__ = ["cross_validate", "evaluate", "plan_cross_validation", "plan_evaluation"]
