"""Bare option lists: texts behind a lead-in, with no labels, one a line or with separators between them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beam_rs.cleaning._phrases import LEAD_IN, is_instruction, split_tail

MAX_ITEM: Final = 300
"""Longer pieces are prose, not options."""

MAX_LEADS: Final = 3
"""How many lead-ins are tried, from the last one back."""

_BULLET: Final = re.compile(r"[ \t]*[-*•·●○▪–][ \t]*(?=\S)")
_QUOTED: Final = re.compile(
    r"\s*(?:'((?:[^'\\\n]|\\.|(?<=\w)'(?=\w))*)'|\"((?:[^\"\\\n]|\\.)*)\"|“([^”\n]*)”)\s*(?:[,，、;]|(?:,\s*)?\bor\b|\Z)"
)
_BRACKETS: Final = {"[": "]", "(": ")", "{": "}", "【": "】", "（": "）"}
_SEPARATORS: Final = (
    re.compile(r"\s*[;；]\s*"),
    re.compile(r"\s*\|\s*"),
    re.compile(r"\s*、\s*"),
    re.compile(r"\s*(?:,\s+|，\s*)"),
    re.compile(r"\s*,\s*"),
    re.compile(r"\s*/\s*"),
    re.compile(r"\s+(?:or|OR)\s+|\s*(?:或者|还是|或)\s*"),
)
_DIGIT_COMMA: Final = re.compile(r"[0-9],[0-9]")
_LAST_WORD: Final = re.compile(r"(?:or|and|或者|或|和)\s+", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[a-z]{3,}[.!] [A-Z]")
_SLASHED: Final = re.compile(r"[0-9]\s*/\s*[0-9]|://")


@dataclass(frozen=True)
class Bare:
    """A bare list: where its lead-in starts, the options, and what stands behind them."""

    start: int
    options: tuple[str, ...]
    after: str


def find_bare(text: str) -> Bare | None:
    """The bare list behind the last lead-in of a text, if what follows is a list and nothing but orders after it."""
    for lead in list(LEAD_IN.finditer(text))[: -1 - MAX_LEADS : -1]:
        found = _read(text[lead.end() :])
        if found:
            return Bare(lead.start(), *found)
    return None


def split_items(text: str) -> tuple[str, ...]:
    """The items of a list on one line, or nothing where it is none.

    >>> split_items("['cat', 'dog']"), split_items("1,000, 2,000")
    (('cat', 'dog'), ('1,000', '2,000'))
    """
    text = " ".join(text.split())
    for mark in ("**", "`", ".", "。"):
        text = (
            text[: -len(mark)].rstrip() if mark in ".。" and text[-2:-1] in "])}】）" and text.endswith(mark) else text
        )
    if len(text) > 1 and _BRACKETS.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    quoted = _read_quoted(text)
    if quoted:
        return quoted
    for separator in _SEPARATORS:
        items = _split(text, separator) if separator.search(text) else ()
        if len(items) > 1:
            return items
    return ()


def _read(body: str) -> tuple[tuple[str, ...], str] | None:
    """Options and what is behind them, from the text after a lead-in."""
    first, _, rest = body.partition("\n")
    if first.strip():
        return _read_inline(first, rest)
    lines = rest.split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    end = next((i for i in range(start, len(lines)) if not lines[i].strip() or is_instruction(lines[i])), len(lines))
    listed, behind = lines[start:end], "\n".join(lines[end:])
    if len(listed) == 1:
        return _read_inline(listed[0], behind)
    return _checked(tuple(_strip_bullets(listed)), behind.strip())


def _read_inline(line: str, rest: str) -> tuple[tuple[str, ...], str] | None:
    listed, tail = split_tail(line.strip())
    return _checked(split_items(listed), "\n".join(part for part in (tail, rest.strip()) if part))


def _checked(items: tuple[str, ...], after: str) -> tuple[tuple[str, ...], str] | None:
    """The list, unless its pieces or what follows look like prose."""
    if len(items) < 2 or any(not item or len(item) > MAX_ITEM or item.endswith(("?", "？")) for item in items):
        return None
    if _SENTENCE.search(items[-1]) or not all(map(_balanced, items)) or (after and not is_instruction(after)):
        return None
    return items, after


def _balanced(item: str) -> bool:
    """Whether no bracket of an item is torn: `(1, 2), (3, 4)` and lists of lists are not cut at commas."""
    return sum(map(item.count, "([{（【")) == sum(map(item.count, ")]}）】"))


def _strip_bullets(lines: list[str]) -> list[str]:
    bulleted = all(_BULLET.match(line) for line in lines)
    return [(_BULLET.sub("", line, count=1) if bulleted else line).strip().rstrip(";,；，") for line in lines]


def _read_quoted(text: str) -> tuple[str, ...]:
    """Items of a list whose items are all in quotes; a backslash keeps the sign behind it."""
    items, at = [], 0
    while at < len(text):
        match = _QUOTED.match(text, at)
        if not match:
            return ()
        raw = next(group for group in match.groups() if group is not None)
        items.append(re.sub(r"\\(['\"\\])", r"\1", raw).strip())
        at = match.end()
    return tuple(items) if len(items) > 1 else ()


def _split(text: str, separator: re.Pattern[str]) -> tuple[str, ...]:
    """Items between separators, or nothing where the separator is more likely a part of a number or an address."""
    if (separator is _SEPARATORS[4] and _DIGIT_COMMA.search(text)) or (
        separator is _SEPARATORS[5] and _SLASHED.search(text)
    ):
        return ()
    items = separator.split(text.rstrip(";,；，、|/ "))
    if separator in _SEPARATORS[2:5]:
        items = _split_last(items)
    if len(items) > 1 and ends_sentence(items):
        items[-1] = items[-1][:-1].rstrip()
    return tuple(item.strip() for item in items)


def _split_last(items: list[str]) -> list[str]:
    """A comma list's end: `dog, or bird` and `dog or bird` alike."""
    last = items[-1]
    if len(items) > 1 and _LAST_WORD.match(last):
        return [*items[:-1], _LAST_WORD.sub("", last, count=1)]
    parts = _SEPARATORS[6].split(last)
    if len(parts) == 2 and not any(_SEPARATORS[6].search(item) for item in items[:-1]):
        return [*items[:-1], *parts]
    return items


def ends_sentence(items: Sequence[str]) -> bool:
    """Whether the last item's full stop closes the list: no other item has one, and it is no abbreviation."""
    *others, last = items
    return (
        last.endswith((".", "。")) and "." not in last[:-1] and not any(item.endswith((".", "。")) for item in others)
    )
