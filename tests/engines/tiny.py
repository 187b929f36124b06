"""The tiny VLM as tests use it: where it lies, how it is started, what it is shown and asked."""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tiny_vlm"))

from lessons import WORDS, draw

from beam_rs import images, keys, prompts
from beam_rs.engines.base import Engine
from beam_rs.schema import Completion, ImageRef, Message, Request, Sampling

MODEL = str(Path(__file__).resolve().parents[1] / "tiny_vlm" / "model")
OPTIONS = {"max_model_len": 2048, "enforce_eager": True, "kv_cache_memory_bytes": 64 << 20}
QUESTION = "What is the word in the image? Answer in short without any other content."


def write_words(folder: Path) -> dict[str, ImageRef]:
    """A picture of each word, shifted and tinted."""
    rng, refs = random.Random(7), {}
    for word in WORDS:
        path = folder / f"{word}.png"
        draw(word, rng).save(path)
        found = images.inspect(path.read_bytes(), str(path), images.Limits())
        assert isinstance(found, ImageRef)
        refs[word] = found
    return refs


def ask(image: ImageRef | None, text: str = QUESTION, prefix: str = "", sample: int = 0, **sampling: Any) -> Request:
    """A request to the tiny VLM."""
    turns = prompts.messages(text)
    if prefix:
        turns = (*turns, Message("assistant", prefix))
    chosen = Sampling(**{"max_tokens": 64, **sampling})
    return keys.request("item", image, turns, chosen, sample, model="tiny")


def read(request: Request) -> str:
    """The script of a scripted engine: the name of the picture's file is what is written in it."""
    return Path(request.image.uri).stem if request.image else "Nothing to see."


def answers(engine: Engine, requests: Sequence[Request]) -> list[Completion]:
    """What the engine makes of requests, in their order."""
    found: dict[str, Completion] = {}
    engine.generate(requests, lambda completion: found.update({completion.key: completion}))
    return [found[request.key] for request in requests]
