r"""Where an answer commits itself: boxes, answer tags and labels, and the plain text beneath markup.

Chatty answers are the normal case: a model argues for a page and commits in its last lines. Each function here
reads a text once, in time linear in its length, and returns positions, so that a caller can take what stands last.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

TAIL: Final = 50_000
"""Characters read from the end of an answer. A commitment stands in the last lines, not beyond this."""

_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    0x3000: " ", 0x00A0: " ", 0x202F: " ", 0x2009: " ", 0x200B: None, 0x200E: None, 0x200F: None, 0xFEFF: None,
    0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x3002: ".", 0x3001: ",", 0x2212: "-", 0x3010: "[", 0x3011: "]",
}  # fmt: skip
_LINE: Final = 4096
"""Characters read of a labelled line."""

_MARKUP: Final = re.compile(
    r"\*+|`+|__|^[ \t]*(?:#{1,6}|>)[ \t]+|</?(?:b|strong|em|i|u|code|p|br)\s*/?>"
    r"|<\|(?:im_end|im_start|endoftext|eot_id|end|eos)\|>|</s>",
    re.MULTILINE,
)
_LATEX_WORD: Final = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|bf|rm)\s*\{([^{}]*)\}")
_LATEX_SPACE: Final = re.compile(r"\\[,;!: ()\[\]]|\$+|\\(?:quad|left|right)(?![a-zA-Z])")
_BOX: Final = re.compile(r"\\(?:boxed|fbox)\s*\{")
_TAG: Final = re.compile(
    r"<(/?)(?:answer|final_answer|final|conclusion|choice)\s*>|<\|(?:(begin)|end)_of_box\|>", re.IGNORECASE
)
_LABEL: Final = re.compile(
    r"(?:final[ _-]?(?:answer|result)|(?<![a-z])answer|(?:最终|正确)?答案)(?:\s+is)?[\"']?\s*(?:[:=]|是"
    r"|为)[ \t]*[\"']?\s*",
    re.IGNORECASE,
)


class Commitment(NamedTuple):
    """A place where an answer says what it is.

    Attributes:
      start: position in the text.
      end: position behind it.
      text: what stands in the box or tag, or behind the label to the end of its line.
      form: `box`, `tag` or `label`.
    """

    start: int
    end: int
    text: str
    form: str


def plain(text: str) -> str:
    r"""The text without markdown, LaTeX wrappers and wide characters, so that one pattern reads all spellings.

    >>> plain("**Ｂ**")
    'B'
    >>> plain(r"\(\text{B}\)")
    'B'
    """
    text = _MARKUP.sub("", text.translate(_WIDE))
    if "\\" in text or "$" in text:
        text = _LATEX_SPACE.sub(" ", _LATEX_WORD.sub(r"\1", text))
    return text.strip()


def boxes(text: str) -> Iterator[Commitment]:
    r"""The balanced `\boxed{…}` of a text, in order; a box inside a box is not read again.

    >>> [box.text for box in boxes(r"\boxed{\frac{1}{2}} or \boxed{3")]
    ['\\frac{1}{2}']
    """
    end = 0
    for found in _BOX.finditer(text):
        if found.start() < end:
            continue
        closing = _closing(text, found.end())
        if closing is None:
            return  # an unbalanced brace swallows the rest: nothing behind it can be told apart
        end = closing
        yield Commitment(found.start(), closing + 1, text[found.end() : closing].strip(), "box")


def _closing(text: str, start: int) -> int | None:
    """Position of the brace that closes the one before `start`."""
    depth = 1
    for brace in re.compile(r"\\.|[{}]", re.S).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    return None


def tags(text: str) -> Iterator[Commitment]:
    """What stands between answer tags, in order; a tag that is not closed holds nothing."""
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if tag[2] or tag[1] == "":
            opened = tag
        elif opened is not None:
            yield Commitment(opened.start(), tag.end(), text[opened.end() : tag.start()].strip(), "tag")
            opened = None


def labels(text: str) -> Iterator[Commitment]:
    """What follows `Final answer:`, `Answer:` and the like on their line, in order."""
    lowered = text.lower()
    if not any(word in lowered for word in ("answer", "final", "答案")):
        return  # a plain look is a hundred times cheaper than the pattern, and most texts have no label
    for found in _LABEL.finditer(text):
        stop = text.find("\n", found.end(), found.end() + _LINE)
        stop = min(found.end() + _LINE, len(text)) if stop < 0 else stop
        yield Commitment(found.start(), stop, text[found.end() : stop].strip().strip("\"'"), "label")


def last_commitment(text: str) -> Commitment | None:
    r"""The last box, tag or label of an answer, or None where it makes no such mark.

    A box or tag behind a label is what the label announces.

    >>> last_commitment("Answer: 3. No, wait.\nFinal answer: 4").text
    '4'
    >>> last_commitment(r"The final answer is: $\boxed{5}$").text
    '5'
    """
    text = text[-TAIL:]
    marked = max([*boxes(text), *tags(text)], key=lambda mark: mark.start, default=None)
    later = plain(text[marked.end :] if marked else text)
    labelled = None
    for labelled in labels(later):  # noqa: B007
        pass
    return labelled or marked


def readings(answer: str, *, final: bool) -> Iterator[tuple[str, str]]:
    """What to compare, with its form: the whole answer and, where asked for, its last commitment.

    Args:
      answer: text behind the thought.
      final: whether a box, answer tag or label is read as well.
    """
    yield answer.strip(), "whole"
    mark = last_commitment(answer) if final else None
    if mark is not None and mark.text:
        yield plain(mark.text), mark.form
