"""The number screen: a numeric reference whose number the candidate lacks is never put to the judge.

The reference is read strictly (is it one number, perhaps with a unit?), the candidate generously (every value that
a reader could find in it): a false screen costs an answer, a missed one costs only a question.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from beam_rs.number_words import said, spelled

_MOST_DIGITS: Final = 60
_MOST_EXPONENT: Final = 400

_SCALES: Final = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "lakh": 10**5, "crore": 10**7,
    "k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "t": 10**12,
    "百万": 10**6, "千万": 10**7, "十亿": 10**9, "百": 100, "千": 10**3, "万": 10**4, "亿": 10**8,
}  # fmt: skip
_SURE_SCALES: Final = frozenset({"thousand", "million", "billion", "trillion", "lakh", "crore"}) | {
    scale for scale in _SCALES if not scale.isascii()
}
"""Scales that cannot be a unit; `5 m` may be metres."""

_SIGN: Final = r"(?P<sign>(?<![\w)\]])[-+]\s?|\b(?:minus|negative)\s|[负負])?"
_CORE: Final = (
    r"(?P<core>\d{1,3}(?:[,'_ ]\d{3})+(?![\d])(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?(?!\d)"
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)(?:\.\d+)?|\d+[.,]\d+|\d+|\.\d+)"
)
_POWER: Final = (
    r"(?:\s?[x×*·]\s?10\s?\^\s?\{?\(?(?P<power>[-+]?\d{1,4})\)?\}?|e(?P<exp>[-+]?\d{1,4})(?!\w)"
    r"|\^\{?(?P<up>[-+]?\d{1,2})\}?)?"
)
_BELOW: Final = r"(?:\s?/\s?(?P<below>\d+))?"
_SCALE: Final = rf"(?:\s?(?P<scale>{'|'.join(sorted(_SCALES, key=len, reverse=True))})s?(?![a-z]))?"
_SHARE: Final = r"(?P<percent>\s?(?:%|percent\b|per cent\b))?"
_NUMBER: Final = re.compile(_SIGN + _CORE + _POWER + _BELOW + _SCALE + _SHARE, re.IGNORECASE)
_MIXED: Final = re.compile(r"(?<![\d.,])(\d{1,9})\s+(\d{1,9})\s?/\s?(\d{1,9})(?!\d)")
_ROMAN: Final = re.compile(r"\b(?=[IVXLC]{2})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b")
_CURRENCY: Final = r"(?:US|C|A|HK|R)?[$€£¥₹₩]|Rs\.?|USD|EUR"
_UNIT: Final = r"\s?(?:(?:st|nd|rd|th)\b)?[°℃µμΩ]?(?:[^\W\d]+(?:\s?/\s?|\s|\b)){0,3}(?:\^\{?\d\}?)?"

_LATEX: Final = (
    (re.compile(r"\\[dtc]?frac\s*\{\s*([-+]?[\d.]+)\s*\}\s*\{\s*(\d+)\s*\}"), r" \1/\2 "),
    (re.compile(r"\\[dtc]?frac\s*(\d)\s*(\d)"), r" \1/\2 "),
    (re.compile(r"\\(?:times|cdot)\s*"), "x"),
    (re.compile(r"\{,\}|\\,(?=\d{3})"), ","),
    (re.compile(r"\\(?:text|mathrm|mathbf|boxed|operatorname)\s*\{([^{}]*)\}"), r" \1"),
    (re.compile(r"\^\s*\{?\\circ\}?"), "°"),
    (re.compile(r"\\[,;:! ]|~|\\left|\\right"), " "),
    (re.compile(r"\\([%$#])"), r"\1"),
)
_SUPERSCRIPT: Final = re.compile(r"[⁰¹²³⁴-⁹⁻]+")


def lacks_number(references: Sequence[str], candidate: str) -> bool:
    """Whether every reference is one number and the candidate holds none of them.

    >>> lacks_number(["1,200"], "about 1200 people"), lacks_number(["12"], "thirteen")
    (False, True)
    """
    wanted = [lone(text) for text in references]
    if not wanted or not all(wanted):
        return False
    return frozenset().union(*wanted).isdisjoint(numbers(candidate))


def lone(text: str) -> frozenset[Fraction]:
    """The value, in each possible reading, of a text that is one number with at most a unit; else nothing.

    >>> sorted(map(str, lone("12.5 %"))), lone("3 of 4"), lone("B")
    (['1/8', '25/2'], frozenset(), frozenset())
    """
    plain = _plain(text[:200]).strip(" .$*_`\"'")
    mixed = _MIXED.fullmatch(plain)
    if mixed and int(mixed[3]):
        return frozenset({int(mixed[1]) + Fraction(int(mixed[2]), int(mixed[3]))})
    rest = re.sub(rf"^([-+]?)\s*(?:{_CURRENCY})\s*", r"\1", plain)
    found = _NUMBER.match(rest)
    if found and re.fullmatch(rf"{_UNIT}\s*(?:{_CURRENCY})?\.?", rest[found.end() :], re.IGNORECASE):
        return frozenset(_readings(found, strict=True))
    value = spelled(plain)
    return frozenset() if value is None else frozenset({value})


def numbers(text: str) -> frozenset[Fraction]:
    """Every value that a reader could find in a text, in digits, words or Roman numerals.

    >>> sorted(map(str, numbers("1 1/2 cups, or three quarters")))
    ['1', '1/2', '2', '3', '3/2', '3/4']
    """
    plain = _plain(text)
    return frozenset(_found(plain))


def _found(plain: str) -> Iterator[Fraction]:
    for match in _NUMBER.finditer(plain):
        yield from _readings(match, strict=False)
    for whole, above, below in _MIXED.findall(plain):
        if int(below):
            yield int(whole) + Fraction(int(above), int(below))
    for roman in _ROMAN.findall(plain):
        yield Fraction(_roman_value(roman))
    yield from said(plain)


def _readings(found: re.Match[str], *, strict: bool) -> Iterator[Fraction]:
    exponent = int(found["power"] or found["exp"] or 0)
    core = found["core"]
    if len(core) > _MOST_DIGITS or abs(exponent) > _MOST_EXPONENT or len(found["below"] or "") > _MOST_DIGITS:
        return
    sign = (found["sign"] or "").strip()
    signs = [-1] if sign and sign != "+" else [1]
    if not strict and (found["sign"] or "").endswith(" ") and sign == "-":
        signs = [-1, 1]  # a bullet, or a minus
    for value in _raised(_values(core, strict=strict), int(found["up"] or 1), strict=strict):
        for factor in signs:
            yield from _scaled(factor * value * Fraction(10) ** exponent, found, strict=strict)


def _raised(values: Iterator[Fraction], power: int, *, strict: bool) -> Iterator[Fraction]:
    for value in values:
        if value or power > 0:
            yield value**power
        if power != 1 and not strict:
            yield value


def _scaled(value: Fraction, found: re.Match[str], *, strict: bool) -> Iterator[Fraction]:
    below, scale = int(found["below"] or 0), (found["scale"] or "").lower()
    if below:
        yield value / below
        if not strict:
            yield from (value, Fraction(below))
        return
    if scale:
        yield value * _SCALES[scale]
    if not scale or not strict or scale not in _SURE_SCALES:
        yield value
    if found["percent"]:
        yield value / 100


def _values(core: str, *, strict: bool) -> Iterator[Fraction]:
    """Readings of a written number: `1,234` is grouped, `1,5` a decimal, `1.234` most likely a decimal."""
    parts = re.split(r"[,.'_ ]", core)
    grouped = len(parts) > 1 and all(len(part) == 3 for part in parts[1:]) and 0 < len(parts[0]) <= 3
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", core):
        yield Fraction(core.replace(".", "").replace(",", "."))
    elif re.fullmatch(r"\d+,\d+", core) and not grouped:
        yield Fraction(core.replace(",", "."))
        if not strict:
            yield from map(Fraction, parts)
    else:
        yield Fraction(re.sub(r"[,'_ ]", "", core))
    if not strict and grouped:
        yield Fraction("".join(parts))
        if " " in core:
            yield from map(Fraction, parts)


def _plain(text: str) -> str:
    text = text.replace("−", "-").replace("–", "-").replace("⁄", "/")
    text = _SUPERSCRIPT.sub(lambda found: f"^{unicodedata.normalize('NFKC', found[0])}", text)
    text = re.sub(r"(?<=\d)(?=[½⅓⅔¼¾⅕-⅞])", " ", text)
    text = unicodedata.normalize("NFKC", text).replace("⁄", "/").replace("−", "-")
    text = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    return text


def _roman_value(roman: str) -> int:
    values = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}[char] for char in roman]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
