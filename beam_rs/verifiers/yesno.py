"""`yesno`: POPE, MME, HallusionBench, FigureQA.

Protocol: a leading yes or no decides (MME, `calculation.py`); without one the first sentence is read: `no` or `not`
in it is a no, else it is a yes (POPE, `evaluate.py`). Words are whole words. A box, tag, label or closing sentence
that says yes or no comes before POPE's rule: a model that argues first commits there. POPE's default also calls
`I cannot tell` a yes; it is a score, not evidence, so such a match is not admitted.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import TAIL, last_commitment, plain
from beam_rs.verifiers.base import Verifier

_WORDS: Final = {
    **dict.fromkeys(("yes", "yeah", "yep", "true", "是", "是的", "有"), "yes"),
    **dict.fromkeys(("no", "nope", "false", "否", "不", "不是", "没有"), "no"),
}
_LEADING: Final = re.compile(r"[\s\"'(\[{:>-]*(yes|no|yeah|nope|yep)(?!\w|'\w)", re.IGNORECASE)
_HANZI: Final = re.compile(r"\s*(是的|不是|没有|否|是|有|不)\s*(?:[,.!:;]|$)")
_PROSE: Final = re.compile(
    r"(?:\b(?:answer|conclusion|response|statement|claim)\b(?: (?:to|for) [^.\n]{0,80}?)?(?: is| would be"
    r"| should be|:)"
    r"|(?:^|[.!?\n;])\s*(?:so|therefore|thus|hence|in conclusion|in short|overall|final answer"
    r"|the answer),?(?: the answer is)?"
    r"|答案(?:是|为|:)|所以|因此)[\s:,\"'(]*(yes|no|是|否)(?![\w'])"
    r"(?=[\"')\]]*\s*(?:[.,;:!\n-]|$|because\b|since\b|there\b|it\b))(?!\s*,?\s*(?:or|and|/)\s*(?:yes|no)\b)",
    re.IGNORECASE,
)
_BOTH: Final = re.compile(r"\s*[,;]?\s*(?:and|or|/|&|but also)\s*(?:yes|no)\b", re.IGNORECASE)
_UNSURE: Final = re.compile(
    r"\b(?:cannot|can't|can not|unable|unclear|unsure|uncertain|unknown|not (?:sure|clear|certain|possible"
    r"|enough|able)|"
    r"impossible|difficult|hard) (?:to )?|\b(?:unknown|unclear|uncertain|unsure|sorry|maybe|perhaps|possibly"
    r"|might|depends?|n/a|"
    r"insufficient|ambiguous|if|whether)\b|无法|不确定|抱歉",
    re.IGNORECASE,
)
_NEGATIVE: Final = re.compile(
    r"n't\b|\b(?:no|not|cannot|never|none|nothing|without|neither|nor|lacks?|absent|false|incorrect)\b", re.I
)
_CORRECTS: Final = re.compile(r"\b(?:wait|actually|correction|sorry|rather)\b[\s,.:!-]*(yes|no)\b", re.IGNORECASE)
_TURNS: Final = re.compile(r"\?|\b(?:but|however|although|though|actually)\b", re.IGNORECASE)
_STOP_WORDS: Final = (
    "is are was were am be been do does did has have had can could will would there a an the in on of at to this that "
    "these those it its any some image picture photo photograph scene shown visible here please answer yes or no "
    "question with only word and single using one i see you your we for just directly"
)
_STOP: Final = frozenset(_STOP_WORDS.split())


class Reading(NamedTuple):
    """What an answer says.

    Attributes:
      word: `yes`, `no`, or empty for neither.
      form: the stage that found it.
      sentence: the sentence it was read from.
      doubt: why a person would not take it for an answer; empty where one would.
    """

    word: str
    form: str
    sentence: str
    doubt: str = ""


def read_yes_no(answer: str, question: str = "") -> Reading:
    """The yes or no of an answer.

    >>> read_yes_no("Yes, there is a dog.")[:2]
    ('yes', 'leading word')
    >>> read_yes_no("The street is empty. Therefore, the answer is no.")[:2]
    ('no', 'closing sentence')
    """
    text = plain(answer[:TAIL] if len(answer) <= 2 * TAIL else f"{answer[:TAIL]}\n{answer[-TAIL:]}")
    sentence = _first_sentence(text)
    marked = _marked(answer)
    if marked:
        return marked
    found = _LEADING.match(text) or _HANZI.match(text)
    closing = _closing(text)
    if found:
        return _leading(found, text, question, closing)
    if closing:
        return closing
    return _by_sentence(text, sentence, question)


def _marked(answer: str) -> Reading | None:
    """The word of the last box, tag or label, if it begins with one."""
    mark = last_commitment(answer)
    found = _LEADING.match(plain(mark.text)) or _HANZI.match(plain(mark.text)) if mark else None
    if not mark or not found:
        return None
    text = plain(mark.text)
    if _BOTH.match(text, found.end()):
        return Reading("", mark.form, text, "both words")
    return Reading(_WORDS[found[1].lower()], mark.form, text)


def _leading(found: re.Match[str], text: str, question: str, closing: Reading | None) -> Reading:
    """The leading word, with what speaks against taking it."""
    word, sentence = _WORDS[found[1].lower()], _first_sentence(text)
    if _BOTH.match(text, found.end()):
        return Reading("no", "first sentence", sentence, "both words")  # POPE's rule: a `no` anywhere in it
    doubt = ""
    if (closing and closing.word != word) or _corrected(text[found.end() : found.end() + 200], word):
        doubt = "takes back its first word"
    elif word == "yes" and _denies(text[found.end() : len(sentence)], question):
        doubt = "yes and a negation in one sentence"
    elif re.match(r"[ \t]+\w", text[found.end() : found.end() + 4]) and not _speaks_of(sentence, question):
        doubt = "a sentence on something else"  # `No cat is there` is no answer to a question about a dog
    return Reading(word, "leading word", sentence, doubt)


def _corrected(rest: str, word: str) -> bool:
    """Whether the other word follows with `wait` or `actually`, as in `No, wait, yes`."""
    found = _CORRECTS.search(rest)
    return found is not None and _WORDS[found[1].lower()] != word


def _denies(rest: str, question: str) -> bool:
    """Whether the sentence behind a `yes` denies before it has said what was asked.

    `Yes, there is a dog that is not on a leash` has said it; `Yes, there is no dog` has not.
    """
    negation = re.search(r"\b(?:no|not)\b", rest, re.IGNORECASE)
    if negation is None:
        return False
    asks_it = negation[0].lower() == "not" and re.search(r"\bnot\b", question, re.IGNORECASE) is not None
    return not _speaks_of(rest if asks_it else rest[: negation.start()], question)


def _closing(text: str) -> Reading | None:
    """The last `the answer is yes` or `Therefore, no`, or a last line that is one word."""
    last = text.rpartition("\n")[2].strip().strip(".!\"'()").lower()
    if last in ("yes", "no") and "\n" in text:
        return Reading(last, "last line", last)
    found = None
    for found in _PROSE.finditer(text):  # noqa: B007
        pass
    if not found:
        return None
    before = text[max(found.start() - 40, 0) : found.start(1)]
    if re.search(r"\b(?:if|whether|not|n't)\b", before[-40:], re.IGNORECASE):
        return None
    return Reading(_WORDS[found[1].lower()], "closing sentence", found[0].strip())


def _by_sentence(text: str, sentence: str, question: str) -> Reading:
    """POPE's rule on the first sentence, and whether it answers the question asked."""
    words = sentence.replace(",", "").split()
    if len(words) == 1 and words[0].lower() in ("true", "false"):
        return Reading(_WORDS[words[0].lower()], "whole", sentence)
    if len(words) < 3:
        return Reading("", "whole", sentence)  # `Unknown` or `A dog`: MME's class `other`
    negative = any(word in ("No", "not", "no") for word in words)
    word = "no" if negative else "yes"
    if _UNSURE.search(sentence):
        return Reading(word, "first sentence", sentence, "unsure")
    if not negative and _NEGATIVE.search(sentence):
        return Reading(word, "first sentence", sentence, "a negation that the rule does not see")
    if _TURNS.search(text):
        return Reading(word, "first sentence", sentence, "asks back or takes it back")
    doubt = "" if _speaks_of(sentence, question) else "a sentence on something else"
    return Reading(word, "first sentence", sentence, doubt)


def _speaks_of(sentence: str, question: str) -> bool:
    """Whether the question's words stand in the sentence, in their order, and no other noun could be meant."""
    asked = [w.rstrip("s") for w in re.findall(r"\w+", question.lower()) if w not in _STOP]
    said = iter(w.rstrip("s") for w in re.findall(r"\w+", sentence.lower()) if w not in _STOP)
    return bool(asked) and all(word in said for word in asked)


def _first_sentence(text: str) -> str:
    """The text before the first period, as POPE cuts it."""
    return text.partition(".")[0].strip()


@dataclass(frozen=True, kw_only=True)
class YesNo(Verifier):
    """Yes or no."""

    name: ClassVar[str] = "yesno"

    def unjudgeable(self, case: Case) -> str | None:
        if any(self._reference(r) for r in case.references):
            return None
        return "the reference is neither yes nor no" if any(r.strip() for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        wanted = {self._reference(r) for r in case.references} - {""}
        read = read_yes_no(answer, case.question)
        if not read.word:
            return self.verdict("no_match", form=read.form, reason=read.doubt or "neither yes nor no")
        if read.word not in wanted:
            return self.verdict("no_match", extracted=read.word, form=read.form, reason="the opposite")
        return self.verdict(
            "match", admitted=not read.doubt, extracted=read.word, form=read.form, reason=read.doubt or "equal"
        )

    @staticmethod
    def _reference(text: str) -> str:
        """`yes`, `no`, or empty for anything else."""
        return _WORDS.get(text.strip().strip(".!\"'").lower(), "")
