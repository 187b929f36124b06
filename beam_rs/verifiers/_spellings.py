r"""Other readings of a committed text: exact and rounded side by side, a number repeated in words, a label in front.

A person reads `2\sqrt{3} \approx 3.46`, `5 (five)` and `B. 45` without a thought. Each reading is a text of its own,
and one that equals the reference is enough, so only what repeats itself is taken apart, never what offers a choice.
"""

import re
from collections.abc import Iterator
from typing import Final

from beam_rs.verifiers._latex_reader import TooLarge
from beam_rs.verifiers._latex_text import tight
from beam_rs.verifiers._latex_value import read_value
from beam_rs.verifiers._numbers import WORDS
from beam_rs.verifiers._units import split_unit

_NEAR: Final = 0.02
_ABOUT: Final = re.compile(
    r"(?i)\s*(?:\\approx(?![A-Za-z])|(?:,|\(|\bor|\bwhich is)\s*(?:or\s)?(?:\\approx(?![A-Za-z])|approximately"
    r"|approx\.?|about|roughly|around)(?![A-Za-z]))\s*"
)
_LEADING: Final = re.compile(r"(?i)(?:approximately|approx\.|about|roughly|around|exactly|equal to|equals)\s+")
_NAME: Final = re.compile(r"\\?[A-Za-z]+(?:_\{?\w{1,4}\}?)?(?: ?\(?[A-Za-z]\)?)?")
_REPEATED: Final = re.compile(r"(.{1,200}?) ?\(([^()]{1,60})\)")
_CHOICE: Final = re.compile(r"(?i)(?:option|choice|answer)?\s?[A-J]")
_REMARK: Final = re.compile(r"(?i)(?:see|as|from|by|using|rounded|shown|read|in|on)\s[^\d=]{1,60}")
_LABEL: Final = re.compile(r"(?:\(([A-J])\)|([A-J])[.:)]) ?(?=.)")
_RATIO: Final = re.compile(r"\d{1,9} to \d{1,9}")
_COMMA: Final = re.compile(r"-?\d+,\d{1,2}|-?\d+,\d{4,}")


def readings(text: str) -> Iterator[str]:
    r"""The readings of a normalised text: itself, unless it says the same twice, and what it comes to.

    >>> list(readings(r"x = 2\sqrt{3} \approx 3.46")), list(readings("5 (five)")), list(readings("B. 45"))
    (['x = 2\\sqrt{3}', '3.46'], ['5 (five)', '5'], ['B. 45', '45'])
    """
    if len(text) > 600:
        yield text
        return
    if leading := _LEADING.match(text):
        text = text[leading.end() :]
    if rounded := list(_rounded(text)):
        yield from rounded
        return
    yield text
    if (label := _LABEL.match(text)) and text[label.end() :].strip():
        yield text[label.end() :].strip()
    if (number := WORDS.get(text.lower())) is not None and text.lower() != "none":
        yield str(number)
    if _RATIO.fullmatch(text):
        yield text.replace(" to ", ":")
    if (repeated := _REPEATED.fullmatch(text)) and _repeats(repeated[1], repeated[2].strip()):
        yield repeated[1].strip()


def _rounded(text: str) -> Iterator[str]:
    """Both sides of a sign of approximation; the rounded one only where it is near the exact one."""
    exact, *rest = _ABOUT.split(text)
    if not rest:
        return
    last = rest[-1].rstrip(") ") if rest[-1].count(")") > rest[-1].count("(") else rest[-1]
    if not exact.strip() or _NAME.fullmatch(exact.strip()):
        yield last
        return
    yield exact.strip(" ,(")
    a, b = _value(exact), _value(last)
    if a is not None and b is not None and abs(a - b) <= _NEAR * max(abs(a), abs(b)):
        yield last


def _value(text: str) -> float | None:
    """The number on the last side of an equation, its unit aside."""
    body, _ = split_unit(text.rsplit("=", 1)[-1].strip(" ,("))
    try:
        value = read_value(tight(body))
        return None if value is None else float(value.number)
    except (TooLarge, OverflowError):
        return None


def _repeats(text: str, aside: str) -> bool:
    """Whether what stands in brackets says the same again, or names an option."""
    if _CHOICE.fullmatch(aside) or _REMARK.fullmatch(aside):
        return bool(re.search(r"\d", text))
    words = re.match(r"(?i)[a-z]+(?:[- ][a-z]+)?", aside)
    number = WORDS.get(words[0].lower()) if words else None
    return number is not None and re.match(r"-?\d[\d,]*", text) is not None and _value(text) == number


def decimal_comma(wanted: str, said: str) -> tuple[str, str]:
    """Reference and answer, `1,5` in the answer read as 1.5 where the reference is a number with a decimal point.

    Not the reverse: a reference of `2,3` may well be a list.

    >>> decimal_comma("1.5", "1,5"), decimal_comma("1,5", "1.5")
    (('1.5', '1.5'), ('1,5', '1.5'))
    """
    if _COMMA.fullmatch(said) and re.fullmatch(r"-?\d+\.\d+", wanted):
        return wanted, said.replace(",", ".")
    return wanted, said
