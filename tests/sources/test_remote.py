"""Tables behind addresses: a real https server with a certificate of its own, and Arrow's own client of S3.

The S3 server here knows only what Arrow asks. ``PRIVET_S3=127.0.0.1:5000`` runs the same tests on another one
(``moto_server``, say), which they fill.
"""

from __future__ import annotations

import gzip
import http.server
import os
import re
import ssl
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import fs, parquet

from privet.errors import DataError
from privet.sources import open_source
from privet.sources.remote import _fetched

PEOPLE = {"age": [30, 41], "ill": ["no", "yes"]}
TEXT = b"age,ill\n30,no\n41,yes\n"
#: Megabytes that come, and that may be held at once.
MUCH, HELD = 128, 32


@pytest.fixture(autouse=True)
def nothing_fetched_before():
    _fetched.cache_clear()


def values(source):
    return pa.Table.from_batches(source.batches()).to_pydict()


def files():
    """The same people, as files of several kinds."""
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(PEOPLE), sink)
    return {
        "people.csv": TEXT,
        "people.csv.gz": gzip.compress(TEXT),
        "people.csv.zst": pa.compress(TEXT, "zstd", asbytes=True),
        "people.parquet": sink.getvalue().to_pybytes(),
        "two.names": b"no, yes.\nage: continuous.\n",
        "two.data": b"30,no\n41,yes\n",
        "large.csv": TEXT[:8] + b"30,no\n" * (MUCH * (1 << 20) // 6 + 1),
    }


class Answers(http.server.BaseHTTPRequestHandler):
    """Files by their names, and what can go wrong."""

    protocol_version = "HTTP/1.1"
    files: dict[str, bytes]
    asked: list[str]

    def log_message(self, *words):
        pass

    def do_GET(self):
        name = self.path.partition("?")[0].rpartition("/")[2]
        self.asked.append(name)
        if name in self.files:
            return self.tell(200, self.files[name])
        if name == "secret.csv":
            return self.tell(403)
        if name.startswith("elsewhere"):
            return self.tell(302, location=f"https://127.0.0.1:{self.server.server_port}/people.csv")
        if name.startswith("unsafe"):
            return self.tell(302, location=f"http://127.0.0.1:{self.server.server_port}/people.csv")
        if name in ("cut.csv", "cut-in-pieces.csv", "endless.csv"):
            return self.cut_off(name)
        return self.tell(404)

    def tell(self, status, content=b"", location=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(content)

    def cut_off(self, name):
        self.close_connection = True
        self.send_response(200)
        if name == "cut.csv":
            self.send_header("Content-Length", str(10 * len(TEXT)))
        if name == "cut-in-pieces.csv":
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write((b"%x\r\n" % len(TEXT) if name == "cut-in-pieces.csv" else b"") + TEXT)


def started(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def certificate(folder: Path) -> Path:
    """One that nobody has signed but itself, with its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, name, now = ec.generate_private_key(ec.SECP256R1()), x509.Name([]), datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    (folder / "certificate.pem").write_bytes(made.public_bytes(pem))
    return folder / "certificate.pem"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """An https server; its address, what it was asked, and its certificate."""
    trusted = certificate(tmp_path_factory.mktemp("certificate"))
    handler = type("Handler", (Answers,), {"files": files(), "asked": []})
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted, trusted.with_name("key.pem"))
    made.socket = context.wrap_socket(made.socket, server_side=True)
    started(made)
    yield f"https://127.0.0.1:{made.server_port}", handler.asked, trusted
    made.shutdown()
    made.server_close()


@pytest.fixture
def web(server, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(server[2]))
    return server[0]


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.csv.zst", "people.parquet"])
def test_a_table_behind_https(web, name):
    assert values(open_source(Path(f"{web}/{name}"))) == PEOPLE
    assert values(open_source(f"{web}/elsewhere.csv")) == PEOPLE


def test_it_is_fetched_once(web, server):
    server[1].clear()
    for _ in range(2):
        assert values(open_source(f"{web}/people.csv")) == PEOPLE
    assert server[1] == ["people.csv"]


def test_a_table_in_two_files(web):
    for ending in ("names", "data"):
        assert values(open_source(f"{web}/two.{ending}"))["class"] == ["no", "yes"]


def test_a_certificate_that_nobody_vouches_for_is_refused(server, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(DataError, match="could not be fetched"):
        open_source(f"{server[0]}/people.csv")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nobody.csv", "There is nothing at"),
        ("secret.csv", "You may not read"),
        ("cut.csv", "not all of it"),
        ("cut-in-pieces.csv", "not all of it"),
        ("endless.csv", "not all of it"),
        ("unsafe.csv", "without https"),
    ],
)
def test_what_cannot_be_fetched_whole_is_no_table(web, name, why):
    """The attack on the count: an answer that ends too early looked like a shorter table."""
    address = web.replace("://", "://ann:passw0rd@") if name == "cut.csv" else web
    with pytest.raises(DataError, match=why) as caught:
        open_source(f"{address}/{name}")
    assert "passw0rd" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_http_is_for_this_machine_only(tmp_path):
    handler = type("Handler", (Answers,), {"files": files(), "asked": []})
    server = started(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
    try:
        assert values(open_source(f"http://127.0.0.1:{server.server_port}/people.csv")) == PEOPLE
    finally:
        server.shutdown()
        server.server_close()
    for address in ("http://example.org/t.csv", "s3://b/t.csv?scheme=http&endpoint_override=example.org:80"):
        with pytest.raises(DataError, match="over http"):
            open_source(address)
    with pytest.raises(DataError, match="does not know how to read from ftp"):
        open_source("ftp://example.org/people.csv")


class Bucket(Answers):
    """What Arrow asks of S3: how large a file is, and a piece of it."""

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        name = self.path.partition("?")[0].rpartition("/")[2]
        if name == "secret.csv":
            return self.refuse(403, "AccessDenied")
        content = {**self.files, "cut.csv": TEXT * 100}.get(name)
        if content is None:
            return self.refuse(404, "NoSuchKey")
        begin, end = re.fullmatch(
            r"bytes=(\d+)-(\d+)", self.headers.get("Range", "bytes=0-999999999999")
        ).groups()
        piece = memoryview(content)[int(begin) : int(end) + 1]
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Content-Length", str(len(piece)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.end_headers()
        if name == "cut.csv" and self.command == "GET":
            self.close_connection = True
            piece = piece[: len(TEXT)]
        if self.command == "GET":
            self.wfile.write(piece)

    def refuse(self, status, code):
        content = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)


@pytest.fixture(scope="module")
def store():
    """The address of an S3 server that holds the files."""
    if given := os.environ.get("PRIVET_S3"):
        system, _ = fs.FileSystem.from_uri(
            f"s3://key:secret@people?scheme=http&region=us-east-1&endpoint_override={given}"
            "&allow_bucket_creation=true"
        )
        system.create_dir("people")
        for name, content in files().items():
            with system.open_output_stream(f"people/{name}", compression=None) as stream:
                stream.write(content)
        yield given
        return
    made = started(
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Bucket,), {"files": files()}))
    )
    yield f"127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


@pytest.fixture
def bucket(store, monkeypatch):
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)
    return f"s3://people/{{}}?scheme=http&region=us-east-1&endpoint_override={store}"


#: No other place is asked for keys.
ALONE = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.csv.zst", "people.parquet"])
def test_a_table_in_s3(bucket, name):
    assert values(open_source(bucket.format(name))) == PEOPLE


@pytest.mark.parametrize(
    ("name", "why"),
    [("nobody.csv", "There is nothing at"), ("secret.csv", "could not be"), ("cut.csv", "not all of it")],
)
def test_what_s3_does_not_give_is_no_table(bucket, name, why):
    if "PRIVET_S3" in os.environ and name != "nobody.csv":
        pytest.skip("another server cannot be told to fail")
    with pytest.raises(DataError, match=why) as caught:
        open_source(bucket.format(name))
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("kind", ["https", "s3"])
def test_large_tables_are_fetched_in_constant_memory(kind, server, store):
    address = f"{server[0]}/large.csv"
    if kind == "s3":
        address = f"s3://people/large.csv?scheme=http&region=us-east-1&endpoint_override={store}"
    code = f"""
from pathlib import Path
import pyarrow.fs
from privet.sources.remote import fetched
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) >> 10
fetched({address.replace("large", "people")!r})
before = peak()
print(fetched({address!r}).stat().st_size >> 20, peak() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | ALONE | {"SSL_CERT_FILE": str(server[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    size, held = map(int, done.stdout.split())
    assert size == MUCH
    assert held < HELD
