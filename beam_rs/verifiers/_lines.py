"""An option in the first or the last line of an answer, and what follows or precedes it there."""

import re
from collections.abc import Iterator
from typing import Final

from beam_rs.verifiers._choices import CONFLICT, NOTHING, Found, Options, read_choice
from beam_rs.verifiers._declarations import NEGATED, denied
from beam_rs.verifiers._option_text import fold

SENTENCE: Final = re.compile(r"(?<=[.!?])(?<![^A-Za-z][A-Za-z]\.)(?<!^[A-Za-z]\.)\s+")
"""Between sentences, but not behind the letter of `B. dog`."""
LINE_LETTER: Final = re.compile(
    r"[ \t]*(?:[-•]\s*)?(?:option\s+)?[(\[]?([A-Z])(?:[.):\]]|\s+[-–:])\s*\S", re.IGNORECASE
)
_OFF_HAND: Final = re.compile(
    r"\b(?:option|choice|answer)\s+[(\[\"']?([A-Z])(?![\w'])|\(([A-Z])\)|(?:^|(?<=\n))([A-Z])[.):](?=\s)", re.IGNORECASE
)
_CLOSING: Final = re.compile(
    r"(?i:\b(?:say|think|choose|select|pick|guess|likely|probably|perhaps|leaves|leaving|labell?ed|definitely"
    r"|clearly|go with|(?:suggest|indicate|confirm)(?:s|ed)?)|"
    r"\b(?:match|guess|bet|fit) (?:is|would be)|\bi (?:think|believe|guess)(?: that)?(?: it)?(?:'s| is)"
    r"|\b(?:not sure|unsure), but)"
    r"[\s:]+[(\[\"']?([A-Z])[)\]\"']?[.!]*$",
)
"""A last sentence that ends in a letter behind a word of choosing; any other letter there may name a point."""
_LINE_VERDICT: Final = re.compile(
    r"(?:[:,.(-]|\b(?:so|is|are|thus|hence))\s*(?:(?P<wrong>incorrect|wrong|false)|correct|right|true)[).!*]*\s*$",
    re.IGNORECASE,
)
_BARE: Final = re.compile(r"(?<![\w'])[B-H](?![\w'])")
_ANALYSIS: Final = re.compile(r"(?:option|choice)\s+[(\[]?[A-Za-z][)\]]?\s*[:.]", re.IGNORECASE)
WEIGHED: Final = re.compile(
    r"\b(?:consider\w*|possib\w+|could|might|may|would|at first|initially|compared?|similar\w*|rule out"
    r"|ruled out|is out|eliminat\w+"
    r"|if|wrong|incorrect|does not|doesn't|is not|isn't)\b|不|错",
    re.IGNORECASE,
)
"""Words by which an option is weighed or denied, not taken."""
REFUSAL: Final = re.compile(
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


def leading(text: str, options: Options) -> Found:
    """The answer begins with an option, and what follows does not go through the others as well."""
    first, _, rest = text.partition("\n")
    alone = _alone(first.strip(), options)
    if alone.letter:
        return _kept(alone, rest, options)
    found = read_choice(text, options)
    if not found.letter or found.letter == CONFLICT:
        return found if not rest.strip() else NOTHING
    later = (last_line(text, options) if rest.strip() else _conclusion(first, options)).letter
    if later and later != found.letter:
        return NOTHING  # the last word counts, and the first was no more than a beginning
    sentence = SENTENCE.split(first, maxsplit=1)[0]
    if found.how == "text":
        folded = fold(sentence)
        return found if len(options.mentioned(folded)[0]) <= 1 and not REFUSAL.search(folded) else NOTHING
    if _ANALYSIS.match(text) or not _explains(text, found.letter, options):
        return NOTHING
    return found


def _kept(found: Found, rest: str, options: Options) -> Found:
    """A choice in the first line, unless the lines behind it choose otherwise or go through the options."""
    lines = [line.strip() for line in rest.split("\n") if line.strip()]
    if not lines:
        return found
    if any(_alone(line, options).letter not in ("", found.letter) for line in (lines[0], lines[-1])):
        return Found(CONFLICT)
    closing = _conclusion(lines[-1], options)
    return Found(CONFLICT) if closing.letter and closing.letter != found.letter else found


def _explains(text: str, letter: str, options: Options) -> bool:
    """Whether `B, …` or `B: …` gives reasons for B rather than weighing it: `because`, or no other option named."""
    if re.match(r"[(\[]?[A-Za-z][)\]]?[.,:)]?\s*(?:-\s*)?(?:because|since|as|due to)\b", text, re.IGNORECASE):
        return True
    others = set(_BARE.findall(text)) | set(off_hand(text, options))
    sentence = SENTENCE.split(text, maxsplit=1)[0]
    weighed = WEIGHED.search(sentence) is not None and not re.search(r"\b(?:others?|rest)\b", sentence)
    return not others - {letter} and not weighed


def _alone(line: str, options: Options) -> Found:
    """A line that is nothing but an option: its letter, its text, or a letter with its own or other words."""
    found = whole(line, options)
    if found.letter:
        return found
    found = read_choice(line, options)
    label = LINE_LETTER.match(line)
    if found.how != "letter" or not found.letter or not label or len(line) > options.longest + 60:
        return NOTHING
    words = fold(line[label.end(1) :].lstrip(").:] -"))
    own = next((text for text, letter in options.texts if letter == found.letter), "")
    if words == own or (not own and len(words.split()) <= 12):
        return found
    # `C. bird: it has a tail` weighs the option; `B. Canine` names it in other words.
    weighs = bool(own) and words.startswith(own)
    return found if not weighs and len(words.split()) <= 6 and not WEIGHED.search(words) else NOTHING


def _conclusion(line: str, options: Options) -> Found:
    """What a last sentence with `so` or `therefore` names, if that is one option alone."""
    sentence = SENTENCE.split(line)[-1]
    opening = _SO.match(sentence)
    if not opening or WEIGHED.search(sentence):
        return NOTHING
    named, rest = options.mentioned(fold(sentence[opening.end() :]))
    named |= set() if options.lettered else set(off_hand(sentence, options))
    return Found(named.pop(), "text") if len(named) == 1 and not NEGATED.search(rest) else NOTHING


def last_line(text: str, options: Options) -> Found:
    """The last line is an option, alone or behind `so` and the like."""
    before, _, line = text.rpartition("\n")
    if _echoes(before, line):
        return NOTHING
    for piece in _last_pieces(line.strip()):
        found = _alone(piece, options) if before or piece is not line else whole(piece, options)
        if found.letter:
            return found
        closing = _CLOSING.search(piece)
        if closing and closing[1] in options.letters and not denied(piece[: closing.start()]):
            return Found(closing[1])
    return _conclusion(line.strip(), options)


def line_by_line(text: str, options: Options) -> Found:
    """The one option called right where the lines go through all of them and call the others wrong."""
    judged: dict[str, bool] = {}
    for line in text.split("\n"):
        label, verdict = LINE_LETTER.match(line), _LINE_VERDICT.search(line)
        if label and verdict:
            judged[label[1].upper()] = verdict["wrong"] is None and not NEGATED.search(line)
    right = [letter for letter, is_right in judged.items() if is_right]
    return Found(right[0]) if len(right) == 1 and len(judged) > 2 and set(judged) == set(options.letters) else NOTHING


def _echoes(before: str, line: str) -> bool:
    """Whether the last line goes on with a list of the options: `D. …` behind `C. …`."""
    label = LINE_LETTER.match(line)
    previous = LINE_LETTER.match(before.rstrip().rpartition("\n")[2])
    return bool(label and previous and ord(label[1].upper()) == ord(previous[1].upper()) + 1)


def _last_pieces(line: str) -> Iterator[str]:
    """The last line, its last sentence, and what follows the last `so` in it."""
    line = line[-2000:]
    yield line
    yield SENTENCE.split(line)[-1]
    conclusions = list(_SO.finditer(line))
    if conclusions:
        yield line[conclusions[-1].end() :]


def whole(text: str, options: Options) -> Found:
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


def off_hand(text: str, options: Options) -> Iterator[str]:
    """Letters named as `option B`, `(B)` or `B.` at the start of a line."""
    for found in _OFF_HAND.finditer(text):
        letter = found[1] or found[2] or found[3]
        if letter.isupper() and letter in options.letters:
            yield letter
