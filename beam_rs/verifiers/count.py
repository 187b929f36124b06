"""`count`: how many, as an integer.

Protocol: the answer is the reference's integer, in digits or as a number word. Sources: TallyQA (Acharya et al. 2018,
arXiv 1810.12440: accuracy on integers) and CountBench as lmms-eval scores it. Peers compare the whole answer; a model
that writes a sentence commits in it, so the stages below read on, from the surest to the weakest: whole, box, tag or
label, conclusion, counting phrase, only number. Ranges, signs, decimals and two different numbers are no commitment.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import ClassVar, Final

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import TAIL, last_commitment, plain
from beam_rs.verifiers._numbers import WORDS
from beam_rs.verifiers.base import Verifier

_WORD: Final = (
    r"(?:zero|none|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:one|two|three|four|five|six|seven|eight"
    r"|nine))?"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|ten|eleven|twelve|one|two|three|four|five|six|seven|eight|nine)"
)
_INTEGER: Final = re.compile(
    rf"(?<![A-Za-z0-9_.,/-])(?:\d{{1,3}}(?:,\d{{3}})+|\d+|{_WORD})(?![A-Za-z0-9_/%°]|[.,-]\d|-[A-Za-z0-9])",
    re.IGNORECASE,
)
_ANY_NUMBER: Final = re.compile(rf"(?<![a-z])[-+]?\d[\d.,]*|\b{_WORD}\b", re.IGNORECASE)
_DIGITS: Final = re.compile(r"(?<![A-Za-z0-9_.,/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![A-Za-z0-9_/%°]|[.,-]\d|-[A-Za-z0-9])")
_ANY_DIGITS: Final = re.compile(r"(?<![A-Za-z])[-+]?\d[\d.,]*")
_LETTERS: Final = re.compile(r"[a-z]+")
_MARKER: Final = re.compile(r"^[ \t]*(?:\d{1,3}[.)]|[-•])[ \t]+", re.MULTILINE)
_COUNTED: Final = re.compile(
    r"(?:there(?:'s| is| are| were| appears? to be| seems? to be)|\bi (?:can )?(?:see|count(?:ed)?)"
    r"|\bwe (?:can )?(?:see|count)"
    r"|\b(?:image|picture|photo|scene) (?:shows|contains|features|depicts|has)"
    r"|\btotal(?: number)?(?: of)?(?: [a-z]+){0,5}? (?:is|are)|\bcount(?: of)?(?: [a-z]+){0,5}? is"
    r"|\b(?:in )?total(?: count| number)?:?"
    r"|\bnumber of(?: [a-z]+){1,8}? (?:is|are)|\banswer is|\btotal of|\bthere will be|=|共有?|一共有?|总共有?|有)"
    r"[ \t:]*(?:(?:exactly|only|just|clearly|indeed|visible|a total of|in total|equal to|option)\b[ \t:]*){0,3}",
    re.IGNORECASE,
)
_CONCLUDES: Final = re.compile(
    r"(?:^|(?<=[.!?;\n]))[ \t]*(?:so|therefore|thus|hence|in total|in conclusion|altogether|overall|因此|所以)\b"
    r"|\banswer(?: (?:to|for) [^.\n]{0,80}?)? is\b|(?:^|(?<=\n))[ \t]*(?:final|total)\b[^:\n]{0,60}:",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?](?:\s|$)|\n|</s>")
_ANSWER_IS: Final = re.compile(r"\banswer(?: (?:to|for) [^.\n]{0,80}?)? is(?: that)?[ \t:]*", re.IGNORECASE)
_IS_LAST: Final = re.compile(
    rf"\b(?:is|are|equals|leaves|=)[ \t:]+((?:\d{{1,3}}(?:,\d{{3}})+|\d+|{_WORD}))$", re.IGNORECASE
)
_RANGE: Final = re.compile(rf"(?:\b\d+|\b{_WORD}) (?:or|to) (?:\d+|{_WORD})\b", re.IGNORECASE)
_HEDGED: Final = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|at least|at most|more than|less than|fewer than|over"
    r"|up to|"
    r"maybe|perhaps|possibly|probably|might|may|could|either|between(?= \d)|estimated?|hard to|difficult to|unclear"
    r"|cannot|can't|"
    r"not|isn't|aren't|or)\b|~|≈|\d\+(?!\s?\d)|大约|左右",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    rf"\b(?:(?:less|more|fewer|greater|higher|lower) than|at least|at most|up to|over) (\d[\d,.]*|{_WORD}\b)",
    re.IGNORECASE,
)
_NONE: Final = re.compile(r"(?:there (?:are|is) )?(?:currently )?(?:no|none|not any)\b", re.IGNORECASE)


def to_count(text: str) -> int | None:
    """The integer that a short text is, or None.

    >>> to_count("Twenty-one."), to_count(" 1,000 "), to_count("3.5"), to_count("3-4")
    (21, 1000, None, None)
    """
    text = text.strip().strip("\"'()[]{}*!. \t").lower()
    if not text or len(text) > 40:
        return None
    if text in WORDS:
        return WORDS[text]
    digits = text.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text) else text
    return int(digits) if digits.isdecimal() else None


def reference_count(text: str) -> int | None:
    """The integer of a reference; `3.0`, as JSON may spell it, is 3."""
    value = to_count(text)
    if value is not None or len(text) > 40:
        return value
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return int(number) if number.is_finite() and number == number.to_integral_value() and abs(number) < 10**18 else None


def read_counts(answer: str) -> Iterator[tuple[set[int], str, str]]:
    """Each stage's candidates with the text they stand in: one candidate is a commitment, several are none."""
    whole = to_count(plain(answer[:60])) if len(answer) < 60 else None
    if whole is not None:
        yield {whole}, "whole", ""
    mark = last_commitment(answer)
    if mark is not None:
        text = plain(mark.text)
        yield _candidates(text), mark.form, text
        return
    text = _MARKER.sub("", plain(answer[-TAIL:]))
    concluded = _concluded(text)
    if concluded:
        yield concluded
        return
    counted = {value: found for found, value in _counted(text)}
    if counted:
        yield set(counted), "counting phrase", " ".join(counted.values())
        return
    if _NONE.match(text) and not _ANY_NUMBER.search(text[8:]):
        yield {0}, "none", ""
        return
    yield _candidates(text), "only number", text


def _concluded(text: str) -> tuple[set[int], str, str] | None:
    """The number of the last sentence that concludes, unless a count behind it says another."""
    found = None
    for found in _CONCLUDES.finditer(text):  # noqa: B007
        pass
    if found is None:
        return _one_sentence(text)
    stop = _SENTENCE_END.search(text, found.end())
    end = stop.start() if stop else len(text)
    sentence = text[found.start() : end].strip(" \t\"'*:,")
    values = _conclusion(sentence)
    later = {value for _, value in _counted(text[end:])}
    sure = len(values) == 1 and later <= values and not _RANGE.search(sentence)
    return (values, "conclusion", sentence) if sure else None


def _one_sentence(text: str) -> tuple[set[int], str, str] | None:
    """The number that an answer of one sentence ends in, behind its verb, as in `those with over 5 legs are 3`."""
    sentence = text.rstrip(" \t\n.*")
    found = None if _SENTENCE_END.search(sentence) or len(sentence) > 400 else _IS_LAST.search(sentence)
    value = to_count(found[1]) if found else None
    return None if value is None else ({value}, "conclusion", sentence)


def _conclusion(sentence: str) -> set[int]:
    """What a concluding sentence counts: behind `answer is`, a counting phrase, or the verb that ends it."""
    answer = _ANSWER_IS.search(sentence)
    first = _INTEGER.match(sentence, answer.end()) if answer else None
    if first:
        return {value for value in (to_count(first[0]),) if value is not None}
    counted = {value for _, value in _counted(sentence)}
    last = _IS_LAST.search(sentence)
    if last and (value := to_count(last[1])) is not None:
        counted |= {value}
    return counted or _candidates(sentence)


def _other_bound(value: int) -> Callable[[re.Match[str]], str]:
    """What a bound is replaced by: `sold less than 5` says what is counted; only a bound on the count hedges."""
    return lambda bound: bound[0] if to_count(bound[1]) == value else ""


def _counted(text: str) -> Iterator[tuple[str, int]]:
    """The numbers that follow a counting phrase, with the words between."""
    for phrase in _COUNTED.finditer(text):
        found = _INTEGER.match(text, phrase.end())
        value = to_count(found[0]) if found else None
        if found and value is not None:
            yield text[max(phrase.start() - 20, 0) : found.end() + 12], value


def _candidates(text: str) -> set[int]:
    """The integers of a text, or nothing where another kind of number stands among them."""
    # Number words make the patterns ten times slower, and most texts have none.
    worded = not WORDS.keys().isdisjoint(_LETTERS.findall(text.lower()))
    integer, number = (_INTEGER, _ANY_NUMBER) if worded else (_DIGITS, _ANY_DIGITS)
    values = [to_count(found[0]) for found in integer.finditer(text)]
    if len(values) != sum(1 for _ in number.finditer(text)):
        return set()
    return {value for value in values if value is not None}


@dataclass(frozen=True, kw_only=True)
class Count(Verifier):
    """Equality of integers."""

    name: ClassVar[str] = "count"

    def unjudgeable(self, case: Case) -> str | None:
        if any(reference_count(r) is not None for r in case.references):
            return None
        return "the reference is no integer" if any(r.strip() for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        wanted = {reference_count(r) for r in case.references} - {None}
        for values, form, context in read_counts(answer):
            if len(values) != 1:
                reason = "several numbers" if values else "no integer"
                return self.verdict("no_match", form=form, reason=reason)
            value = next(iter(values))
            if value not in wanted:
                return self.verdict("no_match", extracted=str(value), form=form, reason="another number")
            hedged = bool(_HEDGED.search(_BOUND.sub(_other_bound(value), context)))
            reason = "equal, but hedged" if hedged else "equal"
            return self.verdict("match", admitted=not hedged, extracted=str(value), form=form, reason=reason)
        return self.verdict("no_match", form="whole", reason="no integer")
