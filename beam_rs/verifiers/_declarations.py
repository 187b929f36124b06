"""Declarations: the phrases by which an answer says which option it takes, and what denies them."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from beam_rs.verifiers._choices import CONFLICT, NOTHING, Found, Options, read_choice
from beam_rs.verifiers._option_text import fold

_NOUN: Final = (
    r"(?:answers?|options?|choice|selection|response|statement|description|one|figure|image|picture|letter"
    r"|conclusion|solution)"
)
_GOOD: Final = (
    r"(?:correct|right|best|final|most appropriate|most accurate|most suitable|most likely|proper|appropriate|true"
    r"|closest|matching|chosen|selected)"
)
_LABEL: Final = (
    r"(?:(?:final|correct|best|right|my)?[ _]?answer|\bans\.?|(?:final|correct|best|selected|chosen)[ _](?:choice"
    r"|option|selection)|final[ _-]?result|\b(?:choice|option|letter|prediction|output|result|response|conclusion"
    r"|selection|guess)"
    r"|(?:正确|最终)?(?:答案|选项))[\"']?\s*(?:is\s*)?(?:[:=]|->|→|\n|\s[-–—]\s)\s*"
)
_PROSE: Final = (
    rf"(?:\b(?:the|my|our)\s+)?(?:\b{_GOOD}\s+){{0,3}}\banswer\b[^.:\n]{{0,80}}?\b(?:is|would be|should be"
    rf"|must be|will be|has to be|to be)\b"
    r"|\bletter\s+is\b"
    rf"|\b{_GOOD}\s+(?:[a-z]+\s+)?{_NOUN}\b[^.:\n]{{0,80}}?\b(?:is|would be|should be|must be|will be"
    rf"|seems to be|appears to be)\b"
    r"|\bi(?:'ll|'d| will| would| should| must| can)?\s+(?:choose|select|pick|go with|answer with"
    r"|conclude(?: that it is)?)\b"
    r"|\b(?:choose|select|pick)\s+(?=(?:option|choice|answer)\b)"
    r"|\b(?:corresponds?|corresponding|matche?s?|matching|points?|leads?|leading|leaving"
    r"|aligns?)\s+(?:us\s+)?(?:best\s+|most closely\s+)?(?:to|with)?\s*(?=(?:only\s+)?(?:option|choice|answer)\b)"
    r"|答案(?:应该|应当|应|就|选|选择)*(?:是|为|选)|正确(?:答案|选项|的)(?:是|为)|(?:故|应|应该|因此|所以"
    r"|我)选择?|选择?(?:选项|答案)|选择?(?=\s*[(\"']?[A-Z])|(?:最佳|正确)选项[是为]"
    r"|而是|应该?[是为](?=\s*[(\"']?[A-Z])"
    r"|\b(?:respuesta|resposta|r[ée]ponse|antwort|risposta|ответ|jawaban)(?: correct[aoe]?| finale?"
    r"| richtige)?(?: es| é| est| ist| è| adalah|\s?[:=-])|정답은|답은|答えは|正解は"
)
_AFTER: Final = (
    r"(?P<post>(?<![A-Za-z0-9])(?:(?:option|choice|answer"
    r"|statement)\s+)?[(\[\"']{0,3}(?P<letter>(?-i:[A-Z]))[)\]\"']{0,3}"
    r"(?:\s*[.:]\s*(?![^.\n:]{0,80}?\b(?:option|choice|answer|statement|(?-i:[B-H]))\b)[^.\n:]{1,80}?"
    r"|\s*\([^()\n]{1,80}\))?,?\s+(?:is|was|would be|seems|must be|appears to be)\s+"
    r"(?:(?:indeed|clearly|therefore|thus|definitely|likely|obviously|also|the|our|my|a|only|single|most"
    r"|more)\s+){0,4}"
    r"(?:correct|right|best|final|accurate|appropriate|answer|suitable|true|logical|plausible|reasonable|choice"
    r"|likely|option)\b(?!\s*(?:\?|if|when|only|,\s*but)))"
    r"|(?P<hanzi>(?:选项\s*)?[(]?(?P<zi>(?-i:[A-Z]))[)]?\s*(?:选项)?\s*(?:是|为|最)?(?:正确|对的|符合|合适|最佳"
    r"|最符合|答案)(?!吗|的是))"
)
_DECLARED: Final = re.compile(rf"(?P<label>{_LABEL})|(?P<prose>{_PROSE})|{_AFTER}", re.IGNORECASE)
_HINTS: Final = (
    "answer", "option", "choice", "correct", "right", "best", "true", "accura", "appropriate", "suitable", "likely",
    "logical", "plausible", "reasonable", "final", "chosen", "selected", "closest", "proper", "match", "select",
    "choose", "pick", "prediction", "ans", "output", "result", "response", "reponse", "conclusion", "guess",
    "respuesta", "resposta", "antwort", "risposta", "jawaban", "conclude", "correspond", "point", "lead", "leav",
    "align", "go with", "letter",
)  # fmt: skip
"""What a declaration in Latin letters holds one of: other lines need no closer look, which costs far more."""
_MATCHES: Final = 100
"""Declarations looked at from the end: an answer that repeats itself for ever says nothing new."""

_ANSWER: Final = re.compile(r"(?:final|correct|best|right|my)?[ _]?answer|(?:正确|最终)?答案", re.IGNORECASE)
"""Labels strong enough to end the search where no option stands behind them."""
NEGATED: Final = re.compile(
    r"n't\b|\b(?:not|never|cannot|unlikely|whether|doubt|suppose|assum\w+|neither|nor|wrong|incorrect"
    r"|rather than|instead of|hypothetically|"
    r"would have|could have)\b|不|非|错误",
    re.IGNORECASE,
)
ASKS_WRONG: Final = re.compile(r"\b(?:not|incorrect|wrong|false|except|least|untrue|n't)\b|不", re.IGNORECASE)
_FILLER: Final = re.compile(
    r"[\s,:]*(?:(?:option|choice|letter|most|likely|probably|therefore|thus|indeed|clearly|definitely|still"
    r"|simply|just|then|that|is|the|"
    r"following|as|follows|number|选项|选择|是|为|:)\b[\s,:]*){0,4}(?:the one (?:labeled|marked|in)\s+)?",
    re.IGNORECASE,
)
_RETRACTS: Final = re.compile(
    r"(?:^|[.!?\n])\W*(?:(?:oh|no|but|hmm),? )?(?:wait\b(?! for)|actually,|hmm\b|on (?:second thought|reflection)"
    r"|looking (?:closer|again)|correction\b|(?:i|my) (?:made a |was )?(?:mistake|wrong)|let me re)",
    re.IGNORECASE,
)
_NUMBERS_OPTION: Final = re.compile(r"\b(?:option|choice)\s*$", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[.!?;,\n]")


def declared(text: str, options: Options, question: str) -> tuple[Found, str]:
    """The last declaration that names an option; a label that names none ends the search."""
    for match in islice(_declarations(text, question), _MATCHES):
        if match["post"] or match["hanzi"]:
            letter = match["letter"] or match["zi"]
            if letter in options.letters and not (
                _judges(match) and (options.lettered or _goes_through(text, question))
            ):
                return _unless_retracted(Found(letter), text[match.end() :]), "declared"
            continue
        found = _behind(text, match.end(), options)
        if found.letter:
            return _unless_retracted(found, text[match.end() :]), "label" if match["label"] else "declared"
        if (
            _ANSWER.match(match["label"] or "")
            and "\n" not in match["label"]
            and _ends_search(text[match.end() : match.end() + 200], options)
        ):
            return NOTHING, "label"
    return NOTHING, ""


def _unless_retracted(found: Found, rest: str) -> Found:
    """A declaration, or a conflict where second thoughts follow and no later declaration says what they led to."""
    return Found(CONFLICT) if _RETRACTS.search(rest) else found


def _declarations(text: str, question: str) -> Iterator[re.Match[str]]:
    """The declarations of a text that are not denied, from the last line to the first."""
    end = len(text)
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end].lower()
        if any(hint in line for hint in _HINTS) or not line.isascii():
            found = list(_DECLARED.finditer(text, start, end + 1))
            yield from (match for match in reversed(found) if not _negated(text, match, question))
        end = start - 1


def _goes_through(text: str, question: str) -> bool:
    """Whether several letters are called right or wrong: `A is true, B is false, C is true` commits to none."""
    if ASKS_WRONG.search(question):
        return True
    judging = filter(_judges, islice(_declarations(text, question), _MATCHES))
    return len({match["letter"] or match["zi"] for match in judging}) > 1


def _behind(text: str, start: int, options: Options) -> Found:
    """The option that follows a label or a phrase, filler words between them or not."""
    filler = _FILLER.match(text, start)
    for begin in (start, filler.end()) if filler and filler.end() > start else (start,):
        if _NUMBERS_OPTION.search(text[start:begin]) and text[begin : begin + 1].isdigit():
            break  # `option 3` may be the third as well as the one that reads 3
        found = read_choice(text[begin : begin + 700], options, loose=True)
        if found.letter:
            return found
        whole = re.split(r"\n|(?<=\w)[.!](?:\s|$)", text[begin : begin + 200], maxsplit=1)[0]
        if letter := options.by_text(whole):
            return Found(letter, "text")
    return NOTHING


def _judges(match: re.Match[str]) -> bool:
    """Whether a declaration merely calls a letter right, rather than calling it the answer."""
    return bool(match["post"] or match["hanzi"]) and not re.search(
        r"answer|choice|option$|答案", match[0], re.IGNORECASE
    )


def _negated(text: str, match: re.Match[str], question: str) -> bool:
    """Whether the clause around a declaration denies or merely supposes it."""
    start = max(match.start() - 60, 0)
    before = _CLAUSE.split(text[start : match.start()])[-1]
    if re.match(r"\s*[\"']?\s*(?:not|n't|neither|unlikely)\b", text[match.end() : match.end() + 16], re.IGNORECASE):
        return True
    inside = match[0] if match["prose"] else ""
    if "would be" in inside and re.search(
        r"\bif\b", re.split(r"[.!?\n]", text[max(match.start() - 200, 0) : match.start()])[-1], re.I
    ):
        return True  # `If it had wings, the answer would be C`
    denied = NEGATED.search(before + " " + inside)
    return denied is not None and not (
        denied[0].lower() in ("wrong", "incorrect", "错误") and ASKS_WRONG.search(question)
    )


def _ends_search(fragment: str, options: Options) -> bool:
    """Whether a label's line is a short answer that is no option, such as `None of the above`."""
    line = fragment.partition("\n")[0].strip()
    return 0 < len(line) <= 60 and len(line.split()) <= 6 and not options.mentioned(fold(line))[0]


def denied(before: str) -> bool:
    """Whether the clause that ends here holds a negation."""
    return NEGATED.search(_CLAUSE.split(before)[-1]) is not None
