import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from simulated import Running, Simulated

from beam_rs import keys
from beam_rs.engines import ENGINES
from beam_rs.engines.base import DRAIN
from beam_rs.engines.openai import OpenAiEngine
from beam_rs.errors import ConfigError, EngineDied, EngineError, EngineUnreachable, Interrupted
from beam_rs.images import Limits, Place, resolve
from beam_rs.registry import build
from beam_rs.schema import Completion, ImageRef, Message, Request, Sampling


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def server() -> Iterator[Running]:
    running = Running(Simulated())
    yield running
    running.stop()


def ask(text: str, image: ImageRef | None = None, sampling: Sampling | None = None, **more: Any) -> Request:
    turns = more.pop("messages", (Message("user", text),))
    return keys.request("item", image, turns, sampling or Sampling(), model="simulated", **more)


def answers(engine: OpenAiEngine, *requests: Request) -> list[Completion]:
    """What an engine makes of requests, in their order; it is started and closed."""
    done: dict[str, Completion] = {}
    try:
        engine.start()
        engine.generate(requests, lambda completion: done.update({completion.key: completion}))
    finally:
        engine.close()
    return [done[request.key] for request in requests]


def quick(url: str | list[str], **more: Any) -> OpenAiEngine:
    return OpenAiEngine(**{"model": "simulated", "url": url, "retries": 3, "total_timeout": 5.0, **more})


FAULTS = {
    "[429x2]": "", "[500x2]": "", "[503x1]": "", "[502x3]": "", "[resetx2]": "", "[halfx1]": "", "[htmlx1]": "",
    "[innerx1]": "", "[429]": "rate_limited", "[500]": "server_error", "[inner]": "server_error",
    "[reset]": "unreachable", "[half]": "bad_response", "[rubbish]": "bad_response", "[nohttp]": "bad_response",
    "[html]": "bad_response", "[empty]": "bad_response", "[array]": "bad_response", "[deep]": "bad_response",
    "[nomessage]": "bad_response", "[gzip]": "bad_response", "[redirect]": "bad_response", "[400]": "bad_response",
    "[413]": "bad_response", "[long]": "prompt_too_long", "[flood]": "bad_response",
}  # fmt: skip


def test_each_fault_ends_as_its_reason_or_an_answer(server: Running) -> None:
    done = answers(quick(server.url, total_timeout=20.0), *map(ask, FAULTS))
    assert {text: completion.error for text, completion in zip(FAULTS, done, strict=True)} == FAULTS
    assert all(c.detail if c.error else c.reasoning == "hm" for c in done)


TRIES = {"[429]": 4, "[500]": 4, "[reset]": 4, "[html]": 2, "[400]": 1, "[long]": 1, "fine": 1, "[500x2]": 3}


def test_how_often_each_is_sent(server: Running) -> None:
    answers(quick(server.url, total_timeout=20.0), *map(ask, TRIES))
    assert {key.partition("|")[0]: times for key, times in server.server.seen.items()} == TRIES


def test_silence_is_a_timeout_at_the_limit(server: Running) -> None:
    started = time.monotonic()
    done = answers(quick(server.url, total_timeout=1.0), ask("[hang]"), ask("fine"))
    assert [completion.error for completion in done] == ["timeout", ""]
    assert 0.9 < time.monotonic() - started < 3


def test_a_silent_attempt_is_followed_by_another(server: Running) -> None:
    (done,) = answers(quick(server.url, first_byte_timeout=0.3), ask("[hangx1]"))
    assert not done.error and server.server.seen.total() == 2


def test_retry_after_is_kept() -> None:
    running = Running(Simulated(retry_after="1"))
    started = time.monotonic()
    (done,) = answers(quick(running.url), ask("[429x1]"))
    assert not done.error and 1.0 <= time.monotonic() - started < 3
    running.server.retry_after = "3600"
    (done,) = answers(quick(running.url), ask("[429]"))
    assert done.error == "rate_limited" and time.monotonic() - started < 5
    running.stop()


def test_nothing_there_is_one_clear_error() -> None:
    engine, started = quick("http://127.0.0.1:9", unreachable_after=0.5), time.monotonic()
    with pytest.raises(EngineUnreachable, match=r"127\.0\.0\.1:9"):
        engine.start()
    assert time.monotonic() - started < 3


def test_a_server_that_only_listens_is_not_there() -> None:
    running = Running(Simulated(hidden=True))
    with pytest.raises(EngineUnreachable):
        answers(quick(running.url, unreachable_after=0.5), ask("?"))
    running.stop()


def test_a_server_that_dies_ends_the_run() -> None:
    running = Running(Simulated(median=0.3))
    engine = quick(running.url, unreachable_after=1.0, total_timeout=60.0)
    engine.start()
    threading.Timer(0.2, running.stop).start()
    with pytest.raises(EngineUnreachable, match="no server has answered for 1 s"):
        engine.generate([ask(str(i)) for i in range(200)], lambda completion: None)
    engine.close()


def test_a_server_that_comes_back_loses_nothing() -> None:
    running = Running(Simulated(median=0.05))
    engine = quick(running.url, total_timeout=60.0)
    threading.Timer(0.5, running.stop).start()
    threading.Timer(1.5, running.start).start()
    done = answers(engine, *[ask(str(i)) for i in range(400)])
    assert not any(completion.error for completion in done)
    assert running.server.seen.total() <= 400 + engine.window
    running.stop()


def test_requests_of_one_picture_go_to_one_server(tmp_path: Path) -> None:
    fleet = [Running(Simulated(median=0.01)) for _ in range(3)]
    pictures = [picture(tmp_path, index) for index in range(12)]
    requests = [ask(f"{n} of {p.sha256}", p) for n in range(4) for p in pictures]
    done = answers(quick([running.url for running in fleet]), *requests)
    places = [{text.split()[-1].partition("|")[0] for text in running.server.seen} for running in fleet]
    assert not any(c.error for c in done) and all(places)
    assert sum(map(len, places)) == len(pictures)
    fleet[0].stop()
    done = answers(quick([running.url for running in fleet], total_timeout=60.0), *requests)
    assert not any(c.error for c in done)
    moved = [{text.split()[-1].partition("|")[0] for text in running.server.seen} for running in fleet[1:]]
    assert set.union(*moved) == set.union(*places) and all(a >= b for a, b in zip(moved, places[1:], strict=True))
    for running in fleet:
        running.stop()


def picture(folder: Path, seed: int = 0, name: str = "a.png", size: int = 8, **save: Any) -> ImageRef:
    from PIL import Image

    Image.new("RGB", (size, size // 2), (seed, 1, 2)).save(
        folder / name if seed == 0 else folder / f"{seed}.png", **save
    )
    found = resolve(name if seed == 0 else f"{seed}.png", Place(str(folder)), Limits())
    assert isinstance(found, ImageRef)
    return found


def sent_picture(server: Running, ref: ImageRef, **more: Any) -> tuple[str, bytes]:
    """Media type and bytes that a server gets."""
    import base64

    answers(quick(server.url, **more), ask("?", ref))
    parts = server.server.bodies[-1]["messages"][-1]["content"]
    assert [part["type"] for part in parts] == ["image_url", "text"]
    head, _, data = parts[0]["image_url"]["url"].partition(";base64,")
    return head.removeprefix("data:"), base64.b64decode(data)


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.webp"])
def test_source_bytes_are_sent_as_they_are(server: Running, tmp_path: Path, name: str) -> None:
    ref = picture(tmp_path, name=name)
    assert sent_picture(server, ref) == (ref.media_type, (tmp_path / name).read_bytes())


def test_other_pictures_are_sent_as_we_see_them(server: Running, tmp_path: Path) -> None:
    import io

    from PIL import Image

    def size(ref: ImageRef, **more: Any) -> tuple[int, int]:
        media_type, data = sent_picture(server, ref, **more)
        assert media_type == "image/png"
        return Image.open(io.BytesIO(data)).size

    exif = Image.Exif()
    exif[0x0112] = 6
    for name in ("turned.jpg", "turned.png", "turned.webp"):
        assert size(picture(tmp_path, name=name, exif=exif)) == (4, 8)
    assert size(picture(tmp_path, name="a.bmp")) == (8, 4)
    assert size(picture(tmp_path, name="large.png", size=100), pixels=200) == (20, 10)


def test_a_picture_that_changed(server: Running, tmp_path: Path) -> None:
    ref = picture(tmp_path)
    (tmp_path / "a.png").write_bytes(b"other")
    (done,) = answers(quick(server.url), ask("?", ref))
    assert done.error == "image_changed" and not server.server.seen


def body(server: Running, request: Request, **more: Any) -> dict[str, Any]:
    answers(quick(server.url, **more), request)
    return server.server.bodies[-1]


def test_what_is_asked(server: Running) -> None:
    sampling = Sampling(temperature=0.7, top_p=0.9, top_k=50, max_tokens=9, thinking=False, stop=("\n",))
    request = ask("Wörter \ud83d", sampling=sampling)
    assert body(server, request, options={"repetition_penalty": 1.1, "chat_template_kwargs": {"x": 1}}) == {
        "model": "simulated", "messages": [{"role": "user", "content": "Wörter \ud83d"}], "temperature": 0.7,
        "top_p": 0.9, "top_k": 50, "max_tokens": 9, "stop": ["\n"], "seed": request.seed, "n": 1,
        "repetition_penalty": 1.1, "min_p": 0.0, "chat_template_kwargs": {"enable_thinking": False, "x": 1},
    }  # fmt: skip
    assert "chat_template_kwargs" not in body(server, request, thinking_argument="")
    assert body(server, ask("?"))["top_k"] == -1
    assert not {"top_k", "chat_template_kwargs"} & body(server, ask("?"), extensions=False).keys()
    assert "seed" not in body(server, request, options={"seed": None})


def test_an_open_turn_is_continued(server: Running) -> None:
    turns = (Message("user", "?"), Message("assistant", "Step 1.\n\n"))
    sent = body(server, ask("", messages=turns))
    assert (sent["continue_final_message"], sent["add_generation_prompt"]) == (True, False)
    assert sent["messages"][-1] == {"role": "assistant", "content": "Step 1.\n\n"}


def test_a_choice_is_asked_for_where_the_server_understands_it(server: Running) -> None:
    choice = Sampling(choice=("YES", "NO"))
    assert body(server, ask("a", sampling=choice))["structured_outputs"] == {"choice": ["YES", "NO"]}
    done = answers(quick(server.url), ask("[choiceless]", sampling=choice), ask("[400]", sampling=choice))
    assert [c.error for c in done] == ["", "bad_response"]
    assert sum("structured_outputs" in sent for sent in server.server.bodies) == 3


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    running = Running(Simulated(key="sk-right"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-right")
    engine = quick(running.url)
    assert not answers(engine, ask("?"))[0].error
    assert "sk-right" not in repr(engine) + engine.fingerprint + caplog.text
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    with pytest.raises(EngineError, match="OPENAI_API_KEY"):
        answers(engine, ask("?"))
    assert "sk-wrong" not in repr(engine) + caplog.text
    running.stop()


def test_a_key_that_no_header_can_hold(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-\nsecret")
    with pytest.raises(EngineError, match="OPENAI_API_KEY") as caught:
        answers(quick(server.url), ask("?"))
    assert "secret" not in str(caught.value)


def test_proxies_are_honoured(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
    assert not answers(quick("http://model.invalid/v1"), ask("?"))[0].error
    monkeypatch.setenv("no_proxy", "model.invalid")
    with pytest.raises(EngineUnreachable):
        answers(quick("http://model.invalid/v1", unreachable_after=0.5), ask("?"))


def test_floods_leave_memory_alone() -> None:
    code = """
import resource, sys
from test_openai import *
running = Running(Simulated(keep_bodies=False))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
answers(quick(running.url), *[ask(str(n)) for n in range(50)])
before = peak()
done = answers(quick(running.url, window=16, retries=0), *[ask(f"[flood] {n}") for n in range(60)])
assert {c.error for c in done} == {"bad_response"}
print(peak() - before)
"""
    found = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) < 400


def test_threads_share_one_window() -> None:
    running = Running(Simulated(slots=100, median=0.02))
    engine = quick(running.url, window=5)
    engine.start()
    done: list[Completion] = []

    def work(n: int) -> None:
        engine.generate([ask(f"{n}.{i}") for i in range(20)], done.append)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    assert len(done) == 160 and running.server.most_active == 5
    assert running.server.stats()["most"] == 1
    running.stop()


def test_draining_hands_over_what_is_in_flight(server: Running) -> None:
    server.server.median = 0.2
    engine, done = quick(server.url, window=4), []
    engine.start()
    threading.Timer(0.3, DRAIN.set).start()
    try:
        with pytest.raises(Interrupted):
            engine.generate([ask(str(i)) for i in range(60)] + [ask("[503]")], done.append)
    finally:
        DRAIN.clear()
        engine.close()
    assert 0 < len(done) < 60
    assert len(done) == sum("[503]" not in text for text in server.server.seen)


def test_an_error_of_on_done_ends_the_call(server: Running) -> None:
    engine = quick(server.url, window=4)
    engine.start()

    def full(completion: Completion) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        engine.generate([ask(str(i)) for i in range(50)], full)
    kept: list[Completion] = []
    engine.generate([ask("after")], kept.append)
    assert len(kept) == 1 and engine.in_flight == 0
    engine.close()


def test_closing_wakes_who_waits(server: Running) -> None:
    engine = quick(server.url)
    engine.start()
    threading.Timer(0.2, engine.close).start()
    with pytest.raises(EngineDied):
        engine.generate([ask("[hang]")], lambda completion: None)
    with pytest.raises(EngineError, match="not started"):
        engine.generate([ask("?")], lambda completion: None)
    engine.close()
    engine.start()
    engine.generate([], lambda completion: None)
    engine.close()


def test_it_travels_to_workers(server: Running) -> None:
    engine = quick(server.url)
    engine.start()
    copy = pickle.loads(pickle.dumps(engine))
    assert copy == engine and copy.fingerprint == engine.fingerprint
    engine.close()
    assert not answers(copy, ask("?"))[0].error


WRONG = {
    "no url": {"url": []},
    "no scheme": {"url": "localhost:8000"},
    "rubbish": {"url": "http://[::1"},
    "a password": {"url": "http://me:secret@host/v1"},
    "a key in the query": {"url": "http://host/v1?key=secret"},
    "no window": {"url": "http://h", "window": 0},
    "a window of words": {"url": "http://h", "window": "many"},
    "sampling among the options": {"url": "http://h", "options": {"temperature": 1}},
    "unknown": {"url": "http://h", "windw": 3},
}


@pytest.mark.parametrize("settings", WRONG.values(), ids=WRONG)
def test_wrong_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        build(ENGINES, {"name": "openai", "model": "m", **settings}, "engine")
    assert "secret" not in str(caught.value)
