"""The stages that look for the option an answer commits to."""

import re
from collections.abc import Iterator
from typing import Final

from beam_rs.verifiers._answers import TAIL, boxes, plain, tags
from beam_rs.verifiers._choices import CONFLICT, NOTHING, Found, Options, fold, read_choice

_NOUN: Final = r"(?:answers?|options?|choice|selection|response|statement|description|one|figure|image|picture|letter|conclusion|solution)"
_GOOD: Final = r"(?:correct|right|best|final|most appropriate|most accurate|most suitable|most likely|proper|appropriate|true|closest|matching|chosen|selected)"
_LABEL: Final = (
    r"(?:(?:final|correct|best|right|my)?[ _]?answer|(?:final|correct|best)[ _](?:choice|option|selection)|final[ _-]?result|\b(?:choice|option|prediction)"
    r"|(?:正确|最终)?(?:答案|选项))[\"']?\s*(?:is\s*)?(?:[:=]|->|→|\n)\s*"
)
_PROSE: Final = (
    rf"(?:\b(?:the|my|our)\s+)?(?:\b{_GOOD}\s+)*\banswer\b[^.:\n]{{0,80}}?\b(?:is|would be|should be|must be|will be|has to be|to be)\b"
    rf"|\b{_GOOD}\s+(?:[a-z]+\s+)?{_NOUN}\b[^.:\n]{{0,80}}?\b(?:is|would be|should be|must be|will be|seems to be|appears to be)\b"
    r"|\b(?:i|we)(?:'ll|'d| will| would| should| must| can)?\s+(?:choose|select|pick|go with|answer with|conclude(?: that it is)?)\b"
    r"|\b(?:corresponds?|corresponding|matche?s?|matching|points?|leads?|leading|leaving|aligns?)\s+(?:us\s+)?(?:best\s+|most closely\s+)?(?:to|with)?\s*(?=(?:only\s+)?(?:option|choice|answer)\b)"
    r"|答案(?:应该|应当|应|就|选|选择)*(?:是|为|选)|正确(?:答案|选项|的)(?:是|为)|(?:故|应|应该|因此|所以|我)选择?|选择?(?:选项|答案)|(?:最佳|正确)选项[是为]"
    r"|정답은|답은|答えは|正解は"
)
_AFTER: Final = (
    rf"(?P<post>(?:\b(?:option|choice|answer|statement)\s+)?[(\[\"']*(?P<letter>[A-Z])[)\]\"']*(?:\s*[.:]\s*[^.\n:]{{1,80}}?|\s*\([^()\n]{{1,80}}\))?,?\s+(?:is|was|would be|seems|must be|appears to be)\s+"
    rf"(?:(?:indeed|clearly|therefore|thus|definitely|likely|obviously|also|the|our|my|a|only|single|most|more)\s+)*"
    r"(?:correct|right|best|final|accurate|appropriate|answer|suitable|true|logical|plausible|reasonable|choice|likely|option)\b(?!\s*(?:\?|if|when|only|,\s*but)))"
    r"|(?P<hanzi>(?:选项\s*)?[(]?(?P<zi>[A-Z])[)]?\s*(?:选项)?\s*(?:是|为|最)?(?:正确|对的|符合|合适|最佳|最符合|答案)(?!吗|的是))"
)
_DECLARED: Final = re.compile(rf"(?P<label>{_LABEL})|(?P<prose>{_PROSE})|{_AFTER}", re.IGNORECASE)
_NEGATED: Final = re.compile(
    r"n't\b|\b(?:not|never|cannot|unlikely|whether|doubt|suppose|assum\w+|neither|nor|wrong|incorrect|rather than|instead of|hypothetically|"
    r"would have|could have)\b|不|非|错误",
    re.IGNORECASE,
)
_ASKS_WRONG: Final = re.compile(r"\b(?:not|incorrect|wrong|false|except|least|untrue|n't)\b|不", re.IGNORECASE)
_FILLER: Final = re.compile(
    r"[\s,:]*(?:(?:option|choice|letter|most|likely|probably|therefore|thus|indeed|clearly|definitely|still|simply|just|then|that|is|the|"
    r"following|as|follows|number|选项|选择|是|为|:)\b[\s,:]*){0,4}(?:the one (?:labeled|marked|in)\s+)?",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[.!?;,\n]")
_LINE_LETTER: Final = re.compile(
    r"[ \t]*(?:[-•]\s*)?(?:option\s+)?[(\[]?([A-Z])(?:[.):\]]|\s+[-–:])\s*\S", re.IGNORECASE
)
_OFF_HAND: Final = re.compile(
    r"\b(?:option|choice|answer)\s+[(\[\"']?([A-Z])(?![\w'])|\(([A-Z])\)|(?:^|(?<=\n))([A-Z])[.):](?=\s)", re.IGNORECASE
)
_REFUSAL: Final = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|impossible to|not possible to|not enough|insufficient|none of (?:the|these)|no (?:correct|suitable|"
    r"valid) (?:option|answer|choice)|not (?:listed|provided|available|visible|among)|sorry|unclear|uncertain|not sure|neither|all of the|both)\b|无法|不能确定|都不",
    re.IGNORECASE,
)
_SO: Final = re.compile(
    r"(?:so|therefore|thus|hence|finally|overall|in conclusion|in summary|conclusion|answer|因此|所以|综上|综上所述)[\s,:]*(?:(?:it|this)(?:'s| is| must be| should be)\s+)?",
    re.IGNORECASE,
)


def extract(answer: str, options: Options, question: str = "") -> tuple[str, str]:
    """The letter that an answer commits to, `CONFLICT`, or empty; and the stage that found it."""
    text = plain(answer[-TAIL:])
    if not text:
        return "", "whole"
    whole = _whole(text, options)
    if whole.letter:
        return whole.letter, "whole"
    found, form = _commitment(answer[-TAIL:], text, options, question)
    if form:
        return found.letter, form
    for stage, form in ((_leading, "leading"), (_last_line, "last line")):
        found = stage(text, options)
        if found.letter:
            return found.letter, form
    return _only(text, options)


def _whole(text: str, options: Options) -> Found:
    """The answer is one short piece that is nothing but an option."""
    if len(text) > 2000:
        return NOTHING
    letter = options.by_text(text)
    bare = text.strip("()[]{}<>.:,!;\"' \n")
    if len(bare) == 1 and bare.isascii() and bare.isalpha():
        if bare.upper() in options.letters:
            return Found(bare.upper())
        return Found(letter or CONFLICT)
    return Found(letter, "text") if letter else NOTHING


def _commitment(raw: str, text: str, options: Options, question: str) -> tuple[Found, str]:
    """The last box, tag, label or declaration that names an option, wherever it stands."""
    marks = sorted([*boxes(raw), *tags(raw)], key=lambda mark: mark.start)
    if marks:
        last = marks[-1]
        later, form = _declared(plain(raw[last.end :]), options, question)
        if form and later.letter:
            return later, form
        found = _in_box(plain(last.text), options)
        if len(marks) > 1 and "\n" not in raw[marks[-2].end : last.start]:
            other = _in_box(plain(marks[-2].text), options)
            if other.letter and other.letter != found.letter and len(raw[marks[-2].end : last.start]) < 12:
                return Found(CONFLICT), last.form
        return found, last.form
    return _declared(text, options, question)


def _in_box(text: str, options: Options) -> Found:
    """What a box holds: nothing but the answer, so that any reading of it counts."""
    whole = _whole(text, options)
    if whole.letter:
        return whole
    found, form = _declared(text, options, "")
    return found if form and found.letter else read_choice(text, options, loose=True)


def _declared(text: str, options: Options, question: str) -> tuple[Found, str]:
    """The last declaration that names an option; a label that names none ends the search."""
    for match in reversed(list(_DECLARED.finditer(text))):
        if _negated(text, match, question):
            continue
        if match["post"] or match["hanzi"]:
            letter = (match["letter"] or match["zi"] or "").upper()
            if letter in options.letters and _is_label(text, match):
                return Found(letter), "declared"
            continue
        start = match.end()
        filler = _FILLER.match(text, start)
        fragments = [text[start : start + 700]] + (
            [text[filler.end() : filler.end() + 700]] if filler and filler.end() > start else []
        )
        for fragment in fragments:
            found = read_choice(fragment, options, loose=True)
            if found.letter:
                return found, "label" if match["label"] else "declared"
        if match["label"] and "\n" not in match["label"] and _ends_search(fragments[0], options):
            return NOTHING, "label"
    return NOTHING, ""


def _is_label(text: str, match: re.Match[str]) -> bool:
    """Whether `A` in `A is correct` is a label: in upper case, and not the article or the pronoun."""
    group = "letter" if match["post"] else "zi"
    return text[match.start(group)].isupper()


def _negated(text: str, match: re.Match[str], question: str) -> bool:
    """Whether the clause around a declaration denies or merely supposes it."""
    start = max(match.start() - 60, 0)
    before = _CLAUSE.split(text[start : match.start()])[-1]
    if re.match(r"\s*[\"']?\s*(?:not|n't|neither|unlikely)\b", text[match.end() : match.end() + 16], re.IGNORECASE):
        return True
    inside = match[0] if match["prose"] else ""
    denied = _NEGATED.search(before + " " + inside)
    return denied is not None and not (
        denied[0].lower() in ("wrong", "incorrect", "错误") and _ASKS_WRONG.search(question)
    )


def _ends_search(fragment: str, options: Options) -> bool:
    """Whether a label's line is a short answer that is no option, such as `None of the above`."""
    line = fragment.partition("\n")[0].strip()
    return 0 < len(line) <= 60 and len(line.split()) <= 6 and not options.mentioned(fold(line))


def _leading(text: str, options: Options) -> Found:
    """The answer begins with an option, and what follows does not go through the others as well."""
    if _lines_with_letters(text) > 1:
        return NOTHING
    found = read_choice(text, options)
    if found.how == "text" and found.letter:
        first = fold(re.split(r"[.!?\n]", text, maxsplit=1)[0])
        short = len(options.mentioned(first)) <= 1 and not _REFUSAL.search(first)
        return found if short and _breaks_off(text, options) else NOTHING
    return found


def _breaks_off(text: str, options: Options) -> bool:
    """Whether an option's text at the start is followed by a break, not by more of the sentence."""
    head = fold(text[:600])
    _, length = options.starting(head)
    return length > 0 and re.match(r"\s*(?:[.,;:!(\n]|$|-\s|because\b|since\b|as\b)", head[length:]) is not None


def _last_line(text: str, options: Options) -> Found:
    """The last line is an option, alone or behind `so` and the like."""
    before, _, line = text.rpartition("\n")
    if _lines_with_letters(text) > 1 and _LINE_LETTER.match(line):
        return NOTHING  # the options are gone through line by line
    for piece in (line, re.split(r"(?<=[.!?])\s+", line.rstrip())[-1] if len(line) < 5000 else line):
        piece = _SO.sub("", piece.strip(), count=1) if _SO.match(piece.strip()) else piece.strip()
        found = _whole(piece, options)
        if found.letter:
            return found
        found = read_choice(piece, options)
        if found.letter and found.how == "letter" and before:
            return found
    return NOTHING


def _lines_with_letters(text: str) -> int:
    """How many different letters begin a line."""
    return len({m[1].upper() for m in map(_LINE_LETTER.match, text.split("\n")) if m})


def _only(text: str, options: Options) -> tuple[str, str]:
    """The one option that the last sentence, or else the whole answer, names."""
    if _REFUSAL.search(text) and not any(_REFUSAL.search(option) for option, _ in options.texts):
        return "", "whole"
    for piece, scope in ((_last_sentence(text), "last sentence"), (text, "whole answer")):
        named = set(_off_hand(piece, options))
        if named:
            single = len(named) == 1 and not _NEGATED.search(piece if scope == "last sentence" else "")
            return (named.pop() if single else ""), f"only letter, {scope}"
    return _only_text(text, options)


def _off_hand(text: str, options: Options) -> Iterator[str]:
    """Letters named as `option B`, `(B)` or `B.` at the start of a line."""
    for found in _OFF_HAND.finditer(text):
        letter = found[1] or found[2] or found[3]
        if letter.isupper() and letter in options.letters:
            yield letter


def _only_text(text: str, options: Options) -> tuple[str, str]:
    """The one option whose text a short answer holds (VLMEvalKit's bound on its length)."""
    limit = 2 * sum(len(option) for option, _ in options.texts) + 40
    for piece, scope in ((_last_sentence(text), "last sentence"), (text, "whole answer")):
        named = options.mentioned(fold(piece)) if len(piece) <= limit else set()
        if named:
            single = len(named) == 1 and not _NEGATED.search(piece)
            return (named.pop() if single else ""), f"only text, {scope}"
    return "", "whole"


def _last_sentence(text: str) -> str:
    """The last sentence of the last line."""
    line = text.rpartition("\n")[2]
    return re.split(r"(?<=[.!?])\s+", line)[-1]
