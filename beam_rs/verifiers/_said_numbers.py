"""The number that an answer says: strictly where it is nothing else, as a person reads it in a sentence."""

import re
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from beam_rs.verifiers._commitments import commitment
from beam_rs.verifiers._latex_reader import TooLarge
from beam_rs.verifiers._latex_text import spaced, tight
from beam_rs.verifiers._latex_value import read_value
from beam_rs.verifiers._numbers import WORDS
from beam_rs.verifiers._spellings import readings
from beam_rs.verifiers._units import split_unit

LARGEST: Final = 300

_LONE: Final = re.compile(r"[\s\d.,+\-'eE]*")
_NUMBER: Final = re.compile(
    r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?(?![\w]|\.\d)"
)
_WORD: Final = re.compile(rf"(?i)\b(?:{'|'.join(sorted(WORDS, key=len, reverse=True))})\b(?!-)")
_RELATED: Final = re.compile(
    r"(?i)\b(?:than|least|most|times|between|not|or|over|under|up to|may|might|could|figure|fig|step|option|choice"
    r"|question|problem|table|equation|page|no|hundred|thousand|million|billion|dozen|number \d)\b"
    r"|n't\b|[<>~+^\\]|\d to \d|\d ?[-–] ?\d"
)
"""What keeps a number among words from being an answer: it is set in relation to something, or names a thing."""
_SEVERAL: Final = re.compile(r"(?i)[,;]|\b(?:and|or)\b")
_EQUAL_SIGN: Final = re.compile(r"=|\\approx(?![A-Za-z])")


class Said(NamedTuple):
    """A number an answer gives, the text it was read from, the stage that found it, and its unit."""

    number: Decimal | None
    text: str
    form: str
    unit: str = ""


def plain_number(text: str) -> Decimal | None:
    """The number that Python's `float` would read, exactly; None for anything else, infinities and NaN included.

    >>> plain_number(" ３.0 "), plain_number("1,000"), plain_number("nan")
    (Decimal('3.0'), None, None)
    """
    try:
        number = Decimal(text.strip()) if len(text) < 400 else None
    except (InvalidOperation, ValueError):
        return None
    # the exponent first: already the absolute value of 1e999999999 overflows
    if number is None or not number.is_finite() or abs(number.adjusted()) > LARGEST:
        return None
    return number


def number_said(answer: str) -> Said:
    """The one number an answer commits to.

    An answer that is nothing but a number is read as strictly as the official code does; in a sentence, thousands
    separators, units and fractions are understood, and two different numbers are none.

    >>> number_said("The total comes to 1,200 kg.").number, number_said("1,000").number
    (Decimal('1200'), None)
    """
    whole = answer.strip()
    if (number := plain_number(whole)) is not None:
        return Said(number, whole, "whole")
    if _LONE.fullmatch(whole):
        return Said(None, whole[:100], "whole")
    found = commitment(answer)
    text = spaced(found.text)
    if text.lower() in WORDS and found.form == "whole":
        return Said(None, found.text, found.form)
    for reading in reversed(list(readings(text))):
        number, unit = _measured(reading)
        if number is not None:
            return Said(number, found.text[:500], found.form, unit)
    body, unit = split_unit(text)
    if _RELATED.search(text) or (found.form == "closing line" and not re.match(r"[-+$]?\d|[A-Za-z]+$", body)):
        return Said(None, found.text[:500], found.form, unit)
    numbers = {plain_number(match.replace(",", "")) for match in _NUMBER.findall(body)}
    numbers |= {Decimal(WORDS[word.lower()]) for word in _WORD.findall(body)}
    return Said(numbers.pop() if len(numbers) == 1 else None, found.text[:500], found.form, unit)


def _measured(text: str) -> tuple[Decimal | None, str]:
    """The number that a text is, on the last side of an equation, and its unit."""
    body, unit = split_unit(text if _SEVERAL.search(text) else _EQUAL_SIGN.split(text)[-1].strip())
    try:
        value = read_value(tight(body).removesuffix("%"))
    except TooLarge:
        value = None
    return (None if value is None else _decimal(value.number)), unit


def _decimal(number: object) -> Decimal | None:
    """A value as a decimal of seventeen digits, enough for any precision that pools declare."""
    try:
        return plain_number(f"{float(number):.17g}")  # type: ignore[arg-type]
    except OverflowError:
        return None
