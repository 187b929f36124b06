"""Reading one option out of a piece of text: a letter, an option's text, or a reason to take neither."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from beam_rs.prompts import LETTERS
from beam_rs.verifiers._option_text import aliases_of, ends, fold, folded_start, whole_words

CONFLICT: Final = "?"
"""Two different options are named, or a letter that does not exist: a commitment, but to no single option."""

_OPEN: Final = re.compile(
    r"(?:-\s)?[\s:=,\"'\[({<>]*(?:(?:the\s+|an?\s+)?(?:(?:correct|final|best|right)\s+)?(?:(?:option|choice"
    r"|answer|letter)\b|选项|选)\s*[:#]?\s*)?[\"'\[({<]*",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"([A-Za-z])(?![A-Za-z0-9_^{]|['/.:-][A-Za-z0-9])")
_GLUED: Final = re.compile(r"([A-Z])[.:)]\s?(?=[A-Za-z0-9])")
_CLOSE: Final = re.compile(r"[\"'\])}>]*[ \t]*")
_SECOND: Final = re.compile(
    r"(?:(?P<list>,|/|&|\+|;)|(?:,\s*)?(?:and/or|and|or|或者?|和)\b)\s*(?:(?:also|then|option"
    r"|choice)\s+)?[\"'\[(]*(?P<letter>[A-Z])(?![A-Za-z0-9_'])",
)
_RUN_ON: Final = re.compile(r"\s*(?:[\"')\].,;:!?\n/&+|-]|$|and\b|or\b)")
_GOES_ON: Final = re.compile(
    r"(?:because|since|as|for|due|based|given|which|where|in|from|with|and|or|if|but|not|so|therefore|while|when|the|"
    r"according|option|answer|choice|on|at)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(r"(?:because|since|as|for|due|based|given|so|therefore)\b", re.IGNORECASE)
"""What may follow a bare letter at the start of prose: `B because …` chooses, `B and A are similar` does not."""
_HANZI_AFTER: Final = re.compile(
    r"(?:选项|项)?(?:[^\w]|$|因为|由于|是?(?:正确|对的|最)|입니다|이다|です|だ)(?!.{0,4}(?:不|错))|(?:选项|项)$"
)
_BREAK: Final = re.compile(
    r"\s*(?:[.,;:!?()\"'\]}]|$|[-–—]\s|(?:because|since|as|due|which|where|and|but|not|so|is|was|in (?:the|this)"
    r"|for|based|according|with|given)\b)"
)
"""What may follow an option's text where that text is the answer; `New York City` is not `New York`."""
_REFERS: Final = re.compile(
    r"\b(?:fig(?:ure|\.)?|table|step|question|image|row|column|line|part|option|choice|no\.) \d+\b"
)
"""Numbers that number something: `Figure 2` names no option 2."""
_NUMBERED: Final = re.compile(r"(?:option|choice)\s*[\"'\[({<]*$", re.IGNORECASE)
_NAMED: Final = re.compile(r"(?<=\w )(?:[B-HJ-Z]|A(?! [a-z]))(?![\w'])|(?<![\w'])(?:[B-HJ-Z]|A(?! [a-z]))(?= \w)")


class Found(NamedTuple):
    """What was read.

    Attributes:
      letter: the option's letter, `CONFLICT`, or empty where nothing was found.
      how: `letter` or `text`.
    """

    letter: str
    how: str = "letter"


NOTHING: Final = Found("")


@dataclass(frozen=True)
class Options:
    """The options of a question, ready to be found in text.

    Attributes:
      letters: the letters that exist.
      texts: folded text of each option that no other option shares, with its letter; longest first.
      longest: characters of a text that may still be equal to one of them, markup included.
      aliases: other spellings that stand for an option only where they are the whole text: `three` for `3`.
      lettered: some texts speak of letters themselves, as `Only A` does: a letter in prose need not be an option's.
    """

    letters: str
    texts: tuple[tuple[str, str], ...]
    longest: int = 0
    lettered: bool = False
    aliases: tuple[tuple[str, str], ...] = ()

    def by_text(self, text: str) -> str:
        """Letter of the option that a text equals, or empty."""
        if not text or len(text) > self.longest:
            return ""
        wanted = fold(text)
        named = (letter for option, letter in (*self.texts, *self.aliases) if option == wanted)
        return next(named, "") if wanted else ""

    def starting(self, text: str) -> tuple[str, int]:
        """Letter of the longest option that a folded text begins with before it breaks off, and its length."""
        for option, letter in self.texts:
            if text.startswith(option) and ends(text, len(option)):
                return (letter, len(option)) if _BREAK.match(text, len(option)) else ("", 0)
        return "", 0

    def mentioned(self, text: str) -> tuple[set[str], str]:
        """Letters of the options that a folded text names, and the text without them.

        What a longer option covers does not count: `wildcat` names no cat.
        """
        found: set[str] = set()
        text = _REFERS.sub(" ", text)
        for option, letter in self.texts:
            if option in text:
                text, times = whole_words(option).subn(" \x00 ", text)
                found |= {letter} if times else set()
        return found, text


@lru_cache(maxsize=4096)
def options_of(texts: tuple[str, ...]) -> Options:
    """The options of a question."""
    texts = _without_labels(texts[: len(LETTERS)])
    folded = [fold(text) for text in texts]
    unique = [(text, letter) for text, letter in zip(folded, LETTERS, strict=False) if text and folded.count(text) == 1]
    longest = 2 * max(map(len, texts), default=0) + 60
    return Options(
        LETTERS[: len(folded)],
        tuple(sorted(unique, key=lambda pair: -len(pair[0]))),
        longest,
        any(map(_NAMED.search, texts)),
        aliases_of(dict(unique)),
    )


def _without_labels(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts without their own letters, where each begins with it, as `A. cat` and `(B) dog` do."""
    bare = [re.sub(rf"^\s*\(?{letter}[.):]\s+", "", text) for letter, text in zip(LETTERS, texts, strict=False)]
    labelled = all(len(short) < len(text) for short, text in zip(bare, texts, strict=True))
    return tuple(bare) if labelled else texts


def read_choice(fragment: str, options: Options, *, loose: bool = False) -> Found:
    """The option that a fragment begins with.

    Args:
      fragment: plain text, as `plain` leaves it.
      options: what there is to choose from.
      loose: the fragment is known to be an answer, so a bare letter in front of other words is one, too.

    >>> cats = options_of(("cat", "dog"))
    >>> [read_choice(text, cats).letter for text in ("(B) dog", "A dog", "B or A", "E", "AB")]
    ['B', 'B', '?', '?', '']
    """
    start = _OPEN.match(fragment)
    at = start.end() if start else 0
    by_text, length = options.starting(folded_start(fragment[at : at + 600]))
    if by_text and fragment[at : at + 1].isdigit() and _NUMBERED.search(fragment[:at]):
        return NOTHING  # `option 3` may be the third as well as the one that reads 3
    found = _LETTER.match(fragment, at) or _GLUED.match(fragment, at)
    letter = found[1].upper() if found else ""
    if not found or (length > 1 and _is_word(fragment, found, options)):
        return Found(by_text, "text") if by_text else NOTHING
    closing = _CLOSE.match(fragment, found.end(1))
    end = closing.end() if closing else found.end(1)
    labelled = (end > found.end(1) and fragment[found.end(1) : end].strip() != "") or fragment[end : end + 1] in set(
        ".:)"
    )
    rest = (
        fragment[end:].lstrip(".:) \t-")
        if labelled or fragment[end : end + 1] in "-\u2013\u2014"
        else fragment[end:].lstrip()
    )
    if _names_another(fragment, end, letter, options):
        return Found(CONFLICT)
    if not labelled and not _stands_alone(fragment, end, rest, letter, options, loose):
        return Found(by_text, "text") if by_text else NOTHING
    if letter not in options.letters:
        if by_text:
            return Found(by_text, "text")
        return Found(CONFLICT) if found[1].isupper() else NOTHING
    text = options.by_text(rest.partition("\n")[0].lstrip(", "))
    return Found(CONFLICT) if text and text != letter and len(rest) > 1 else Found(letter)


def _is_word(fragment: str, found: re.Match[str], options: Options) -> bool:
    """Whether the letter is the article or the beginning of an option's text rather than a label."""
    behind = fragment[found.end(1) : found.end(1) + 1]
    if behind in (".", ":", ")") and options.letters.find(found[1].upper()) >= 0:
        own = options.starting(folded_start(fragment[found.start(1) :]))[0]
        return own != "" and fragment[found.end(1) + 1 : found.end(1) + 2].isalnum()
    return True


def _names_another(fragment: str, end: int, letter: str, options: Options) -> bool:
    """Whether a second letter follows, as in `B or C` and `A, D`."""
    second = _SECOND.match(fragment, end) or _SECOND.match(fragment, end + 1)
    if not second or second["letter"] == letter or second["letter"] not in options.letters:
        return False
    # `B, A is wrong` explains; `B, A` lists. After a word such as `or`, an article is the only other reading.
    alone = _RUN_ON.match(fragment, second.end()) is not None
    return alone if second["list"] or second["letter"] in "AI" else True


def _stands_alone(fragment: str, end: int, rest: str, letter: str, options: Options, loose: bool) -> bool:
    """Whether a letter without punctuation is an answer and not a word, a name or a unit."""
    behind = fragment[end : end + 1]
    if not rest or behind in (",", ";", "!", "\n") or fragment[end - 1 : end] == "\n":
        return True
    if not behind.isascii():
        return _HANZI_AFTER.match(rest) is not None
    if options.by_text(rest.partition("\n")[0]) == letter and letter:
        return True
    if behind in "?":
        return False
    goes_on = (_GOES_ON if loose else _REASON).match(rest) is not None
    if letter in "AI" and not fragment[end - 1 : end].isspace():
        return goes_on
    return goes_on and (loose or letter not in "I")
