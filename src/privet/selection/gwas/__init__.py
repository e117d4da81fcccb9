"""Genome-wide association: private top variants, counts and tables from packed genotypes."""

from privet.selection.gwas.count_significant import SignificantCount, count_significant
from privet.selection.gwas.homer import Homer, homer
from privet.selection.gwas.quality import Passed, QualityControl
from privet.selection.gwas.report import report
from privet.selection.gwas.study import Study
from privet.selection.gwas.tables import NoisyTables, noisy_tables
from privet.selection.gwas.top_snps import Snp, TopSnps, top_snps

__all__ = [
    "Homer",
    "NoisyTables",
    "Passed",
    "QualityControl",
    "SignificantCount",
    "Snp",
    "Study",
    "TopSnps",
    "count_significant",
    "homer",
    "noisy_tables",
    "report",
    "top_snps",
]
