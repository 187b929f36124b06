import bz2
import gzip
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs import files
from beam_rs.formats import Broken, Record, Split
from beam_rs.formats.jsonl import JsonLines

DEEP = b"[" * 100_000 + b"]" * 100_000


def read(data: bytes, form: JsonLines | None = None, **split: Any) -> list[tuple[int, Any]]:
    """Line and value of each record; of a broken one, its reason."""
    found = (form or JsonLines()).read(Split("f.jsonl", **split), lambda path: io.BytesIO(data))
    return [(one.line, one.value if isinstance(one, Record) else one.code) for one in found]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n\r\n  \t\n", []),
        (b'{"a":1}\n{"a":2}\n', [(1, {"a": 1}), (2, {"a": 2})]),
        (b'{"a":1}\n\n\n{"a":2}', [(1, {"a": 1}), (4, {"a": 2})]),
        (b'\xef\xbb\xbf{"a":1}\r\n{"a":2}\r\n', [(1, {"a": 1}), (2, {"a": 2})]),
        (b'{"a":1}\n\xef\xbb\xbf{"a":2}\n', [(1, {"a": 1}), (2, "bad_json")]),
        ('{"a":"\u2028\u0085"}\n'.encode(), [(1, {"a": "\u2028\x85"})]),
        (b'{"a":1} {"a":2}\n', [(1, "bad_json")]),
        (b'{"a":1,}\n{"a":2}\n', [(1, "bad_json"), (2, {"a": 2})]),
        (b'{"a":\n1}\n', [(1, "bad_json"), (2, "bad_json")]),
        (b"null\n[1]\n", [(1, None), (2, [1])]),
        (b"\x00\x00\n", [(1, "bad_json")]),
        (b'{"a":"\xff"}\n', [(1, "bad_encoding")]),
        (b'{"a":"\xed\xa0\x80"}\n', [(1, "bad_encoding")]),
        ('{"a":1}\n'.encode("utf-16"), [(1, "bad_encoding"), (2, "bad_json")]),
        (rb'{"a":"\ud800"}' + b"\n", [(1, "bad_encoding")]),
        (rb'{"\udfff":1}' + b"\n", [(1, "bad_encoding")]),
        (rb'{"a":"\ud83d\ude00"}' + b"\n", [(1, {"a": "😀"})]),
        (b'{"a":NaN}\n', [(1, "bad_json")]),
        (b'{"a":-Infinity}\n', [(1, "bad_json")]),
        (b'{"a":1e999}\n', [(1, "bad_json")]),
        (b'{"a":1e-999}\n', [(1, {"a": 0.0})]),
        (b'{"a":' + b"9" * 10_000 + b"}\n", [(1, "bad_json")]),
        (DEEP + b'\n{"a":1}\n', [(1, "bad_json"), (2, {"a": 1})]),
        (b"[" * 500 + b"]" * 500 + b"\n", [(1, "bad_json")]),
        (b'{"a":"' + b"[" * 500 + b'"}\n', [(1, {"a": "[" * 500})]),
    ],
    ids=repr,
)
def test_lines(data: bytes, expected: list[tuple[int, Any]]):
    assert read(data) == expected


@pytest.mark.parametrize("size", [21, 40, 41, 1_000])
def test_a_line_beyond_the_limit_is_passed_over_and_the_next_is_read(size: int):
    data = b'{"a":"' + b"x" * (size - 8) + b'"}\n{"a":2}\n'
    assert read(data, JsonLines(max_line=20)) == [(1, "bad_json"), (2, {"a": 2})]


def test_a_broken_line_is_shown_cut():
    (broken,) = JsonLines().read(Split("f"), lambda path: io.BytesIO(b"\xff" + b"x" * 10_000))
    assert isinstance(broken, Broken) and broken.raw.startswith("\\xffxx") and len(broken.raw) < 3_000


def test_limit_counts_broken_records_too():
    data = b'{"a":1}\n\n?\n{"a":3}\n'
    assert read(data, limit=2) == [(1, {"a": 1}), (3, "bad_json")]
    assert read(data, limit=0) == []


LINE = st.one_of(
    st.integers(0, 9).map(lambda n: json.dumps({"a": n}).encode()),
    st.just("é😀".encode()),
    st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")),
    st.just(b""),
)
ENDS = st.sampled_from([b"\n", b"\r\n"])


@given(
    st.lists(st.tuples(LINE, ENDS).map(b"".join), max_size=12).map(b"".join),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.booleans(),
    st.integers(1, 40),
    st.sampled_from([10, 1_000]),
)
def test_splits_read_the_records_of_one_whole_read_each_once(lines, mark, cut, size, longest):
    data = mark + (lines[:-1] if cut else lines)
    form = JsonLines(split_bytes=size, max_line=longest)
    opener = lambda path: io.BytesIO(data)  # noqa: E731
    found = [
        replace(record, line=record.line + form.lines_before(split, opener))
        for split in form.splits("f.jsonl", len(data))
        for record in form.read(split, opener)
    ]
    assert found == list(form.read(Split("f.jsonl"), opener))


@pytest.mark.parametrize(
    ("name", "size", "parts"),
    [("a.jsonl", 0, 1), ("a.jsonl", 10, 1), ("a.jsonl", 11, 2), ("a.jsonl", 30, 3), ("a.jsonl.gz", 1_000, 1)],
)
def test_files_are_split_by_size_unless_compressed(name: str, size: int, parts: int):
    splits = JsonLines(split_bytes=10).splits(name, size)
    assert len(splits) == parts and splits[0].start == 0


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress)])
@pytest.mark.parametrize("longest", [10, 1_000])
def test_compressed_files(tmp_path: Path, suffix: str, pack, longest: int):
    path = tmp_path / f"pool.jsonl.{suffix}"
    path.write_bytes(pack(b'{"a":1}\n') + pack(b'{"a":2}\n'))
    assert [r.value for r in JsonLines(max_line=longest).read(Split(str(path)), files.open_read)] == [
        {"a": 1},
        {"a": 2},
    ]  # type: ignore[union-attr]


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress)])
@pytest.mark.parametrize("damage", ["cut", "not compressed", "tail"])
def test_a_damaged_compressed_file_is_one_broken_record_and_never_an_error(tmp_path, suffix: str, pack, damage: str):
    whole = pack(b"".join(b'{"a":%d}\n' % n for n in range(10_000)))
    made = {"cut": whole[: len(whole) // 2], "not compressed": b"plain text\n" * 100, "tail": whole[:-10]}
    path = tmp_path / f"pool.jsonl.{suffix}"
    path.write_bytes(made[damage])
    *before, last = JsonLines().read(Split(str(path)), files.open_read)
    assert isinstance(last, Broken) and (last.code, last.line) == ("bad_encoding", len(before) + 1)
    assert all(isinstance(one, Record) for one in before)
