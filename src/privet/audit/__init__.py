"""The audit: any claim of privacy can be tested, and false ones are caught."""

from privet.audit.empirical import audit, audit_again
from privet.audit.one_run import OneRun, audit_one_run
from privet.audit.pairs import Pair
from privet.audit.sensitivity import Worst, climb, search_statistic, worst_neighbours
from privet.audit.transcript import Transcript
from privet.audit.verdict import Audit, with_audit

__all__ = [
    "Audit",
    "OneRun",
    "Pair",
    "Transcript",
    "Worst",
    "audit",
    "audit_again",
    "audit_one_run",
    "climb",
    "search_statistic",
    "with_audit",
    "worst_neighbours",
]
