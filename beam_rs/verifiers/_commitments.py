r"""What an answer commits to: its last box, its last `final answer` sentence, or its closing line.

A long answer shows many numbers on its way. None of them is an answer until the text says so; where nothing says so,
there is no answer. The last commitment counts, since a model may change its mind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from beam_rs.verifiers._latex_text import balanced_end

_WINDOW: Final = 200_000
_BOXES: Final = 24
_STATEMENTS: Final = 16
_LONGEST: Final = 2_000

_BOX: Final = re.compile(r"\\(?:boxed|fbox|framebox)(?![A-Za-z])\s*")
_BETWEEN_BOXES: Final = re.compile(
    r"(?i)[\s$,;&()\[\]\\*]{0,12}(?:\\?text\{\s*)?(?:and|or|和|或)?(?:\s*\})?[\s$,;&()\[\]\\*]{0,12}(?P<name>[a-z](?:_\{?\w{1,3}\}?)?\s*=\s*)?"
)
_NAME_BEFORE: Final = re.compile(r"(?i)(?<![A-Za-z\\])([a-z](?:_\{?\w{1,3}\}?)?)\s*=\s*$")
_STATEMENT: Final = re.compile(
    r"(?i)(?:\b(?:final|correct|right|my|our|the|best|numerical)\s{1,3}){0,4}\b(?:answer|solution|result)s?\b(?:\s?\*\*)?"
    r"(?:\s(?:to|for|of)\b[^\n.:=]{0,80}?)?(?:\s?\*\*)?\s{0,3}"
    r"(?:(?:is|are|was|will be|would be|should be|must be|equals|equal to|comes out (?:to|as))\b(?:\s?\*\*)?"
    r"(?:\s(?:option|choice|therefore|thus|then|approximately|about|simply|just)\b)?\s?:?|:|：)"
)
_OTHER_STATEMENT: Final = re.compile(
    r"(?:^|\n)[ \t]*####[ \t]*|(?:最终)?答案(?:是|为|：|:|应为|应该是)+\s*|<(?:final_)?answer>|<\|begin_of_box\|>"
)
_DISPLAY: Final = re.compile(r"\\\[(?:(?!\\[\[\]]).){0,2000}\\\]|\$\$[^$]{0,2000}\$\$", re.DOTALL)
_SENTENCE_END: Final = re.compile(r"(?<!\bapprox)(?<!\be\.g)\.\s+(?=[A-Z(\"'*])|[。\n]|</|<\|")
_REASON_AFTER: Final = re.compile(
    r"(?i),?\s+(?:because|since|which|as (?:the|it|we|there)|where|so that|when|given that)\b"
)
_MARKUP: Final = re.compile(r"^(?:[-*_#>\s]|\d+[.)]\s)+$|^```\w*$")
_MATH: Final = r"(?:\$[^$\n]{1,300}\$|\\\(.{1,300}?\\\)|\\\[.{1,1000}?\\\])"
_ALSO: Final = rf"(?:\s?(?:,|and|or|, and|, or)\s?(?:[A-Za-z]\s?=\s?)?{_MATH}){{0,6}}"
_LAST_SEGMENTS: Final = re.compile(rf"{_MATH}{_ALSO}(?:\s?[A-Za-z°%]{{1,15}}(?:\^\d)?){{0,3}}\W{{0,3}}$")
_CONCLUDES: Final = re.compile(
    r"(?i)\b(?:is|are|be|was|equals?|gives?|get|yields?|have|has|find|found|obtain|therefore|thus|so|hence|then)\b|[=:]"
)
_LAST_VERB: Final = re.compile(
    r"(?i).*(?:(?<![<>!\\])=|\b(?:is|are|be|equals|equal to|yields|gives|get|have|approximately)\b:?|:\s)\s?(.{1,120})$"
)
_REVERSED: Final = re.compile(
    r"(?i)(?:.*[,.:]\s|.*\b(?:so|thus|therefore|hence),?\s)?(.{1,60}?)\s+is\s+(?:the|my|our)\s+"
    r"(?:final\s+|correct\s+)?(?:answer|result|solution|choice|option)$"
)
_SAYS: Final = re.compile(r"(?i)[a-z]{4,}|\b(?:is|are|be|get|has|so)\b|[\u4e00-\u9fff]{2,}")
_SEVERAL_NAMED: Final = re.compile(r"=[^=]{1,80}(?:,|\band\b|\bor\b)[^=]{1,40}=")
_COMMAND: Final = re.compile(r"\\[A-Za-z]+")
_WORD: Final = re.compile(r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2,}")


@dataclass(frozen=True)
class Commitment:
    """A text that an answer commits to.

    Attributes:
      text: the committed part.
      form: `boxed`, `statement`, `whole` or `closing line`.
      start: where it stands in the answer, to tell the last one.
    """

    text: str
    form: str
    start: int = 0


def commitment(answer: str) -> Commitment:
    """The last commitment of an answer; an empty text where there is none, or where the last box is cut off."""
    answer = one_line_displays(answer)
    box = last_box(answer)
    for statement in statements(answer):
        if box and statement.start < box.start:
            break
        text = conclusion(statement.text)
        if text and re.search(r"\w|\\", text) and not (box and not re.search(r"\d|\\", text)):
            return Commitment(text, "statement", statement.start)
    if box:
        return box
    whole = clean(answer)
    if "\n" not in whole and len(whole) < 80 and not is_prose(whole):
        return Commitment(conclusion(whole) or "", "whole")
    return Commitment(conclusion(closing_line(answer)) or "", "closing line")


def one_line_displays(answer: str) -> str:
    r"""The answer's last part with each display formula on one line.

    >>> one_line_displays("So\n\\[\nx = 5\n\\]")
    'So\n\\[ x = 5 \\]'
    """
    return _DISPLAY.sub(lambda m: re.sub(r"\s*\n\s*", " ", m[0]), answer[-_WINDOW:])


def last_box(answer: str) -> Commitment | None:
    r"""The content of the last box; boxes joined by a comma, `and` or `or` are one list. Nested braces are fine.

    A box that never closes is cut off: it is returned as an empty text, since what stands before it was not the end.

    >>> last_box(r"First \boxed{2}. Wait, it is \boxed{\frac{1}{2}}.").text
    '\\frac{1}{2}'
    >>> last_box(r"$\boxed{3}$ or $\boxed{4}$").text
    '3, 4'
    """
    boxes = list(_boxes(answer))
    if not boxes:
        return None
    group = [len(boxes) - 1]
    while group[0] > 0 and _BETWEEN_BOXES.fullmatch(answer[boxes[group[0] - 1][1] : boxes[group[0]][0]]):
        group.insert(0, group[0] - 1)
    parts = list(dict.fromkeys(_named(answer, boxes[i]) if len(group) > 1 else boxes[i][2] for i in group))
    return Commitment(", ".join(parts) if all(parts) else "", "boxed", boxes[group[0]][0])


def _named(answer: str, box: tuple[int, int, str]) -> str:
    r"""A box of several, with the name that stands before it, as in `x = \boxed{3}`."""
    found = _NAME_BEFORE.search(answer[max(0, box[0] - 12) : box[0]])
    return f"{found[1]}={box[2]}" if found and box[2] else box[2]


def _boxes(answer: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and content of the last boxes; an empty content where a box is cut off. Empty boxes are skipped."""
    openings = list(_BOX.finditer(answer))[-_BOXES:]
    for opening in openings:
        start = opening.end()
        if answer[start : start + 1] != "{":
            token = re.compile(r"[-+]?[0-9A-Za-z.]+").match(answer, start)
            if token:
                yield opening.start(), token.end(), token[0].rstrip(".")
            continue
        end = balanced_end(answer[: start + _LONGEST], start)
        content = answer[start + 1 : end - 1].strip() if end > 0 else ""
        if end < 0 or content:
            yield opening.start(), end if end > 0 else len(answer), content


def statements(answer: str) -> list[Commitment]:
    """What follows each `the answer is`, `Final answer:`, `####` or `答案`, up to the sentence's end; the last first.

    >>> [found.text for found in statements("**Final answer:** 12")]
    ['12']
    """
    matches = [match for pattern in (_STATEMENT, _OTHER_STATEMENT) for match in pattern.finditer(answer)]
    found = []
    for match in sorted(matches, key=lambda m: -m.start())[:_STATEMENTS]:
        if text := _first_sentence(answer[match.end() : match.end() + _LONGEST]):
            found.append(Commitment(text, "statement", match.start()))
    return found


def _first_sentence(text: str) -> str:
    """The first sentence with something in it, without the reasons given behind it."""
    text = text.lstrip(" \t\r\n*_:：").removeprefix("---").lstrip()
    end = _SENTENCE_END.search(text)
    text = text[: end.start()] if end else text
    reason = _REASON_AFTER.search(text)
    return clean(text[: reason.start()] if reason else text)


def closing_line(answer: str) -> str:
    """The last line that holds more than markup."""
    lines = (line.strip() for line in reversed(answer[-_WINDOW:].splitlines()))
    return clean(next((line for line in lines if line and not _MARKUP.match(line)), "")[-_LONGEST:])


def conclusion(sentence: str) -> str | None:
    r"""The expression that a sentence ends in, or the sentence itself where it is no prose.

    >>> conclusion("Adding gives 2+1 = 3")
    '3'
    >>> conclusion("We add all 12 lengths of the sides, then continue with step 2 of the plan") is None
    True
    """
    if not _SAYS.search(_COMMAND.sub(" ", sentence)):
        return sentence
    if sentence.endswith("?"):
        return None
    if _SEVERAL_NAMED.search(sentence):
        return None if is_prose(sentence) else sentence
    segments = _LAST_SEGMENTS.search(sentence)
    if segments and _CONCLUDES.search(sentence[: segments.start()]) and not is_prose(segments[0]):
        return clean(segments[0])
    found = _REVERSED.match(sentence) or _LAST_VERB.match(sentence)
    if found and found[1].strip() and not is_prose(found[1], most=2):
        return clean(found[1])
    return None if is_prose(sentence) else sentence


def is_prose(text: str, most: int = 3) -> bool:
    """Whether a text has more words of four letters or more than an expression with its unit has."""
    return len(_WORD.findall(_COMMAND.sub(" ", text))) > most or len(text) > 400


def clean(text: str) -> str:
    """A committed text without list marks, emphasis and a full stop around it."""
    text = re.sub(r"\*\*|__|`", "", text).strip()
    text = re.sub(r"^(?:[-*>•]\s+|#{1,6}\s+)", "", text)
    return text.strip(" \t\"'*").removesuffix(".").rstrip()
