"""Runs that are interrupted, killed or met by a second one: resumable, and the same bytes in the end."""

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

ENDLESS = "engine.delay=1"
"""Forty seconds of answers: nobody waits for their end."""


def test_a_second_run_on_the_same_output_is_refused(pool, start, call):
    first = start("run", pool.config, "--set", ENDLESS, "--set", "engine.window=1")
    pool.await_answers(first)
    second = call("run", pool.config)
    assert second.code == 2 and "another run" in second.err
    first.send_signal(signal.SIGINT)
    assert first.wait(60) == 130
    assert call("run", pool.config).code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_can_be_resumed(pool, start, call, published, number):
    assert call("run", pool.config, "--set", "output=" + str(pool.folder / "whole")).code == 0
    process = start("run", pool.config, "--set", ENDLESS, "--set", "engine.window=2")
    pool.await_answers(process)
    process.send_signal(number)
    said = process.communicate(timeout=60)[0]
    assert process.returncode == 130 and "run the same command again" in said and "Traceback" not in said
    assert not (pool.out / "manifest.json").exists()
    assert call("run", pool.config, "--set", "engine.die_after=39").code == 0
    assert published(pool.out, ".parquet") == published(pool.folder / "whole", ".parquet")


def workers_of(process) -> list[int]:
    """Processes of a run's process group that are still there, itself left out."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            _, state, _, group = stat.read_text().rpartition(")")[2].split(" ")[:4]
            if int(group) == process.pid and state != "Z" and stat.parent.name != str(process.pid):
                found.append(int(stat.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_worker_processes_end_with_their_run(pool, start, call, number):
    options = ["--direct_num_workers=2", "--direct_running_mode=multi_processing"]
    process = start("run", pool.config, "--set", ENDLESS, "--set", "engine.window=1", *options)
    pool.await_answers(process)
    assert workers_of(process)
    process.send_signal(number)
    assert process.wait(30) == (130 if number == signal.SIGINT else -number)
    for _ in range(200):
        if not workers_of(process):
            break
        time.sleep(0.05)
    assert not workers_of(process)
    assert call("run", pool.config).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.4, 1.0, 1.7, 2.5])
def test_a_run_that_is_killed_at_any_moment_can_be_repeated(pool, start, call, published, seconds):
    assert call("run", pool.config, "--set", "output=" + str(pool.folder / "whole")).code == 0
    process = start("run", pool.config, "--set", "engine.delay=0.05", "--set", "engine.window=1")
    for _ in range(1_200):
        if (pool.out / ".work").exists():
            break
        time.sleep(0.05)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished = (pool.out / "manifest.json").exists()
    assert finished or not list(pool.out.glob("Signs/*/*.parquet")) or process.returncode == -9
    done = call("run", pool.config)
    assert done.code == 0, done.err
    assert published(pool.out, ".parquet", ".md") == published(pool.folder / "whole", ".parquet", ".md")
    assert not (pool.out / ".work/attempts").exists()
