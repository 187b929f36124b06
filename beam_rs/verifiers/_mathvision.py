r"""MathVision's own way from a response to an answer, and its comparison at two decimals."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from beam_rs.verifiers._commitments import last_box
from beam_rs.verifiers._latex_reader import TooLarge
from beam_rs.verifiers._latex_text import spaced, tight
from beam_rs.verifiers._latex_value import read_value

FLAGS: Final = ("the final answer is", "the answer is", "the correct answer is", "the answer should be")
LONGEST: Final = 500
_WINDOW: Final = 100_000


@dataclass(frozen=True)
class Extracted:
    """An extracted answer and the step that gave it."""

    text: str
    form: str


def extract(response: str) -> Extracted:
    """The answer of a response: a closing or leading letter, a number behind `is`, a flag's sentence, the last box.

    >>> extract("So the final answer is 5")
    Extracted(text='5', form='number')
    >>> extract("The correct answer is (B).").text
    'b'
    """
    text, form = response[-_WINDOW:].strip(), "whole"
    for letter in "ABCDE":
        if text.endswith((f" {letter}.", f" ({letter}).")) or text.startswith((f"{letter}\n", f"({letter})\n")):
            text, form = letter, "letter"
    number = text.split("is ")[-1].rstrip(".")
    if is_number(number):
        text, form = number, "number"
    if box := last_box(text):
        text, form = box.text, "boxed"
    else:
        text, form = _behind_flags(text, form)
    return Extracted(stripped(text), form)


def _behind_flags(text: str, form: str) -> tuple[str, str]:
    for flag in FLAGS:
        for spelling in (flag, flag.replace("the", "The")):
            if spelling in text:
                text, form = text.split(spelling)[-1].strip().split("\n")[0].split(". ")[0], "flag"
    return text, form


def is_number(text: str) -> bool:
    """Whether a text is a finite decimal number, thousands separators not included."""
    try:
        return len(text) < 100 and Decimal(text.strip()).is_finite()
    except (InvalidOperation, ValueError):
        return False


def stripped(text: str) -> str:
    r"""An answer in MathVision's spelling: lower case, behind the last `=` or `\approx`, bare of units and degrees.

    >>> stripped(r"x = 30^\circ"), stripped("{b}."), stripped("12 km")
    ('30', 'b', '12')
    """
    text = re.split(r"=|\\approx|≈", text.lower())[-1]
    text = re.sub(r"\\?%|\{?(?:units|km)\}?|\{?m\}?\^3", "", spaced(text).replace(r"^\circ", ""))
    text = tight(text).rstrip(".").lstrip(":").strip()
    return re.sub(r"^[({]([a-e])[)}]", r"\1", text)


def same(answer: str, wanted: str) -> bool:
    """Whether two stripped answers are equal: as texts, as tuples, or as numbers rounded to two decimals."""
    if not answer or not wanted or len(answer) > LONGEST:
        return False
    if answer == wanted:
        return True
    parts, others = _parts(answer), _parts(wanted)
    if parts and others and answer[0] == wanted[0] and answer[-1] == wanted[-1] and len(parts) == len(others):
        return all(a == b or _rounded(a) == _rounded(b) != "" for a, b in zip(parts, others, strict=True))
    return _rounded(answer) == _rounded(wanted) != ""


def close(answer: str, wanted: str) -> bool:
    """Whether two stripped answers are equal as texts, or as numbers within one per cent: what a person would pass."""
    if answer == wanted:
        return True
    a, b = _number(answer), _number(wanted)
    return a is None or b is None or abs(a - b) <= 0.01 * max(abs(a), abs(b))


def _parts(text: str) -> list[str]:
    inside = text[1:-1].split(",") if text[:1] in ("(", "[") and text[-1:] in (")", "]") else []
    return inside if len(inside) > 1 else []


def _rounded(text: str) -> str:
    number = _number(text)
    return "" if number is None else f"{round(number, 2) + 0.0}"


def _number(text: str) -> float | None:
    try:
        value = read_value(text)
        return None if value is None else float(value.number)
    except (TooLarge, OverflowError):
        return None
