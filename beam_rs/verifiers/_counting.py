"""Reading a count: the stages that look for the one number an answer commits to."""

import re
from collections.abc import Iterator
from typing import Final

from beam_rs.verifiers._answers import TAIL, last_commitment, plain
from beam_rs.verifiers._numbers import WORDS

NUMBER: Final = (
    r"(?:zero|none|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:one|two|three|four|five|six|seven|eight"
    r"|nine))?"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|ten|eleven|twelve|one|two|three|four|five|six|seven|eight|nine)"
)
_INTEGER: Final = re.compile(
    rf"(?<![A-Za-z0-9_.,/-])(?:\d{{1,3}}(?:,\d{{3}})+|\d+|{NUMBER})(?![A-Za-z0-9_/%°]|[.,-]\d|-[A-Za-z0-9])",
    re.IGNORECASE,
)
_ANY_NUMBER: Final = re.compile(rf"(?<![a-z])[-+]?\d[\d.,]*|\b{NUMBER}\b", re.IGNORECASE)
_DIGITS: Final = re.compile(r"(?<![A-Za-z0-9_.,/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![A-Za-z0-9_/%°]|[.,-]\d|-[A-Za-z0-9])")
_ANY_DIGITS: Final = re.compile(r"(?<![A-Za-z])[-+]?\d[\d.,]*")
_LETTERS: Final = re.compile(r"[a-z]+")
_LABELS: Final = re.compile(r"(?:\b(?:number|no\.|fig(?:ure|\.)?|step|row|page)|#) ?\d", re.IGNORECASE)
"""Numbers that number something: `The dog wears number 7`."""
_MARKER: Final = re.compile(r"^[ \t]*(?:\d{1,3}[.)]|[-•])[ \t]+", re.MULTILINE)
_COUNTED: Final = re.compile(
    r"(?:there(?:'s| is| are| were| appears? to be| seems? to be)|\bi (?:can )?(?:see|count(?:ed)?)"
    r"|\bwe (?:can )?(?:see|count)"
    r"|\b(?:image|picture|photo|scene) (?:shows|contains|features|depicts|has)"
    r"|\btotal(?: number)?(?: of)?(?: [a-z]+){0,5}? (?:is|are)|\bcount(?: of)?(?: [a-z]+){0,5}? is"
    r"|\b(?:in )?total(?: count| number)?(?: of)?:?"
    r"|\bnumber of(?: [a-z]+){1,8}? (?:is|are)|\banswer is|\btotal of|\bthere will be|=|共有?|一共有?|总共有?|有)"
    r"[ \t:]*(?:(?:exactly|only|just|clearly|indeed|visible|a total of|in total|equal to|option)\b[ \t:]*){0,3}",
    re.IGNORECASE,
)
_CONCLUDES: Final = re.compile(
    r"(?:^|(?<=[.!?;\n]))[ \t]*(?:so|therefore|thus|hence|in total|in conclusion|altogether|overall|因此|所以)\b"
    r"|[,;]? (?:making|which makes|for a total of|totall?ing|adding up to)\b"
    r"|\banswer(?: (?:to|for) [^.\n]{0,80}?)? is\b|(?:^|(?<=\n))[ \t]*(?:final|total)\b[^:\n]{0,60}:",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?](?:\s|$)|\n|</s>")
_ANSWER_IS: Final = re.compile(r"\banswer(?: (?:to|for) [^.\n]{0,80}?)? is(?: that)?[ \t:]*", re.IGNORECASE)
_IS_LAST: Final = re.compile(
    rf"(?:\b(?:is|are|equals|leaves)|=)[ \t:]+((?:\d{{1,3}}(?:,\d{{3}})+|\d+|{NUMBER}))$", re.IGNORECASE
)
_HOW_MANY: Final = re.compile(r"\bhow many ([a-z]+)\b", re.IGNORECASE)
_RANGE: Final = re.compile(rf"(?:\b\d+|\b{NUMBER}) (?:or|to) (?:\d+|{NUMBER})\b", re.IGNORECASE)
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
    yield set() if _LABELS.search(text) else _candidates(text), "only number", text


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
        counted = {value} if last[0].startswith("=") else counted | {value}
    return counted or _candidates(sentence)


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


def counts_of_asked(question: str, text: str) -> set[int] | None:
    """The numbers that stand before the noun asked for; None where the question or the text has no such noun.

    >>> counts_of_asked("How many dogs are there?", "There are 3 cats and 2 dogs.")
    {2}
    """
    asked = _HOW_MANY.search(question)
    if asked is None:
        return None
    noun = re.escape(asked[1].lower().rstrip("s"))
    pattern = re.compile(rf"(?<![\w.,/-])(\d+|no|{NUMBER})(?: [a-z]+)?? {noun}(?:s|es)?\b", re.IGNORECASE)
    found = [to_count("0" if number.lower() == "no" else number) for number in pattern.findall(text[-TAIL:])]
    return {value for value in found if value is not None} or None
