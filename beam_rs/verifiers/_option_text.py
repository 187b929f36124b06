"""An option's text, folded so that the ways of writing it are one, and found again as whole words."""

import re
from functools import lru_cache
from typing import Final

from beam_rs.verifiers._answers import plain
from beam_rs.verifiers._numbers import WORDS

_ARTICLE: Final = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)
_OPERATOR: Final = re.compile(r" ?([=<>+*/^×÷]) ?")
_DEGREES: Final = re.compile(r"\s*(?:\^?\s*\{?\s*\\circ\s*\}?|degrees?\b|°)")
_FRACTION: Final = re.compile(r"\\[dt]?frac\s*\{\s*([^{}\s]{1,12})\s*\}\s*\{\s*([^{}\s]{1,12})\s*\}")
_ROOT: Final = re.compile(r"(?:\\sqrt|√)\s*\{\s*([^{}\s]{1,12})\s*\}")
_SYMBOLS: Final = {r"\\pi\b": "π", r"\\times\b": "×", r"\\cdot\b": "·", r"\\div\b": "÷"}
_MEASURED: Final = re.compile(r"([$€£¥]?)(-?\d[\d.,/√π]*)(| ?[^\d\s][^\d]{0,20})")
_WORDS: Final = {word: str(value) for word, value in WORDS.items() if value <= 20 and word != "none"}
_PRODUCT: Final = re.compile(r"[A-Za-z0-9.√π]+")
_FACTOR: Final = re.compile(r"√?(?:[0-9.]+|[A-Za-z])")


def fold(text: str) -> str:
    r"""An option's text or an answer's, without case, markup, articles and closing punctuation.

    >>> fold("The **Dog**.")
    'dog'
    >>> fold(r"$45^\circ$")
    '45°'
    >>> fold(r"\frac { 4 } { 5 }"), fold(r"2\sqrt{3}")
    ('4/5', '2√3')
    """
    text = " ".join(_DEGREES.sub("°", _linear(plain(text))).casefold().split())
    text = _OPERATOR.sub(r"\1", text).strip("\"'()[]{} ").rstrip(".,;:! ").lstrip(": ").rstrip(")]}\"' ")
    return _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text


def _linear(text: str) -> str:
    """The text with simple fractions, roots and signs of LaTeX as one types them."""
    if "\\" not in text and "√" not in text:
        return text
    text = _ROOT.sub(lambda root: "√" + _term(root[1], _FACTOR), text)
    text = _FRACTION.sub(lambda term: f"{_term(term[1], _PRODUCT)}/{_term(term[2], _FACTOR)}", text)
    for command, sign in _SYMBOLS.items():
        text = re.sub(command, sign, text)
    return re.sub(r"(?<=[\d)]) ?√", "√", text)


def _term(text: str, bare: re.Pattern[str]) -> str:
    """A numerator, denominator or radicand, in parentheses where it would not be read as one without them."""
    return text if bare.fullmatch(text) else f"({text})"


def folded_start(text: str) -> str:
    """The beginning of a fragment, folded but for its end, to compare with options."""
    line = _DEGREES.sub("°", _linear(text.lstrip())).partition("\n")[0]
    text = _OPERATOR.sub(r"\1", " ".join(line.casefold().split())).lstrip("\"'([{: ")
    return _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text


@lru_cache(maxsize=16384)
def whole_words(option: str) -> re.Pattern[str]:
    """An option as whole words and whole numbers: `3` is neither in `13` nor in `3.5` or `3√2`.

    `yes` and `no` are answers only where the words end there: `There is no way to know` says neither.
    """
    if option in ("yes", "no"):
        return re.compile(rf"(?<![a-z0-9]){option}(?=\s*(?:$|[,.;:!)\"']))")
    before = (
        r"(?<![a-z0-9])(?<![0-9][.,/:])(?<![-√^×*+/÷])"
        if option[0].isdigit()
        else r"(?<![a-z0-9])"
        if option[0].isascii()
        else ""
    )
    after = (
        r"(?![a-z0-9])(?![.,/:%°][0-9]|[%°√π^×*+/÷=])"
        if option[-1].isdigit()
        else r"(?![a-z0-9])"
        if option[-1].isascii()
        else ""
    )
    before, after = (before if option[0].isalnum() else ""), (after if option[-1].isalnum() else "")
    return re.compile(before + re.escape(option) + after)


def ends(text: str, end: int) -> bool:
    """Whether an option that ends here is not the beginning of a longer word or number."""
    if end >= len(text) or not text[end - 1].isascii() or not text[end - 1].isalnum():
        return True
    rest = text[end : end + 2]
    return not (rest[0].isascii() and rest[0].isalnum()) and not (rest[0] in ".,/:%°-'" and rest[1:].isalnum())


def aliases_of(options: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Number words for bare numbers, and bare numbers where all options are numbers of one unit.

    Args:
      options: folded text of each option, with its letter.

    >>> aliases_of({"2": "A", "seven": "B"})
    (('two', 'A'), ('7', 'B'))
    >>> aliases_of({"5 cm": "A", "10 cm": "B"}), aliases_of({"5 cm": "A", "5 m": "B"})
    ((('5', 'A'), ('10', 'B')), ())
    """
    found = {word: options[digit] for word, digit in _WORDS.items() if digit in options}
    found |= {digit: options[word] for word, digit in _WORDS.items() if word in options}
    measured = [_MEASURED.fullmatch(text) for text in options]
    if len({(m[1], m[3]) for m in measured if m}) == 1 and all(m and (m[1] or m[3]) for m in measured):
        found |= {m[2]: letter for m, letter in zip(measured, options.values(), strict=True) if m}
    return tuple((text, letter) for text, letter in found.items() if text not in options)
