"""Genome-wide association: private top variants, counts and tables from packed genotypes."""

from privet.curator.study import Study
from privet.selection.gwas.count_significant import SignificantCount, count_significant
from privet.selection.gwas.report import report
from privet.selection.gwas.tables import NoisyTables, noisy_tables
from privet.selection.gwas.top_snps import Snp, TopSnps, top_snps
from privet.stats.genotypes.quality import Passed, QualityControl

__all__ = [
    "NoisyTables",
    "Passed",
    "QualityControl",
    "SignificantCount",
    "Snp",
    "Study",
    "TopSnps",
    "count_significant",
    "noisy_tables",
    "report",
    "top_snps",
]
