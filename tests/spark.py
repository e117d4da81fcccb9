"""One Spark cluster for all tests: two executors, each a process of its own, as on two machines."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on ``local-cluster[2,1,1024]``. Executors import Privet from where this process does."""
    from pyspark.sql import SparkSession

    import privet

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    folder = tempfile.mkdtemp(prefix="privet-spark-")
    os.environ["SPARK_WORKER_DIR"] = os.environ["SPARK_LOCAL_DIRS"] = folder
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    paths = os.pathsep.join([str(Path(privet.__file__).parents[1]), str(Path(__file__).parents[1])])
    found = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("privet tests")
        .config("spark.ui.enabled", "false")
        .config("spark.executorEnv.PYTHONPATH", paths)
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.log.level", "OFF")
        .config("spark.python.daemon.module", "tests.spark_daemon")
        # Programs that end soon are compiled in one quick step, and collect garbage on one core.
        .config("spark.driver.extraJavaOptions", _QUICK)
        .config("spark.executor.extraJavaOptions", _QUICK)
        .getOrCreate()
    )
    yield found
    found.stop()
    shutil.rmtree(folder, ignore_errors=True)
