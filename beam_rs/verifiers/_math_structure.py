r"""Lists, sets, tuples, intervals, assignments and units, compared part by part.

A general algebra system takes `(2,1)` and `(3,1)` for the same empty interval, and strips units on both sides. So
structure is compared here, and only single expressions go to the algebra.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from beam_rs.verifiers._latex_text import tight
from beam_rs.verifiers._latex_value import Value, read_value, same_function, same_value
from beam_rs.verifiers._relations import JOINED, RELATION, as_intervals
from beam_rs.verifiers._units import split_unit

Algebra = Callable[[str, str], bool]
"""Whether two expressions are equal; asked only where text and value do not decide."""

_PARTS: Final = 32
_EQUALS: Final = re.compile(r"(?<![<>!:\\])=")
_PLAIN_NAME: Final = r"(?:[A-Z]{2,4}|[A-Za-z](?:_\{?\w{1,6}\}?|')?)"
_NAME: Final = re.compile(
    r"(?:(?:m ?)?\\(?:angle|triangle|overline|widehat|sin|cos|tan|theta|alpha|beta|phi|lambda) ?\{?[A-Za-z0-9]{0,4}\}?"
    r"|[A-Za-z]{1,3}(?:_\{?\w{1,6}\}?|')?|[A-Za-z]\([A-Za-z0-9, ]{1,8}\)|[A-Za-z][A-Za-z ]{3,40}"
    rf"|\|[A-Z]{{1,3}}\||{_PLAIN_NAME} ?[:/] ?{_PLAIN_NAME}|\\frac\{{[A-Z]{{2,3}}\}}\{{[A-Z]{{2,3}}\}})"
)
_NAMED_TUPLE: Final = re.compile(
    r"(?:[A-Z] ?)?\( ?[A-Za-z](?:_\w)?(?: ?, ?[A-Za-z](?:_\w)?){1,5} ?\) ?(?:=|\\in) ?(?=[({\\])"
)
_POINT: Final = re.compile(r"[A-Z]'?(?:_\w)? ?(?:=|:)? ?(?=\([^()]{1,200},[^()]{1,200}\)$)")
_MEMBER: Final = re.compile(r"[A-Za-z](?:_\w)? ?\\in(?![A-Za-z]) ?")
_WORD: Final = re.compile(r"[A-Za-z]{4,}|[A-Z]{2,}|[\u4e00-\u9fff]+")
_NOUNS: Final = ("triangle", "quadrilateral", "function", "angle", "angles", "numbers")
_SIGNS: Final = re.compile(r"%|\\circ")
_DIGITS: Final = re.compile(r"[\d .]+")
_COMMAND: Final = re.compile(r"\\[A-Za-z]+")


@dataclass(frozen=True)
class Parts:
    """A text taken apart.

    Attributes:
      items: its parts; one for a single expression.
      brackets: `()`, `[)`, … of a tuple or interval, `{}` of a set, empty for a bare list or a single expression.
    """

    items: tuple[str, ...]
    brackets: str = ""


def same(gold: str, predicted: str, algebra: Algebra) -> bool:
    """Whether two normalised texts say the same, part by part.

    Raises:
      TooLarge: a number of more than some ten thousand digits; it equals nothing but its own spelling.
    """
    if tight(gold) == tight(predicted):
        return True
    gold, predicted = (_NAMED_TUPLE.sub("", _MEMBER.sub("", text, count=1)) for text in (gold, predicted))
    if bool(_POINT.match(gold)) != bool(_POINT.match(predicted)):
        gold, predicted = _POINT.sub("", gold), _POINT.sub("", predicted)
    if not RELATION.search(predicted):
        # math-verify lets an interval answer an inequality, but not the reverse
        gold, predicted = as_intervals(gold) or gold, as_intervals(predicted) or predicted
    a, b = take_apart(gold), take_apart(predicted)
    if RELATION.search(gold) and b.brackets not in ("", "{}"):
        return algebra(gold, predicted)
    a, b = _distinct(a), _distinct(b)
    if len(a.items) != len(b.items) or len(a.items) > _PARTS:
        return False
    if len(a.items) == 1 and a.brackets == b.brackets:
        return _same_named(a.items[0], b.items[0], algebra)
    if len(a.items) == 1 and {a.brackets, b.brackets} == {"", "{}"}:
        return _same_named(a.items[0], b.items[0], algebra)
    return _same_parts(a, b, algebra)


def _distinct(parts: Parts) -> Parts:
    """A bare list of tuples without repetitions: a solution found twice is one solution."""
    if len(parts.items) < 2 or parts.brackets not in ("", "{}") or not all(item[:1] == "(" for item in parts.items):
        return parts
    return Parts(tuple({tight(item): item for item in parts.items}.values()), parts.brackets)


def _same_parts(a: Parts, b: Parts, algebra: Algebra) -> bool:
    """Several parts: in order where one side is a tuple, else in any order."""
    kinds = {a.brackets, b.brackets}
    ordered = kinds - {"", "{}"}
    if len(ordered) > 1 or (ordered and "{}" in kinds):
        return False
    if ordered and ordered != {"()"} and "" in kinds:
        return False
    if ordered:
        return all(_same_named(x, y, algebra) for x, y in zip(a.items, b.items, strict=True))
    named = [_named(item)[0] for item in (*a.items, *b.items)]
    if all(named):
        return _same_set(a.items, b.items, lambda x, y: _named(x)[0] == _named(y)[0] and _same_named(x, y, algebra))
    return _same_set(a.items, b.items, lambda x, y: _same_named(x, y, algebra))


def _same_set(a: Sequence[str], b: Sequence[str], equal: Callable[[str, str], bool]) -> bool:
    """Whether every part of one side has its own equal on the other."""
    left = list(b)
    for item in a:
        partner = next((other for other in left if tight(other) == tight(item)), None)
        partner = partner or next((other for other in left if equal(item, other)), None)
        if partner is None:
            return False
        left.remove(partner)
    return True


def take_apart(text: str) -> Parts:
    r"""The parts of a normalised text.

    >>> take_apart(r"\{1, 2\}"), take_apart("[0, 1)"), take_apart(r"\pm 3").items
    (Parts(items=('1', '2'), brackets='{}'), Parts(items=('0', '1'), brackets='[)'), ('+3', '-3'))
    """
    text = text.strip()
    if text.startswith(r"\{") and text.endswith(r"\}"):
        return Parts(tuple(_split(text[2:-2])), "{}")
    if text[:1] in ("(", "[") and text[-1:] in (")", "]") and _closes_at_end(text):
        inside = _split(text[1:-1])
        if len(inside) > 1:
            return Parts(tuple(inside), text[0] + text[-1])
    items = _split(JOINED.sub(",", text)) or [text]
    return Parts(tuple(part for item in items for part in _both_signs(item)))


def _both_signs(text: str) -> list[str]:
    if text.count(r"\pm") != 1:
        return [text]
    return [re.sub(r"\\pm ?", sign, text).strip() for sign in "+-"]


def _closes_at_end(text: str) -> bool:
    """Whether the bracket that opens a text is closed by its last character."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return position == len(text) - 1
    return False


def _split(text: str) -> list[str]:
    """Parts between commas and semicolons outside brackets and environments."""
    if r"\begin" in text:
        return [text]
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character in ",;" and depth <= 0:
            parts.append(text[start:position])
            start = position + 1
    return [part for item in [*parts, text[start:]] if (part := item.strip())]


def _named(text: str) -> tuple[str, str]:
    """Name and value of an assignment such as `x = 5` or `f(x) = 2x`; an empty name where it is none."""
    sides = [side.strip() for side in _EQUALS.split(text)]
    if len(sides) < 2 or RELATION.search(text) or not _NAME.fullmatch(sides[0]) or not sides[-1]:
        return "", text
    return tight(sides[0]), sides[-1]


def _same_named(gold: str, predicted: str, algebra: Algebra) -> bool:
    """Two parts that may be assignments or equations."""
    name, value = _named(gold)
    other, said = _named(predicted)
    if name and other:
        if name == other or _plain_words(name) or _plain_words(other):
            return _same_expression(value, said, algebra)
        return _value(value) is None and algebra(gold, predicted)
    if bool(_EQUALS.search(gold)) == bool(_EQUALS.search(predicted)) and not name and not other:
        return _same_expression(gold, predicted, algebra)
    if _EQUALS.search(gold) and _EQUALS.search(predicted):
        return algebra(gold, predicted)
    return _same_expression(value, said if other else _computed(predicted), algebra)


def _plain_words(name: str) -> bool:
    """Whether the left side is a word such as `Area`, which names no variable."""
    return bool(re.search(r"[A-Za-z]{4,}|[\u4e00-\u9fff]", name)) and "\\" not in name


def _computed(text: str) -> str:
    """The last side of a calculation whose other sides are plain numbers, such as `2+1 = 3`; else the text."""
    *sides, last = [side.strip() for side in _EQUALS.split(text)]
    return last if sides and all(_value(side) for side in sides) else text


def _same_expression(gold: str, predicted: str, algebra: Algebra) -> bool:
    """Two single expressions: by text, then by value, then by algebra."""
    if Parts((gold,)) != take_apart(gold) or Parts((predicted,)) != take_apart(predicted):
        return same(gold, predicted, algebra)
    (a, unit), (b, other) = split_unit(gold), split_unit(predicted)
    if (unit and other and unit != other) or {"%", r"\circ"} <= {*_SIGNS.findall(a), *_SIGNS.findall(b)}:
        return False
    if tight(a) == tight(b):
        return True
    known, said = _value(a), _value(b)
    if known and said:
        return same_value(known, said)
    if ":" in a + b:
        # the algebra has its own idea of ratios
        return False
    if known or said:
        other = b if known else a
        return not _has_variable(other) and not _DIGITS.fullmatch(other) and algebra(a, b)
    if _WORD.search(_COMMAND.sub(" ", f"{a} {b}")) or max(len(tight(a)), len(tight(b))) == 1:
        return _same_words(_said(a), _said(b))
    decided = same_function(tight(a), tight(b))
    return algebra(a, b) if decided is None else decided


def _said(text: str) -> str:
    """Words without case, articles and punctuation, where they are words at all."""
    if len(text) < 2 or (text.isupper() and len(text) < 4 and text not in ("YES", "NO")):
        # a name such as AB
        return text
    return re.sub(r"(?i)\b(?:the|an|a)\b|[\"'.,!?]", "", text).casefold()


def _same_words(a: str, b: str) -> bool:
    """Whether two names are the same, `isosceles` and `isosceles triangle` included."""
    x, y = tight(a), tight(b)
    return x == y or (min(len(x), len(y)) > 4 and any(x + noun == y or y + noun == x for noun in _NOUNS))


def _has_variable(text: str) -> bool:
    """Whether letters beyond the constants e and i stand in an expression."""
    return bool(set(re.findall(r"[A-Za-z]", _COMMAND.sub(" ", text))) - {"e", "i"})


def _value(text: str) -> Value | None:
    return read_value(tight(text))
