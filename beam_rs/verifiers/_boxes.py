r"""Reading a box of four numbers from an answer, in the spellings that vision-language models use."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from beam_rs.schema import Json

_N: Final = r"\s?([-+]?(?:\d{1,9}(?:\.\d{0,12})?|\.\d{1,12}))\s?"
_IS: Final = r"(?: corner)?\W{0,6}(?:(?:is|at)\W{1,4})?"
_UPPER_LEFT: Final = rf"(?i:(?:top|upper)[- ]left{_IS})\({_N},{_N}\)"
_LOWER_RIGHT: Final = rf"(?i:(?:the )?(?:bottom|lower)[- ]right{_IS})\({_N},{_N}\)"
_SPELLINGS: Final = (
    # <box>(1,2),(3,4)</box>, <|box_start|>(1,2),(3,4)<|box_end|>, ((1,2),(3,4)), [[1,2],[3,4]]
    ("points", re.compile(rf"[(\[]{_N},{_N}[)\]]\s?(?:,|to|and|-|–)?\s?[(\[]{_N},{_N}[)\]]")),
    ("list", re.compile(rf"[(\[]{_N}[,;\s]{_N}[,;\s]{_N}[,;\s]{_N}[)\]]")),
    ("braces", re.compile(rf"\{{<{_N}>\s?<{_N}>\s?<{_N}>\s?<{_N}>\}}")),
    ("locations", re.compile(rf"<box><{_N}>\s?<{_N}>\s?<{_N}>\s?<{_N}></box>")),
    (
        "names",
        re.compile(
            rf"(?i:x_?(?:1|min)|left)\W{{1,4}}{_N}\W{{0,6}}(?i:y_?(?:1|min)|top)\W{{1,4}}{_N}"
            rf"\W{{0,6}}(?i:x_?(?:2|max)|right)\W{{1,4}}{_N}\W{{0,6}}(?i:y_?(?:2|max)|bottom)\W{{1,4}}{_N}"
        ),
    ),
    ("corners", re.compile(rf"{_UPPER_LEFT}\W{{0,8}}(?:and )?{_LOWER_RIGHT}")),
    ("line", re.compile(rf"^{_N},{_N},{_N},{_N}\.?$", re.MULTILINE)),
    ("line", re.compile(rf"^{_N}[ \t]{_N}[ \t]{_N}[ \t]{_N}\.?$", re.MULTILINE)),
    ("tag", re.compile(rf"<box>{_N}[,\s]{_N}[,\s]{_N}[,\s]{_N}</box>")),
)
_LABEL: Final = re.compile(
    r"(?i)\b(?:final|answer|correct(?:ed|ion)?|actually|wait|therefore|hence|thus|so,? the|result|instead)\b|答案|最终"
)
_LONGEST: Final = 1 << 17


class Box(NamedTuple):
    """Two corners, the upper left and the lower right."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def area(self) -> float:
        """0 where the corners are swapped or touch."""
        return max(0.0, self.x2 - self.x1) * max(0.0, self.y2 - self.y1)


@dataclass(frozen=True)
class FoundBox:
    """The box an answer commits to and the spelling it has, or why there is none."""

    box: Box | None
    form: str = ""
    reason: str = ""


class _Hit(NamedTuple):
    start: int
    end: int
    box: Box
    form: str


def as_box(value: Json) -> Box | None:
    """A box from a list of four finite numbers, else None.

    >>> as_box([1, 2, 3, 4])
    Box(x1=1.0, y1=2.0, x2=3.0, y2=4.0)
    """
    if not isinstance(value, list) or len(value) != 4:
        return None
    if not all(isinstance(n, (int, float)) and not isinstance(n, bool) and abs(n) < 1e12 for n in value):
        return None
    return Box(*map(float, value)) if all(math.isfinite(n) for n in value) else None


def find_box(answer: str) -> FoundBox:
    """The one box of an answer; of several different ones only the last, and only where words name it as final.

    >>> find_box('{"bbox_2d": [1, 2, 3, 4], "label": "dog"}').box
    Box(x1=1.0, y1=2.0, x2=3.0, y2=4.0)
    >>> find_box("either [1, 2, 3, 4] or [5, 6, 7, 8]").reason
    'several different boxes'
    """
    # runs of blanks become one, so that no pattern can divide them in many ways
    text = re.sub(r"\n\s+", "\n", re.sub(r"[^\S\n]+", " ", answer[-_LONGEST:]))
    hits = sorted(_hits(text))
    if not hits:
        return FoundBox(None, reason="no box in the answer")
    last = hits[-1]
    others = [hit for hit in hits if hit.box != last.box]
    if not others:
        return FoundBox(last.box, last.form)
    before = text[others[-1].end : _first_of_run(hits, last).start]
    if _LABEL.search(before):
        return FoundBox(last.box, f"{last.form}, named final")
    return FoundBox(None, reason="several different boxes")


def _first_of_run(hits: list[_Hit], last: _Hit) -> _Hit:
    """The first of the closing hits that all show the last box."""
    run = last
    for hit in reversed(hits):
        if hit.box != last.box:
            break
        run = hit
    return run


def _hits(text: str) -> Iterator[_Hit]:
    """Every box with its place; where two spellings overlap, the one that starts first."""
    found = [
        _Hit(match.start(), match.end(), Box(*map(float, match.groups())), form)
        for form, pattern in _SPELLINGS
        for match in pattern.finditer(text)
    ]
    end = -1
    for hit in sorted(found):
        if hit.start >= end:
            end = hit.end
            yield hit
