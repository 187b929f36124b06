"""Numbers in text: words for numbers, and the guards that keep different numbers apart."""

import re
from decimal import Decimal, InvalidOperation
from typing import Final

_UNITS: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

WORDS: Final[dict[str, int]] = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 10 * (place + 2) for place, word in enumerate(_TENS)},
    **{
        f"{ten}{joint}{unit}": 10 * (place + 2) + value
        for place, ten in enumerate(_TENS)
        for value, unit in enumerate(_UNITS[:10])
        for joint in ("-", " ")
        if value
    },
    "none": 0,
}
"""Number words from `zero` to `ninety-nine`, and `none`."""

_NUMBER: Final = re.compile(r"(?<![\w.])([-+]?)\s?[$€£¥]?\s?([-+]?)(\d[\d,]*(?:\.\d+)?|\.\d+)")
_PLAIN_NUMBER: Final = re.compile(r"([-+]?)[$€£¥]?([-+]?)((?:\d[\d,]*)?(?:\.\d+)?)\s*%?")


def decimal(text: str) -> Decimal | None:
    """The value of a text that is a number and nothing else; currency and percent signs are read over.

    >>> decimal("$1,234.50")
    Decimal('1234.50')
    >>> decimal("24/7") is None
    True
    """
    if len(text) > 100:
        return None
    found = _PLAIN_NUMBER.fullmatch(text.strip().replace("−", "-"))
    if not found or not found[3]:
        return None
    try:
        value = Decimal(found[3].replace(",", ""))
    except InvalidOperation:
        return None
    return -value if "-" in (found[1], found[2]) else value


def different_numbers(one: str, other: str) -> bool:
    """Whether two texts are both numbers, and not the same one.

    >>> different_numbers("-5", "5"), different_numbers("50%", "50"), different_numbers("24/7", "247")
    (True, False, False)
    """
    first, second = decimal(one), decimal(other)
    return first is not None and second is not None and first != second


def numbers(text: str) -> list[str]:
    """The numbers of a text in order, signed, without thousands separators and closing zeros' decimal point.

    >>> numbers("from 1,000.50 to -3")
    ['1000.50', '-3']
    """
    found = []
    for sign, inner, digits in _NUMBER.findall(text):
        value = digits.replace(",", "")
        found.append(("-" if "-" in (sign, inner) else "") + value)
    return found


def same_digits(one: str, other: str) -> bool:
    """Whether two texts hold the same digits in the same order and the same numbers.

    A small edit distance hides a wrong digit, a lost sign or a moved decimal point: `1995` is near `1985`.

    >>> same_digits("in 1985", "in 1995"), same_digits("room 12b", "room 12 b")
    (False, True)
    """
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    first, second = numbers(one), numbers(other)
    return first == second or not any("." in n or "-" in n for n in (*first, *second))
