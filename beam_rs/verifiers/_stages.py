"""The stages that look for the option an answer commits to."""

import re
from typing import Final

from beam_rs.verifiers._answers import TAIL, boxes, plain, tags
from beam_rs.verifiers._choices import CONFLICT, Found, Options, read_choice
from beam_rs.verifiers._declarations import ASKS_WRONG, NEGATED, declared
from beam_rs.verifiers._lines import (
    LINE_LETTER,
    REFUSAL,
    SENTENCE,
    WEIGHED,
    last_line,
    leading,
    line_by_line,
    off_hand,
    whole,
)
from beam_rs.verifiers._option_text import fold

_NEXT_TURN: Final = re.compile(r"\n\s*(?:#+\s*)?(?:question|user|human|q)\s*\d*\s*:", re.IGNORECASE)
_BLANKS: Final = re.compile(r"[^\S\n]{2,}")
_EMPTY_LINES: Final = re.compile(r"\n(?:[^\S\n]?\n)+[^\S\n]?")
_SPEAKER: Final = re.compile(r"(?:assistant|gpt|model|ai|bot)\s*:\s*", re.IGNORECASE)

_ABSENT: Final = re.compile(r"\b(?:no|without|lacks?)\s+(?:\w+\s+){0,2}\x00")
_CONCLUDING: Final = re.compile(
    r"\W*(?:so|therefore|thus|hence|finally|overall|in conclusion|but|however|wait|actually|no|which|it|this|that)\b"
    r"|因此|所以",
    re.IGNORECASE,
)
_SO_CLAUSE: Final = re.compile(r"[,;.] (?:and |so )?(?:so|therefore|thus|hence|which means)\b[ ,:]*")
_EXPLAINED: Final = 2_000
"""Characters of an answer that begins with its result and explains it."""
_VERB: Final = re.compile(r"(?:\b(?:is|are|was|were|be|equals|called)|=|:) ?(?:an? |the )?$")


def extract(answer: str, options: Options, question: str = "") -> tuple[str, str]:
    """The letter that an answer commits to, `CONFLICT`, or empty; and the stage that found it."""
    answer = _squeezed(answer[-TAIL:].strip())
    turn = _NEXT_TURN.search(answer)
    found = _extract(answer[: turn.start()] if turn else answer, options, question)
    if turn and not found[0] and _restated(answer[turn.end() :], options):
        return _extract(answer, options, question)  # it copied the question out of the picture first
    return found


def _squeezed(answer: str) -> str:
    """The answer without runs of blanks and empty lines, over which patterns would go again and again."""
    return _EMPTY_LINES.sub("\n\n", _BLANKS.sub(" ", answer))


def _extract(answer: str, options: Options, question: str) -> tuple[str, str]:
    """The same for an answer of one turn."""
    text = _without_speaker(plain(answer), options)
    if not text:
        return "", "whole"
    found = whole(text, options)
    if found.letter:
        return found.letter, "whole"
    found, form = _commitment(answer, text, options, question)
    if form:
        return found.letter, form
    for stage, form in ((leading, "leading"), (last_line, "last line")):
        found = stage(text, options)
        if found.letter:
            return found.letter, form
    if not ASKS_WRONG.search(question) and (found := line_by_line(text, options)).letter:
        return found.letter, "line by line"
    return _only(text, options, question)


def _restated(text: str, options: Options) -> bool:
    """Whether a text begins with the question's own options."""
    copied = fold(text[:4000])
    texts = [option for option, _ in options.texts]
    return len(texts) > 1 and sum(option in copied for option in texts) >= min(3, len(texts))


def _without_speaker(text: str, options: Options) -> str:
    """The text without `Assistant:`, or the `A:` of question and answer, told from a label by what follows."""
    speaker = _SPEAKER.match(text)
    text = text[speaker.end() :] if speaker else text
    if not text.startswith("A:"):
        return text
    rest = text[2:].lstrip()
    named = whole(rest, options).letter or "".join(options.mentioned(fold(rest[:600]))[0])
    return rest if named and "A" not in named else text


def _commitment(raw: str, text: str, options: Options, question: str) -> tuple[Found, str]:
    """The last box, tag, label or declaration that names an option, wherever it stands."""
    marks = sorted([*boxes(raw), *tags(raw)], key=lambda mark: mark.start)
    if marks:
        last = marks[-1]
        later, form = declared(plain(raw[last.end :]), options, question)
        if form and later.letter:
            return later, form
        found = _in_box(plain(last.text), options)
        if len(marks) > 1 and "\n" not in raw[marks[-2].end : last.start]:
            other = _in_box(plain(marks[-2].text), options)
            if other.letter and other.letter != found.letter and len(raw[marks[-2].end : last.start]) < 12:
                return Found(CONFLICT), last.form
        return found, last.form
    return declared(text, options, question)


def _in_box(text: str, options: Options) -> Found:
    """What a box holds: nothing but the answer, so that any reading of it counts."""
    found = whole(text, options)
    if found.letter:
        return found
    found, form = declared(text, options, "")
    return found if form and found.letter else read_choice(text, options, loose=True)


def _lines_with_letters(text: str) -> int:
    """How many different letters begin a line."""
    return len({m[1].upper() for m in map(LINE_LETTER.match, text.split("\n")) if m})


def _only(text: str, options: Options, question: str) -> tuple[str, str]:
    """The one option that the last sentence, or else the whole answer, names."""
    if REFUSAL.search(text) and not any(REFUSAL.search(option) for option, _ in options.texts):
        return "", "whole"
    if text.endswith("?"):
        return "", "whole"  # it asks back
    scopes = [(_last_sentence(text), "last sentence"), (text, "whole answer")]
    if _lines_with_letters(text) > 1:
        scopes = [] if LINE_LETTER.match(text.rpartition("\n")[2]) else scopes[:1]  # line by line
    for piece, scope in scopes:
        named = set() if options.lettered else set(off_hand(piece, options))
        if named:
            texts = options.mentioned(fold(piece))[0] if len(piece) <= 400 else set[str]()
            single = len(named) == 1 and len(piece) <= 400 and not NEGATED.search(piece) and not WEIGHED.search(piece)
            single = single and (not texts or named <= texts)  # `The value is 3, option C` where C is no 3
            return (named.pop() if single else ""), f"only letter, {scope}"
    letter, form = _only_text(scopes, options, question)
    if letter and form.endswith("last sentence") and _found_another(text, letter, options):
        return "", form
    return (letter, form) if letter else (_first_sentence(text, options, question) or (letter, form))


def _found_another(text: str, letter: str, options: Options) -> bool:
    """Whether a sentence before the last found another option, and the last draws no conclusion from it.

    `The car is red. The bus is blue` says two things, and only the question tells which was asked.
    """
    *before, last = SENTENCE.split(text[-_EXPLAINED:])
    if not before or _CONCLUDING.match(last):
        return False
    found = (fold(sentence) for sentence in before if not NEGATED.search(sentence) and not WEIGHED.search(sentence))
    return any(_ends_in(piece, options) and options.mentioned(piece)[0] - {letter} for piece in found)


def _first_sentence(text: str, options: Options, question: str) -> tuple[str, str] | None:
    """What the first sentence ends in, where the sentences behind it explain and name no other option."""
    first = SENTENCE.split(text, maxsplit=1)[0]
    explained = len(first) < len(text) <= _EXPLAINED and _ends_in(fold(first), options)
    if not explained or len(options.mentioned(fold(text))[0]) != 1:
        return None
    return _only_text([(first, "first sentence")], options, question)


def _only_text(scopes: list[tuple[str, str]], options: Options, question: str) -> tuple[str, str]:
    """The one option whose text a short answer holds (VLMEvalKit's bound on its length), or a sentence ends in."""
    limit = 2 * sum(len(option) for option, _ in options.texts) + 40
    for piece, scope in scopes:
        folded = fold(piece) if len(piece) <= max(limit, 400) else ""
        named, rest = (
            options.mentioned(folded) if len(piece) <= limit or _ends_in(folded, options) else (set[str](), "")
        )
        if named:
            if scope == "whole answer" or (len(scopes) > 1 and scopes[1][0] == piece):
                rest = rest.replace(" would ", " ")  # alone in the answer, `The price would fall` supposes nothing
            denied = NEGATED.search(rest) or _ABSENT.search(rest)
            single = len(named) == 1 and not denied and not _weighed(rest, question)
            if not single and (clause := _last_clause(folded)) and _ends_in(clause, options):
                return _only_text([(clause, "last clause")], options, question)
            return (named.pop() if single else ""), f"only text, {scope}"
    return "", "whole"


def _last_clause(sentence: str) -> str:
    """What follows the last `so` or `therefore` inside a sentence; empty without one."""
    found = None
    for found in _SO_CLAUSE.finditer(sentence):  # noqa: B007
        pass
    return sentence[found.end() :] if found else ""


def _ends_in(sentence: str, options: Options) -> bool:
    """Whether a folded sentence ends in `is`, `are`, `=` or the like and an option."""
    return any(sentence.endswith(option) and _VERB.search(sentence[: -len(option)]) for option, _ in options.texts)


def _weighed(text: str, question: str) -> bool:
    """Whether an option is weighed or denied; words that the question itself uses, such as `if`, weigh nothing."""
    asked = set(re.findall(r"[a-z]+", question.lower())) - {"wrong", "incorrect"}
    return any(found[0].lower() not in asked for found in WEIGHED.finditer(text))


def _last_sentence(text: str) -> str:
    """The last sentence of the last line."""
    line = text.rpartition("\n")[2]
    return SENTENCE.split(line)[-1]
