"""A user's function in a process of its own: nothing that it does stops the run, shows, or stays."""

from __future__ import annotations

import os
import time

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import ParameterError
from privet.isolation import cell
from privet.isolation.cell import Isolated


class PlainFork(Isolated):
    """Where the system cannot close a cell."""

    closes = False


@pytest.mark.parametrize("kind", [Isolated, PlainFork])
def test_whatever_a_function_does_on_a_block_the_others_are_as_they_were(kind, tmp_path, capfd):
    cells = kind
    pids = str(tmp_path / "pids")

    def function(table):
        import os
        import signal
        import subprocess
        import sys
        import time

        seen.append(table.num_rows)
        kind = table["kind"][0].as_py()
        if kind == "raises":
            raise ValueError("secret 4711")
        if kind == "hangs":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            with open(pids, "w") as file:
                file.write(f"{os.getpid()} {child.pid}")
            time.sleep(600)
        if kind == "spins":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                pass
        if kind == "exits":
            os._exit(0)
        if kind == "leaves":
            sys.exit(4711)
        if kind == "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        if kind == "prints":
            print("secret 4711")
            print("secret 4711", file=sys.stderr)
            os.write(1, b"secret 4711")
        if kind == "hoards":
            return bytearray(1 << 60)
        odd = {"text": "abc", "nothing": None, "long": [1.0, 2.0, 3.0], "nan": [float("nan"), 5.0]}
        return odd.get(kind, [len(seen), 7.0])

    seen: list[int] = []
    kinds = [
        "fine",
        "raises",
        "hangs",
        "spins",
        "exits",
        "leaves",
        "dies",
        "prints",
        "hoards",
        "text",
        "nothing",
    ]
    kinds += ["long", "nan", "fine"]
    with cells(function, outputs=2, timeout=8.0, as_pandas=False, isolation="available") as isolated:
        results = isolated.run([pa.table({"kind": [kind]}) for kind in kinds])
    got = dict(zip(kinds, results, strict=True))
    # Every run starts from the same state: what one has appended, no other sees.
    for kind in ("fine", "prints"):
        np.testing.assert_array_equal(got.pop(kind), [1.0, 7.0])
    np.testing.assert_array_equal(got.pop("nan"), [np.nan, 5.0])
    assert set(got.values()) == {None}
    assert capfd.readouterr() == ("", "")
    if cells is Isolated:
        assert not list(tmp_path.iterdir())
        return
    with open(pids) as file:
        for pid in map(int, file.read().split()):
            assert _ends(pid)


def _ends(pid: int) -> bool:
    for _ in range(100):  # an orphan is reaped by whoever adopts it
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_a_function_that_ends_its_maker_does_not_stop_the_run():
    def function(table):
        import os
        import signal

        os.kill(os.getppid(), signal.SIGKILL)

    with PlainFork(function, outputs=1, timeout=60.0, as_pandas=False, isolation="available") as isolated:
        # Whether the block's own process still gets its None (not a number) out is a race; neither counts.
        results = isolated.run([pa.table({"x": [1]})] * 3)
    assert len(results) == 3
    assert all(result is None or np.isnan(result).all() for result in results)


def test_a_block_that_ends_the_maker_changes_no_other_block():
    """Else one record could move every block's output: a leak far beyond what the noise is made for."""

    def function(table):
        import os
        import signal

        if table["x"][0].as_py() == 1:
            os.kill(os.getppid(), signal.SIGKILL)
        return [float(table["x"][0].as_py())]

    with PlainFork(function, outputs=1, timeout=60.0, as_pandas=False, isolation="available") as isolated:
        results = isolated.run([pa.table({"x": [x]}) for x in (0, 0, 1, 0, 0, 0, 0, 0)])
    others = [result for place, result in enumerate(results) if place != 2]
    assert all(result is not None and result.tolist() == [0.0] for result in others)


def test_refuses_what_needs_a_package_that_is_missing(monkeypatch):
    monkeypatch.setattr(cell, "installed_path", list)  # not even NumPy
    with pytest.raises(ParameterError, match="could not be loaded"), Isolated(len, 1, 1.0, False):
        pass


def test_what_a_function_imports_while_it_runs_is_found_by_the_rehearsal():
    def lazily(table):
        return len(__import__("wa" + "ve").__name__)  # in no list of names

    block = pa.table({"x": [1.0]})
    with Isolated(lazily, 1, 5.0, False) as isolated:
        assert isolated.run([block]) == [None]
    with Isolated(lazily, 1, 5.0, False, rehearsal=block) as isolated:
        assert isolated.run([block]) == [[4.0]]


def test_a_module_beside_a_script_is_never_loaded(tmp_path, monkeypatch):
    """It could read the table when it is imported, where that is still possible."""
    (tmp_path / "module_beside_a_test.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.syspath_prepend(tmp_path)

    def imports(table):
        import module_beside_a_test

        return bool(module_beside_a_test)

    block = pa.table({"x": [1.0]})
    with (
        pytest.raises(ParameterError, match="No module named 'module_beside_a_test'"),
        Isolated(imports, 1, 5.0, False, rehearsal=block),
    ):
        pass
    assert not (tmp_path / "ran").exists()


def test_the_environment_is_empty(monkeypatch):
    def looks(table):
        import os

        return "PRIVET_TEST_SECRET" in os.environ

    monkeypatch.setenv("PRIVET_TEST_SECRET", "4711")
    with Isolated(looks, 1, 5.0, False) as isolated:
        assert isolated.run([pa.table({"x": [1.0]})]) == [[0.0]]
