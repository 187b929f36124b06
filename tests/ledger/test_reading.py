"""Reading: any damage costs the records it hit and nothing else."""

import random
import tempfile
from pathlib import Path

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beam_rs.errors import LedgerError
from beam_rs.keys import digest
from beam_rs.ledger import Index, Ledger, Record, choose, inspect, read, record_of, settled
from beam_rs.ledger.blocks import frame
from beam_rs.ledger.coding import encode, header
from beam_rs.ledger.records import SCHEMA
from beam_rs.schema import Completion, Message, Request, Sampling

SYNC = b"sixteen bytes of"
TEXTS = ["", "short", "漢字 " * 40, "x" * 9000, "end"]
CODECS = ["null", "deflate"]


def record(n: int, text: str = "", **outcome: object) -> Record:
    key = digest(str(n))
    request = Request(key, key, f"item-{n}", None, (Message("user", "?"),), Sampling())
    return record_of(request, Completion(key, key, text, **outcome), "generate", 0.0)  # type: ignore[arg-type]


def whole(codec: str) -> list[bytes]:
    """A file in pieces: the header, then a block a text."""
    return [header(SYNC, codec), *(frame(encode(record(n, text), codec), SYNC) for n, text in enumerate(TEXTS))]


def texts(folder: Path, data: bytes) -> tuple[list[str], int]:
    """What is read of these bytes, and how many at the end are torn; the look-up must agree."""
    path = folder / "x.avro"
    path.write_bytes(data)
    reading = read(str(path))
    found = [entry["text"] for entry in reading]
    index = Index()
    index.follow(str(path), len(data))
    looked_up = dict(index.lookup([digest(str(n)) for n in range(len(TEXTS))]))
    assert sorted(entry["text"] for entries in looked_up.values() for entry in entries) == sorted(found)
    return found, reading.torn


@pytest.mark.parametrize("codec", CODECS)
def test_cut_anywhere(tmp_path: Path, codec: str) -> None:
    pieces = whole(codec)
    data, ends = b"".join(pieces), [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    for cut in [*range(0, len(data), 97), *ends, *(end - 1 for end in ends), *(end + 1 for end in ends[:-1])]:
        sound = [end for end in ends if end <= cut]
        found, torn = texts(tmp_path, data[:cut])
        assert found == TEXTS[: max(0, len(sound) - 1)]
        assert torn == cut - (sound[-1] if sound else 0)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    "garbage",
    [
        b"\0" * 5000,
        b"\xff" * 5000,
        b"\x02\xfe\xff\xff\xff\x0f",
        b"Obj\x01",
        random.Random(1).randbytes(3000),
        b"\x02\x00",
    ],
)
def test_garbage_behind_a_cut(tmp_path: Path, codec: str, garbage: bytes) -> None:
    data = b"".join(whole(codec))
    assert texts(tmp_path, data + garbage) == (TEXTS, len(garbage))
    assert texts(tmp_path, data[:-20] + garbage)[0] == TEXTS[:-1]
    assert texts(tmp_path, garbage) == ([], len(garbage))


def test_damage_in_the_middle_is_passed_over(tmp_path: Path) -> None:
    pieces = whole("null")
    pieces[2] = pieces[2][:20]
    path = tmp_path / "x.avro"
    path.write_bytes(b"".join(pieces))
    reading = read(str(path))
    assert [entry["text"] for entry in reading] == [TEXTS[0], *TEXTS[3:]]
    assert (reading.gaps, reading.torn) == (1, 0)
    assert inspect(str(tmp_path)).gaps == 1


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CODECS), st.integers(0, 12_000), st.binary(min_size=1, max_size=40))
def test_no_damage_raises(codec: str, at: int, damage: bytes) -> None:
    pieces = whole(codec)
    data = b"".join(pieces)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.avro"
        path.write_bytes(data[:at] + damage + data[at + len(damage) :])
        summary = inspect(folder)
        assert summary.records + bool(summary.faults) <= len(TEXTS) + 1
        if at > len(pieces[0]):
            assert summary.records >= len(TEXTS) - 2


def test_files_of_other_writers(tmp_path: Path) -> None:
    """Merged with another tool: many records a block, an older schema, fields in another order."""
    fields = [field for field in reversed(SCHEMA["fields"]) if field["name"] not in ("seconds", "detail")]
    entries = [record(n, text) for n, text in enumerate(TEXTS)]
    with open(tmp_path / "x.avro", "wb") as file:
        fastavro.writer(file, {**SCHEMA, "fields": fields}, entries, codec="deflate")
    assert texts(tmp_path, (tmp_path / "x.avro").read_bytes()) == (TEXTS, 0)
    assert next(read(str(tmp_path / "x.avro")))["detail"] == ""


@pytest.mark.parametrize(
    ("fields", "codec", "message"),
    [
        ([{"name": "other", "type": "string"}], "null", "something else than answers"),
        ([{"name": "key", "type": "int"}], "null", "something else than answers"),
        (SCHEMA["fields"], "bzip2", "codec 'bzip2' is not one of"),
    ],
)
def test_a_foreign_file_is_named(tmp_path: Path, fields: list[object], codec: str, message: str) -> None:
    with open(tmp_path / "x.avro", "wb") as file:
        fastavro.writer(file, {"type": "record", "name": "Other", "fields": fields}, [], codec=codec)
    with pytest.raises(LedgerError, match=message):
        list(read(str(tmp_path / "x.avro")))
    assert message in inspect(str(tmp_path)).faults[0]


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert Ledger(str(tmp_path / "none")).files() == []
    assert inspect(str(tmp_path / "none")).records == 0


GOOD = {**record(1, "good"), "at": 5.0}
LATER = {**record(1, "later"), "at": 6.0}
LOST = {**record(1, error="timeout"), "at": 1.0}
TOO_LONG = {**record(1, error="prompt_too_long"), "at": 9.0}
TWIN = {**record(1, "twin"), "at": 5.0}


@pytest.mark.parametrize(
    ("entries", "chosen"),
    [
        ([GOOD, LATER], GOOD),
        ([LOST, LATER], LATER),
        ([LOST, TOO_LONG], TOO_LONG),
        ([LOST, TOO_LONG, GOOD], GOOD),
    ],
)
def test_the_same_record_wins_in_any_order(entries: list[Record], chosen: Record) -> None:
    assert choose(entries) == choose(entries[::-1]) == chosen


def test_content_decides_ties() -> None:
    assert choose([GOOD, TWIN]) == choose([TWIN, GOOD])


@pytest.mark.parametrize(("entry", "stands"), [(GOOD, True), (LOST, False), (TOO_LONG, True)])
def test_what_is_asked_again(entry: Record, stands: bool) -> None:
    assert settled(entry) is stands
