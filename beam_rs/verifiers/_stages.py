"""The stages that look for the option an answer commits to."""

import re
from collections.abc import Iterator
from typing import Final

from beam_rs.verifiers._answers import TAIL, boxes, plain, tags
from beam_rs.verifiers._choices import CONFLICT, NOTHING, Found, Options, fold, read_choice
from beam_rs.verifiers._declarations import NEGATED, declared, denied

_SENTENCE: Final = re.compile(r"(?<=[.!?])(?<![^A-Za-z][A-Za-z]\.)(?<!^[A-Za-z]\.)\s+")
"""Between sentences, but not behind the letter of `B. dog`."""
_LINE_LETTER: Final = re.compile(
    r"[ \t]*(?:[-•]\s*)?(?:option\s+)?[(\[]?([A-Z])(?:[.):\]]|\s+[-–:])\s*\S", re.IGNORECASE
)
_OFF_HAND: Final = re.compile(
    r"\b(?:option|choice|answer)\s+[(\[\"']?([A-Z])(?![\w'])|\(([A-Z])\)|(?:^|(?<=\n))([A-Z])[.):](?=\s)", re.IGNORECASE
)
_NEXT_TURN: Final = re.compile(r"\n\s*(?:#+\s*)?(?:question|user|human|q)\s*\d*\s*:", re.IGNORECASE)
_SPEAKER: Final = re.compile(r"(?:assistant|gpt|model|ai|bot)\s*:\s*", re.IGNORECASE)
_CLOSING: Final = re.compile(
    r"(?i:\b(?:say|think|choose|select|pick|guess|likely|probably|perhaps|leaves|leaving|labell?ed|definitely"
    r"|clearly|go with)|"
    r"\b(?:match|guess|bet|fit) (?:is|would be)|\bi (?:think|believe|guess)(?: that)?(?: it)?(?:'s| is)"
    r"|\b(?:not sure|unsure), but)"
    r"[\s:]+[(\[\"']?([A-Z])[)\]\"']?[.!]*$",
)
"""A last sentence that ends in a letter behind a word of choosing; any other letter there may name a point."""

_REFUSAL: Final = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|impossible to|not possible to|not enough"
    r"|insufficient|none of (?:the|these)|no (?:correct|suitable|"
    r"valid) (?:option|answer|choice)|not (?:listed|provided|available|visible|among)|sorry|unclear|uncertain"
    r"|not sure|neither|all of the|both)\b|无法|不能确定|都不",
    re.IGNORECASE,
)
_SO: Final = re.compile(
    r"(?:(?<![A-Za-z])(?:so|therefore|thus|hence|finally|overall|in conclusion|in summary)(?![A-Za-z])|因此|所以"
    r"|综上所述|综上)[\s,:]*"
    r"(?:(?:it|this)(?:'s| is| must be| should be)\s+)?|(?<![A-Za-z])(?:it|this)(?:'s| is| must be| should be)\s+",
    re.IGNORECASE,
)


def extract(answer: str, options: Options, question: str = "") -> tuple[str, str]:
    """The letter that an answer commits to, `CONFLICT`, or empty; and the stage that found it."""
    answer = _one_turn(answer[-TAIL:])
    text = _without_speaker(plain(answer), options)
    if not text:
        return "", "whole"
    whole = _whole(text, options)
    if whole.letter:
        return whole.letter, "whole"
    found, form = _commitment(answer, text, options, question)
    if form:
        return found.letter, form
    for stage, form in ((_leading, "leading"), (_last_line, "last line")):
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
    named = _whole(rest, options).letter or "".join(options.mentioned(fold(rest[:600]))[0])
    return rest if named and "A" not in named else text


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
    whole = _whole(text, options)
    if whole.letter:
        return whole
    found, form = declared(text, options, "")
    return found if form and found.letter else read_choice(text, options, loose=True)


def _leading(text: str, options: Options) -> Found:
    """The answer begins with an option, and what follows does not go through the others as well."""
    if _lines_with_letters(text) > 1:
        return NOTHING
    found = read_choice(text, options)
    last = _whole(text.rpartition("\n")[2], options) if "\n" in text else NOTHING
    if found.letter and last.letter and last.letter != found.letter:
        return Found(CONFLICT)
    if found.how == "text" and found.letter:
        first = fold(re.split(r"[.!?\n]", text, maxsplit=1)[0])
        short = len(options.mentioned(first)[0]) <= 1 and not _REFUSAL.search(first)
        return found if short else NOTHING
    return found


def _last_line(text: str, options: Options) -> Found:
    """The last line is an option, alone or behind `so` and the like."""
    before, _, line = text.rpartition("\n")
    if _lines_with_letters(text) > 1 and _LINE_LETTER.match(line):
        return NOTHING  # the options are gone through line by line
    for piece in _last_pieces(line.strip()):
        found = _whole(piece, options)
        if found.letter:
            return found
        closing = _CLOSING.search(piece)
        if closing and closing[1] in options.letters and not denied(piece[: closing.start()]):
            return Found(closing[1])
        found = read_choice(piece, options)
        if found.letter and found.how == "letter" and before:
            return found
    return NOTHING


def _last_pieces(line: str) -> Iterator[str]:
    """The last line, its last sentence, and what follows the last `so` in it."""
    line = line[-2000:]
    yield line
    yield _SENTENCE.split(line)[-1]
    conclusions = list(_SO.finditer(line))
    if conclusions:
        yield line[conclusions[-1].end() :]


def _lines_with_letters(text: str) -> int:
    """How many different letters begin a line."""
    return len({m[1].upper() for m in map(_LINE_LETTER.match, text.split("\n")) if m})


def _only(text: str, options: Options) -> tuple[str, str]:
    """The one option that the last sentence, or else the whole answer, names."""
    if _REFUSAL.search(text) and not any(_REFUSAL.search(option) for option, _ in options.texts):
        return "", "whole"
    if text.endswith("?"):
        return "", "whole"  # it asks back
    scopes = [(_last_sentence(text), "last sentence"), (text, "whole answer")]
    if _lines_with_letters(text) > 1:
        scopes = [] if _LINE_LETTER.match(text.rpartition("\n")[2]) else scopes[:1]
    for piece, scope in scopes:
        named = set() if options.lettered else set(_off_hand(piece, options))
        if named:
            single = len(named) == 1 and len(piece) <= 400 and not NEGATED.search(piece)
            return (named.pop() if single else ""), f"only letter, {scope}"
    return _only_text(scopes, options)


def _off_hand(text: str, options: Options) -> Iterator[str]:
    """Letters named as `option B`, `(B)` or `B.` at the start of a line."""
    for found in _OFF_HAND.finditer(text):
        letter = found[1] or found[2] or found[3]
        if letter.isupper() and letter in options.letters:
            yield letter


def _only_text(scopes: list[tuple[str, str]], options: Options) -> tuple[str, str]:
    """The one option whose text a short answer holds (VLMEvalKit's bound on its length)."""
    limit = 2 * sum(len(option) for option, _ in options.texts) + 40
    for piece, scope in scopes:
        named, rest = options.mentioned(fold(piece)) if len(piece) <= limit else (set[str](), "")
        if named:
            single = len(named) == 1 and not NEGATED.search(rest)
            return (named.pop() if single else ""), f"only text, {scope}"
    return "", "whole"


def _last_sentence(text: str) -> str:
    """The last sentence of the last line."""
    line = text.rpartition("\n")[2]
    return _SENTENCE.split(line)[-1]
