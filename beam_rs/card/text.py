r"""Foreign text in a card: shown to the letter, and never read as markup.

Questions, answers, instructions and names come from pools and configurations. In running text and tables they stand
in code spans, in examples in fenced blocks: what stands there is literal in every Markdown dialect (no emphasis, link,
HTML, heading, formula or automatic link), and the fence is longer than any run of backticks within. Characters that
nobody sees, or that turn the direction of writing, are spelt out.
"""

import re
import unicodedata
from typing import Final

LONGEST: Final = 600
"""Characters of a question or an answer that an example shows."""

LINES: Final = 24
"""Lines of a question or an answer that an example shows."""

SHORT: Final = 200
"""Characters of a name, a pattern or a reference in running text."""

_BREAK: Final = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK_LOOKING: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MARKS: Final = 8
"""Combining marks in a row that scripts may need; more of them paint over the lines around."""


def visible(text: str) -> str:
    r"""A text in which every character can be seen; line breaks and tabs stay.

    >>> visible("pay\u202elap\x00")
    'pay⟨U+202E⟩lap⟨U+0000⟩'
    """
    shown, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        shown.append(f"⟨U+{ord(char):04X}⟩" if _hidden(char) or marks > _MARKS else char)
    return "".join(shown)


def _hidden(char: str) -> bool:
    if char in "\n\t" or " " <= char <= "~":
        return False
    kind = unicodedata.category(char)
    # A selector of a variant (Mn) has no shape of its own.
    selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return kind in _HIDDEN or char in _BLANK_LOOKING or selector


def cut(text: str, longest: int = LONGEST) -> str:
    """A text that is not too long, with a mark where something was left out.

    >>> cut("abcdefgh", 3)
    'abc … [cut: 3 of 8 characters]'
    """
    if len(text) <= longest:
        return text
    return f"{text[:longest].rstrip()} … [cut: {longest:,} of {len(text):,} characters]"


def code(text: str, longest: int = SHORT) -> str:
    """A text as a code span, on one line.

    >>> code("a`b"), code(""), code(" x")
    ('``a`b``', '*empty*', '`␣x`')
    """
    line = visible(_BREAK.sub("⏎", cut(text, longest))).replace("\t", "⇥")
    if not line:
        return "*empty*"
    # Blanks at the ends and in a row would be dropped or collapsed.
    line = re.sub(r"^\s+|\s+$|\s{2,}", lambda run: "␣" * len(run[0]), line)
    fence = "`" * (1 + _longest_run(line))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def cell(text: str, longest: int = SHORT) -> str:
    r"""A text as a code span in a table.

    Dialects differ on a backslash in front of a pipe, so that one is spelt out.

    >>> cell("x|y")
    '`x\\|y`'
    """
    return code(text, longest).replace("\\|", "⟨U+005C⟩|").replace("|", "\\|")


def block(text: str, longest: int = LONGEST) -> str:
    r"""A text as a fenced block, line for line.

    >>> print(block("```\ncode"))
    ````text
    ```
    code
    ````
    """
    lines = visible(_BREAK.sub("\n", cut(text, longest))).split("\n")
    if len(lines) > LINES:
        lines = [*lines[:LINES], f"… [cut: {LINES} of {len(lines):,} lines]"]
    shown = "\n".join(lines)
    fence = "`" * max(3, 1 + _longest_run(shown))
    return f"{fence}text\n{shown}\n{fence}"


def escape(text: str) -> str:
    r"""A short text for headings, every sign of it escaped.

    >>> escape("A-__b__")
    'A\\-\\_\\_b\\_\\_'
    """
    return _PUNCTUATION.sub(r"\\\1", visible(_BREAK.sub(" ", cut(text, SHORT))))


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def number(value: int) -> str:
    """A whole number with thousands set apart.

    >>> number(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def percent(share: float | None) -> str:
    """A share, or a dash where there is none.

    >>> percent(0.97787), percent(None)
    ('97.8 %', '–')
    """
    return "–" if share is None else f"{100 * share:.1f} %"


def size(count: int) -> str:
    r"""Bytes in a unit that is easy to read, with a blank that does not break.

    >>> size(812), size(21_813_181), size(4_100_000_000)
    ('812\xa0bytes', '21.8\xa0MB', '4.1\xa0GB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:,.1f}\xa0{name}"
    return f"{count}\xa0bytes"
