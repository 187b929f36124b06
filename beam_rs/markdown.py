"""Texts that others wrote, as Markdown that shows them and does nothing else.

What stands in a pool may hold backticks, tables, HTML, links, formulas, control characters or marks that turn the
direction of writing. None of it may act in a card. Longer texts go into fenced blocks, short ones into table cells as
character references, which CommonMark never takes for structure.
"""

import re
import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"
"""Invisible, but part of ordinary Persian, Hindi and emoji texts."""

_ACTIVE: Final = re.compile(r"[\\`*_\[\]<>&|~$#@:]|(?<=www)\.|^[-+=]|(?<=^\d)[.)]", re.IGNORECASE)
"""Characters that begin something anywhere, and those that do at the head of a line or in a bare address."""


def visible(text: str) -> str:
    r"""The text with invisible and control characters written out, one kind of line end, and tabs as they are.

    >>> visible("abc\u202edef\r\n\x00")
    'abc\\u202edef\n\\x00'
    """
    return "".join(map(_shown, re.sub(r"\r\n?", "\n", text)))


def inline(text: str, limit: int = 300) -> str:
    """A short text for a table cell or a sentence; line ends become blanks.

    >>> inline("a|b <b>")
    'a&#124;b &#60;b&#62;'
    """
    line = " ".join(visible(cut(text, limit)).split())
    # A long number and a dot at the head begin a list as well; a look-behind cannot say so.
    line = re.sub(r"^(\d{2,9})([.)])", lambda found: f"{found[1]}&#{ord(found[2])};", _ACTIVE.sub(_reference, line))
    return line


def _reference(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def fenced(text: str, limit: int = 2000) -> str:
    r"""A text as a fenced block whose fence is longer than any run of backticks in it.

    >>> fenced("a ``` b").splitlines()[0]
    '````text'
    """
    shown = visible(cut(text, limit))
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


def cut(text: str, limit: int) -> str:
    """The beginning of a long text, and how long it is.

    >>> cut("abcdef", 3)
    'abc … (6 characters)'
    """
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text):,} characters)"


def _shown(character: str) -> str:
    if character in "\n\t" or character in _JOINERS or unicodedata.category(character) not in _INVISIBLE:
        return character
    return character.encode("unicode_escape").decode("ascii")


_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
