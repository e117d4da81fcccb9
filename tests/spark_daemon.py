"""What executors fork their Python workers from: a process that has loaded Privet already."""

import privet.engines.parted
import privet.sources.parquet
import privet.stats.kernels  # noqa: F401

if __name__ == "__main__":
    from pyspark.daemon import manager

    manager()
