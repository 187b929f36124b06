"""The stages that look for the option an answer commits to."""

import re
from typing import Final

from beam_rs.verifiers._answers import TAIL, boxes, plain, tags
from beam_rs.verifiers._choices import CONFLICT, Found, Options, fold, read_choice
from beam_rs.verifiers._declarations import NEGATED, declared
from beam_rs.verifiers._lines import LINE_LETTER, REFUSAL, SENTENCE, WEIGHED, last_line, leading, off_hand, whole

_NEXT_TURN: Final = re.compile(r"\n\s*(?:#+\s*)?(?:question|user|human|q)\s*\d*\s*:", re.IGNORECASE)
_SPEAKER: Final = re.compile(r"(?:assistant|gpt|model|ai|bot)\s*:\s*", re.IGNORECASE)


def extract(answer: str, options: Options, question: str = "") -> tuple[str, str]:
    """The letter that an answer commits to, `CONFLICT`, or empty; and the stage that found it."""
    answer = _one_turn(answer[-TAIL:])
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
    return _only(text, options)


def _one_turn(answer: str) -> str:
    """The answer up to where a model that does not stop asks itself the next question."""
    answer = answer.strip()
    found = _NEXT_TURN.search(answer)
    return answer[: found.start()] if found else answer


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


def _only(text: str, options: Options) -> tuple[str, str]:
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
            single = len(named) == 1 and len(piece) <= 400 and not NEGATED.search(piece) and not WEIGHED.search(piece)
            return (named.pop() if single else ""), f"only letter, {scope}"
    return _only_text(scopes, options)


def _only_text(scopes: list[tuple[str, str]], options: Options) -> tuple[str, str]:
    """The one option whose text a short answer holds (VLMEvalKit's bound on its length)."""
    limit = 2 * sum(len(option) for option, _ in options.texts) + 40
    for piece, scope in scopes:
        named, rest = options.mentioned(fold(piece)) if len(piece) <= limit else (set[str](), "")
        if named:
            if scope == "whole answer" or (len(scopes) > 1 and scopes[1][0] == piece):
                rest = rest.replace(" would ", " ")  # alone in the answer, `The price would fall` supposes nothing
            single = len(named) == 1 and not NEGATED.search(rest) and not WEIGHED.search(rest)
            return (named.pop() if single else ""), f"only text, {scope}"
    return "", "whole"


def _last_sentence(text: str) -> str:
    """The last sentence of the last line."""
    line = text.rpartition("\n")[2]
    return SENTENCE.split(line)[-1]
