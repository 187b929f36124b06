r"""A reader of numbers and simple expressions in LaTeX or plain text: exact where they are rational.

Sums, products, quotients, powers, roots, factorials and percentages. Nothing is evaluated as code, and a number that
would take too long to write down is refused before it is computed.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

Number = Fraction | float
Names = Callable[[str], Number]
"""The value of a variable; raises `NotANumber` where there is none."""

_TOKEN: Final = re.compile(
    r"(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4}(?![\dA-Za-z]))?)"
    r"|(?P<command>\\[A-Za-z]+)|(?P<name>[A-Za-z](?:_(?:\w|\{\w{1,8}\}))?)|(?P<sign>[-+*/:^!(){}\[\]%])|\s+"
)
_BITS: Final = 60_000
_DEEPEST: Final = 40
_PRODUCT: Final = frozenset({"*", r"\times", r"\cdot"})
_QUOTIENT: Final = frozenset({"/", r"\div", ":"})
_OPENS: Final = frozenset({"(", "{", r"\frac", r"\sqrt", r"\pi"})
_GREEK: Final = frozenset(
    {r"\alpha", r"\beta", r"\gamma", r"\delta", r"\theta", r"\lambda", r"\mu", r"\phi", r"\omega"}
)


class NotANumber(ValueError):
    """The text is no number that is understood here."""


class TooLarge(ValueError):
    """The number would take too long to write down."""


def no_names(name: str) -> Number:
    """Names of a text that may hold none."""
    raise NotANumber(name)


def evaluate(text: str, names: Names = no_names) -> Number:
    """The number that a text stands for.

    Raises:
      NotANumber: the text is none, or divides by zero.
      TooLarge: it would have too many digits.
    """
    if text.count(":") > 1:
        raise NotANumber("a ratio of more than two")
    try:
        return _checked(_Reader(_tokens(text), names).whole())
    except ZeroDivisionError as error:
        raise NotANumber("division by zero") from error
    except OverflowError as error:
        raise TooLarge(text[:40]) from error


def _tokens(text: str) -> list[str]:
    tokens, position = [], 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found:
            raise NotANumber(text)
        if token := found[0].strip():
            tokens.append(token)
        position = found.end()
    return tokens


def _checked(number: Number) -> Number:
    """The number, unless it has grown beyond what is worth comparing."""
    if isinstance(number, Fraction) and number.numerator.bit_length() + number.denominator.bit_length() > _BITS:
        raise TooLarge("too many digits")
    if isinstance(number, float) and not math.isfinite(number):
        raise TooLarge("infinite")
    return number


class _Reader:
    """A recursive-descent reader of sums of products of powers."""

    def __init__(self, tokens: list[str], names: Names) -> None:
        self._tokens = tokens
        self._names = names
        self._at = 0
        self._depth = 0

    def whole(self) -> Number:
        number = self._sum()
        if self._at != len(self._tokens):
            raise NotANumber(self._next())
        return number

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> str:
        token = self._next()
        if not token or (wanted and token != wanted):
            raise NotANumber(f"{wanted or 'more'} expected")
        self._at += 1
        return token

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise TooLarge("nests too deeply")

    def _sum(self) -> Number:
        self._deeper()
        total = self._product()
        while self._next() in ("+", "-"):
            total = _checked(total + self._product() if self._take() == "+" else total - self._product())
        self._depth -= 1
        return total

    def _product(self) -> Number:
        sign = 1
        while self._next() in ("+", "-"):
            sign = -sign if self._take() == "-" else sign
        result = self._mixed()
        while True:
            token = self._next()
            if token in _PRODUCT:
                self._take()
                result = _checked(result * self._signed_power())
            elif token in _QUOTIENT:
                self._take()
                result = _checked(result / self._signed_power())
            elif token in _OPENS or token in _GREEK or token[:1].isalpha():
                result = _checked(result * self._power())
            else:
                return sign * result

    def _mixed(self) -> Number:
        r"""A power; a whole number right before `\frac` of two whole numbers is a mixed number."""
        start = self._at
        number = self._power()
        plain = self._at == start + 1 and self._tokens[start].isdecimal()
        if plain and self._next() == r"\frac":
            part = self._power()
            return number + part if 0 < part < 1 else _checked(number * part)
        return number

    def _signed_power(self) -> Number:
        if self._next() == "-":
            self._take()
            return -self._power()
        return self._power()

    def _power(self) -> Number:
        base = self._postfix(self._atom())
        if self._next() != "^":
            return base
        self._take("^")
        if self._next() == r"\circ":
            self._take()
            return base
        self._deeper()
        # a bare exponent is one power, so that 2^2^2 is read from the right
        power = _checked(_raise(base, self._signed_power()))
        self._depth -= 1
        return power

    def _postfix(self, number: Number) -> Number:
        while self._next() in ("!", "%"):
            number = number / 100 if self._take() == "%" else _factorial(number)
        return number

    def _atom(self) -> Number:
        token = self._take()
        if token[0].isdigit() or token[0] == ".":
            return _literal(token)
        if token in ("(", "{"):
            inside = self._sum()
            self._take(")" if token == "(" else "}")
            return inside
        if token == r"\pi":
            return math.pi
        if token == r"\frac":
            return _checked(self._group() / self._group())
        if token == r"\sqrt":
            return self._root()
        if token in _GREEK or token[0].isalpha():
            return self._names(token)
        raise NotANumber(token)

    def _group(self) -> Number:
        self._take("{")
        inside = self._sum()
        self._take("}")
        return inside

    def _root(self) -> Number:
        degree: Number = Fraction(2)
        if self._next() == "[":
            self._take()
            degree = self._sum()
            self._take("]")
        return _rooted(self._group(), degree)


def _literal(token: str) -> Number:
    if len(token) > 2_000:
        raise TooLarge("too many digits")
    try:
        return _checked(Fraction(token))
    except ValueError as error:
        raise NotANumber(token) from error


def _factorial(number: Number) -> Number:
    if number != int(number) or number < 0:
        raise NotANumber("factorial")
    if number > 4_000:
        raise TooLarge("factorial")
    return Fraction(math.factorial(int(number)))


def _raise(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
        if size * abs(exponent) > _BITS and abs(base) != 1:
            raise TooLarge("power")
        return Fraction(base**exponent) if abs(base) != 1 else (base if exponent.numerator % 2 else Fraction(1))
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator < 100 and base > 0:
        return _raise(_rooted(base, Fraction(exponent.denominator)), Fraction(exponent.numerator))
    if base < 0:
        raise NotANumber("power of a negative number")
    return math.pow(base, exponent)


def _rooted(number: Number, degree: Number) -> Number:
    if degree != int(degree) or not 0 < degree < 100 or (number < 0 and degree % 2 == 0):
        raise NotANumber("root")
    n = int(degree)
    size: Number = -number if number < 0 else number
    root: Number = math.pow(size, 1 / n)
    if isinstance(size, Fraction) and max(size.numerator, size.denominator) < 1 << 100:
        exact = Fraction(round(size.numerator ** (1 / n)), round(size.denominator ** (1 / n)) or 1)
        root = exact if exact**n == size else root
    return -root if number < 0 else root
