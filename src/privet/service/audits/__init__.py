"""Claims put to the test: of an algorithm, of a perturbed table, of a released model."""

from privet.service.audits.algorithm import AuditAlgorithm
from privet.service.audits.inversion import AuditInversion
from privet.service.audits.perturbation import AuditPerturbation

__all__ = ["AuditAlgorithm", "AuditInversion", "AuditPerturbation"]
