"""What happens when vLLM's processes die, hang, or lose their owner."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny import MODEL, OPTIONS, WORDS, ask, write_words

from beam_rs.engines._processes import find_marked
from beam_rs.engines.vllm import VllmEngine
from beam_rs.errors import EngineDied
from beam_rs.schema import Completion, ImageRef

pytest.importorskip("vllm", reason="vLLM is not installed: its tests are left out", exc_type=ImportError)
pytestmark = [pytest.mark.vllm, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ImageRef]:
    return write_words(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(MODEL, tmp_path_factory.mktemp("model") / "tiny"))


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[VllmEngine]:
    engine = VllmEngine(model=str(folder), window=4, options=OPTIONS, stall_seconds=4, restarts=1)
    try:
        engine.start()
        yield engine
    finally:
        engine.close()
        gc.collect()  # vLLM leaves its sockets' contexts to the collector


def answer_and_signal(engine: VllmEngine, words: dict[str, ImageRef], number: int) -> list[Completion]:
    """Ask for 64 answers, and send a signal to all of the engine's processes when the first has come."""
    done: list[Completion] = []

    def receive(completion: Completion) -> None:
        done.append(completion)
        if len(done) == 1:
            for process in engine.processes():
                os.kill(process, number)

    engine.generate([ask(words[WORDS[i % 16]], sample=i) for i in range(64)], receive)
    return done


# in this order: the last one leaves no engine behind
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hung"])
def test_a_lost_engine_is_replaced_and_nothing_is_lost(
    engine: VllmEngine, words: dict[str, ImageRef], number: int
) -> None:
    before = set(engine.processes())
    done = answer_and_signal(engine, words, number)
    assert len({one.key for one in done}) == len(done) == 64
    assert not any(one.error for one in done)
    assert before and not before & set(engine.processes())


def test_an_engine_that_cannot_start_again_has_died(
    engine: VllmEngine, words: dict[str, ImageRef], folder: Path
) -> None:
    shutil.rmtree(folder)
    with pytest.raises(EngineDied, match="died 2 times without an answer"):
        answer_and_signal(engine, words, signal.SIGKILL)
    with pytest.raises(EngineDied, match="is gone"):
        engine.generate([ask(words["open"])], print)
    assert engine.processes() == []


def test_nothing_is_left_after_a_kill_of_the_owner(tmp_path: Path) -> None:
    owner = f"""
        import os
        from beam_rs.engines.vllm import VllmEngine

        if __name__ == "__main__":
            engine = VllmEngine(model={MODEL!r}, window=2, options={OPTIONS!r})
            engine.start()
            print("mark", engine.mark, len(engine.processes()), flush=True)
            os.kill(os.getpid(), 9)
    """
    (tmp_path / "owner.py").write_text(textwrap.dedent(owner))
    environment = {**os.environ, "BEAM_RS_LOCKS": str(tmp_path)}  # the other engine of this file may still be open
    ended = subprocess.run([sys.executable, tmp_path / "owner.py"], capture_output=True, text=True, env=environment)
    marks = [line.split() for line in ended.stdout.splitlines() if line.startswith("mark ")]
    assert marks, ended.stderr[-2000:]
    _, mark, count = marks[0]
    deadline = time.monotonic() + 10
    while find_marked(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert int(count) >= 1 and find_marked(mark) == []
