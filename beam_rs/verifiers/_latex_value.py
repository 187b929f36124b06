r"""Whether two texts are the same number, or the same function of their variables."""

import re
import zlib
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from beam_rs.verifiers._latex_reader import NotANumber, Number, TooLarge, evaluate

_LONGEST: Final = 4_000
_POINTS: Final = (1, 1, 1, -1, -1)
_FUNCTIONS: Final = re.compile(r"(?i)(?<!\\)(?:sin|cos|tan|cot|sec|csc|log|ln|exp|lim|max|min|mod|gcd|lcm)")


@dataclass(frozen=True)
class Value:
    """A number with the way it is written.

    Attributes:
      number: its value; a percentage is divided by 100.
      decimal: written with a decimal point, so possibly rounded.
      percent: written with a percent sign.
    """

    number: Number
    decimal: bool = False
    percent: bool = False


def read_value(text: str) -> Value | None:
    r"""The value of a text, or None where it is no plain number.

    >>> read_value(r"1.5\times10^3").number
    Fraction(1500, 1)
    >>> read_value("2x") is None
    True

    Raises:
      TooLarge: a number of more than some ten thousand digits.
    """
    if not text or len(text) > _LONGEST:
        return None
    try:
        return Value(evaluate(text), "." in text, "%" in text)
    except NotANumber:
        return None


def same_value(a: Value, b: Value) -> bool:
    """Whether two numbers are the same: exactly, or to six decimals where one is written as a decimal.

    A percentage equals its fraction, and the bare number in front of its sign where that is whole.
    """
    if a.percent != b.percent:
        share, plain = (a, b) if a.percent else (b, a)
        hundredfold = share.number * 100
        if hundredfold == plain.number and hundredfold == round(hundredfold):
            return True
    return _close(a.number, b.number, rounded=a.decimal or b.decimal)


def _close(a: Number, b: Number, *, rounded: bool) -> bool:
    if a == b:
        return True
    if isinstance(a, Fraction) and isinstance(b, Fraction) and not rounded:
        return False
    try:
        x, y = float(a), float(b)
    except OverflowError:
        return False
    size = max(abs(x), abs(y))
    if rounded:
        # six decimals as in math-verify, but never where that would round both to nothing
        return round(x, 6) == round(y, 6) and abs(x - y) <= 1e-5 * size
    return abs(x - y) <= 1e-12 * size


def same_function(a: str, b: str) -> bool | None:
    r"""Whether two expressions are equal at fixed odd points; None where that does not decide.

    Rational expressions are computed exactly, so that equal values at five points of large terms leave no doubt; with
    roots the values agree to twelve digits. Points with negative coordinates tell `sqrt(x^2)` from `x`.

    >>> same_function("(x+1)^2", "x^2+2x+1"), same_function("x+1", "x-1"), same_function(r"\sin x", "x")
    (True, False, None)
    """
    if max(len(a), len(b)) > 300 or _FUNCTIONS.search(a) or _FUNCTIONS.search(b) or "." in a + b:
        return None
    known = 0
    for point, sign in enumerate(_POINTS):
        try:
            x, y = (evaluate(text, lambda name, p=point, s=sign: _coordinate(name, p, s)) for text in (a, b))  # type: ignore[misc]
        except (NotANumber, TooLarge):
            continue
        if not _close(x, y, rounded=False):
            return False
        known += 1
    return True if known >= 3 else None


def _coordinate(name: str, point: int, sign: int) -> Number:
    """An odd number for a variable, the same on every machine; e and i are constants and left to the algebra."""
    if name in ("e", "i"):
        raise NotANumber(name)
    code = zlib.crc32(f"{name}:{point}".encode())
    return sign * Fraction(code % 8_009 + 1_009, code // 8_009 % 5_003 + 503)
