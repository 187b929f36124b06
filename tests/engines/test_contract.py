"""What holds for every engine, on the engines that can be had here."""

import gc
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from tiny import MODEL, OPTIONS, WORDS, answers, ask, write_words

from beam_rs.engines import ENGINES, Engine
from beam_rs.engines._processes import Reaper, marked_environment
from beam_rs.engines.base import DRAIN
from beam_rs.errors import EngineError, Interrupted
from beam_rs.registry import build
from beam_rs.schema import Completion, ImageRef

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SERVER = (
    "--max-model-len 2048 --enforce-eager --kv-cache-memory-bytes 67108864 --max-num-batched-tokens 65536 "
    "--host 127.0.0.1 --served-model-name tiny"
)


@pytest.fixture(scope="session")
def vllm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of vLLM's own server with the tiny VLM, one for the whole run."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", MODEL, "--port", str(port)]
    mark = f"test-{port}-{time.time_ns()}"
    reaper = Reaper(mark)  # ends the server also where the tests are killed
    with open(log, "w") as output, marked_environment(mark, {}):
        server = subprocess.Popen([*command, *SERVER.split()], stdout=output, stderr=output, start_new_session=True)
    try:
        _await(f"http://127.0.0.1:{port}/health", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
        reaper.dismiss()


def _await(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(url, timeout=2).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
    pytest.fail(f"vLLM's server did not come up:\n{log.read_text()[-3000:]}")


def _spec(name: str, request: pytest.FixtureRequest) -> dict[str, Any]:
    if name == "scripted":
        return {"name": name, "function": "tiny:read"}
    if name == "ocr":
        pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
        return {"name": name}
    pytest.importorskip("vllm", reason="vLLM is not installed", exc_type=ImportError)
    if name == "vllm":
        return {"name": name, "model": MODEL, "window": 16, "options": OPTIONS}
    return {"name": name, "model": "tiny", "url": request.getfixturevalue("vllm_server"), "window": 16}


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ImageRef]:
    return write_words(tmp_path_factory.mktemp("words"))


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.vllm] * (name in ("vllm", "openai"))) for name in ENGINES],
)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    engine: Engine = build(ENGINES, _spec(request.param, request), "engine")
    try:
        engine.start()
        yield engine
    finally:
        engine.close()
        gc.collect()  # vLLM leaves its sockets' contexts to the collector
        engine.close()


def test_every_request_is_handed_over_once(engine: Engine, words: dict[str, ImageRef]) -> None:
    asked = [ask(words[word], sample=i) for word in WORDS for i in range(3)]
    done: list[Completion] = []
    engine.generate(asked, done.append)
    assert sorted(one.key for one in done) == sorted(request.key for request in asked)
    assert all(one.group for one in done) and not any(one.error for one in done)
    engine.generate([], done.append)


def test_reads_the_word(engine: Engine, words: dict[str, ImageRef]) -> None:
    assert answers(engine, [ask(words["open"])])[0].answer.strip().lower() == "open"


def test_answers_do_not_depend_on_threads(engine: Engine, words: dict[str, ImageRef]) -> None:
    asked = [ask(words[word]) for word in WORDS]
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda i: answers(engine, asked[2 * i : 2 * i + 2]), range(8)))
    assert [one.text for part in parts for one in part] == [one.text for one in answers(engine, asked)]


def test_a_picture_that_changed_fails_alone(engine: Engine, words: dict[str, ImageRef]) -> None:
    if engine.name == "scripted":
        pytest.skip("it looks at no picture")
    changed = ask(replace(words["open"], sha256="0" * 64), "Read it.")
    found = answers(engine, [changed, ask(words["open"])])
    assert [one.error for one in found] == ["image_changed", ""]


def test_text_without_a_picture(engine: Engine) -> None:
    (found,) = answers(engine, [ask(None, "Say something.", max_tokens=4)])
    assert found.error == ("" if engine.judges else "bad_response")


def test_decodes_under_a_choice(engine: Engine) -> None:
    if engine.name not in ("vllm", "openai"):
        pytest.skip("it has no constrained decoding")
    (found,) = answers(engine, [ask(None, "CORRECT or WRONG?", choice=("CORRECT", "WRONG"), thinking=False)])
    assert found.answer in ("CORRECT", "WRONG")


def test_continues_an_open_turn(engine: Engine, words: dict[str, ImageRef]) -> None:
    if engine.name not in ("vllm", "openai"):
        pytest.skip("it does not generate")
    (found,) = answers(engine, [ask(words["coffee"], prefix="<think>\nIt starts with c.\n")])
    assert (found.reasoning, found.answer) == ("It starts with c.", "coffee")


def test_a_prompt_that_is_too_long_fails_alone(engine: Engine, words: dict[str, ImageRef]) -> None:
    if engine.name not in ("vllm", "openai"):
        pytest.skip("it has no context to overflow")
    found = answers(engine, [ask(words["open"], "x" * 20_000), ask(words["open"])])
    assert [one.error for one in found] == ["prompt_too_long", ""]


def test_draining_hands_over_what_is_in_flight(engine: Engine, words: dict[str, ImageRef]) -> None:
    done: list[str] = []
    DRAIN.set()
    try:
        with pytest.raises(Interrupted):
            engine.generate([ask(words["open"], sample=i) for i in range(500)], lambda one: done.append(one.key))
    finally:
        DRAIN.clear()
    assert len(done) == len(set(done)) < 500


def test_an_error_of_the_receiver_ends_the_call(engine: Engine, words: dict[str, ImageRef]) -> None:
    def refuse(_: Completion) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        engine.generate([ask(words["open"])], refuse)


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_that_is_not_started_says_so(name: str) -> None:
    if name in ("scripted", "ocr"):
        pytest.skip("it may start by itself")
    extra = {"url": "http://127.0.0.1:1/v1"} if name == "openai" else {}
    engine: Engine = build(ENGINES, {"name": name, "model": "m", **extra}, "engine")
    with pytest.raises(EngineError):
        engine.generate([ask(None)], print)
    engine.close()
