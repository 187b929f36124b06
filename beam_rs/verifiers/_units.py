"""Numbers with a unit behind them: the unit is told apart, so that metres are never taken for centimetres."""

import re
from typing import Final

_NAMES: Final = {
    "mm": "millimeter millimetre mm",
    "cm": "centimeter centimetre cm",
    "m": "meter metre m",
    "km": "kilometer kilometre km",
    "in": "inch inche in",
    "ft": "foot feet ft",
    "yd": "yard yd",
    "mi": "mile mi",
    "s": "second sec s",
    "min": "minute min",
    "h": "hour hr h",
    "day": "day",
    "mg": "milligram mg",
    "g": "gram g",
    "kg": "kilogram kg",
    "ml": "milliliter millilitre ml",
    "l": "liter litre l",
    "deg": "degree deg °",
    "usd": "dollar usd",
    "eur": "euro eur",
    "gbp": "gbp",
    "cent": "cent",
    "n": "newton n",
    "j": "joule j",
    "w": "watt w",
    "v": "volt v",
    "a": "ampere amp a",
    "ohm": "ohm",
    "hz": "hertz hz",
    "pa": "pascal pa",
    "percent": "percent pct",
}
_KNOWN: Final = {alias: unit for unit, aliases in _NAMES.items() for alias in aliases.split()}
_GENERIC: Final = frozenset({"unit", "units", "square units", "cubic units", "sq units", "units^2", "units^3"})
_POWERS: Final = (("square", 2), ("sq", 2), ("cubic", 3), ("cu", 3))
_POWER: Final = r"(?:\^-?\{?-?\d\}?)?"
_TAIL: Final = re.compile(
    r"(?P<body>.*(?:[\d})!%]|\\pi|\\circ))(?P<gap> ?)"
    rf"(?P<unit>[A-Za-z°][A-Za-z°. ]*{_POWER}(?:[/ ][A-Za-z]+{_POWER}){{0,3}})"
)
_ASKED: Final = re.compile(r"(?i)\(units?:\s{0,3}([a-z]+)\)|\b(?:in|how many)\s([a-z]{2,12})\b")
_NO_UNIT: Final = frozenset({
    "and", "or", "is", "if", "mod", "sin", "cos", "tan", "log", "ln", "exp", "times", "pi", "plus", "minus", "over",
    "not", "less", "more", "fewer", "than", "dozen", "hundred", "thousand", "million", "billion",
})  # fmt: skip


def split_unit(text: str) -> tuple[str, str]:
    r"""A normalised text as its number and its unit in one spelling; without a unit, the text and an empty one.

    A single letter is a unit only behind a blank: `5 m` may be metres, `5m` is a product.

    >>> split_unit("12 square centimeters"), split_unit("12 cm^2"), split_unit("5x")
    (('12', 'cm^2'), ('12', 'cm^2'), ('5x', ''))
    """
    found = _TAIL.fullmatch(text)
    if not found:
        return text, ""
    unit = found["unit"].strip().rstrip(".")
    words = re.findall(r"[A-Za-z°]+", unit)
    if any(word in _NO_UNIT for word in words) or not _is_unit(
        words, found["gap"] != "" or bool(re.match(r"m\^", unit))
    ):
        return text, ""
    return found["body"].strip(), spelled(unit)


def _is_unit(words: list[str], apart: bool) -> bool:
    first = words[0].lower()
    if len(first) == 1 and first != "°":
        return apart and first in _KNOWN and len(words) == 1
    return first in _KNOWN or _singular(first) in _KNOWN or first in ("sq", "cu") or len(first) >= 4


def spelled(unit: str) -> str:
    """A unit in one spelling; empty for `units`, which says nothing.

    >>> spelled("sq. meters"), spelled("units"), spelled("km/h")
    ('m^2', '', 'km/h')
    """
    unit = re.sub(r"[{}.]", "", unit).strip()
    if unit.lower() in _GENERIC:
        return ""
    power = ""
    for word, exponent in _POWERS:
        if unit.lower().startswith(f"{word} "):
            unit, power = unit[len(word) + 1 :], f"^{exponent}"
        elif word in ("square", "cubic") and unit.lower().endswith(f" {word}d"):
            unit, power = unit[: -len(word) - 2], f"^{exponent}"
    unit = re.sub(r"\s+per\s+", "/", unit)
    return re.sub(r"[A-Za-z°]+", lambda m: _one_name(m[0]), unit).replace(" ", "") + power


def _one_name(word: str) -> str:
    lower = word.lower()
    return _KNOWN.get(lower) or _KNOWN.get(_singular(lower)) or _singular(lower)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") else word


def same_unit(said: str, asked: str) -> bool:
    """Whether a unit may stand where another was asked for: only two known ones of different names may not.

    >>> same_unit("cm", "m"), same_unit("apple", "m"), same_unit("", "m")
    (False, True, True)
    """
    return not (said in _NAMES and asked in _NAMES) or said == asked


def unit_asked(question: str) -> str:
    """The unit that a question asks for, where it says so in words; else empty.

    >>> unit_asked("What is its length in meters?"), unit_asked("How far (Unit: km)?"), unit_asked("How many in all?")
    ('m', 'km', '')
    """
    for found in _ASKED.finditer(question[-2_000:]):
        word = found[1] or found[2]
        if len(word) > 1 and word.lower() != "in" and spelled(word) in _NAMES:
            return spelled(word)
    return ""
