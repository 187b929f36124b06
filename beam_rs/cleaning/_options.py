"""Where a question lists its options: stem, options, and what stands behind them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from beam_rs.cleaning import _lists, _markers, _phrases
from beam_rs.cleaning._markers import STYLES, Kind, Series
from beam_rs.cleaning._reference import Labels

MAX_QUESTION: Final = 20_000
"""Longer texts are documents, not questions."""

_KINDS: Final[tuple[Kind, ...]] = ("upper", "lower", "digit", "roman")
_OPENERS: Final = tuple('?？:：!！.。)）]】_…"”’>*—》」』')
_ASKED: Final = re.compile(
    r"[?？]|_{2,}|[(（]\s*[)）]|[是为]\s*[:：]?\s*\Z|^\W*(?:which|what|who|where|when|why|how)\b", re.IGNORECASE
)
_LINE_BREAK: Final = re.compile(r"\r\n?|<br ?/?>")
_COUNTING: Final = re.compile(r"\b(?:how many|how much|number of|count|total)\b|多少|几[个只条张本名位]", re.IGNORECASE)
_COLONS: Final = ("colon", "tight_colon")
_SEPARATED: Final = re.compile(r"[;,；，、/|]\s*(?:or|and|或者|或|和|还是)?\s*\Z|\s(?:or|或|还是)\s*\Z", re.IGNORECASE)
_ENUMERATED: Final = re.compile(r"[A-Za-z][:：]\s")


@dataclass(frozen=True)
class Listing:
    """A list of options in a question.

    Attributes:
      stem: the question before it, without lead-ins.
      options: texts of the options.
      after: what stands behind the list, on lines of its own.
      labels: how the options are labelled.
      firm: whether it is certainly a list of options. One that is not counts only where the reference is among them.
      counts: the question asks for a number, so that a number label and a count cannot be told apart.
      readings: in how many ways the text can be cut into the same number of options.
    """

    stem: str
    options: tuple[str, ...]
    after: str
    labels: Labels
    firm: bool
    counts: bool = False
    readings: int = 1


def find(question: str) -> Listing | None:
    """The list of options that a question holds, or None.

    Labels are looked for first, capitals before small letters, numbers and Roman numerals; then a bare list behind
    a lead-in.
    """
    if len(question) > MAX_QUESTION:
        return None
    text = _LINE_BREAK.sub("\n", question)
    for kind in (kind for kind in _KINDS if _markers.may_list(text, kind)):
        for series, style in _ranked(text, kind):
            listing = _read(text, series, kind, style)
            if listing:
                return listing
    bare = _lists.find_bare(text)
    if bare:
        stem, _ = _phrases.strip_lead_in(text[: bare.start])
        return Listing(stem, tuple(_collapse(o) for o in bare.options), bare.after, "none", firm=True)
    return None


def _ranked(text: str, kind: Kind) -> list[tuple[Series, str]]:
    """The series of each style of label, the longest and last first."""
    found = []
    for (styled, style), pattern in STYLES.items():
        if styled != kind or (kind, style) == ("lower", "tight"):
            continue  # `a.first` inside a line is code
        markers = _markers.scan(text, kind, pattern)
        if style in ("close", *_COLONS) or (kind == "digit" and style not in ("round", "square")):
            markers = _markers.outside_brackets(text, markers)
        series = _markers.best_series(text, markers)
        if series:
            found.append((series, style))
    if kind == "upper":
        found.extend(_behind_lead_in(text))
    return sorted(found, key=lambda pair: (len(pair[0].markers), pair[0].markers[0].start), reverse=True)


def _behind_lead_in(text: str) -> Iterator[tuple[Series, str]]:
    """Lines such as `A cat`, which are labelled only where a lead-in says so."""
    leads = list(_phrases.LEAD_IN.finditer(text))
    if not leads:
        return
    markers = [m for m in _markers.scan(text, "upper", _markers.BARE) if m.start >= leads[-1].end()]
    series = _markers.best_series(text, markers)
    if series and not text[leads[-1].end() : series.markers[0].start].strip():
        yield series, "bare"


def _read(text: str, series: Series, kind: Kind, style: str) -> Listing | None:
    """A series of labels as a list of options, or None where it is more likely prose."""
    markers = series.markers
    stem, led = _phrases.strip_lead_in(text[: markers[0].start])
    raw = [_collapse(text[m.end : n.start]) for m, n in pairwise(markers)]
    wrapped = any("\n" in text[m.end : n.start].strip() for m, n in pairwise(markers))
    last, after = _read_last(text[markers[-1].end :], wrapped)
    if last.endswith(("?", "？")) and not any("?" in option or "？" in option for option in raw):
        if led or all(_SEPARATED.search(option) for option in raw):
            stem = stem if stem.endswith(("?", "？")) else stem.rstrip(":,：，") + last[-1]
            last = last[:-1].rstrip()
        elif "?" not in stem and "？" not in stem:
            return None
    if not markers[-1].opens_line and _lists.ends_sentence([*raw, last]):
        last = last[:-1].rstrip()
    options = tuple(_clean(option) for option in (*raw, last))
    if not all(options) or (not led and "?" not in stem and all(option.endswith(("?", "？")) for option in options)):
        return None  # images for options, or a list of questions
    firm = _judge(stem, after, series, kind, style, led)
    if firm is None:
        return None
    counts = kind in ("digit", "roman") and _COUNTING.search(stem) is not None
    return Listing(stem, options, after, kind, firm and not counts, counts, series.readings)


def _read_last(text: str, wrapped: bool) -> tuple[str, str]:
    """The last option and what stands behind it.

    It ends with its line; where other options run over several lines, with a blank line or an instruction.
    """
    lines = text.strip("\n \t\u3000").split("\n")
    ends = (i for i, line in enumerate(lines) if i and (not line.strip() or _phrases.is_instruction(line)))
    end = next(ends, len(lines)) if wrapped else 1
    line, rest = " ".join(lines[:end]), "\n".join(lines[end:])
    option, tail = _phrases.split_tail(line.strip())
    if not tail:
        option, tail = _phrases.split_question(option)
    return option, "\n".join(part for part in (tail, rest.strip()) if part)


def _judge(stem: str, after: str, series: Series, kind: Kind, style: str, led: bool) -> bool | None:
    """Whether labels are certainly those of options (True), perhaps (False), or those of something else (None)."""
    if led:
        return True
    first, count = series.markers[0], len(series.markers)
    asked_behind = after.rstrip().endswith(("?", "？")) and not _phrases.is_instruction(after)
    opened = not stem or first.opens_line or stem.endswith(_OPENERS)
    line = stem[-300:].rpartition("\n")[2]
    asked = _ASKED.search(line) is not None
    if kind in ("digit", "roman"):
        certain = opened and asked and (not after or _phrases.is_instruction(after))
        return True if certain and stem else None
    if style in _COLONS and (asked_behind or not asked or _ENUMERATED.search(stem[-400:])):
        return None  # speakers of a dialogue are labelled like this too
    if asked_behind or not opened:
        return False if count > 2 or asked_behind else None
    return asked or stem.endswith((":", "：")) or count > 2


def _clean(option: str) -> str:
    """Text of an option without the separator behind it and halves of markup around it."""
    text = _collapse(option)
    text = _SEPARATED.sub("", text).rstrip()
    if text.count("**") % 2:
        text = text.removeprefix("**").removesuffix("**").strip()
    return text


def _collapse(text: str) -> str:
    return " ".join(text.split())
