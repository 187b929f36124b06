import hashlib
import json
import pickle

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from beam_rs.cleaning.base import Refusal
from beam_rs.cleaning.provenance import MISMATCH, UNKNOWN, Provenance, load_manifest
from beam_rs.errors import ConfigError
from beam_rs.schema import ImageRef, Item, Source

A, B = (hashlib.sha256(text).hexdigest() for text in (b"a", b"b"))
ENTRIES = [
    {"dataset": "D", "image": "x/1.png", "sha256": A},
    {"dataset": "D", "image": "é 2.png", "sha256": B.upper()},
    {"dataset": "D", "image": "x/1.png", "sha256": B},
    {"dataset": "Dx", "image": "/1.png", "sha256": A},
]


def write(folder, suffix, entries=ENTRIES):
    path = folder / f"sources{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(entries), path)
    elif suffix == ".avro":
        fields = [{"name": name, "type": "string"} for name in ("dataset", "image", "sha256")]
        with path.open("wb") as file:
            fastavro.writer(file, {"type": "record", "name": "Source", "fields": fields}, entries)
    else:
        path.write_bytes(b"\xef\xbb\xbf" + b"\r\n\r\n".join(json.dumps(entry).encode() for entry in entries))
    return str(path)


def item(source, digest):
    ref = ImageRef("a.png", digest, "image/png", 1, 1, 1)
    return Item("1", "F", "a.png", "?", ("x",), source=source, ref=ref)


def reason(rule, source, digest):
    found = rule.apply(item(source, digest), {})
    return found.reason if isinstance(found, Refusal) else "kept"


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".avro"])
@pytest.mark.parametrize(
    ("source", "digest", "expected"),
    [
        (Source("D", "x/1.png"), A, "kept"),
        (Source("D", "x/1.png"), B, "kept"),
        (Source("D", "é 2.png"), B, "kept"),
        (Source("D", "é 2.png"), A, MISMATCH),
        (Source("Dx", "/1.png"), B, MISMATCH),
        (Source("D", "1.png"), A, UNKNOWN),
        (Source("", ""), A, UNKNOWN),
        (None, A, UNKNOWN),
    ],
)
def test_manifest(tmp_path, suffix, source, digest, expected):
    rule = pickle.loads(pickle.dumps(Provenance(manifest=write(tmp_path, suffix))))
    rule.check()
    assert reason(rule, source, digest) == expected


def test_an_entry_takes_48_bytes_and_a_changed_file_is_read_again(tmp_path):
    path = write(tmp_path, ".jsonl")
    index = load_manifest(path)
    assert load_manifest(path) is index
    assert (index.high.nbytes + index.rest.nbytes, len(index)) == (4 * 48, 4)
    write(tmp_path, ".jsonl", ENTRIES[:1])
    assert len(load_manifest(path)) == 1
    write(tmp_path, ".jsonl", [])
    assert load_manifest(path).digests(Source("D", "x/1.png")) == ()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"{", "line 3: no JSON"),
        (b"[" * 100_000, "line 3: no JSON"),
        (b"\xff", "line 3: no JSON"),
        (b"[]", "line 3: an object with dataset, image, sha256 is expected, got list"),
        (b'{"dataset": "D", "image": "a"}', "line 3: 'sha256' must be a text, got nothing"),
        (b'{"dataset": 1, "image": "a", "sha256": ""}', "line 3: 'dataset' must be a text, got int"),
        (b'{"dataset": "D", "image": "a", "sha256": "zz"}', "line 3: 'sha256' must be 64 hexadecimal digits, got 'zz'"),
    ],
)
def test_a_malformed_manifest_names_file_line_and_fault(tmp_path, line, fault):
    path = tmp_path / "sources.jsonl"
    path.write_bytes(json.dumps(ENTRIES[0]).encode() + b"\n\n" + line + b"\n")
    with pytest.raises(ConfigError) as raised:
        load_manifest(str(path))
    assert f"{path}, {fault}" in str(raised.value)


@pytest.mark.parametrize("name", ["gone.jsonl", "gone.parquet", "bad.parquet", "bad.avro", "", "nowhere://x/y.jsonl"])
def test_an_unreadable_manifest_is_a_configuration_error(tmp_path, name):
    for bad in ("bad.parquet", "bad.avro"):
        (tmp_path / bad).write_bytes(b"Obj\x01rubbish")
    with pytest.raises(ConfigError):
        load_manifest(name if "://" in name else str(tmp_path / name))


def test_a_column_that_is_missing(tmp_path):
    with pytest.raises(ConfigError, match="no column 'image'"):
        load_manifest(write(tmp_path, ".parquet", [{"dataset": "D", "sha256": A}]))


@pytest.mark.parametrize(
    ("source", "digest", "expected"),
    [
        (Source("D", "x/1.png"), A, "kept"),
        (Source("D", "x/1.png"), B, MISMATCH),
        (Source("D", "gone.png"), A, UNKNOWN),
        (Source("D", "x"), A, UNKNOWN),
        (Source("D", "../secret.png"), A, UNKNOWN),
        (Source("..", "secret.png"), A, UNKNOWN),
        (Source("", "/D/x/1.png"), A, UNKNOWN),
        (Source("D", "link.png"), A, UNKNOWN),
        (Source("D", "\0"), A, UNKNOWN),
        (Source("D", "a" * 5000), A, UNKNOWN),
        (Source("gs:", "/bucket/x"), A, UNKNOWN),
        (None, A, UNKNOWN),
    ],
)
def test_root(tmp_path, source, digest, expected):
    root = tmp_path / "root"
    (root / "D/x").mkdir(parents=True)
    (root / "D/x/1.png").write_bytes(b"a")
    (tmp_path / "secret.png").write_bytes(b"a")
    (root / "D/link.png").symlink_to(tmp_path / "secret.png")
    assert reason(Provenance(root=str(root)), source, digest) == expected


@pytest.mark.parametrize("fields", [{}, {"manifest": "a", "root": "b"}])
def test_exactly_one_of_manifest_and_root(fields):
    with pytest.raises(ConfigError):
        Provenance(**fields)


def test_a_root_that_is_no_folder_is_found_early(tmp_path):
    with pytest.raises(ConfigError):
        Provenance(root=str(tmp_path / "gone")).check()
