"""What `append` has returned for is on record, whenever the process is killed."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from beam_rs.errors import LedgerError
from beam_rs.keys import digest
from beam_rs.ledger import Ledger, inspect, read
from beam_rs.schema import Completion, Message, Request, Sampling

SCRIPT = Path(__file__).with_name("writing_process.py")


def start(folder: Path, name: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(SCRIPT), str(folder), name, "4"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)


def kill_after(process: "subprocess.Popen[bytes]", seconds: float) -> set[str]:
    """The keys that the process said it had recorded."""
    assert process.stdout is not None
    said = process.stdout.readline()
    os.set_blocking(process.stdout.fileno(), False)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        said += process.stdout.read() or b""
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.set_blocking(process.stdout.fileno(), True)
    said += process.stdout.read()
    process.stdout.close()
    return {line.decode() for line in said.split(b"\n") if len(line) == 64}


def test_nothing_acknowledged_is_lost_to_sigkill(tmp_path: Path) -> None:
    chance, said = random.Random(7), set[str]()
    for n in range(8):
        said |= kill_after(start(tmp_path, str(n)), chance.uniform(0, 0.1))
    ledger = Ledger(str(tmp_path))
    stored = [record for path in ledger.files() for record in read(path)]
    assert len(ledger.files()) == 8
    assert said
    assert said <= {record["key"] for record in stored}
    assert all(set(record["text"].split()) == {record["key"]} for record in stored)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    folder.mkdir()
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"file systems cannot be mounted here: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def answered(n: int) -> tuple[Request, Completion]:
    key = digest(str(n))
    return Request(key, key, "item", None, (Message("user", "?"),), Sampling()), Completion(key, key, "word " * 200)


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="only root mounts file systems")
def test_a_full_disk_and_room_again(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=64k", "tmpfs") as disk:
        ledger, stored, ballast = Ledger(str(disk / "ledger")), 0, disk / "ballast"
        ballast.write_bytes(bytes(20_000))
        with pytest.raises(LedgerError, match="No space left on device; free some space, then run again"):
            for stored in range(1000):
                ledger.append(*answered(stored))
        with pytest.raises(LedgerError, match="No space left"):
            ledger.append(*answered(stored))
        ballast.unlink()
        ledger.append(*answered(stored))
        summary = inspect(ledger.folder)
        assert (summary.keys, summary.records, summary.torn_bytes, summary.files) == (stored + 1, stored + 1, 0, 2)
        ledger.writer().close()


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="only root mounts file systems")
def test_a_read_only_folder_is_found_before_the_first_request(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "ro,size=64k", "tmpfs") as disk:
        for folder in (disk, disk / "deeper"):
            with pytest.raises(LedgerError, match="Read-only file system; choose a folder that can be written"):
                Ledger(str(folder)).check_writable()
        with pytest.raises(LedgerError, match="Read-only file system"):
            Ledger(str(disk)).append(*answered(0))


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    for folder in (tmp_path / "file", tmp_path / "file" / "ledger"):
        with pytest.raises(LedgerError, match="move the file that stands in place of a folder"):
            Ledger(str(folder)).check_writable()


def test_a_writable_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path / "a" / "b"))
    ledger.check_writable()
    assert list((tmp_path / "a" / "b").iterdir()) == []
