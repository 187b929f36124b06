"""The real vLLM on the tiny VLM, one engine for the whole file."""

import gc
import pickle
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import MODEL, OPTIONS, QUESTION, WORDS, answers, ask, write_words

from beam_rs import judge
from beam_rs.engines.base import DRAIN
from beam_rs.engines.vllm import VllmEngine
from beam_rs.errors import EngineError, Interrupted
from beam_rs.schema import Case, Completion, ImageRef

pytest.importorskip("vllm", reason="vLLM is not installed: its tests are left out", exc_type=ImportError)
pytestmark = [pytest.mark.vllm, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

WINDOW = 8
STEPS = "Think step by step. Put what you find behind Final answer:"


@pytest.fixture(scope="module")
def engine() -> Iterator[VllmEngine]:
    engine = VllmEngine(model=MODEL, window=WINDOW, options=OPTIONS)
    try:
        engine.start()
        yield engine
    finally:
        engine.close()
        gc.collect()  # vLLM leaves its sockets' contexts to the collector


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ImageRef]:
    return write_words(tmp_path_factory.mktemp("words"))


def test_reads_words_with_and_without_a_thought(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    thought = answers(engine, [ask(words[word]) for word in WORDS])
    plain = answers(engine, [ask(words[word], thinking=False) for word in WORDS])
    assert sum(one.answer == word for one, word in zip(thought, WORDS, strict=True)) >= 14
    assert sum(one.answer == word for one, word in zip(plain, WORDS, strict=True)) >= 14
    assert all(one.reasoning and one.reasoning.startswith("It starts with ") for one in thought)
    assert all(one.reasoning is None and one.finish_reason == "stop" for one in plain)
    assert all(one.prompt_tokens > 20 and one.completion_tokens > 2 for one in thought)


def test_answers_do_not_depend_on_threads(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    asked = [ask(words[word], sample=i, temperature=1.0) for word in WORDS for i in range(4)]
    alone = [one.text for one in answers(engine, asked)]
    with ThreadPoolExecutor(16) as pool:
        parts = list(pool.map(lambda i: answers(engine, asked[4 * i : 4 * i + 4]), range(16)))
    assert [one.text for part in parts for one in part] == alone


def test_samples_are_requests_with_seeds_of_their_own(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    asked = [ask(words["coffee"], "Say anything at all", sample=i, temperature=2.0, max_tokens=24) for i in range(16)]
    found = answers(engine, asked)
    assert len({one.key for one in found}) == 16 and not any(one.error for one in found)
    assert len({one.text for one in found}) > 3
    assert [one.text for one in answers(engine, asked[::-1])][::-1] == [one.text for one in found]


def test_decodes_under_a_choice(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    choice = ("hotel", "bakery")
    found = answers(engine, [ask(words[word], choice=choice, thinking=False) for word in (*choice, "open")])
    assert [one.answer for one in found[:2]] == list(choice) and found[2].answer in choice


@pytest.mark.parametrize(("letter", "expected"), [("c", True), ("h", False)])
def test_continues_an_open_turn(engine: VllmEngine, words: dict[str, ImageRef], letter: str, expected: bool) -> None:
    prefix = f"<think>\nIt starts with {letter}.\n"
    asked = [ask(words["coffee"], prefix=prefix, sample=i, temperature=1.0) for i in range(16)]
    assert engine.rendered(asked[0]).endswith(prefix)
    found = answers(engine, asked)
    right = sum(one.answer == "coffee" for one in found)
    assert right >= 14 if expected else right <= 2
    assert all(one.text.startswith("</think>") and one.reasoning == f"It starts with {letter}." for one in found)


def test_solves_in_steps(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    found = answers(engine, [ask(words[word], STEPS) for word in WORDS])
    assert sum(one.answer.endswith(f"Final answer: {word}") for one, word in zip(found, WORDS, strict=True)) >= 14
    assert all(len(one.answer.split("\n\n")) == 3 for one in found)


def test_judges_without_a_picture(engine: VllmEngine) -> None:
    pairs = [(word, other) for word in WORDS for other in (word, WORDS[(WORDS.index(word) + 3) % 16])]
    case = Case((), "What is the word in the image?")
    asked = [
        judge.request("item", replace(case, references=(word,)), f"It says {other}.", model="tiny")
        for word, other in pairs
    ]
    found = answers(engine, asked)
    promoted = [one.answer == "CORRECT" for one in found]
    assert sum(promoted[::2]) >= 14  # the same word
    assert sum(promoted[1::2]) <= 6  # another one: half of the words are alike to it
    assert {one.answer for one in found} <= set(judge.CHOICE)


def test_faults_are_completions(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    changed = replace(words["open"], sha256="0" * 64)
    asked = [
        ask(words["open"], "x" * 9000),
        ask(None, "x" * 9000),
        ask(words["open"], "What does <image> mean?"),
        ask(None, "What does <image> mean?"),
        ask(changed),
        ask(words["open"], temperature=-1.0),
        ask(words["open"], "\ud800"),
        ask(words["open"]),
    ]
    found = answers(engine, asked)
    expected = ["prompt_too_long"] * 2 + ["bad_response"] * 2 + ["image_changed"] + ["bad_response"] * 2 + [""]
    assert [one.error for one in found] == expected
    assert found[-1].answer == "open"


def test_cut_at_the_limit_is_truncated(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    (found,) = answers(engine, [ask(words["open"], max_tokens=3)])
    assert found.truncated and found.finish_reason == "length" and found.answer == ""


def test_the_model_gets_the_question_as_it_is_stored(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    for text in (QUESTION, "Which?\nA. cat\nB. dog\nAnswer with the letter.", "  spaces {{ }} \\n «é» ", ""):
        turn = f"<|im_start|>user\n<image>{text}<|im_end|>\n<|im_start|>assistant\n"
        assert engine.rendered(ask(words["open"], text)) == turn


def test_the_window_stays_full_over_bundles_until_the_tail(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    before = len(engine.load().history)
    asked = [ask(words[WORDS[i % 16]], f"{STEPS} {i}", sample=i, temperature=1.0) for i in range(24 * WINDOW)]
    bundles = [asked[i::4] for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert sum(len(found) for found in pool.map(lambda bundle: answers(engine, bundle), bundles)) == len(asked)
    running = [count for _, count in engine.load().history[before:]]
    body = running[len(running) // 10 : len(running) * 8 // 10]
    assert max(running) == WINDOW
    assert sum(body) / len(body) > 0.95 * WINDOW


def test_an_error_of_the_receiver_ends_its_call_alone(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    def refuse(_: Completion) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        engine.generate([ask(words[word]) for word in WORDS], refuse)
    assert answers(engine, [ask(words["sale"])])[0].answer == "sale"


def test_drains(engine: VllmEngine, words: dict[str, ImageRef]) -> None:
    done: list[str] = []

    def stop_early(completion: Completion) -> None:
        done.append(completion.key)
        DRAIN.set()

    try:
        with pytest.raises(Interrupted):
            engine.generate([ask(words[WORDS[i % 16]], sample=i) for i in range(200)], stop_early)
    finally:
        DRAIN.clear()
    assert 0 < len(set(done)) == len(done) < 200


def test_refuses_a_second_engine_on_its_devices(engine: VllmEngine) -> None:
    second = VllmEngine(model=MODEL, options=OPTIONS)
    with pytest.raises(EngineError, match="already runs on device"):
        second.start()
    second.close()


def test_listens_nowhere_beyond_this_host(engine: VllmEngine) -> None:
    sockets = {link for process in engine.processes() for link in _sockets(process)}
    listening = [
        line.split()[1]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and f"socket:[{line.split()[9]}]" in sockets
    ]
    loopback = ("0100007F:", "00000000000000000000000001000000:")
    assert sockets and [address for address in listening if not address.startswith(loopback)] == []


def test_ctrl_c_does_not_reach_the_engine(engine: VllmEngine) -> None:
    for process in engine.processes():
        status = dict(line.split(":\t") for line in Path(f"/proc/{process}/status").read_text().splitlines())
        assert int(status["SigBlk"], 16) & 1 << (signal.SIGINT - 1)


def test_is_pickled_without_its_model(engine: VllmEngine) -> None:
    copied = pickle.loads(pickle.dumps(engine))
    assert copied == engine and copied.fingerprint == engine.fingerprint
    assert threading.active_count() > 1
    with pytest.raises(EngineError, match="not started"):
        copied.load()


def _sockets(process: int) -> list[str]:
    return [str(link.readlink()) for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink()]
