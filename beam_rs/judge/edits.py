"""Small changes that make a right answer wrong, and the test that they do."""

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from beam_rs.judge.numbers import lone
from beam_rs.prompts import LETTERS

Kind: TypeAlias = Literal["accepted", "row", "digit", "sign", "unit", "option", "negation", "order"]
"""What a control is: an accepted answer, or one made wrong by another row's reference, a change or an order."""

KINDS: Final[tuple[Kind, ...]] = ("accepted", "row", "digit", "sign", "unit", "option", "negation", "order")

_LEAST_CHANGE: Final = Fraction(1, 10)
"""A changed number differs by more than this share, so that no tolerance of a metric makes it right again."""

_UNITS: Final = {
    "mm": "cm", "cm": "m", "m": "km", "km": "m", "g": "kg", "kg": "g", "ml": "l", "l": "ml", "s": "min", "min": "h",
    "h": "min", "hours": "days", "minutes": "hours", "seconds": "minutes", "days": "weeks", "years": "months",
    "months": "years", "miles": "feet", "feet": "miles", "inches": "feet", "meters": "kilometers", "km/h": "m/s",
    "m/s": "km/h", "degrees": "radians", "°c": "°F", "°f": "°C", "dollars": "euros", "euros": "dollars", "$": "€",
    "€": "$", "£": "$", "million": "billion", "billion": "million", "thousand": "million", "w": "kW", "kw": "W",
    "v": "mV", "a": "mA", "hz": "kHz", "n": "kN", "j": "kJ", "pa": "kPa",
}  # fmt: skip
_UNIT: Final = re.compile(r"([-+]?[\d.,]*\d)(\s?)([^\W\d]+(?:/[^\W\d]+)?|°[CF])\.?")
_PRICE: Final = re.compile(r"([$€£])\s?([\d.,]*\d)")
_OPPOSITES: Final = {"yes": "no", "no": "yes", "true": "false", "false": "true", "left": "right", "right": "left"}


def edits(reference: str, options: Sequence[str] = ()) -> dict[Kind, list[str]]:
    """Wrong answers that can be made of a reference, by kind; all that there are, in a fixed order.

    >>> edits("12 cm")["unit"], edits("yes")
    (['12 m'], {'negation': ['no']})
    """
    text = reference.strip()
    letters = _letters(options)
    if text in letters:
        return {"option": [letter for letter in letters if letter != text]}
    made: dict[Kind, list[str]] = {
        "digit": _digits(text),
        "sign": _signs(text),
        "unit": _units(text),
        "negation": _negated(text),
    }
    return {kind: texts for kind, texts in made.items() if texts}


def wrong_for(kind: Kind, text: str, references: Sequence[str], options: Sequence[str] = ()) -> bool:
    """Whether a changed answer is wrong for sure: it could pass for none of the references.

    >>> wrong_for("row", "the hotel", ["hotel"]), wrong_for("negation", "not hotel", ["hotel"])
    (False, True)
    >>> wrong_for("option", "C", ["B"], ["cat", "dog", "Dog"])
    False
    """
    if kind == "negation":  # it holds the reference's words by intent
        return all(_bare(text) != _bare(known) for known in references)
    letters = _letters(options)
    meant = letters.get(text.strip(), text)
    return not any(alike(text, known) or alike(meant, letters.get(known.strip(), known)) for known in references)


def alike(one: str, other: str) -> bool:
    """Whether two answers may pass for the same: by their letters and digits, by their value, or one in the other.

    >>> alike("The Cat.", "cat"), alike("1,200", "1200"), alike("12", "13"), alike("-5", "5")
    (True, True, False, False)
    """
    values = lone(one), lone(other)
    if all(values):
        return not values[0].isdisjoint(values[1]) and _unit(one) == _unit(other)
    first, second = _bare(one), _bare(other)
    return not first or not second or f" {first} " in f" {second} " or f" {second} " in f" {first} "


def _digits(text: str) -> list[str]:
    made = []
    value = lone(text)
    for place, char in enumerate(text):
        for digit in "123456789" if char.isascii() and char.isdigit() else "":
            changed = f"{text[:place]}{digit}{text[place + 1 :]}"
            if digit != char and (not value or _far(value, lone(changed))):
                made.append(changed)
    return made


def _far(before: frozenset[Fraction], after: frozenset[Fraction]) -> bool:
    return bool(after) and all(abs(a - b) > _LEAST_CHANGE * max(abs(a), abs(b)) for a in after for b in before)


def _signs(text: str) -> list[str]:
    value = lone(text)
    if not value or 0 in value or not re.match(r"[-−+]?\d", text):
        return []
    return [text[1:]] if text[0] in "-−" else [f"-{text.lstrip('+')}"]


def _units(text: str) -> list[str]:
    if priced := _PRICE.fullmatch(text):
        return [f"{_UNITS[priced[1]]}{priced[2]}"]
    found = _UNIT.fullmatch(text)
    other = _UNITS.get(found[3].lower()) if found else None
    return [f"{found[1]}{found[2]}{other}"] if found and other else []


def _unit(text: str) -> str:
    """What stands beside the number of a lone number, where it is a unit that could be another."""
    unit = re.sub(r"[-+−\d.,\s]", "", text).casefold()
    return unit if unit in _UNITS else ""


def _negated(text: str) -> list[str]:
    if opposite := _OPPOSITES.get(text.casefold().rstrip(".")):
        return [opposite]
    words = text.split()
    plain = 0 < len(words) <= 8 and not re.match(r"(?:not?|never|none|nothing)\b", text, re.IGNORECASE)
    return [f"not {text.rstrip('.')}"] if plain and not set(text) & set("\\{}[]\n") else []


def _letters(options: Sequence[str]) -> dict[str, str]:
    return dict(zip(LETTERS, options, strict=False))


def _bare(text: str) -> str:
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())
    return " ".join([word for word in words if word not in ("the", "a", "an")] or words)
