"""What is found before a model loads, and the parts that need none."""

import importlib.util
import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from beam_rs.engines import ENGINES
from beam_rs.engines._devices import Claim, hold
from beam_rs.engines._processes import Reaper, end_marked, find_marked, marked_environment
from beam_rs.engines._staging import stage
from beam_rs.engines._watchdog import Watchdog
from beam_rs.engines.vllm import VllmEngine
from beam_rs.errors import ConfigError, EngineDied, EngineError
from beam_rs.registry import build

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_model_length": 1}, "did you mean 'max_model_len'"),
        ({"model": "x"}, "set engine.model"),
        ({"reasoning_parser": "qwen3"}, "not to be set"),
    ],
)
def test_refuses_options(options: dict[str, object], message: str) -> None:
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed: its options are not known")
    engine = VllmEngine(model="nobody/nothing", options=options)
    with pytest.raises(ConfigError, match=message):
        engine.start()
    engine.close()


def test_refuses_a_folder_that_is_not_there(tmp_path: Path) -> None:
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed")
    with pytest.raises(ConfigError, match="no model folder"):
        VllmEngine(model=str(tmp_path / "none")).start()


@pytest.mark.parametrize("spec", [{"window": 0}, {"window": "many"}, {"stall_seconds": 0}, {"model": ""}, {"widow": 1}])
def test_refuses_settings(spec: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        build(ENGINES, {"name": "vllm", "model": "m", **spec}, "engine")


def test_is_not_started_by_being_made() -> None:
    engine = VllmEngine(model="m")
    with pytest.raises(EngineDied):
        engine.generate([], print)
    engine.close()
    engine.close()


def test_a_device_has_one_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEAM_RS_LOCKS", str(tmp_path))
    first = Claim(("0", "1"), "mark", "first/model")
    with pytest.raises(EngineError, match="first/model"):
        Claim(("1", "2"), "other", "second", patience=0)
    Claim(("2",), "other", "second", patience=0).release()
    first.release()
    first.release()
    Claim(("1", "2"), "other", "second", patience=0).release()


def test_the_next_owner_ends_what_a_dead_one_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEAM_RS_LOCKS", str(tmp_path))
    Claim(("0",), "left-behind", "model").release()
    with marked_environment("left-behind", {}):
        left = subprocess.Popen(SLEEP)
    Claim(("0",), "new", "model").release()
    assert left.wait(5) == -9


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"mark": 3}', "\0"])
def test_a_torn_lock_file_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("BEAM_RS_LOCKS", str(tmp_path))
    (tmp_path / "device-0.lock").write_text(text)
    Claim(("0",), "mark", "model").release()


def test_holding_a_lock_file_gives_up(tmp_path: Path) -> None:
    with hold(tmp_path / "x.lock", 1), pytest.raises(EngineError, match="held"), hold(tmp_path / "x.lock", 0):
        pass


def test_marks_are_inherited_and_ended() -> None:
    with marked_environment("mark-1", {"PATH": "", "BEAM_RS_TEST": "1"}):
        child = subprocess.Popen(SLEEP)
    try:
        assert "BEAM_RS_TEST" not in os.environ and os.environ["PATH"]
        assert find_marked("mark-1") == [child.pid] and find_marked("mark-") == []
    finally:
        assert end_marked("mark-1") == 1 and child.wait(5) == -9


def test_the_reaper_ends_what_a_killed_owner_left() -> None:
    owner = """
        import os, signal, subprocess, sys
        from beam_rs.engines._processes import Reaper, marked_environment
        reaper = Reaper("mark-2")
        with marked_environment("mark-2", {}):
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(owner)]).returncode == -9
    deadline = time.monotonic() + 10
    while find_marked("mark-2") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert find_marked("mark-2") == []


def test_the_reaper_can_be_dismissed() -> None:
    Reaper("mark-3").dismiss()


def test_the_watchdog_calls_once_and_only_without_progress() -> None:
    hung, calls = threading.Event(), []
    watchdog = Watchdog(lambda idle: (calls.append(idle), hung.set()))
    for _ in range(10):
        watchdog.watch(10)
        watchdog.progress()
    watchdog.rest()
    assert not hung.wait(0.2)
    watchdog.watch(0.1)
    assert hung.wait(10) and len(calls) == 1 and calls[0] >= 0.1
    watchdog.close()


def test_stages_a_folder_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEAM_RS_MODELS", str(tmp_path / "cache"))
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "config.json").write_text("{}")
    (source / "deep" / "weights").write_bytes(b"w" * 1000)
    staged = stage(f"{source}/")
    assert (staged / "deep" / "weights").read_bytes() == b"w" * 1000
    (staged / "seen").touch()
    assert stage(f"{source}/") == staged and (staged / "seen").exists()
    (source / "config.json").unlink()
    with pytest.raises(ConfigError, match=r"no config\.json"):
        stage(f"{source}/")
