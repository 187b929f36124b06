import pickle
import threading
import time

import pytest

from beam_rs import keys, prompts
from beam_rs.engines import ENGINES
from beam_rs.engines.base import DRAIN
from beam_rs.engines.scripted import FAULTS, ScriptedEngine
from beam_rs.errors import ConfigError, EngineDied, EngineError, Interrupted
from beam_rs.registry import build
from beam_rs.schema import Completion, Sampling


def ask(item="a", question="What?", sample=0):
    return keys.request(item, None, prompts.messages(question), Sampling(), sample, model="m")


def run(requests, **settings):
    engine = build(ENGINES, {"name": "scripted", **settings}, "engine")
    engine.start()
    done = []
    try:
        engine.generate(requests, done.append)
    finally:
        engine.close()
    return done


@pytest.mark.parametrize(
    ("settings", "answer", "reasoning", "error"),
    [
        ({}, "", None, ""),
        ({"default": "cat"}, "cat", None, ""),
        ({"default": None}, "", None, "bad_response"),
        ({"table": {"a": "by item", "What?": "by question"}}, "by item", None, ""),
        ({"table": {"What?": "<think>It purrs.</think>cat"}}, "cat", "It purrs.", ""),
        ({"table": {ask().key: "by key", "a": "by item"}}, "by key", None, ""),
        ({"table": {"b": "other"}, "default": "rest"}, "rest", None, ""),
        ({"table": {"a": []}, "default": "rest"}, "rest", None, ""),
        ({"function": "scripted_replies:nothing", "default": "rest"}, "rest", None, ""),
        ({"function": "operator:attrgetter"}, "", None, "bad_response"),
        ({"function": "beam_rs.prompts:last_user_text"}, "", None, "bad_response"),
        ({"faults": {"What?": "timeout"}, "table": {"a": "x"}}, "", None, "timeout"),
        ({"faults": {"b": "timeout"}, "table": {"a": "x"}}, "x", None, ""),
    ],
)
def test_answers(settings, answer, reasoning, error, replies):
    (completion,) = run([ask()], **settings)
    assert (completion.answer, completion.reasoning, completion.error) == (answer, reasoning, error)
    assert (completion.key, completion.group) == (ask().key, ask().group)


@pytest.fixture
def replies(tmp_path, monkeypatch):
    text = (
        "from beam_rs.schema import Completion\n"
        "def shout(request):\n    return request.messages[-1].text.upper()\n"
        "def cut(request):\n    return Completion(request.key, text='ab', answer='ab', truncated=True)\n"
        "def fail(request):\n    raise ValueError('no idea')\n"
        "def nothing(request):\n    return None\n"
        "value = 3\n"
    )
    (tmp_path / "scripted_replies.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_functions(replies):
    assert run([ask()], function="scripted_replies:shout")[0].answer == "WHAT?"
    assert run([ask()], function="scripted_replies:cut")[0].truncated
    failed = run([ask()], function="scripted_replies:fail")[0]
    assert (failed.error, failed.detail) == ("bad_response", "scripted_replies:fail: ValueError: no idea")


@pytest.mark.parametrize(
    "settings",
    [
        {"function": "scripted_replies:nonesuch"},
        {"function": "scripted_replies:value"},
        {"function": "nonesuch_module:f"},
        {"function": "nocolon"},
        {"function": ":f"},
        {"faults": {"a": "timeuot"}},
        {"window": 0},
        {"delay": -1},
        {"delay": "soon"},
        {"tabel": {}},
        {"table": {"a": 5}},
        {"table": "/no/such/table.jsonl"},
    ],
)
def test_wrong_settings(settings, replies):
    with pytest.raises(ConfigError):
        run([ask()], **settings)


def test_table_from_a_file(tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_text('\ufeff{"item": "a", "answer": "1"}\n\n{"question": "Why?", "answer": ["2", "3"]}\r\n', "utf-8")
    done = run([ask(), ask("b", "Why?"), ask("b", "Why?", 1), ask("b", "Why?", 2)], table=str(path))
    assert [c.answer for c in done] == ["1", "2", "3", "2"]


@pytest.mark.parametrize("line", ["{", "[]", "null", "7", '{"item": "a"}', '{"item": 3, "answer": "x"}', "[" * 99999])
def test_table_that_is_none(tmp_path, line):
    path = tmp_path / "table.jsonl"
    path.write_text('{"item": "a", "answer": "1"}\n' + line)
    with pytest.raises(ConfigError, match=r"table\.jsonl:2: "):
        run([ask()], table=str(path))


def test_picklable_and_the_same_engine_when_started():
    engine = ScriptedEngine(table={"a": "x"}, delay=0.01)
    before, copy = engine.fingerprint, pickle.loads(pickle.dumps(engine))
    engine.start()
    assert engine.fingerprint == before == copy.fingerprint
    engine.close()
    engine.close()
    with pytest.raises(EngineError, match="before it was started"):
        engine.generate([ask()], print)


def test_window_holds_over_all_threads():
    active, most, lock = set(), [0], threading.Lock()

    class Watched(ScriptedEngine):
        def answer(self, request):
            with lock:
                active.add(request.key)
                most[0] = max(most[0], len(active))
            time.sleep(0.01)
            with lock:
                active.discard(request.key)
            return super().answer(request)

    engine, done = Watched(delay=0.001, window=3), []
    engine.start()
    batches = [[ask(f"{n}", f"{n}-{i}") for i in range(8)] for n in range(4)]
    threads = [threading.Thread(target=engine.generate, args=(batch, done.append)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    assert {c.key for c in done} == {r.key for batch in batches for r in batch}
    assert len(done) == 32
    assert most[0] == 3


@pytest.mark.parametrize("delay", [0.0, 0.001])
def test_death(delay):
    engine, done = ScriptedEngine(die_after=3, delay=delay, window=1), []
    engine.start()
    with pytest.raises(EngineDied, match="after 3 requests"):
        engine.generate([ask(f"{i}", f"{i}") for i in range(9)], done.append)
    engine.close()
    assert len(done) == 3


@pytest.mark.parametrize("delay", [0.0, 0.001])
def test_drain(delay):
    engine, done = ScriptedEngine(delay=delay, window=2), []

    def first(completion: Completion) -> None:
        done.append(completion)
        DRAIN.set()

    engine.start()
    try:
        with pytest.raises(Interrupted):
            engine.generate([ask(f"{i}", f"{i}") for i in range(50)], first)
    finally:
        DRAIN.clear()
        engine.close()
    assert 1 <= len(done) <= 3


@pytest.mark.parametrize("delay", [0.0, 0.001])
def test_an_error_of_on_done_ends_the_call(delay):
    engine, seen = ScriptedEngine(delay=delay, window=1), []

    def refuse(completion):
        seen.append(completion)
        raise RuntimeError("ledger full")

    engine.start()
    with pytest.raises(RuntimeError, match="ledger full"):
        engine.generate([ask(f"{i}", f"{i}") for i in range(50)], refuse)
    engine.close()
    assert len(seen) < 5


def test_every_fault_is_a_completion():
    done = run([ask(f, f) for f in FAULTS], faults={f: f for f in FAULTS})
    assert [c.error for c in done] == list(FAULTS)
