"""Genome-wide association: private top variants, counts and tables from packed genotypes."""

from privet.selection.gwas.count_significant import SignificantCount, count_significant
from privet.selection.gwas.quality import Passed, QualityControl
from privet.selection.gwas.study import Study
from privet.selection.gwas.top_snps import Snp, TopSnps, top_snps

__all__ = [
    "Passed",
    "QualityControl",
    "SignificantCount",
    "Snp",
    "Study",
    "TopSnps",
    "count_significant",
    "top_snps",
]
