"""The verdict in a judge's reply. Whatever is not plainly one of three words is `INVALID`, and promotes nothing."""

import json
import re
from typing import Any, Final, Literal, TypeAlias, get_args

from beam_rs import reasoning

Ruling: TypeAlias = Literal["CORRECT", "WRONG", "UNSURE"]
Reply: TypeAlias = Ruling | Literal["INVALID"]

WORDS: Final[tuple[Ruling, ...]] = get_args(Ruling)

_MARKUP: Final = " \t*_`"
_LABEL: Final = re.compile(r"[ \t#*_`-]*(?:final[ \t]+)?verdict[ \t*_`]*[:：](.*)", re.IGNORECASE)
_FENCE: Final = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


def parse(reply: str) -> Reply:
    r"""What a judge's reply says.

    A thought is taken off first; one that never ends leaves no verdict. What remains is a bare word, a JSON object
    with the key `verdict`, or prose whose last line that is labelled `Verdict:` holds one word and nothing else.
    Two labelled lines with different words cancel each other: one of them may be quoted from the candidate.

    >>> parse("Both give 12 cm.\nVERDICT: CORRECT")
    'CORRECT'
    >>> parse("INCORRECT")
    'INVALID'
    """
    thought = reasoning.split(reply)
    text = thought.answer.strip()
    if thought.truncated or not text:
        return "INVALID"
    return _word(text) or _from_json(text) or _from_lines(text) or "INVALID"


def _word(text: str) -> Ruling | None:
    """The word that a text is, case, markup, quotes and a full stop aside."""
    bare = text.strip().strip(_MARKUP)
    if len(bare) > 1 and bare[0] == bare[-1] == '"':
        bare = bare[1:-1]
    bare = bare.removesuffix(".").removesuffix("。").strip(_MARKUP).upper()
    return next((word for word in WORDS if word == bare), None)


def _from_json(text: str) -> Ruling | None:
    """The verdict of a JSON object, in a code fence or bare; a repeated key says two things, hence nothing."""
    fenced = _FENCE.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    verdict = value.get("verdict") if isinstance(value, dict) else None
    return _word(verdict) if isinstance(verdict, str) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = {key.lower(): value for key, value in pairs}
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _from_lines(text: str) -> Ruling | None:
    """The word of the last labelled line, unless an earlier one says another."""
    labelled = [match[1] for match in map(_LABEL.fullmatch, text.splitlines()) if match]
    if not labelled:
        return None
    words = [_word(rest) for rest in labelled]
    return words[-1] if len({word for word in words if word}) == 1 else None
