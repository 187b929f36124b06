"""The ledger on an object store: small numbered files, and what is not sent yet can be sent again."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request as Call
from urllib.request import urlopen

import pytest

from beam_rs.errors import LedgerError
from beam_rs.keys import digest
from beam_rs.ledger import Ledger, Recent, inspect, read
from beam_rs.ledger.writer import BATCH, ObjectWriter
from beam_rs.schema import Completion, Message, Request, Sampling


def asked(name: object) -> tuple[Request, Completion]:
    key = digest(str(name))
    return Request(key, key, f"{name}", None, (Message("user", "?"),), Sampling()), Completion(key, key, f"to {name}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket of a storage emulator in a process of its own."""
    pytest.importorskip("gcp_storage_emulator", reason="needs gcp-storage-emulator, of the extra dev")
    pytest.importorskip("google.cloud.storage", reason="needs the extra gcp")
    port = free_port()
    command = [sys.executable, "-m", "gcp_storage_emulator", "start", "--in-memory", f"--port={port}"]
    emulator = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    host, before = f"http://127.0.0.1:{port}", os.environ.get("STORAGE_EMULATOR_HOST")
    os.environ["STORAGE_EMULATOR_HOST"] = host
    try:
        make_bucket(host)
        yield "gs://answers"
    finally:
        emulator.terminate()
        emulator.wait()
        if before is None:
            del os.environ["STORAGE_EMULATOR_HOST"]
        else:
            os.environ["STORAGE_EMULATOR_HOST"] = before


def make_bucket(host: str) -> None:
    for _ in range(200):
        try:
            urlopen(
                Call(f"{host}/storage/v1/b?project=p", b'{"name": "answers"}', {"Content-Type": "application/json"})
            )
            return
        except (URLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail("the storage emulator does not answer")


def test_answers_go_out_by_number_and_come_back(bucket: str) -> None:
    ledger = Ledger(f"{bucket}/run/ledger/", "Qwen")
    ledger.check_writable()
    assert ledger.files() == []
    for n in range(BATCH + 3):
        ledger.append(*asked(n))
    assert len(ledger.files()) == 1
    ledger.flush()
    assert [path[-12:] for path in ledger.files()] == ["-000000.avro", "-000001.avro"]
    assert [record["item_id"] for path in ledger.files() for record in read(path)] == [str(n) for n in range(BATCH + 3)]
    summary = inspect(ledger.folder)
    assert (summary.keys, summary.torn_bytes, dict(summary.models)) == (BATCH + 3, 0, {"Qwen": BATCH + 3})


def test_the_second_look_up(bucket: str) -> None:
    ledger = Ledger(f"{bucket}/second")
    recent = Recent(ledger, run_started=time.time(), interval=0.0)
    assert recent.lookup([digest("1")]) == {}
    ledger.append(*asked(1))
    ledger.flush()
    assert [completion.text for completion in recent.lookup([digest("1"), digest("2")]).values()] == ["to 1"]


def test_a_record_does_not_wait_for_company_for_ever(bucket: str) -> None:
    writer = ObjectWriter(f"{bucket}/late", period=0.05)
    writer.append(*asked(1))
    end = time.monotonic() + 20
    while not (files := Ledger(f"{bucket}/late").files()) and time.monotonic() < end:
        time.sleep(0.02)
    assert len(files) == 1


def test_what_cannot_be_sent_is_kept_and_said() -> None:
    writer = ObjectWriter("unknown-scheme://nowhere/ledger")
    writer.append(*asked(1))
    for _ in range(2):
        with pytest.raises(LedgerError, match="cannot be written"):
            writer.flush()
    with pytest.raises(LedgerError, match="cannot be written"):
        writer.append(*asked(2))
    assert len(writer._pending) == 2
    with pytest.raises(LedgerError, match="cannot be written"):
        Ledger("unknown-scheme://nowhere/ledger").check_writable()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="cannot be read"):
        list(read(str(tmp_path / "gone.avro")))
