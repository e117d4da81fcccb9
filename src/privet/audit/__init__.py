"""The audit: any claim of privacy can be tested, and false ones are caught."""

from privet.audit.empirical import audit, audit_again
from privet.audit.pairs import Pair
from privet.audit.verdict import Audit, with_audit

__all__ = ["Audit", "Pair", "audit", "audit_again", "with_audit"]
