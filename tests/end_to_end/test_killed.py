"""A served model, and everything that can end a run: killed, interrupted, out of disk, the server gone."""

import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from serving import (
    WINDOW,
    Server,
    begin,
    contents,
    ids,
    kept,
    kill,
    log,
    make_pool,
    run,
    served,
    wait_until,
)

pytestmark = pytest.mark.slow
SIZE = 160


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with served(tmp_path, "--median", "0.1", "--slots", "16") as running:
        yield running


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What an undisturbed run publishes."""
    folder = tmp_path_factory.mktemp("calm")
    with served(folder) as server:
        config = make_pool(folder / "pool", SIZE, server.url)
        assert run(config) == 0, log(config)
        asked = server.seeds()
        assert len(asked) == len(set(asked)), "no request is sent twice without a fault"
    return contents(config.parent / "out")


def check_whole(config: Path, calm: dict[str, str]) -> None:
    """Nothing is lost, nothing is there twice, and every byte is as in an undisturbed run."""
    out = config.parent / "out"
    found = ids(out)
    assert (len(found), set(found.values())) == (SIZE, {1})
    assert contents(out) == calm


def test_killed_at_random_moments(server, tmp_path, calm):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    out, pick = config.parent / "out", random.Random()
    answers = 0
    for _ in range(6):
        before, had = server.mark(), kept(out)
        process = begin(config)
        # in the middle of the requests, or at any moment where there are none left
        aim = pick.randint(1, SIZE // 3)
        patience = time.monotonic() + pick.uniform(4, 12)
        while process.poll() is None and len(server.seeds(since=before)) < aim and time.monotonic() < patience:
            time.sleep(0.01)
        kill(process)
        asked = server.seeds(since=before)
        assert not had & set(asked), "what stands in the ledger is not asked again"
        assert len(asked) == len(set(asked))
        assert kept(out) >= had
        answers += len(asked)
    before, had = server.mark(), kept(out)
    assert run(config) == 0, log(config)
    last = server.seeds(since=before)
    assert not had & set(last)
    everything = kept(out)
    assert answers + len(last) - len(everything) <= 6 * 2 * WINDOW, (
        "only what was in flight or arriving is asked once more"
    )
    check_whole(config, calm)


def test_a_server_that_dies_and_comes_back(server, tmp_path, calm):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    process = begin(config)
    wait_until(lambda: len(server.seeds("answered")) >= SIZE // 4)
    server.kill()
    had = kept(config.parent / "out")
    time.sleep(5)
    assert process.poll() is None, log(config)
    mark = server.mark()
    server.start()
    assert process.wait(120) == 0, log(config)
    assert not had & set(server.seeds(since=mark))
    check_whole(config, calm)


def test_a_server_that_dies_for_good(server, tmp_path, calm):
    config = make_pool(tmp_path / "pool", SIZE, server.url, unreachable_after=3.0)
    process = begin(config)
    wait_until(lambda: len(server.seeds("answered")) >= SIZE // 4)
    server.kill()
    died = time.monotonic()
    assert process.wait(60) == 1
    assert time.monotonic() - died < 30, "three seconds of patience, and Beam's own end"
    assert "no server has answered for 3 s" in log(config) and "is it running" in log(config)
    assert "Traceback" not in log(config)
    had, mark = kept(config.parent / "out"), server.mark()
    assert len(had) >= SIZE // 4 - 1
    server.start()
    assert run(config) == 0, log(config)
    assert not had & set(server.seeds(since=mark))
    check_whole(config, calm)


def test_nothing_answers_at_the_start(tmp_path):
    config = make_pool(tmp_path / "pool", 4, "http://127.0.0.1:9/v1", unreachable_after=1.0)
    assert run(config) == 1
    assert "no server has answered for 1 s (http://127.0.0.1:9/v1:" in log(config)
    assert "Traceback" not in log(config)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_drains(server, tmp_path, calm, number):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    process = begin(config)
    wait_until(lambda: len(server.seeds("answered")) >= SIZE // 4)
    os.killpg(process.pid, number)
    assert process.wait(60) == 130, log(config)
    assert "once more ends at once" in log(config) and "run the same command again" in log(config)
    assert kept(config.parent / "out") == set(server.seeds()), "what was in flight has been answered and kept"
    mark = server.mark()
    assert run(config) == 0, log(config)
    assert len(server.seeds()) == len(set(server.seeds())) and server.mark() > mark
    check_whole(config, calm)


def test_the_second_signal_ends_at_once(tmp_path):
    with served(tmp_path) as server:
        config = make_pool(tmp_path / "pool", 40, server.url, lambda n: f"word {n}" + " [hang]" * (n >= 30))
        process = begin(config)
        wait_until(lambda: len(server.seeds("answered")) >= 25)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(1)
        assert process.poll() is None, "the hanging requests are waited for"
        os.killpg(process.pid, signal.SIGINT)
        began = time.monotonic()
        assert process.wait(30) == 130
        assert time.monotonic() - began < 10
        assert kept(config.parent / "out") == set(server.seeds("answered"))


def test_a_ledger_that_cannot_be_is_found_before_the_first_request(server, tmp_path):
    config = make_pool(tmp_path / "pool", 4, server.url)
    ledger = config.parent / "out/.work/ledger"
    ledger.parent.mkdir(parents=True)
    ledger.write_text("not a folder")
    assert run(config) == 2
    assert "usage: the ledger" in log(config) and "choose another folder" in log(config)
    assert server.seeds() == []


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A small file system of its own at a folder."""
    folder.mkdir(parents=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True)
    if done.returncode:
        pytest.skip("mounting a small file system is not permitted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_ledger_is_found_before_the_first_request(server, tmp_path):
    config = make_pool(tmp_path / "pool", 4, server.url)
    with mounted(config.parent / "out/.work/ledger", "ro"):
        assert run(config) == 2
    assert "usage: the ledger" in log(config) and "choose a folder that can be written" in log(config)
    assert server.seeds() == []


def test_a_ledger_file_that_may_not_grow(server, tmp_path):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # noqa: E731
    assert run(config, preexec_fn=limit) == 1
    assert "raise the limit on file sizes, then run again: finished answers are kept" in log(config)
    assert kept(config.parent / "out")


def test_a_full_disk_under_the_ledger(server, tmp_path, calm):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    ledger = config.parent / "out/.work/ledger"
    with mounted(ledger, "size=24k"):
        assert run(config) == 1
        assert "free some space, then run again: finished answers are kept" in log(config)
        assert "Traceback" not in log(config)
        files = {path.name: path.read_bytes() for path in ledger.iterdir()}
    for name, data in files.items():
        (ledger / name).write_bytes(data)
    check_resumes(config, server, calm)


def check_resumes(config: Path, server: Server, calm: dict[str, str]) -> None:
    had, mark = kept(config.parent / "out"), server.mark()
    assert had
    assert run(config) == 0, log(config)
    assert not had & set(server.seeds(since=mark))
    check_whole(config, calm)


def test_killed_while_writing(server, tmp_path, calm):
    config = make_pool(tmp_path / "pool", SIZE, server.url)
    out = config.parent / "out"
    assert run(config) == 0, log(config)
    asked = server.mark()
    process = begin(config)
    wait_until(lambda: any((out / ".work/attempts").glob("*")) or process.poll() is not None)
    kill(process)
    assert run(config) == 0, log(config)
    assert server.mark() == asked, "all answers are known"
    check_whole(config, calm)
