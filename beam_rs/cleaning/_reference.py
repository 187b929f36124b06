"""Which option a reference means."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from beam_rs.cleaning._markers import Kind, position
from beam_rs.prompts import LETTERS

Labels: TypeAlias = Kind | Literal["none"]
"""How the options were labelled; `none` for a bare list, whose options count as lettered."""

Meaning: TypeAlias = int | Literal["absent", "ambiguous"]

_ANNOUNCED: Final = re.compile(
    r"(?:so[,]?\s+|therefore[,]?\s+)?(?:the\s+)?(?:(?:correct|right|best|final|true)\s+)?"
    r"(?:answer|option|choice|letter|response)(?:\s+(?:is|would be|should be|letter|option|choice))*\s*[:：]?\s*"
    r"(?:option\s+|choice\s+)?(?=\S)"
    r"|(?:正确)?(?:答案|选项|选择)(?:应?[是为选]|：|:)?\s*[:：]?\s*|(?:应该?|故)?选择?\s*[:：]?\s*",
    re.IGNORECASE,
)
_CONCLUDED: Final = re.compile(
    r"\s+(?:is|are)\s+(?:the\s+)?(?:correct|right|answer|true)(?:\s+(?:answer|option|one))?[.!]?\Z", re.I
)
_ONE: Final = r"([A-Za-zＡ-Ｚａ-ｚ①-⑳]|[0-9]{1,2}|[ivxIVX]{1,5})"
_LABEL: Final = re.compile(rf"[(（\[【]?\s?{_ONE}\.?\s?[)）\]】]?\s?[.．。:：、,)）]?(?:选项)?[.。]?")
_LABEL_AND_TEXT: Final = re.compile(
    rf"(?:[(（\[【]\s?{_ONE}\.?\s?[)）\]】][.:：]?"
    rf"|{_ONE}\s?(?:\.?[)）]|[:：、．]|\.(?![0-9])|\s[-–—](?=\s)|(?<=[①-⑳])))\s*(\S.*)",
    re.DOTALL,
)
_SEVERAL: Final = re.compile(
    r"[(\[]?[A-Za-z][)\]]?[.]?(?:\s*(?:,|/|;|、|，|；|&|\+|\band\b|\bor\b|和|或|与|\s)\s*[(\[]?[A-Za-z][)\]]?[.]?)+"
)
_INDEX: Final = re.compile(r"([0-9]{1,3})(?:\.0)?")
_RUN: Final = re.compile(r"[A-Z]{2,26}")
_WRAPPED: Final = re.compile(
    r"\$?\\boxed\{(.*)\}\$?|\\\((.*)\\\)|\$([A-Za-z])\$|\*\*(.*)\*\*|\[\s*[\"']([^\"',]*)[\"']\s*\]|\"(.*)\"|'(.*)'|“(.*)”|`(.*)`",
    re.DOTALL,
)
MAX_REFERENCE: Final = 1_000
"""A longer reference can only be the text of an option."""

_EDGE: Final = " \t\n\r\u3000.。,，;；!！\"'“”‘’`"


def meaning(reference: str, options: Sequence[str], labels: Labels, index_base: int | None) -> Meaning:
    """Place of the option that a reference names, by letter, text, both, or declared index.

    Every way to read the reference is tried; readings that disagree make it ambiguous, for a wrong letter would
    teach a wrong answer.

    Args:
      reference: as the pool gives it.
      options: texts of the options.
      labels: how they were labelled where they came from.
      index_base: number of the first option, where the family declares that references may be indices.
    """
    whole = _read(reference, options, labels, index_base)
    lines = [line for line in reference.splitlines() if line.strip()]
    if whole != "absent" or len(lines) < 2:
        return whole
    # A reference with an explanation: the answer stands on its first line or on its last.
    ends = {_read(line, options, labels, index_base) for line in (lines[0], lines[-1])} - {"absent"}
    return "absent" if not ends else ends.pop() if len(ends) == 1 else "ambiguous"


def fold(text: str) -> str:
    """A text as options are compared: width, case, blanks and closing punctuation do not count.

    >>> fold(" The  Cat. ") == fold("the cat")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_EDGE) or text.strip()


def _read(reference: str, options: Sequence[str], labels: Labels, index_base: int | None) -> Meaning:
    """The same for a reference without an explanation."""
    text = " ".join(_unwrap(reference).split())
    if len(text) > MAX_REFERENCE:
        places = _by_text(text, options)
        return "absent" if not places else places.pop() if len(places) == 1 else "ambiguous"
    direct = _readings(text, options, labels, index_base)
    if direct:
        return direct.pop() if len(direct) == 1 else "ambiguous"
    if _names_several(text, options):
        return "ambiguous"
    reduced = _unwrap(_CONCLUDED.sub("", _announced(text)))
    if reduced == text or not reduced:
        return "absent"
    found = _readings(reduced, options, labels, None)
    if found:
        return found.pop() if len(found) == 1 else "ambiguous"
    return "ambiguous" if _names_several(reduced, options) else "absent"


def _readings(text: str, options: Sequence[str], labels: Labels, index_base: int | None) -> set[int]:
    """Places that the text names as a label, an index, an option's text, or a label with its text."""
    places = _by_text(text, options)
    if index_base is not None and (number := _INDEX.fullmatch(text)):
        places |= _within({int(number[1]) - index_base}, options)
    else:
        label = _LABEL.fullmatch(text)
        places |= _within({_place(label[1], labels)}, options) if label else set()
    return places or _by_label_and_text(text, options, labels)


def _by_text(text: str, options: Sequence[str]) -> set[int]:
    exact = {i for i, option in enumerate(options) if option == text}
    if exact:
        # Options that differ in case only, such as `pH` and `PH`, are told apart; true doubles are not.
        return exact
    folded = fold(text)
    return {i for i, option in enumerate(options) if fold(option) == folded} if folded else set()


def _by_label_and_text(text: str, options: Sequence[str], labels: Labels) -> set[int]:
    match = _LABEL_AND_TEXT.fullmatch(text)
    if not match:
        return set()
    place, texts = _place(match[1] or match[2], labels), _by_text(match[3].strip(), options)
    if place in texts:
        return {place}
    return texts | _within({place}, options) if texts else set()


def _place(label: str, labels: Labels) -> int:
    """Place that a label names under the labels in use, or -1.

    A number labels nothing in a lettered list, where it would be an index that nobody declared, nor a letter in a
    numbered one.
    """
    plain = unicodedata.normalize("NFKC", label)
    if labels == "digit":
        return position(plain, "digit") if plain.isdigit() else -1
    if labels == "roman":
        return position(plain, "roman") if set(plain.lower()) <= set("ivx") else -1
    return position(plain, "upper") if len(plain) == 1 and plain.isalpha() else -1


def _within(places: set[int], options: Sequence[str]) -> set[int]:
    return {place for place in places if 0 <= place < len(options)}


def _names_several(text: str, options: Sequence[str]) -> bool:
    """Whether a text names several letters, as `A, C` and `ABD` do."""
    known = LETTERS[: len(options)]
    if _RUN.fullmatch(text):
        return len(set(text)) == len(text) and set(text) <= set(known)
    return _SEVERAL.fullmatch(text) is not None


def _announced(text: str) -> str:
    """What stands behind `The answer is`; the text itself where nothing is announced."""
    match = _ANNOUNCED.match(text)
    return text[match.end() :] if match else text


def _unwrap(text: str) -> str:
    """A text without markup, quotes or a box around the whole of it."""
    text = text.strip()
    for _ in range(4):
        match = _WRAPPED.fullmatch(text)
        inner = next((group for group in match.groups() if group is not None), None) if match else None
        if inner is None or not inner.strip():
            break
        text = inner.strip()
    return text
