"""What WEKA and others write, read here with equal values; folders, addresses and standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from privet.engines import MemoryEngine, SqlEngine
from privet.errors import DataError
from privet.schema import Schema
from privet.sources import ArffSource, ParquetSource, open_source
from privet.sources.files import COMPRESSED
from privet.sources.formats import FORMATS, WRITERS
from privet.sources.remote import from_standard_input
from privet.stats import Contingency
from tests.sources.tables import values
from tests.sources.test_weka import Weka, same, weka

__all__ = ["weka"]  # a fixture

ARFF = """@relation r
@attribute age numeric
@attribute 'two words' {x,'y z'}
@attribute class {no,yes}
@data
30,x,no
?,'y z',yes
40.5,?,no
"""
NUMBERS = """@relation r
@attribute att_1 numeric
@attribute att_2 numeric
@attribute class numeric
@data
3,0,0
0,2.5,1
"""


@pytest.mark.weka
@pytest.mark.parametrize(
    ("saver", "ending", "text"),
    [
        ("C45Saver", "names", ARFF),
        ("XRFFSaver", "xrff", ARFF),
        ("LibSVMSaver", "libsvm", NUMBERS),
    ],
)
def test_what_weka_writes_reads_here_with_equal_values(
    weka: Weka, tmp_path: Path, saver, ending, text
) -> None:
    path = tmp_path / "table.arff"
    path.write_text(text)
    written = tmp_path / f"written.{ending}"
    last = ("-c", "last") if saver in ("C45Saver", "LibSVMSaver") else ()
    weka(f"weka.core.converters.{saver}", "-i", path, "-o", written, *last)
    found, plain = open_source(written), ArffSource(path)
    same(values(found), values(plain))
    assert found.declared() == plain.declared()


@pytest.mark.weka
@pytest.mark.parametrize(
    ("loader", "ending", "text"),
    [
        ("C45Loader", "names", ARFF.replace("'two words'", "two").replace("'y z'", "y")),
        ("XRFFLoader", "xrff", ARFF),
        ("LibSVMLoader", "libsvm", NUMBERS),
    ],
)
def test_what_is_written_here_weka_reads_with_equal_values(
    weka: Weka, tmp_path: Path, loader, ending, text
) -> None:
    path = tmp_path / "table.arff"
    path.write_text(text)
    written = tmp_path / f"written.{ending}"
    plain = ArffSource(path)
    WRITERS[f".{ending}"](plain, written, plain.declared())
    same(values(open_source(written)), values(plain))  # and so it does here
    assert open_source(written).declared() == plain.declared()
    (tmp_path / "back.arff").write_text(weka(f"weka.core.converters.{loader}", written))
    back = values(ArffSource(tmp_path / "back.arff"))
    same({name.lower(): column for name, column in back.items()}, values(plain))  # C4.5's "Class"


def test_what_a_format_cannot_hold_is_refused_before_the_file_is_there(tmp_path: Path) -> None:
    table = pa.table({"age": [1.0, None], "ill": ["no", "yes"]})
    schema = Schema.of({"ill": ["no", "a, b"]})
    with pytest.raises(DataError, match="missing"):
        WRITERS[".libsvm"](table.select(["age", "age"]).to_batches(), tmp_path / "x.libsvm")
    with pytest.raises(DataError, match="category"):
        WRITERS[".libsvm"](table.to_batches(), tmp_path / "x.libsvm", schema)
    with pytest.raises(DataError, match="comma"):
        WRITERS[".names"](table.to_batches(), tmp_path / "x.names", schema)
    with pytest.raises(DataError, match="class"):
        WRITERS[".names"](table.select(["age"]).to_batches(), tmp_path / "x.names", schema)
    with pytest.raises(DataError, match="domain"):
        WRITERS[".json"](table.to_batches(), tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


def test_json_as_weka_documents_it(tmp_path: Path) -> None:
    """Debian's WEKA has no converter for JSON: its documented layout is the witness, and the way back."""
    path = tmp_path / "table.arff"
    path.write_text(ARFF)
    plain = ArffSource(path)
    for ending in (".json", ".json.gz"):
        WRITERS[ending](plain, tmp_path / f"written{ending}", plain.declared())
        back = open_source(tmp_path / f"written{ending}")
        same(values(back), values(plain))
        assert back.declared() == plain.declared()
    attributes = [
        {"name": "age", "type": "numeric", "class": False, "weight": 1.0},
        {"name": "ill", "type": "nominal", "class": True, "weight": 1.0, "labels": ["no", "?"]},
    ]
    records = [
        {"sparse": False, "weight": 1.0, "values": ["3", "'?'"]},
        {"sparse": True, "weight": 1.0, "values": ["1:?"]},
        {"sparse": True, "weight": 1.0, "values": ["0:4.5"]},
    ]
    document = {"header": {"relation": "r", "attributes": attributes}, "data": records}
    (tmp_path / "sparse.json").write_text(json.dumps(document))
    found = values(open_source(tmp_path / "sparse.json"))
    assert found == {"age": [3.0, 0.0, 4.5], "ill": ["?", None, "no"]}


@pytest.mark.weka
def test_sparse_xrff(weka: Weka, tmp_path: Path) -> None:
    path = tmp_path / "sparse.arff"
    path.write_text(ARFF.partition("@data")[0] + "@data\n{0 5, 1 'y z'}\n{}\n{0 ?, 2 yes}\n")
    weka("weka.core.converters.XRFFSaver", "-i", path, "-o", tmp_path / "sparse.xrff")
    same(values(open_source(tmp_path / "sparse.xrff")), values(ArffSource(path)))


def test_errors_of_these_formats_quote_no_cell(tmp_path: Path) -> None:
    spoilt = {
        "a.libsvm": "1 1:S3NT1NEL\n",
        "b.xrff": "<dataset><header><attributes><attribute name='a' type='numeric'/></attributes></header>"
        "<body><instances><instance><value>S3NT1NEL</value></instance></instances></body></dataset>",
        "c.data": "S3NT1NEL,no\n",
        "d.data": "1,S3NT1NEL\n",
        "e.mat": "S3NT1NEL",
        "f.feather": "S3NT1NEL",
        "g.xrff": "S3NT1NEL",
        "j.json": "S3NT1NEL",
        "k.json": '{"header": {"attributes": [{"name": "a", "type": "numeric"}]}, '
        '"data": [{"values": ["S3NT1NEL"]}]}',
        "l.json": '{"header": {"attributes": [{"name": "a", "type": "numeric"}]}, "data": [{"S3NT1NEL": 1}]}',
        "h.libsvm": "1 0:3\n",
        "i.libsvm": "1 2:3 2:4\n",
    }
    for name, text in spoilt.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).with_suffix(".names").write_text("no,yes.\na: continuous.\n")
        with pytest.raises(DataError) as caught:
            list(open_source(tmp_path / name).batches())
        assert "S3NT1NEL" not in str(caught.value)
        assert caught.value.__cause__ is None


def test_every_compression(tmp_path: Path) -> None:
    text = b"age,ill\n30,no\n40,yes\n"
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "t.csv.bz2").write_bytes(bz2.compress(text))
    (tmp_path / "t.csv.zst").write_bytes(pa.Codec("zstd").compress(text, asbytes=True))
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as archive:
        archive.writestr("t.csv", text)
    for how in ("gz", "bz2", "zst", "zip"):
        source = open_source(tmp_path / f"t.csv.{how}")
        assert values(source) == values(source) == {"age": [30, 40], "ill": ["no", "yes"]}
        cut = tmp_path / f"cut.csv.{how}"
        cut.write_bytes((tmp_path / f"t.csv.{how}").read_bytes()[:-9])
        with pytest.raises(DataError):
            list(open_source(cut).batches())
    with zipfile.ZipFile(tmp_path / "two.csv.zip", "w") as archive:
        archive.writestr("a.csv", text)
        archive.writestr("b.csv", text)
    with pytest.raises(DataError, match="holds 2 files"):
        open_source(tmp_path / "two.csv.zip")


def test_folders_with_partitions(tmp_path: Path) -> None:
    for ward, ages in {"a b": [30, 40], "c": [50]}.items():
        folder = tmp_path / "t" / "year=2026" / f"ward={ward.replace(' ', '%20')}"
        folder.mkdir(parents=True)
        parquet.write_table(pa.table({"age": ages, "ill": ["no"] * len(ages)}), folder / "x.parquet")
    source = ParquetSource(tmp_path / "t")
    assert source.names == ("age", "ill", "year", "ward")
    found = values(source)
    assert found["ward"] == ["a b", "a b", "c"]
    assert found["year"] == ["2026"] * 3
    schema = Schema.of({"ward": ["a b", "c"], "ill": ["no", "yes"]}, target="ill")
    for engine in (MemoryEngine(), SqlEngine()):
        [answer] = engine.answer([Contingency("ward", "ill")], source, schema)
        assert answer.tolist() == [[2, 0], [1, 0], [0, 0]]
    assert [next(iter(part.batches(["ward"]))).num_rows for part in source.parts(2)] == [2, 1]
    parquet.write_table(pa.table({"age": [1], "ill": ["no"]}), tmp_path / "t" / "loose.parquet")
    with pytest.raises(DataError, match="some are not"):
        ParquetSource(tmp_path / "t")


def test_feather(tmp_path: Path) -> None:
    table = pa.table({"age": [30, 40, 50], "sex": ["f", "m", None]})
    feather.write_feather(table, tmp_path / "t.feather", chunksize=1)
    source = open_source(tmp_path / "t.feather")
    assert values(source) == table.to_pydict()
    assert len(source.parts(3)) == 3


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    from_standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"age,ill\n30,no\n")))
    for _ in range(2):  # a plan and a run read it
        assert values(open_source("-")) == {"age": [30], "ill": ["no"]}
    from_standard_input.cache_clear()


def test_the_docs_name_all_that_is_read_and_written() -> None:
    text = (Path(__file__).parents[2] / "docs/how-to/large-data.md").read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if line.startswith("| `")]
    read = {ending for ending in FORMATS if not ending.endswith(COMPRESSED)}
    assert not [ending for ending in read if not any(f"`{ending}`" in line for line in table)]
    written = " ".join(line.rsplit("|", 2)[1] for line in table)
    short = {".pq", ".names", ".data"}  # another name for Parquet; "both files"
    assert not [ending for ending in WRITERS if f"`{ending}`" not in written and ending not in short]


def _version_73(path: Path, table: dict) -> None:
    """A file as MATLAB's save('-v7.3') lays it out: arrays turned round, cells as references."""
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        for name, values in table.items():
            if isinstance(values[0], str):
                cells = []
                for place, text in enumerate(values):
                    cell = file.create_dataset(f"#refs#/{name}{place}", data=_utf16(text))
                    cell.attrs["MATLAB_class"] = b"char"
                    if not text:
                        cell.attrs["MATLAB_empty"] = 1
                    cells.append(cell.ref)
                made = file.create_dataset(name, data=np.array([cells], h5py.ref_dtype), dtype=h5py.ref_dtype)
                made.attrs["MATLAB_class"] = b"cell"
            else:
                made = file.create_dataset(name, data=np.atleast_2d(np.array(values).T))
                made.attrs["MATLAB_class"] = b"logical" if name == "ill" else b"double"
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def _utf16(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-16-le"), "<u2").reshape(-1, 1) if text else np.zeros(2, np.uint64)


def test_matlab_7_3(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    path = tmp_path / "new.mat"
    _version_73(path, {"age": [30.5, 40.0, 7.0], "ill": [1, 0, 1], "m": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})
    found = pa.Table.from_batches(open_source(path).batches()).to_pydict()
    assert found == {
        "age": [30.5, 40.0, 7.0],
        "ill": [True, False, True],
        "m_1": [1.0, 3.0, 5.0],
        "m_2": [2.0, 4.0, 6.0],
    }
    _version_73(path, {"ward": ["a", "größer", ""], "age": [1.0, 2.0, 3.0]})
    found = pa.Table.from_batches(open_source(path).batches()).to_pydict()
    assert found == {"age": [1.0, 2.0, 3.0], "ward": ["a", "größer", None]}


def test_matlab_7_3_reads_no_other_file(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    _version_73(tmp_path / "secret.mat", {"age": [1.0, 2.0]})
    path = tmp_path / "link.mat"
    for make in (
        lambda file: file.__setitem__("age", h5py.ExternalLink(str(tmp_path / "secret.mat"), "age")),
        lambda file: file.__setitem__("age", h5py.SoftLink("/other")),
        lambda file: file.create_dataset(
            "age", (2, 1), "f8", external=[(str(tmp_path / "secret.mat"), 0, 16)]
        ),
        lambda file: file.create_group("age"),
    ):
        _version_73(path, {"other": [1.0, 2.0]})
        with h5py.File(path, "r+") as file:
            make(file)
        with pytest.raises(DataError, match=r"another place|neither numbers"):
            open_source(path)
