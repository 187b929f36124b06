r"""One spelling for what LaTeX and plain text can spell in many ways."""

import re
import unicodedata
from typing import Final

_CHARACTERS: Final = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "×": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ",
        "∙": r"\cdot ", "÷": r"\div ", "π": r"\pi ", "∞": r"\infty ", "≤": r"\le ", "⩽": r"\le ", "≥": r"\ge ",
        "⩾": r"\ge ",
        "≠": r"\ne ", "≈": r"\approx ", "°": r"^\circ ", "∘": r"^\circ ", "±": r"\pm ", "∪": r"\cup ", "∩": r"\cap ",
        "θ": r"\theta ", "α": r"\alpha ", "β": r"\beta ", "∠": r"\angle ", "△": r"\triangle ", "∈": r"\in ",
        "½": r"\frac{1}{2}", "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}",
        "，": ", ", "；": "; ", "。": ". ", "：": ": ", "（": "(", "）": ")", "“": '"', "”": '"', "’": "'",
        "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u200b": "", "\ufeff": "", "\0": "",
    }
)  # fmt: skip
_RAISED: Final = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_LOWERED: Final = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")
_DROPPED: Final = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|boldsymbol|!)(?![A-Za-z])\.?|\\\$|\*\*|`"
)
_BLANKS: Final = re.compile(r"(?<!\\)\\[,;: >]|\\(?:quad|qquad|hspace\{[^{}]*\}|enspace|thinspace)(?![A-Za-z])|~|\s+")
_DELIMITERS: Final = re.compile(r"\$|(?<!\\)\\[()\[\]]")
_DOUBLED: Final = re.compile(
    r"\\\\(?=(?:[dtc]?frac|sqrt|text|math[a-z]+|pi|infty|circ|left|right|times|cdot|leq?|geq?|neq?|pm|cup|cap|in|approx"
    r"|angle|triangle|theta|alpha|beta|degree|sin|cos|tan|log|ln|overline)(?![A-Za-z]))"
)
"""Commands whose backslash was escaped once too often, as in JSON."""
_TEXT: Final = re.compile(
    r"\\(?:text|textnormal|textbf|textit|textrm|textsf|mathrm|mathbf|mathit|mathsf|mbox|hbox|operatorname|bf|rm)\*?\s*\{([^{}]*)\}"
)
_TIGHT_COMMA: Final = re.compile(r"(?<=\d) ?(?:,\\!\s*|\{ ?, ?\}\s*)(?=\d{3})")
_FRACTION: Final = re.compile(r"\\[dtc]frac(?![A-Za-z])")
_BARE_FRACTION: Final = re.compile(r"\\frac\s*(?:(\d)\s*(\d)|\{([^{}]*)\}\s*([0-9A-Za-z])|([0-9A-Za-z])\s*\{)")
_BARE_ROOT: Final = re.compile(r"(?:\\sqrt|√)\s*(?:(\d+(?:\.\d+)?|[A-Za-z])|\(([^()]*)\))")
_THOUSANDS: Final = re.compile(r"(?<![\d.,])(\d{1,3}(?:(?:,|\{,\})\d{3})+)(?![\d,])")
_MIXED: Final = re.compile(r"(?<![\d./^_{-])(\d{1,6}) (\d{1,6})/(\d{1,6})(?![\d./])")
_SCRIPT: Final = re.compile(r"([\^_])\s*\{\s*([0-9A-Za-z]|\\circ)\s*\}")
_GROUPED: Final = re.compile(r"(?<![\d.,] )(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d,]| \d)")
_KEPT: Final = re.compile(r"(\\[A-Za-z]+) (?=[A-Za-z])|(?<=\d) (?=[\d.])")
_LOOSE: Final = re.compile(r" +")
_ALIASES: Final = (
    (re.compile(r"€ ?(\d[\d,.]*\d|\d)|(?<=\d) ?€"), r"\1 euro"),
    (re.compile(r"£ ?(\d[\d,.]*\d|\d)|(?<=\d) ?£"), r"\1 gbp"),
    (re.compile(r"<=|=<"), r"\\le "),
    (re.compile(r">="), r"\\ge "),
    (re.compile(r"(?<![\w)}] )(?<![\w)}])\+ ?(?=\\infty)"), ""),
    (re.compile(r"\\begin\{array\}\s*\{[clr| ]*\}"), r"\\begin{pmatrix}"),
    (re.compile(r"\\end\{array\}"), r"\\end{pmatrix}"),
    (re.compile(r"\\(?:leqslant|leq|leqq)(?![A-Za-z])"), r"\\le "),
    (re.compile(r"\\(?:geqslant|geq|geqq)(?![A-Za-z])"), r"\\ge "),
    (re.compile(r"\\neq(?![A-Za-z])"), r"\\ne "),
    (re.compile(r"\\(?:degrees?)(?![A-Za-z])"), r"^\\circ "),
    (re.compile(r"\\lt(?![A-Za-z])"), "<"),
    (re.compile(r"\\gt(?![A-Za-z])"), ">"),
    (re.compile(r"\\(begin|end)\{[bBp]matrix\}"), r"\\\1{pmatrix}"),
    (re.compile(r"\\lbrace(?![A-Za-z])"), r"\\{"),
    (re.compile(r"\\rbrace(?![A-Za-z])"), r"\\}"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\(?:mathbb|Bbb)\s*\{?([A-Z])\}?"), r"\\mathbb{\1}"),
)


def spaced(text: str) -> str:
    r"""A mathematical text in one spelling, words still apart.

    >>> spaced(r"$\dfrac12\text{ cm}$")
    '\\frac{1}{2} cm'
    >>> spaced("１，０００")
    '1, 000'
    """
    text = _RAISED.sub(lambda m: f"^{{{unicodedata.normalize('NFKC', m[0])}}}", text)
    text = _LOWERED.sub(lambda m: f"_{{{unicodedata.normalize('NFKC', m[0])}}}", text)
    text = "".join(unicodedata.normalize("NFKC", c) if "\uff10" <= c <= "\uff5a" else c for c in text)
    text = text if r"\begin" in text else _DOUBLED.sub(r"\\", text)
    text = _DROPPED.sub("", _TIGHT_COMMA.sub(",", text.translate(_CHARACTERS)))
    text = _DELIMITERS.sub(" ", _FRACTION.sub(r"\\frac", text))
    for pattern, replacement in _ALIASES:
        text = pattern.sub(replacement, text)
    text = _TEXT.sub(r" \1 ", _TEXT.sub(r" \1 ", text))
    text = _BARE_FRACTION.sub(_braced_fraction, text)
    text = _BARE_ROOT.sub(lambda m: rf"\sqrt{{{m[1] or m[2]}}}", text)
    text = _BLANKS.sub(" ", text)
    text = _THOUSANDS.sub(_joined_thousands, text).replace("{,}", ",")
    text = _MIXED.sub(r"\1\\frac{\2}{\3}", _SCRIPT.sub(r"\1\2", text))
    return _trimmed(re.sub(r" +", " ", text))


def tight(text: str) -> str:
    r"""The same without blanks, but for those that part a command from a letter or one number from the next.

    >>> tight(r"2 \pi r + 1")
    '2\\pi r+1'
    """
    text = _GROUPED.sub(lambda m: m[0].replace(" ", ""), text)
    return _LOOSE.sub("", _KEPT.sub(r"\1\0", text)).replace("\0", " ")


def _joined_thousands(found: re.Match[str]) -> str:
    """A number without separators; in brackets as `(12,102)` it is a pair."""
    before, after = found.string[: found.start()].rstrip()[-1:], found.string[found.end() :].lstrip()[:1]
    if "{" not in found[1] and (before in ("(", "[") or after in (")", "]")) and before + after:
        return found[1]
    return found[1].replace("{,}", "").replace(",", "")


def _braced_fraction(found: re.Match[str]) -> str:
    if found[1]:
        return rf"\frac{{{found[1]}}}{{{found[2]}}}"
    return rf"\frac{{{found[3]}}}{{{found[4]}}}" if found[4] else rf"\frac{{{found[5]}}}{{"


def _trimmed(text: str) -> str:
    """Without blanks, quotes and sentence punctuation around it; one pair of braces around the whole goes too."""
    before = None
    while before != text:
        before = text
        text = text.strip(" \t\"'").rstrip(".;:,?。").removesuffix("\\")
        if text.startswith("{") and balanced_end(text, 0) == len(text):
            text = text[1:-1]
    return text


def balanced_end(text: str, start: int, opening: str = "{", closing: str = "}") -> int:
    r"""Position behind the group that opens at `start`, or -1 where it never closes; escaped braces do not count.

    >>> balanced_end(r"{a\{b}", 0)
    6
    """
    depth, position = 0, start
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 1
        elif character == opening:
            depth += 1
        elif character == closing:
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return -1
