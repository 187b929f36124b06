"""Values of numbers that are written in words, in English and Chinese."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

_ONES: Final = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS: Final = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
]  # fmt: skip
_SMALL: Final = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
}
_LARGE: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS: Final = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}
_LOOSE: Final = {
    "no": 0, "none": 0, "nothing": 0, "nobody": 0, "without": 0, "single": 1, "once": 1, "pair": 2, "couple": 2,
    "both": 2, "twice": 2, "double": 2, "triple": 3, "thrice": 3, "dozen": 12,
}  # fmt: skip
"""Words that say a number in an answer, but do not make a reference numeric."""

_CARDINAL: Final = "|".join([*sorted(_SMALL, key=len, reverse=True), *_LARGE])
_RUN: Final = re.compile(rf"\b(?:{_CARDINAL})\b(?:(?:[\s-]+|,? and )(?:{_CARDINAL})\b)*", re.IGNORECASE)
_SHARE: Final = re.compile(rf"\b(?:({'|'.join(_ONES)}|an?)[\s-]+)?({'|'.join(_PARTS)})\b", re.IGNORECASE)
_ONE_OF: Final = re.compile(r"\b(?:there(?:['’]s| is| was)|just|only)\s+an?\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)

_HAN_DIGIT: Final = {
    **{char: value for value, char in enumerate("零一二三四五六七八九")},
    **{char: value for value, char in enumerate("零壹贰叁肆伍陆柒捌玖")},
    "〇": 0, "两": 2, "兩": 2,
}  # fmt: skip
_HAN_UNIT: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_HAN_LARGE: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN: Final = "".join([*_HAN_DIGIT, *_HAN_UNIT, *_HAN_LARGE])
_HAN_NUMBER: Final = re.compile(rf"([负負]?)(?:([{_HAN}]+)分之)?([{_HAN}]+)(?:点([{_HAN}]+))?")
_MEASURES: Final = "个個只隻人次元米年月日号號岁歲条條张張本辆輛名位件块塊天小时時分钟鐘秒层層度公斤里"


def said(text: str) -> Iterator[Fraction]:
    """Every value that words of a text may stand for; several readings of one word are all given.

    >>> sorted(map(str, said("twenty-one of one hundred and five; two thirds")))
    ['105', '2', '2/3', '21']
    """
    for run in _RUN.finditer(text):
        yield from _composed(run[0])
    for count, part in _SHARE.findall(text):
        yield Fraction(_SMALL.get(count.lower(), 1), _PARTS[part.lower()])
    for word in {word.lower() for word in _WORD.findall(text)}:
        if word in _ORDINALS:
            yield Fraction(_ORDINALS.index(word) + 1)
        elif word in _LOOSE:
            yield Fraction(_LOOSE[word])
    if _ONE_OF.search(text):
        yield Fraction(1)
    for found in _HAN_NUMBER.finditer(text):
        yield from _han_values(found)


def spelled(text: str) -> Fraction | None:
    """The value of a text that is one number in words, perhaps with a unit behind it.

    >>> spelled("twenty-one years"), spelled("三十五个"), spelled("one or two"), spelled("no")
    (Fraction(21, 1), Fraction(35, 1), None, None)
    """
    text = text.strip(" .。")
    share = _SHARE.fullmatch(text)
    if share and share[1]:
        return Fraction(_SMALL.get(share[1].lower(), 1), _PARTS[share[2].lower()])
    words = _RUN.match(text)
    if words and re.fullmatch(r"(?:\s+(?!and\b|or\b)[^\W\d]+){0,2}", text[words.end() :]):
        values = list(_composed(words[0]))
        return values[0] if len(values) == 1 else None
    han = _HAN_NUMBER.match(text)
    if han and re.fullmatch(rf"[{_MEASURES}]{{0,2}}", text[han.end() :]):
        return next(iter(_han_values(han)), None)
    return None


def _composed(run: str) -> Iterator[Fraction]:
    # "two hundred and five" is one number, "five six" are two.
    total = group = 0
    last = 0
    for word in _WORD.findall(run.lower()):
        if word == "and":
            continue
        if word in _LARGE:
            scale = _LARGE[word]
            total, group = (total, max(group, 1) * scale) if scale == 100 else (total + max(group, 1) * scale, 0)
            last = scale
            continue
        value = _SMALL[word]
        if last and not (last >= 100 or (last >= 20 and value < 10)):
            yield Fraction(total + group)
            total = group = 0
        group, last = group + value, max(value, 1)
    yield Fraction(total + group)


def _han_values(found: re.Match[str]) -> Iterator[Fraction]:
    sign, below, digits, decimals = found.groups()
    value = Fraction(_han_integer(digits))
    if decimals:
        value += Fraction("0." + "".join(str(_HAN_DIGIT.get(char, 0)) for char in decimals[:60]))
    value = -value if sign else value
    if below is None:
        yield value
    elif bottom := _han_integer(below):
        yield value / bottom
        if bottom == 100:  # 百分之十二 is also read as 12
            yield value


def _han_integer(text: str) -> int:
    text = text[:60]
    if all(char in _HAN_DIGIT for char in text):  # a year, a room: digit by digit
        return int("".join(str(_HAN_DIGIT[char]) for char in text))
    total = group = digit = 0
    for char in text:
        if char in _HAN_DIGIT:
            digit = _HAN_DIGIT[char]
        elif char in _HAN_UNIT:
            group, digit = group + (digit or 1) * _HAN_UNIT[char], 0
        else:
            total, group, digit = (total + group + digit or 1) * _HAN_LARGE[char], 0, 0
    return total + group + digit
