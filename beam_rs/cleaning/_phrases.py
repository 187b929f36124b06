"""Words around an option list: lead-ins before it, instructions and questions behind it."""

import re
from typing import Final

_LISTED: Final = (
    r"(?:options?|choices?|alternatives?|candidates?|possibilities|(?:possible|candidate|available|given) answers?)"
)
_ENGLISH_LEAD: Final = (
    r"(?:(?:please\s+)?(?:choose|select|pick)\b(?:\s+[a-z']+){0,8}?"
    r"(?:\s+(?:from|one|of|among|between|following|below|these|answers?|" + _LISTED + r"))"
    r"|(?:(?:the|here|are|there|answer|multiple|several|following|available|given|possible|your)\s+){0,5}"
    + _LISTED
    + r"(?:\s+(?:are|list|include|below|available|given|to choose from|as follows|is|the|following)){0,4})"
)
_CHINESE_LEAD: Final = (
    r"(?:请?[从在]?(?:以下|下列|如下)?(?:的)?(?:备选|可选|候选)?(?:选项|答案选项|备选答案|候选答案|选择项|可选项|可选答案)"
    r"(?:中)?(?:如下|有|为|是|包括|选择|选出)?(?:正确|最佳)?(?:的)?(?:答案|一项|选项)?"
    r"|请(?:从[^：:\n]{0,12}中)?选(?:择|出)(?:正确|最佳)?(?:的)?(?:答案|选项|一项)?)"
)
_BOUNDARY: Final = r"(?:^|(?<=[\n?？!！.。;；:：)）\]】\"”’…])|(?<=[?？!！.。;；:：)）\]】\"”’…_*][ \t\u3000]))"
_MARKUP: Final = r"[*_#\s]{0,6}"

LEAD_IN: Final = re.compile(
    rf"{_BOUNDARY}[ \t\u3000]*{_MARKUP}(?:{_ENGLISH_LEAD}|{_CHINESE_LEAD})\s{{0,3}}[*_]{{0,2}}[:：][*_]{{0,2}}",
    re.IGNORECASE,
)
"""A lead-in with its colon, wherever a sentence may begin."""

_LONGEST_LEAD: Final = 400
_LEAD_AT_END: Final = re.compile(LEAD_IN.pattern + r"\s*\Z", re.IGNORECASE)
_LEAD_LINE: Final = re.compile(
    rf"(?:^|\n)[ \t]*{_MARKUP}(?:[\[【<]?(?:(?:answer\s+)?{_LISTED}|{_CHINESE_LEAD})[\]】>]?"
    rf"|(?:choose|select|pick) from the (?:following|given) {_LISTED}[.。]?)[*_]{{0,2}}\s*\Z",
    re.IGNORECASE,
)

_ASKS: Final = (
    r"(?:options?|letters?|choices?|answers?|words?|phrase|directly|step|only|question|reasoning|number|index)"
)
_ORDER: Final = (
    r"(?:Answer|Choose|Select|Pick|Respond|Reply|Give|Provide|Output|Return|Write|State|Indicate|Explain|Think|Use"
    r"|Directly|Only|Just|Print|Mark)"
)
INSTRUCTION: Final = re.compile(
    rf"(?:(?:[Pp]lease|Kindly)\b[^\n]{{0,120}}?\b{_ASKS}\b|{_ORDER}\b[^\n]{{0,120}}?\b{_ASKS}\b"
    r"|(?:Your|The|Final|Correct|The correct) (?:final )?(?:answer|response|choice)\b(?: is| should| must)?\s*[:：]?"
    r"|Answer\s*[:：]|Hint\s*[:：]|Note\s*[:：]|Let['’]s think"
    r"|请[^\n]{0,60}(?:选项|字母|回答|作答|选择|选出|答案)|(?:直接|只需|仅)[^\n]{0,40}(?:选项|字母|回答|答案)|答案\s*[:：])"
)
"""The beginning of an order to whoever answers. Matched with a capital, so that an option rarely looks like one."""

_TAIL: Final = re.compile(rf"(?:(?<=\s)|(?<=[。；？！\u4e00-\u9fff])(?<![请只仅]))(?={INSTRUCTION.pattern})")
_QUESTION_TAIL: Final = re.compile(r"(?<=[.!。！;；])\s*(?=[A-Z\u4e00-\u9fff][^.!?。！？\n]*[?？]\s*\Z)")


def strip_lead_in(stem: str) -> tuple[str, bool]:
    """The stem without lead-ins at its end, and whether there was one.

    >>> strip_lead_in("What is it? Options:")
    ('What is it?', True)
    """
    found = False
    while True:
        stem = stem.rstrip()
        tail = max(0, len(stem) - _LONGEST_LEAD)
        match = _LEAD_AT_END.search(stem, tail) or _LEAD_LINE.search(stem, tail)
        if not match:
            return stem, found
        stem, found = stem[: match.start()], True


def split_tail(text: str) -> tuple[str, str]:
    """An option that runs to the end of its line, without the instruction behind it, and the instruction.

    >>> split_tail("bird Answer with the option's letter.")
    ('bird', "Answer with the option's letter.")
    """
    match = _TAIL.search(text, 1)
    if not match or not text[: match.start()].strip():
        return text, ""
    return text[: match.start()].strip(), text[match.start() :].strip()


def split_question(text: str) -> tuple[str, str]:
    """The same for a question that follows the last option.

    >>> split_question("bird. Which one is it?")
    ('bird.', 'Which one is it?')
    """
    match = _QUESTION_TAIL.search(text)
    if not match or not text[: match.start()].strip():
        return text, ""
    return text[: match.start()].strip(), text[match.start() :].strip()


def is_instruction(line: str) -> bool:
    """Whether a line gives an order about the answer, rather than being an option or prose."""
    return INSTRUCTION.match(line.strip()) is not None
