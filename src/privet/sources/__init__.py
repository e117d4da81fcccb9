"""WHERE ROWS COME FROM: arrays, data frames and files, each as a stream of Arrow batches."""

from privet.sources.arff import ArffSource
from privet.sources.arrays import ArraySource, ArrowSource, FrameSource, as_array, as_source, refuse_lazy
from privet.sources.base import BATCH_ROWS, Source
from privet.sources.consumer_dna import ConsumerDnaSource
from privet.sources.csv import CsvSource
from privet.sources.excel import ExcelSource
from privet.sources.fingerprint import fingerprint
from privet.sources.formats import FORMATS, any_source, open_source
from privet.sources.genotypes import GenotypeSource, PackedGenotypes
from privet.sources.options import ReadOptions
from privet.sources.parquet import ParquetSource
from privet.sources.plink import PlinkSource, write_plink
from privet.sources.sql import TableSource
from privet.sources.vcf import VcfSource
from privet.sources.writers import write_arff, write_csv, write_ipc, write_parquet

__all__ = [
    "BATCH_ROWS",
    "FORMATS",
    "ArffSource",
    "ArraySource",
    "ArrowSource",
    "ConsumerDnaSource",
    "CsvSource",
    "ExcelSource",
    "FrameSource",
    "GenotypeSource",
    "PackedGenotypes",
    "ParquetSource",
    "PlinkSource",
    "ReadOptions",
    "Source",
    "TableSource",
    "VcfSource",
    "any_source",
    "as_array",
    "as_source",
    "fingerprint",
    "open_source",
    "refuse_lazy",
    "write_arff",
    "write_csv",
    "write_ipc",
    "write_parquet",
    "write_plink",
]
