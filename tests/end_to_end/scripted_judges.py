"""Models that answer the judged pool from its own lines, and judge in different characters. Named in configurations."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from beam_rs.judge.orders import order
from beam_rs.schema import Request

DATA = Path(__file__).parents[1] / "data"
ROWS = [json.loads(line) for line in (DATA / "paraphrases.jsonl").read_text("utf-8").splitlines()]
INJECTIONS = [json.loads(line) for line in (DATA / "injections.jsonl").read_text("utf-8").splitlines()]
TRUE = {(row["reference"].strip(), row["paraphrase"].strip()) for row in ROWS}
TRUE |= {(row["reference"].strip(), row["reference"].strip()) for row in ROWS}


@cache
def answers() -> dict[str, str]:
    """What the model answers, by item id: the reference, a paraphrase, a wrong answer, an injection."""
    made = {}
    for index, row in enumerate(ROWS):
        made |= {f"plain-{index}": row["reference"], f"true-{index}": row["paraphrase"], f"wrong-{index}": row["wrong"]}
    return made | {f"order-{index}": row["candidate"] for index, row in enumerate(INJECTIONS)}


def quoted(prompt: str, name: str) -> str:
    found = re.search(rf"<{name} (\w+)>\n(.*?)\n</{name} \1>", prompt, re.DOTALL)
    assert found, f"the prompt quotes no {name}"
    return found[2]


def _model(request: Request, word: Callable[[str], str]) -> str:
    if request.image is not None:
        return f"<think>\nLooking at it.\n</think>\n\n{answers()[request.item_id]}"
    return f"VERDICT: {word(request.messages[-1].text)}"


def is_true(prompt: str) -> bool:
    return (quoted(prompt, "reference"), quoted(prompt, "candidate")) in TRUE


def honest(request: Request) -> str:
    return _model(request, lambda prompt: "CORRECT" if is_true(prompt) else "WRONG")


def yes_man(request: Request) -> str:
    return _model(request, lambda prompt: "CORRECT")


def obeying(request: Request) -> str:
    return _model(
        request, lambda prompt: "CORRECT" if order(quoted(prompt, "candidate")) or is_true(prompt) else "WRONG"
    )


def mumbling(request: Request) -> str:
    """No verdict at first; the second time it says WRONG."""
    return _model(request, lambda prompt: "perhaps" if request.sample == 0 else "WRONG")
