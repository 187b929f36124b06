import pickle
import threading

import pytest
from PIL import Image, ImageDraw, ImageFont

from beam_rs import images, keys, prompts
from beam_rs.engines import ENGINES
from beam_rs.engines._recogniser import wheel_models
from beam_rs.engines.base import DRAIN
from beam_rs.engines.ocr import OcrEngine
from beam_rs.errors import ConfigError, EngineError, Interrupted
from beam_rs.registry import build
from beam_rs.schema import Message, Sampling

pytest.importorskip("rapidocr", reason="needs the extra 'ocr'")
pytest.importorskip("onnxruntime", reason="needs the extra 'ocr'")


def ref(path, word, size=(140, 48), fmt="PNG"):
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((6, 6), word, fill="black", font=ImageFont.load_default(size=28))
    image.save(path, fmt)
    found = images.resolve(path.name, images.Place(str(path.parent)), images.Limits())
    assert not isinstance(found, images.Fault)
    return found


def ask(picture, question="Read the word.", turns=()):
    turns = (*prompts.messages(question), *turns)
    return keys.request("item", picture, turns, Sampling(), model="m")


@pytest.fixture(scope="module")
def engine():
    engine = build(ENGINES, "ocr", "engine")
    engine.start()
    yield engine
    engine.close()


def answers(engine, requests):
    done = []
    engine.generate(requests, done.append)
    return done


@pytest.mark.parametrize(
    ("word", "question", "answer"),
    [
        ("coffee", "Read the word.", "coffee"),
        ("1987", "", "1987"),
        ("hotel", "Which word is it?\nA. motel\nB. hotel\nC. hostel", "B"),
        ("hotel", "Which word is it?\nA. HOTELS!\nB. airport\nAnswer with the letter.", "A"),
        ("hotel", "A. Smith wrote this word. Which?", "hotel"),
    ],
)
def test_reads(engine, tmp_path, word, question, answer):
    (completion,) = answers(engine, [ask(ref(tmp_path / "x.png", word), question)])
    assert (completion.answer, completion.reasoning, completion.error) == (answer, None, "")


@pytest.mark.parametrize("size", [(1, 1), (3000, 2), (2, 3000), (20000, 48), (140, 48)])
def test_any_size_gives_an_answer(engine, tmp_path, size):
    (completion,) = answers(engine, [ask(ref(tmp_path / "x.png", "exit", size))])
    assert completion.error == ""


def test_what_cannot_be_read_fails_alone(engine, tmp_path):
    changed, gone, good = (ref(tmp_path / f"{n}.png", n) for n in ("changed", "gone", "market"))
    (tmp_path / "changed.png").write_bytes(b"something else")
    (tmp_path / "gone.png").unlink()
    open_turn = ask(good, turns=(Message("assistant", "It begins"),))
    done = answers(engine, [ask(changed), ask(gone), ask(None), open_turn, ask(good)])
    assert [c.error for c in done] == ["image_changed", "image_changed", "bad_response", "bad_response", ""]
    assert "reads pictures only" in done[2].detail
    assert done[4].text == "market"


def test_threads_read_at_once(engine, tmp_path):
    words = ["police", "london", "ticket", "office"]
    requests = [ask(ref(tmp_path / f"{w}.png", w)) for w in words]
    done = []
    threads = [threading.Thread(target=engine.generate, args=(requests, done.append)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(c.answer for c in done) == sorted(words * 4)


def test_defaults_name_the_wheel():
    engine = OcrEngine()
    assert engine.model in wheel_models()
    assert engine.revision[0].isdigit()
    assert not engine.judges
    assert pickle.loads(pickle.dumps(engine)) == engine


def test_starting_changes_no_fingerprint(engine):
    assert engine.fingerprint == OcrEngine().fingerprint != OcrEngine(pixels=1000).fingerprint


def test_unknown_model_is_a_configuration_error():
    with pytest.raises(ConfigError, match="it holds"):
        OcrEngine(model="nonesuch")


def test_another_version_is_refused_at_start():
    with pytest.raises(EngineError, match=r"rapidocr==0\.1"):
        OcrEngine(revision="0.1").start()


def test_not_started():
    with pytest.raises(EngineError, match="before it was started"):
        OcrEngine().generate([], print)


def test_damaged_weights(tmp_path):
    from beam_rs.engines._recogniser import Recogniser

    (tmp_path / "rec.onnx").write_bytes(b"no model")
    with pytest.raises(EngineError, match=r"rec\.onnx cannot be loaded"):
        Recogniser.load(tmp_path / "rec.onnx")


def test_drain_stops(engine, tmp_path):
    DRAIN.set()
    try:
        with pytest.raises(Interrupted):
            engine.generate([ask(ref(tmp_path / "x.png", "sale"))], print)
    finally:
        DRAIN.clear()


def test_an_error_of_on_done_ends_the_call(engine, tmp_path):
    def refuse(completion):
        raise RuntimeError("ledger full")

    with pytest.raises(RuntimeError, match="ledger full"):
        engine.generate([ask(ref(tmp_path / "x.png", "sale"))], refuse)


@pytest.mark.slow
def test_reads_scene_text(engine, shared):
    """Two hundred genuine crops: 98 % are read as annotated, with a little slack for so few."""
    import json

    lines = (shared / "data/iiit5k/pool.jsonl").read_text().splitlines()[::10]
    place = images.Place(str(shared / "data/iiit5k/images"))
    hits = total = 0
    for line in lines:
        item = json.loads(line) if line.startswith("{") and line.endswith("}") else {}
        source = item.get("source", {})
        if source != {"dataset": "IIIT5K", "image": item.get("image")} or "ptions" in item["question"]:
            continue
        found = images.resolve(item["image"], place, images.Limits())
        if isinstance(found, images.Fault) or "\\" in item.get("answer", "\\"):
            continue
        (completion,) = answers(engine, [ask(found, item["question"])])
        hits += only_alnum(completion.answer) == only_alnum(item["answer"])
        total += 1
    assert total > 150
    assert hits / total > 0.94


def only_alnum(text):
    return "".join(c for c in text.lower() if c.isascii() and c.isalnum())
