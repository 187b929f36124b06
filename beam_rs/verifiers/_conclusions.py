r"""What a sentence concludes, and where an answer's last words are mere courtesy."""

import re
from typing import Final

from beam_rs.verifiers._numbers import WORDS

_TAIL: Final = 600
_COURTESIES: Final = 8

_TURN: Final = re.compile(
    r"<\|(?:im_start|im_end|endoftext|eot_id|start_header_id|end|eos|user|assistant)\|>|</s>|<(?:end|start)_of_turn>"
)
_BREAK: Final = re.compile(r"(?<=[.!?。！])['\")*]{0,3}\s+|\n+|(?<=[。！])")
_COURTESY: Final = re.compile(
    r"(?i)[\s*_>#-]*(?:(?:i|we) (?:really )?(?:hope|trust)\b|hope (?:this|that|it)\b"
    r"|(?:please )?(?:let me know|feel free|do not hesitate|don't hesitate)\b"
    r"|if you (?:have|need|would like|want|'d like)\b|do you (?:have|need|want)\b|is there anything\b|would you like\b"
    r"|thank you\b|thanks\b|(?:i'm |i am )?happy to help\b|希望|如果你?您?还?有)"
)
_REASON: Final = r"because|since|which|as (?:the|it|we|there)|where|so that|when|given that"
REASON_AFTER: Final = re.compile(rf"(?i),?\s+(?:{_REASON})\b|,\s+as\b")
_MARKUP: Final = re.compile(r"^(?:[-*_#>\s]|\d+[.)]\s)+$|^```\w*$|^\$\$$|^\\[\]\[]$")
_MATH: Final = r"(?:\$[^$\n]{1,300}\$|\\\(.{1,300}?\\\)|\\\[.{1,1000}?\\\])"
_ALSO: Final = rf"(?:\s?(?:,|and|or|, and|, or)\s?(?:[A-Za-z]\s?=\s?)?{_MATH}){{0,6}}"
_LAST_SEGMENTS: Final = re.compile(rf"{_MATH}{_ALSO}(?:\s?[A-Za-z°%]{{1,15}}(?:\^\d)?){{0,3}}\W{{0,3}}$")
_CONCLUDES: Final = re.compile(
    r"(?i)\b(?:is|are|be|was|equals?|gives?|get|yields?|have|has|find|found|obtain|therefore|thus|so|hence|then)\b|[=:]"
)
_LAST_VERB: Final = re.compile(
    r"(?i).*(?:(?<![<>!\\])=|\b(?:is|are|be|equals|equal to|yields|gives|get|have|approximately|increases by"
    r"|decreases by|left with|(?:comes|amounts|adds up|sums up|simplifies|reduces|evaluates|rounds) to)\b:?"
    r"|(?<!\d)(?<!\d ):\s)\s?(.{1,120})$"
)
_NAME_BEFORE: Final = re.compile(r"(?:^|\s)(?<![-+*/=^×·]\s)([A-Za-z](?:_\w)?)\s?=\s?$")
_DENIED: Final = re.compile(
    r"(?i)(?:\b(?:may|might|could|cannot|can not|not|never)|n't)(?: \w+)? (?:be|equals?|have|get):?\s?$"
)
_REVERSED: Final = re.compile(
    r"(?i)(?:.*[,.:]\s|.*\b(?:so|thus|therefore|hence),?\s)?(.{1,60}?)\s+is\s+(?:the|my|our)\s+"
    r"(?:final\s+|correct\s+)?(?:answer|result|solution|choice|option)$"
)
_LEAD: Final = re.compile(r"(?i)^(?:final )?(?:answer|ans|result)\s{1,3}(?=\\[(\[]|\$|[-+]?\d)")
_SAYS: Final = re.compile(r"(?i)[a-z]{4,}|\b(?:is|are|be|get|has|so)\b|[\u4e00-\u9fff]{2,}")
_SEVERAL_NAMED: Final = re.compile(r"=[^=]{1,80}(?:,|\band\b|\bor\b)[^=]{1,40}=")
_COMMAND: Final = re.compile(r"\\[A-Za-z]+")
_WORD: Final = re.compile(r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2,}")
_MARKER: Final = re.compile(r"(?i)\W{0,4}(?:so|thus|therefore|hence|overall|consequently|in total|altogether)\b")
_AMOUNT: Final = re.compile(
    rf"(?i)(?<![\w.,/])(?:[-−]?[$€£¥]?\d[\d,]*(?:\.\d+)?\s?%?(?![\w./:-]*\d)|\b(?:{'|'.join(WORDS)})\b(?!-))"
)
_STATES: Final = re.compile(
    r"(?i)\b(?:is|are|was|were|be|has|have|had|needs?|needed|takes?|took|costs?|gets?|got|contains?|weighs?|spends?"
    r"|spent|makes?|earns?|there's|see|shows?)\s(?:(?:a total of|only|exactly|just|now|still|left|also)\s)?$"
)
_RELATED: Final = re.compile(
    r"(?i)\b(?:or|not|between|least|most|than|times|twice|half|if|either|about|around|out of"
    r"|of (?:the|them|these|those)"
    r"|from|each|every|per|another|other|first|next|step|option|figure|might|may|could)\b|[?~≈]|n't\b"
)


def without_courtesy(answer: str) -> str:
    r"""The answer without the turn that would follow it, and without good wishes at its end.

    >>> without_courtesy("So it is 4.\n\nI hope this helps! Let me know if you have questions.")
    'So it is 4.'
    """
    text = re.sub(r"^\s*<\|im_start\|>\s*assistant\s*", "", answer)
    turn = _TURN.search(text)
    text = (text[: turn.start()] if turn and text[: turn.start()].strip() else text).rstrip()
    for _ in range(_COURTESIES):
        start = _last_break(text)
        if not start or not _COURTESY.match(text, start):
            break
        text = text[:start].rstrip()
    return text


def _last_break(text: str) -> int:
    """Where the last sentence or line begins; 0 where there is but one, or a very long one."""
    start = 0
    for found in _BREAK.finditer(text, max(0, len(text) - _TAIL)):
        start = found.end() if found.end() < len(text) else start
    return start


def closing_line(answer: str) -> str:
    """The last line that holds more than markup."""
    lines = (line.strip() for line in reversed(answer.splitlines()))
    return clean(next((line for line in lines if line and not _MARKUP.match(line)), "")[-2_000:])


def conclusion(sentence: str) -> str | None:
    r"""The expression that a sentence ends in, or the sentence itself where it is no prose.

    >>> conclusion("Adding gives 2+1 = 3")
    '3'
    >>> conclusion("We add all 12 lengths of the sides, then continue with step 2 of the plan") is None
    True
    """
    sentence = _LEAD.sub("", sentence)
    if not _SAYS.search(_COMMAND.sub(" ", sentence)):
        return sentence
    if sentence.endswith("?"):
        return None
    backwards = _REVERSED.match(sentence)
    segments = _LAST_SEGMENTS.search(sentence)
    if _SEVERAL_NAMED.search(sentence) and not (segments and "=" not in sentence[: segments.start()]):
        return None if is_prose(sentence) else sentence
    if not backwards and segments and _CONCLUDES.search(sentence[: segments.start()]) and not is_prose(segments[0]):
        return clean(segments[0])
    found = backwards or _LAST_VERB.match(sentence)
    if found and found[1].strip() and not is_prose(found[1], most=2):
        if _DENIED.search(sentence[: found.start(1)]):
            return None
        name = _NAME_BEFORE.search(sentence[: found.start(1)])
        return clean(
            re.sub(r"(?i)^(?:so|thus|therefore|hence),?\s", "", f"{name[1]} = {found[1]}" if name else found[1])
        )
    return None if is_prose(sentence) else sentence


def amount(answer: str) -> str | None:
    r"""The one number that a concluding sentence states in passing; None where there is no such sentence.

    The sentence stands alone, says `so` or `therefore`, or repeats the result of a calculation; it holds no second
    number and sets the one it has in relation to nothing.

    >>> amount("We add.\nTherefore, there are 12 sequences that meet all 3 conditions."), amount("I see two.")
    ('12', 'two')
    >>> amount("So the side is 4 times the base.") is None
    True
    """
    start = _last_break(answer)
    sentence = clean(answer[start:])
    if len(sentence) > 300:
        return None
    found = next((m for m in _AMOUNT.finditer(sentence) if _stated(sentence[: m.start()])), None)
    if found is None or (start and not _MARKER.match(sentence) and not _computed(answer[:start], found[0])):
        return None
    clause = re.split(r"(?i),?\s(?:that|which|who|whose)\b", sentence[found.end() :], maxsplit=1)[0]
    whole = sentence[: found.end()] + clause
    if len(_AMOUNT.findall(whole)) > 1 or re.search(r"\d", sentence[: found.start()]) or re.search(r"\d", clause):
        return None
    return None if _RELATED.search(whole) else found[0].strip()


def _stated(before: str) -> bool:
    """Whether what follows is stated: behind `there are` and the like, or right behind `so`."""
    return bool(_STATES.search(before) or _MARKER.fullmatch(before.strip(" ,")))


def _computed(before: str, number: str) -> bool:
    """Whether the text before a sentence ends a calculation in the number that the sentence states."""
    return bool(re.search(rf"=\s?{re.escape(number.strip())}(?![\d,.]*\d)", before[-2_000:]))


def is_prose(text: str, most: int = 3) -> bool:
    """Whether a text has more words of four letters or more than an expression with its unit has."""
    return len(_WORD.findall(_COMMAND.sub(" ", text))) > most or len(text) > 400


def clean(text: str) -> str:
    """A committed text without list marks, emphasis and a full stop around it."""
    text = re.sub(r"\*\*|__|`", "", text).strip()
    text = re.sub(r"^(?:[-*>•]\s+|#{1,6}\s+)", "", text)
    return text.strip(" \t\"'*").removesuffix(".").rstrip()
