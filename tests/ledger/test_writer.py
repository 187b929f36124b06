"""Writing: what is appended can be read, by any reader of Avro, whatever happens to threads, forks and disks."""

import os
import pickle
import resource
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import fastavro
import pytest

from beam_rs.errors import LedgerError
from beam_rs.keys import digest
from beam_rs.ledger import Ledger, completion_of, inspect, read, record_of
from beam_rs.ledger.writer import LocalWriter
from beam_rs.schema import Completion, Message, Request, Sampling


def asked(name: object, text: str = "an answer", **outcome: object) -> tuple[Request, Completion]:
    key = digest(str(name))
    request = Request(key, key, f"item-{name}", None, (Message("user", "?"),), Sampling(), 0, 7)
    return request, Completion(key, key, text, **outcome)  # type: ignore[arg-type]


def kept(ledger: Ledger) -> list[str]:
    return [record["item_id"] for path in ledger.files() for record in read(path)]


def test_a_completion_comes_back_as_it_was(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path / "deep" / "ledger"), "Qwen", "main")
    request, completion = asked(1, "<think>\nx</think>\n\né 漢 😀", reasoning="x", answer="é", truncated=True)
    ledger.append(request, completion, "judge", 1.5)
    (path,) = ledger.files()
    (record,) = read(path)
    assert completion_of(record) == replace(completion, seconds=1.5)
    assert (record["kind"], record["model"], record["revision"], record["seconds"]) == ("judge", "Qwen", "main", 1.5)
    with open(path, "rb") as file:
        assert list(fastavro.reader(file)) == [record]


@pytest.mark.parametrize(("text", "stored"), [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("\0", "\0")])
def test_texts_that_utf8_cannot_hold(text: str, stored: str) -> None:
    assert record_of(*asked(1, text), "generate", 0.0)["text"] == stored


def test_a_completion_of_another_request_is_refused() -> None:
    with pytest.raises(LedgerError, match="was to be recorded under"):
        record_of(asked(1)[0], asked(2)[1], "generate", 0.0)


def test_a_wrong_type_costs_its_own_record_only(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    ledger.append(*asked(1))
    with pytest.raises(LedgerError, match="cannot be recorded"):
        ledger.append(*asked(2, finish_reason=None))
    ledger.append(*asked(3))
    assert kept(ledger) == ["item-1", "item-3"]


def test_one_file_a_start_and_all_threads(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: pickle.loads(pickle.dumps(ledger)).append(*asked(n)), range(500)))
    assert len(ledger.files()) == 1
    assert sorted(kept(ledger)) == sorted(f"item-{n}" for n in range(500))
    ledger.writer().close()
    ledger.append(*asked("later"))
    assert len(ledger.files()) == 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 warns of forks beside threads
def test_a_forked_child_has_a_file_of_its_own(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    ledger.append(*asked("parent"))
    child = os.fork()
    if not child:
        ledger.append(*asked("child"))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    ledger.append(*asked("parent again"))
    assert len(ledger.files()) == 2
    assert sorted(kept(ledger)) == ["item-child", "item-parent", "item-parent again"]


def test_a_full_disk_tears_nothing(tmp_path: Path) -> None:
    """The limit on file sizes is met in the middle of a record, as the end of a disk is."""
    writer = LocalWriter(str(tmp_path))
    writer.append(*asked(1))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (inspect(str(tmp_path)).bytes + 100, before[1]))
    try:
        with pytest.raises(LedgerError, match="File too large; raise the limit"):
            writer.append(*asked(2, "long " * 100))
        with pytest.raises(LedgerError, match="File too large"):
            LocalWriter(str(tmp_path)).append(*asked(3, "long " * 1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    writer.append(*asked(4))
    summary = inspect(str(tmp_path))
    assert (summary.records, summary.files, summary.torn_bytes) == (2, 2, 0)
    assert sorted(kept(Ledger(str(tmp_path)))) == ["item-1", "item-4"]
