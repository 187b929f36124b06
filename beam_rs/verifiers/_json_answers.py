"""Finding the JSON object that an answer commits to, among prose and code fences."""

import json
import re
from dataclasses import dataclass
from typing import Final

from beam_rs.schema import Json

_FENCE: Final = re.compile(r"```[ \t]*[A-Za-z0-9]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_LONGEST: Final = 1 << 20
_TRIES: Final = 256
_FENCES: Final = 16
_DEEPEST: Final = 64


@dataclass(frozen=True)
class FoundJson:
    """An object in an answer: its value, its text, and the stage that found it (`whole`, `fence`, `last object`)."""

    value: Json
    text: str
    form: str


def parse_json(text: str) -> Json:
    """The JSON value of a text, or None where it is none or nests too deeply to be walked."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if _shallow(value) else None


def find_json(answer: str) -> FoundJson | None:
    """The object an answer gives: the whole text, the last code fence, or the last object in the prose."""
    if len(answer) > _LONGEST:
        return None
    whole = answer.strip()
    if isinstance(value := parse_json(whole), dict):
        return FoundJson(value, whole, "whole")
    for block in reversed(_FENCE.findall(answer)[-_FENCES:]):
        if isinstance(value := parse_json(block), dict):
            return FoundJson(value, block.strip(), "fence")
    return _last_object(answer)


def _last_object(answer: str) -> FoundJson | None:
    """The last outermost object, read from left to right so that an inner object is never taken for an answer."""
    decoder, found, position = json.JSONDecoder(), None, answer.find("{")
    for _ in range(_TRIES):
        if position < 0:
            break
        try:
            value, end = decoder.raw_decode(answer, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            if _shallow(value):
                found = FoundJson(value, answer[position:end], "last object")
        position = answer.find("{", end)
    return found


def _shallow(value: Json) -> bool:
    """Whether a value nests at most `_DEEPEST` levels; checked level by level, without recursion."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in _children(node)]
        if not level:
            return True
    return False


def _children(node: Json) -> list[Json]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []
