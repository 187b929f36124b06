"""Make and train the tiny VLM: about ten minutes on one core, no network, seeded.

Usage: python tests/tiny_vlm/train.py FOLDER [STEPS [MODEL]]

With a MODEL the training goes on from there, all lessons mixed. The kept one has had 10,000 steps, while the lessons
were still changing. It reads each word and compares two without fault; asked in the judge's own, longer words it
promotes all that agree, but takes eight of the sixteen words for one another.

Training is not the same to the last bit on every machine, so the trained model is kept in the repository, in
`tests/tiny_vlm/model`, and this script is run again only where the lessons change.
"""

import os
import random
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import lessons
import torch
from lessons import Lesson
from make import END, make
from PIL import Image
from transformers import AutoProcessor, Idefics3ForConditionalGeneration

from beam_rs import judge
from beam_rs.schema import Case

BATCH, RATE, IGNORED = 16, 2e-3, -100


def judge_text(question: str, reference: str, candidate: str, swapped: bool = False) -> str:
    """The text that the project's judge is asked."""
    case = Case((reference,), question)
    tag = judge.tag_of(case, candidate)
    return "\n".join(turn.text for turn in judge.question(case, candidate, swapped=swapped, tag=tag))


def choose(rng: random.Random, share: float) -> str:
    """The kind of the next lessons.

    Args:
      rng: what it is drawn from.
      share: of the training that is over: what is simple comes first, or nothing is learned at all.
    """
    kinds = ["spelling"]
    if share > 0.12:
        kinds = ["reading", "comparing"]
    if share > 0.25:
        kinds += ["solving", "abridged", "abridged"]
    if share > 0.5:
        kinds += ["judging", "judging"]
    if share > 1:
        kinds = ["reading", "solving", "comparing", "abridged", "abridged", "judging", "judging"]
    return rng.choice(kinds)


def draw_lesson(kind: str, rng: random.Random, album: lessons.Album) -> Lesson:
    """A lesson of a kind."""
    if kind == "judging":
        return lessons.judging(rng, judge_text)
    if kind == "abridged":  # what is to be compared, without the rules before it
        return lessons.judging(rng, lambda *texts: judge_text(*texts)[-rng.randint(330, 600) :])
    if kind == "comparing":
        return lessons.comparing(rng)
    teach = {"spelling": lessons.spelling, "reading": lessons.reading, "solving": lessons.solving}[kind]
    return teach(rng, album)


class Encoder:
    """Turns lessons into padded tensors; a picture is processed once."""

    def __init__(self, processor: Any, album: lessons.Album) -> None:
        self._processor = processor
        self._pixels = {id(picture): self._process(picture) for _, picture in album}
        shown = processor(text=["<image>"], images=[[album[0][1]]], return_tensors="pt")["input_ids"][0]
        self._image = processor.tokenizer.decode(shown)  # what stands for a picture inside the model

    def _process(self, picture: Image.Image) -> dict[str, torch.Tensor]:
        return dict(self._processor.image_processor([[picture]], return_tensors="pt"))

    def encode(self, batch: list[Lesson]) -> dict[str, torch.Tensor]:
        """Lessons of one kind, so that all have a picture or none."""
        rows = [self._row(one) for one in batch]
        longest = max(len(tokens) for tokens, _ in rows)
        pad = self._processor.tokenizer.pad_token_id
        tensors = {
            "input_ids": torch.tensor([tokens + [pad] * (longest - len(tokens)) for tokens, _ in rows]),
            "labels": torch.tensor([labels + [IGNORED] * (longest - len(labels)) for _, labels in rows]),
            "attention_mask": torch.tensor([[1] * len(tokens) + [0] * (longest - len(tokens)) for tokens, _ in rows]),
        }
        shown = [self._pixels[id(one.picture)] for one in batch if one.picture is not None]
        names = ("pixel_values", "pixel_attention_mask") if shown else ()
        return tensors | {name: torch.cat([pixels[name] for pixels in shown], 1) for name in names}

    def prompt(self, one: Lesson) -> list[int]:
        """The prompt as tokens, an open answer behind it."""
        text = self._processor.apply_chat_template(one.messages, tokenize=False, add_generation_prompt=True)
        return list(self._processor.tokenizer(text.replace("<image>", self._image) + one.given)["input_ids"])

    def _row(self, one: Lesson) -> tuple[list[int], list[int]]:
        prompt, answer = self.prompt(one), list(self._processor.tokenizer(one.answer + END)["input_ids"])
        return prompt + answer, [IGNORED] * len(prompt) + answer


def train(source: Path, folder: Path, steps: int, begin: float = 0.0) -> None:
    """Fit the model in `source` to the lessons and write it to `folder`.

    Args:
      source: a model to begin with.
      folder: where the trained one goes.
      steps: batches.
      begin: share of the course that the model has behind it.
    """
    seed = int(10 * begin)
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the same sums in the same order
    rng = random.Random(seed)
    processor = AutoProcessor.from_pretrained(source)
    model = Idefics3ForConditionalGeneration.from_pretrained(source, dtype=torch.float32).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.05)
    album = lessons.make_album(rng)
    encoder = Encoder(processor, album)
    start, losses = time.monotonic(), defaultdict[str, list[float]](list)
    for step in range(steps):
        kind = choose(rng, begin + step / steps)
        batch = [draw_lesson(kind, rng, album) for _ in range(BATCH)]
        loss = model(**encoder.encode(batch)).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses[kind].append(loss.item())
        if step % 100 == 99 or step == steps - 1:
            means = {name: round(sum(past) / len(past), 3) for name, past in sorted(losses.items())}
            print(f"step {step + 1}, {time.monotonic() - start:.0f} s, losses {means}", flush=True)
            losses.clear()
    shutil.copytree(source, folder, dirs_exist_ok=True)
    model.to(torch.bfloat16).save_pretrained(folder)


def main(folder: Path, steps: int, model: Path | None = None) -> None:
    if model:
        train(model, folder, steps, begin=1.0)
        return
    with tempfile.TemporaryDirectory() as scratch:
        prompts = [judge_text("What is the word in the image?", "hotel", "It says hotel.")]
        make(Path(scratch), prompts)
        train(Path(scratch), folder, steps)


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        int(sys.argv[2]) if len(sys.argv) > 2 else 5000,
        Path(sys.argv[3]) if len(sys.argv) > 3 else None,
    )
