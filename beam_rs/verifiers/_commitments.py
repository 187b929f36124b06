r"""What an answer commits to: its last box, its last `final answer` sentence, or its closing line.

A long answer shows many numbers on its way. None of them is an answer until the text says so; where nothing says so,
there is no answer. The last commitment counts, since a model may change its mind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from beam_rs.verifiers._conclusions import (
    REASON_AFTER,
    amount,
    clean,
    closing_line,
    conclusion,
    is_prose,
    without_courtesy,
)
from beam_rs.verifiers._json_answers import find_json
from beam_rs.verifiers._latex_text import balanced_end

_WINDOW: Final = 200_000
_BOXES: Final = 24
_STATEMENTS: Final = 16
_LONGEST: Final = 2_000

_BOX: Final = re.compile(r"\\(?:boxed|fbox|framebox)(?![A-Za-z])\s*")
_BETWEEN_BOXES: Final = re.compile(
    r"(?i)[\s$,;&()\[\]\\*]{0,12}(?:\\?text\{\s*)?(?:and|or|和|或)?(?:\s*\})?[\s$,;&()\[\]\\*]{0,12}(?P<name>[a-z](?:_\{?\w{1,3}\}?)?\s*=\s*)?"
)
_SPACING: Final = re.compile(r"\\(?:quad|qquad|[,;!: ])(?![A-Za-z])")
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
_WORDS: Final = re.compile(r"[A-Za-z']+ [A-Za-z']+ ")
_FIELD: Final = re.compile(r"(?i)(?:final[_ ]?)?(?:answer|result)")
_STEPS: Final = re.compile(r"[\s*_:#]*\n[ \t]*(?:\*\*)?(?:1[.)]|step 1\b)\s*\S", re.IGNORECASE)
_DISPLAY: Final = re.compile(r"\\\[(?:(?!\\[\[\]]).){0,2000}\\\]|\$\$[^$]{0,2000}\$\$", re.DOTALL)
_SENTENCE_END: Final = re.compile(r"(?<!\bapprox)(?<!\be\.g)\.\s+(?=[A-Z(\"'*])|[。\n]|</|<\|")


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
    if field := _answer_field(answer):
        return Commitment(field, "json")
    answer = one_line_displays(without_courtesy(answer[-_WINDOW:]))
    box = last_box(answer)
    for statement in statements(answer):
        if box and statement.start < box.start:
            break
        text = conclusion(statement.text)
        if text and re.search(r"\w|\\", text) and not (box and not re.search(r"\d|\\", text)):
            return Commitment(text, "statement", statement.start)
    return box or _unmarked(answer)


def _unmarked(answer: str) -> Commitment:
    """What an answer without box and statement says: its one short line, or what its last line ends in or states."""
    whole = clean(answer)
    if "\n" not in whole and len(whole) < 80 and not is_prose(whole):
        return Commitment(conclusion(whole) or "", "whole")
    line = closing_line(answer)
    said = conclusion(line)
    says_little = said is None or not re.search(r"\d|\\", said) or (said == line and _WORDS.match(said))
    if says_little and (stated := amount(answer)):
        return Commitment(stated, "amount")
    return Commitment(said or "", "closing line")


def _answer_field(answer: str) -> str:
    """The answer of a JSON object such as `{"answer": 10}`; empty where there is none."""
    if "{" not in answer or not answer.strip().endswith(("}", "```")):
        return ""
    found = find_json(answer)
    if found is None or found.form == "last object" or not isinstance(found.value, dict):
        return ""
    fields = [v for k, v in found.value.items() if _FIELD.fullmatch(k) and isinstance(v, (str, int, float))]
    return str(fields[0]).strip() if len(fields) == 1 and not isinstance(fields[0], bool) else ""


def one_line_displays(answer: str) -> str:
    r"""The answer's last part with each display formula on one line.

    >>> one_line_displays("So\n\\[\nx = 5\n\\]")
    'So\n\\[ x = 5 \\]'
    """
    return _DISPLAY.sub(lambda m: re.sub(r"\s*\n\s*", " ", m[0]), answer)


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
    while group[0] > 0 and _joined(answer[boxes[group[0] - 1][1] : boxes[group[0]][0]]):
        group.insert(0, group[0] - 1)
    parts = list(dict.fromkeys(_named(answer, boxes[i]) if len(group) > 1 else boxes[i][2] for i in group))
    return Commitment(", ".join(parts) if all(parts) else "", "boxed", boxes[group[0]][0])


def _joined(between: str) -> bool:
    """Whether two boxes with this text between them are one list."""
    return len(between) < 80 and bool(_BETWEEN_BOXES.fullmatch(_SPACING.sub(" ", between)))


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
    """The first sentence with something in it, without the reasons given behind it; not the first step of a list."""
    if _STEPS.match(text):
        return ""
    text = text.lstrip(" \t\r\n*_:：").removeprefix("---").lstrip()
    end = _SENTENCE_END.search(text)
    text = text[: end.start()] if end else text
    reason = REASON_AFTER.search(text)
    return clean(text[: reason.start()] if reason else text)
