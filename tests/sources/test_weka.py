"""WEKA is the judge of ARFF: it opens what is written here, and its own files read here as it reads them."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privet.errors import DataError
from privet.schema import Schema
from privet.sources import ArffSource, ArrowSource, write_arff
from tests.sources.tables import values

pytestmark = pytest.mark.weka

JAR = Path("/usr/share/java/weka.jar")
EXAMPLES = Path("/usr/share/doc/weka/examples")

Weka = Callable[..., str]


@pytest.fixture(scope="module")
def weka() -> Weka:
    """Run a class of WEKA. Without WEKA the tests are skipped on a desk, and fail where CI is set."""
    if not JAR.exists() or shutil.which("java") is None:
        reason = "Debian's weka package is not installed: apt-get install weka"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)

    def run(*arguments: object) -> str:
        command = ["java", "-Dfile.encoding=UTF-8", "-Djava.awt.headless=true", "-cp", str(JAR)]
        done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "Exception" not in done.stderr, done.stderr
        return done.stdout

    return run


def through_weka(weka: Weka, path: Path, folder: Path, ignore: tuple[str, ...] = ()) -> ArffSource:
    """What WEKA has read from the file, written out by WEKA, every row in full."""
    again = folder / f"weka-{path.name}"
    weka("weka.filters.unsupervised.instance.SparseToNonSparse", "-i", path, "-o", again)
    assert not any(line.startswith("{") for line in again.read_text().splitlines())
    return ArffSource(again, ignore=ignore)


def same(ours: dict[str, list[Any]], theirs: dict[str, list[Any]]) -> None:
    """Equal but for the sixth decimal, which is the last that WEKA 3.6 writes."""
    assert list(ours) == list(theirs)
    for name in ours:
        assert len(ours[name]) == len(theirs[name])
        for mine, other in zip(ours[name], theirs[name], strict=True):
            if isinstance(mine, float) and isinstance(other, float):
                assert math.isclose(mine, other, rel_tol=1e-12, abs_tol=6e-7), name
            else:
                assert mine == other, name


def test_what_is_written_here_opens_in_weka(weka: Weka, tmp_path: Path) -> None:
    domain = [
        "plain",
        "two words",
        "it's",
        'say "so"',
        "a,b",
        "50 %",
        "{x}",
        "back\\slash",
        "?",
        " padded ",
        "né",
        "日本",
    ]
    table = pa.table(
        {
            "a name, 'quoted' {}": [*domain, None],
            "number %": [1.5, -2e300, 1e-300, 0.1, 3, None, float("nan"), 0, 5, 6, 7, 8, 9],
            "code": [1, 2] * 6 + [None],
        }
    )
    path = tmp_path / "written.arff"
    write_arff(ArrowSource(table), path, Schema.of({"a name, 'quoted' {}": domain, "code": [1, 2]}))
    ours, theirs = ArffSource(path), through_weka(weka, path, tmp_path)
    assert theirs.declared() == ours.declared()
    assert values(ours) == table.to_pydict() | {
        "number %": [1.5, -2e300, 1e-300, 0.1, 3, None, None, 0, 5, 6, 7, 8, 9],
        "code": ["1", "2"] * 6 + [None],
    }
    same(values(ours), values(theirs))


def test_sparse_rows_as_weka_reads_them(weka: Weka, tmp_path: Path) -> None:
    path = tmp_path / "sparse.arff"
    head = "@relation s\n@attribute a numeric\n@attribute b {x,'y z'}\n@attribute c {u,v}\n@data\n"
    path.write_text(head + "{0 5, 1 'y z'}\n{}\n{1 ?, 2 v}\n{2 \"v\" }\n{0\t3,1\t'y z'}\n{ 0 ? }\n")
    assert values(ArffSource(path)) == values(through_weka(weka, path, tmp_path))


def test_awkward_rows_as_weka_reads_them(weka: Weka, tmp_path: Path) -> None:
    path = tmp_path / "awkward.arff"
    path.write_text(
        "@relation r\n@attribute a numeric\n@attribute s {x,'y z',\"q,r\",'o\\'k','tab\\tbed'}\n"
        "@data\n\n% comment\n"
        "1 , 'y z'\n2\tx\n3 \"q,r\" % why\n'4','o\\'k'\n5,,x\n?,'tab\\tbed'\n\n1e3,?\n"
    )
    found = values(ArffSource(path))
    assert found == values(through_weka(weka, path, tmp_path))
    assert found["a"] == [1, 2, 3, 4, 5, None, 1000]


EXAMPLE_NAMES = sorted(path.name for path in EXAMPLES.glob("*.arff")) or ["(no examples)"]


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_wekas_own_examples(weka: Weka, tmp_path: Path, name: str) -> None:
    path = EXAMPLES / name
    ignore: tuple[str, ...] = ()
    if name.startswith("Reuters"):  # documents: a string attribute
        with pytest.raises(DataError, match="'Text'"):
            list(ArffSource(path).batches())
        ignore = ("Text",)
    ours, theirs = ArffSource(path, ignore=ignore), through_weka(weka, path, tmp_path, ignore)
    assert ours.declared() == theirs.declared()
    found = values(ours)
    assert len(found[ours.names[0]]) > 10
    same(found, values(theirs))
