"""Labels of options in a text, such as `A.`, `(b)` or `3)`, and the series that they form."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["upper", "lower", "digit", "roman"]

MAX_MARKERS: Final = 400
"""A text with more labels of one style is no question with options; it also bounds the search below."""

_LABELS: Final[dict[Kind, str]] = {
    "upper": "[A-ZＡ-Ｚ]",
    "lower": "[a-zａ-ｚ]",
    "digit": "[0-9０-９]{1,2}",
    "roman": "(?:(?:xx|x)?(?:ix|iv|v?i{1,3}|v)|xx|x|(?:XX|X)?(?:IX|IV|V?I{1,3}|V)|XX|X)",
}
_LEFT: Final = (
    r"(?:^[ \t\u3000]*(?:[-*•·●○▪>][ \t]+)?"
    r"|(?<=[\s?？!！。,，;；:：、|/）)】\]\"”’_>…—°%℃′″²³\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]))"
)
_NAMED: Final = r"\*{0,2}(?:(?:[Oo]ption|OPTION|[Cc]hoice|选项)\s*)?"
_DELIMITED: Final[dict[str, str]] = {
    "round": r"[(（]\s?(LABEL)\.?\s?[)）]\*{0,2}[.:：]?",
    "square": r"[\[【](LABEL)[\]】]\*{0,2}[.:：]?",
    "dot": r"(LABEL)\*{0,2}(?:\.(?=\s|\*\*\s|[\u3040-\u30ff\u4e00-\u9fff]|\Z)|．)\*{0,2}",
    "close": r"(LABEL)\.?\*{0,2}[)）]\*{0,2}",
    "colon": r"(LABEL)\*{0,2}(?::(?=\s|\*\*|[\u3040-\u30ff\u4e00-\u9fff])|：)\*{0,2}",
    "comma": r"(LABEL)\*{0,2}、",
    "tight": r"(LABEL)\.(?![\s.)）]|[A-Za-z]\.|(?<=[0-9]\.)[0-9])",
    "tight_line": r"(?<![^\n])(LABEL)\.(?![\s.)）]|(?<=[0-9]\.)[0-9])",
    "tight_colon": r"(LABEL):(?![\s/:]|[A-Z]\b)",
    "wide": r"(?<![A-Za-zＡ-Ｚ.])(LABEL)．",
    "wide_round": r"（(LABEL)）",
    "dash": r"(?<![^\n])(LABEL)[ \t]+[-–—][ \t]+",
}
STYLES: Final[dict[tuple[Kind, str], re.Pattern[str]]] = {
    (kind, style): re.compile(
        ("" if style.startswith("wide") else _LEFT + _NAMED) + pattern.replace("LABEL", label), re.MULTILINE
    )
    for kind, label in _LABELS.items()
    for style, pattern in _DELIMITED.items()
}
STYLES["digit", "circled"] = re.compile("([①-⑳])")
_FIRST_TWO: Final[dict[Kind, tuple[str, str]]] = {
    "upper": ("A|Ａ", "B|Ｂ"),
    "lower": ("a|ａ", "b|ｂ"),
    "digit": ("1|１", "2|２"),
    "roman": ("i|I", "ii|II"),
}
BARE: Final = re.compile(r"^[ \t]*([A-Z])[ \t]+(?=\S)", re.MULTILINE)
"""A letter and a blank at the beginning of a line: a label only under a lead-in."""

_NEAR: Final = 300
_ROMAN: Final = {"i": 1, "v": 5, "x": 10}
_CONNECTORS: Final = re.compile(r"(?:and|or|vs|versus|with|to|from|than|&|和|与|或|及|[\W_])*")


@dataclass(frozen=True)
class Marker:
    """A label in a text.

    Attributes:
      number: position that the label names, from 0.
      start: where it begins, bullets before it included.
      end: where the text behind it begins.
      opens_line: whether it is the first thing on its line.
    """

    number: int
    start: int
    end: int
    opens_line: bool


@dataclass(frozen=True)
class Series:
    """Consecutive labels from the first on, and in how many ways such a series can be read.

    There is no way at all where the label after the next one follows, as in `A. x B. y D. z`.
    """

    markers: tuple[Marker, ...]
    readings: int


def may_list(text: str, kind: Kind) -> bool:
    """Whether the first two labels of a kind stand in a text at all: a cheap test before the thorough one."""
    if kind == "digit" and "①" in text:
        return "②" in text
    return all(re.search(rf"(?<![A-Za-z0-9])(?:{label})(?![A-Za-z0-9])", text) for label in _FIRST_TWO[kind])


def scan(text: str, kind: Kind, pattern: re.Pattern[str]) -> list[Marker]:
    """All labels of one style, in order; none where there are too many for a question."""
    markers: list[Marker] = []
    for match in pattern.finditer(text):
        number = position(match[1], kind)
        opens = text[text.rfind("\n", 0, match.start(1)) + 1 : match.start(1)].strip(" \t\u3000-*•·●○▪>([（【") == ""
        markers.append(Marker(number, match.start(), match.end(), opens))
        if len(markers) > MAX_MARKERS:
            return []
    return markers


def outside_brackets(text: str, markers: Sequence[Marker]) -> list[Marker]:
    """Markers that no bracket before them on their line encloses: `2)` in `f(1, 2)` labels nothing."""
    kept = []
    for marker in markers:
        line = text[max(text.rfind("\n", 0, marker.start) + 1, marker.start - _NEAR) : marker.start]
        if all(line.count(opening) <= line.count(closing) for opening, closing in ("()", "[]", "{}", "（）")):
            kept.append(marker)
    return kept


def position(label: str, kind: Kind) -> int:
    """What place a label names, from 0; -1 for a label that names none.

    >>> position("C", "upper"), position("3", "digit"), position("iv", "roman")
    (2, 2, 3)
    """
    plain = unicodedata.normalize("NFKC", label).lower()
    if kind == "digit":
        return int(plain) - 1
    if kind == "roman":
        values = [_ROMAN[letter] for letter in plain]
        return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values)) - 1
    return ord(plain) - ord("a")


def best_series(text: str, markers: Sequence[Marker]) -> Series | None:
    """The longest series that starts at a first label; of several, the one that starts last.

    Markers that open a line count more: a series of them is preferred to an equally long one of any markers.
    """
    lines = _longest(text, [m for m in markers if m.opens_line])
    anywhere = _longest(text, markers)
    best = lines if lines and anywhere and len(lines.markers) >= len(anywhere.markers) else anywhere
    if best and any(m.number == len(best.markers) + 1 for m in markers if m.start > best.markers[-1].start):
        return Series(best.markers, 0)
    return best


def _longest(text: str, markers: Sequence[Marker]) -> Series | None:
    """The longest series of these markers, found from the back: length, readings and next marker of each."""
    last = len(markers) - 1
    length, readings, after = [1] * len(markers), [1] * len(markers), [-1] * len(markers)
    for i in range(last, -1, -1):
        if not _filled(text[markers[i].end :]):
            length[i] = 0
            continue
        for j in range(i + 1, last + 1):
            if markers[j].number != markers[i].number + 1 or not length[j]:
                continue
            between = text[markers[i].end : markers[j].start]
            if not (between.strip() if markers[j].opens_line else _filled(between)):
                continue
            if length[j] + 1 > length[i]:
                length[i], readings[i], after[i] = length[j] + 1, readings[j], j
            elif length[j] + 1 == length[i]:
                readings[i] += readings[j]
    starts = [i for i, marker in enumerate(markers) if marker.number == 0 and length[i] >= 2]
    if not starts:
        return None
    at = max(starts, key=lambda i: (length[i], i))
    count, chain = readings[at], []
    while at >= 0:
        chain.append(markers[at])
        at = after[at]
    return Series(tuple(chain), count)


def _filled(text: str) -> bool:
    """Whether a text between two labels says something; `(A) and (B)` lists nothing, `(A) AND (B) OR` may."""
    head = text[:200].strip()
    return bool(head) and (len(head) > 40 or _CONNECTORS.fullmatch(head) is None or _is_symbol(head))


def _is_symbol(text: str) -> bool:
    """Whether a text is a sign that may be an option: `<`, `+`, `=`."""
    return len(text.rstrip(";,； ")) == 1 and text.rstrip(";,； ") in "<>=+-×÷*/%#≤≥≠∞°√π?!"
