"""Genome-wide association: a study's budget, what is released of it, and what its owner may look at."""

from privet.service.gwas.owner import AttackStudy, ControlQuality, ConvertGenotypes, OpenStudy
from privet.service.gwas.releases import ChooseTopSnps, CountSignificant, ReleaseTables

__all__ = [
    "AttackStudy",
    "ChooseTopSnps",
    "ControlQuality",
    "ConvertGenotypes",
    "CountSignificant",
    "OpenStudy",
    "ReleaseTables",
]
