"""The second look-up: what this run has been answered, by this process or another, and nothing older."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.keys import digest
from beam_rs.ledger import Ledger, Recent
from beam_rs.ledger.index import Places
from beam_rs.ledger.writer import LocalWriter
from beam_rs.schema import Completion, Message, Request, Sampling


def asked(name: object, text: str = "", error: str = "") -> tuple[Request, Completion]:
    key = digest(str(name))
    request = Request(key, key, "item", None, (Message("user", "?"),), Sampling())
    return request, Completion(key, key, text or f"answer to {name}", error=error)


def known(recent: Recent, *names: object) -> dict[str, str]:
    by_key = {digest(str(name)): str(name) for name in names}
    return {by_key[key]: completion.text for key, completion in recent.lookup(by_key.keys()).items()}


def test_new_answers_are_seen_as_they_come(tmp_path: Path) -> None:
    recent, one, two = Recent(Ledger(str(tmp_path))), LocalWriter(str(tmp_path)), LocalWriter(str(tmp_path))
    assert known(recent, 1, 2) == {}
    one.append(*asked(1))
    assert known(recent, 1, 2) == {"1": "answer to 1"}
    two.append(*asked(2))
    one.append(*asked(3))
    assert known(recent, 1, 2, 3, 4) == {str(n): f"answer to {n}" for n in (1, 2, 3)}
    assert known(recent) == {}


def test_a_record_that_is_half_written_is_seen_once_it_is_whole(tmp_path: Path) -> None:
    LocalWriter(str(tmp_path / "a")).append(*asked(1))
    (path,) = Ledger(str(tmp_path / "a")).files()
    data, grows = Path(path).read_bytes(), tmp_path / "b" / "x.avro"
    grows.parent.mkdir()
    recent = Recent(Ledger(str(grows.parent)))
    for end in (0, 3, 700, len(data) - 1):
        grows.write_bytes(data[:end])
        assert known(recent, 1) == {}
    grows.write_bytes(data)
    assert known(recent, 1) == {"1": "answer to 1"}


def test_errors_are_asked_again_but_for_those_that_stand(tmp_path: Path) -> None:
    writer, recent = LocalWriter(str(tmp_path)), Recent(Ledger(str(tmp_path)))
    writer.append(*asked(1, error="timeout"))
    writer.append(*asked(2, error="prompt_too_long"))
    writer.append(*asked(3, "first"))
    writer.append(*asked(3, "second"))
    assert known(recent, 1, 2, 3) == {"2": "answer to 2", "3": "first"}
    writer.append(*asked(1))
    assert known(recent, 1) == {"1": "answer to 1"}


def test_what_an_earlier_run_wrote_is_left_out(tmp_path: Path) -> None:
    """Even where this process goes on in a file that it had begun before."""
    ledger, writer = Ledger(str(tmp_path)), LocalWriter(str(tmp_path))
    for n in range(50):
        writer.append(*asked(n))
    snapshot = ledger.snapshot()
    (path,) = snapshot
    writer.append(*asked("new"))
    assert known(Recent(ledger, snapshot=snapshot), 1, 49, "new") == {"new": "answer to new"}
    assert known(Recent(ledger, snapshot={path: snapshot[path] - 7}), 49, "new") == {"new": "answer to new"}
    assert known(Recent(ledger), 1, "new") == {"1": "answer to 1", "new": "answer to new"}
    os.utime(path, (0, time.time() - 1000))
    assert known(Recent(ledger, run_started=time.time()), 1, "new") == {}


def test_listings_are_spared(tmp_path: Path) -> None:
    recent, writer = Recent(Ledger(str(tmp_path)), interval=3600.0), LocalWriter(str(tmp_path))
    assert known(recent, 1) == {}
    writer.append(*asked(1))
    assert known(recent, 1) == {}


def test_damage_and_foreign_files_do_not_hide_the_rest(tmp_path: Path) -> None:
    (tmp_path / "torn.avro").write_bytes(b"Obj\x01 and then nothing")
    (tmp_path / "note.txt").write_text("not a ledger file")
    LocalWriter(str(tmp_path)).append(*asked(1))
    assert known(Recent(Ledger(str(tmp_path))), 1) == {"1": "answer to 1"}


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 1000)), max_size=200), st.sets(st.integers(0, 40)))
def test_places_are_those_of_a_plain_table(entries: list[tuple[int, int]], wanted: set[int]) -> None:
    places, table = Places(), dict[str, set[int]]()
    for at, (name, place) in enumerate(entries):
        places.add([(str(name).encode(), place)])
        table.setdefault(str(name), set()).add(place)
        if at % 17 == 0:
            places.find(["1"])
    found, _ = places.find({str(name) for name in wanted})
    assert found == sorted(set().union(*(table.get(str(name), set()) for name in wanted)))
    assert len(places) == len(entries)


@pytest.mark.parametrize("count", [300_000])
def test_many_entries_keep_their_places(count: int) -> None:
    places = Places()
    places.add((str(n % (count - 1)).encode(), n) for n in range(count))
    assert places.find(["0", "7", "absent"]) == ([0, 7, count - 1], {hash(b"0")})
