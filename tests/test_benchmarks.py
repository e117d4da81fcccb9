"""What the benchmarks of engines rest on: that the time of every process is counted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.spent import cpu_seconds
from privet.sources.spark import SparkMap

#: Half a second of a processor, as an expression: executors have no test modules.
BURN = (
    "(lambda clock: (lambda begin: next(now for now in iter(clock, None) if now > begin + 0.5))(clock()))"
    "(__import__('time').thread_time)"
)
FAMILY = f"""
import os, signal, sys
from benchmarks.spent import adopt_orphans, cpu_seconds
adopt_orphans()
read, write = os.pipe()
before = cpu_seconds()
kind = sys.argv[1]
if kind == "alone":
    {BURN}
elif os.fork() == 0:
    if kind == "orphan" and os.fork():
        os._exit(0)
    {BURN}
    if kind != "child that has ended":
        os.write(write, b"done")
        signal.pause()
    os._exit(0)
elif kind == "child that has ended":
    os.wait()
else:
    os.read(read, 4)
print(cpu_seconds() - before)
if kind == "orphan":
    os.wait()
os.killpg(0, signal.SIGKILL)
"""


@pytest.mark.parametrize("kind", ["alone", "child", "child that has ended", "orphan"])
def test_time_is_counted_wherever_in_the_family_it_was_spent(kind):
    done = subprocess.run(
        [sys.executable, "-c", FAMILY, kind], capture_output=True, text=True, start_new_session=True
    )
    assert 0.45 < float(done.stdout) < 1.0  # it is told in hundredths


def test_time_in_a_task_of_spark_is_counted(spark):
    """The attack: its workers' parent ignores their end, so who waits for children never hears of it."""
    workers = SparkMap(spark)
    workers(eval, ["0", "0"])
    before = cpu_seconds()
    workers(eval, [BURN] * 8)
    assert cpu_seconds() - before > 3.9
