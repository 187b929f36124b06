"""Make and train the tiny VLM: about two minutes on two cores, no network, seeded.

Usage: python tests/tiny_vlm/train.py FOLDER [STEPS]

Training is not the same to the last bit on every machine, so the trained model is kept in the repository, in
`tests/tiny_vlm/model`, and this script is run again only where the lessons change.
"""

import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import lessons
import torch
from lessons import Lesson
from make import END, make
from transformers import AutoProcessor, Idefics3ForConditionalGeneration

from beam_rs import judge
from beam_rs.schema import Case

BATCH, RATE, IGNORED = 16, 3e-3, -100


def judge_text(question: str, reference: str, candidate: str, swapped: bool = False) -> str:
    """The text that the project's judge is asked."""
    case = Case((reference,), question)
    tag = judge.tag_of(case, candidate)
    return "\n".join(turn.text for turn in judge.question(case, candidate, swapped=swapped, tag=tag))


def batch(rng: random.Random, share: float) -> list[Lesson]:
    """Lessons of one kind, so that all are about as long.

    Args:
      rng: what they are drawn from.
      share: of the training that is over; reading and comparing come first.
    """
    kinds = [lessons.reading, lessons.comparing]
    if share > 0.3:
        kinds += [lessons.reading, lessons.solving, lambda rng: lessons.judging(rng, judge_text)]
    kind = rng.choice(kinds)
    return [kind(rng) for _ in range(BATCH)]


class Encoded:
    """Lessons as padded tensors."""

    def __init__(self, processor: Any, batch: list[Lesson]) -> None:
        rows = [self._row(processor, one) for one in batch]
        longest = max(len(tokens) for tokens, _, _ in rows)
        pad = processor.tokenizer.pad_token_id
        self.tokens = torch.tensor([tokens + [pad] * (longest - len(tokens)) for tokens, _, _ in rows])
        self.labels = torch.tensor([labels + [IGNORED] * (longest - len(labels)) for _, labels, _ in rows])
        self.mask = torch.tensor([[1] * len(tokens) + [0] * (longest - len(tokens)) for tokens, _, _ in rows])
        shown = [pixels for _, _, pixels in rows if pixels is not None]
        self.pictures = {
            name: torch.cat([pixels[name] for pixels in shown], 1) if shown else None
            for name in ("pixel_values", "pixel_attention_mask")
        }

    def _row(self, processor: Any, one: Lesson) -> tuple[list[int], list[int], Any]:
        prompt = processor.apply_chat_template(one.messages, tokenize=False, add_generation_prompt=True) + one.given
        pixels = None
        if one.picture is None:
            tokens = processor.tokenizer(prompt)["input_ids"]
        else:
            pixels = processor(text=[prompt], images=[[one.picture]], return_tensors="pt")
            tokens = pixels["input_ids"][0].tolist()
        answer = processor.tokenizer(one.answer + END)["input_ids"]
        return tokens + answer, [IGNORED] * len(tokens) + answer, pixels


def train(source: Path, folder: Path, steps: int, seed: int = 0) -> None:
    """Fit the model in `source` to the lessons and write it to `folder`."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the same sums in the same order
    rng = random.Random(seed)
    processor = AutoProcessor.from_pretrained(source)
    model = Idefics3ForConditionalGeneration.from_pretrained(source, dtype=torch.float32).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.1)
    start = time.monotonic()
    for step in range(steps):
        given = Encoded(processor, batch(rng, step / steps))
        loss = model(input_ids=given.tokens, attention_mask=given.mask, labels=given.labels, **given.pictures).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps - 1:
            print(f"step {step} loss {loss.item():.4f} after {time.monotonic() - start:.0f} s", flush=True)
    shutil.copytree(source, folder, dirs_exist_ok=True)
    model.to(torch.bfloat16).save_pretrained(folder)


def main(folder: Path, steps: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        prompts = [judge_text("What is the word in the image?", "hotel", "It says hotel.")]
        make(Path(scratch), prompts)
        train(Path(scratch), folder, steps)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4000)
