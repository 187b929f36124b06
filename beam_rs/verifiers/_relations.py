r"""Inequalities of one variable as intervals, so that `-2 \le x < 7` and `[-2, 7)` are the same answer."""

import re
from typing import Final

RELATION: Final = re.compile(r"[<>]|\\(?:le|ge|ne)(?![A-Za-z])")
JOINED: Final = re.compile(r"(?i)(?:,\s*)?(?<![A-Za-z\\])(?:and|or)(?![A-Za-z])|\\(?:vee|lor|cup)(?![A-Za-z])")

_SIGN: Final = r"(<|>|\\le(?![A-Za-z])|\\ge(?![A-Za-z]))"
_BOUND: Final = r"([^<>=A-Za-z\\]{1,40}|[^<>=]{0,40}?\\(?:frac|sqrt|pi|infty)(?:(?!\\[lgn]e(?![A-Za-z]))[^<>=]){0,80})"
_NAME: Final = r"([A-Za-z](?:_\w)?)"
_CHAIN: Final = re.compile(rf"{_BOUND}\s*{_SIGN}\s*{_NAME}\s*{_SIGN}\s*{_BOUND}")
_SINGLE: Final = re.compile(rf"{_NAME}\s*{_SIGN}\s*{_BOUND}")
_TURNED: Final = re.compile(rf"{_BOUND}\s*{_SIGN}\s*{_NAME}")
_OPPOSITE: Final = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
_REALS: Final = re.compile(r"(?i)(?:[A-Za-z] ?\\in ?)?\\mathbb\{R\}|all real numbers|all reals")


def as_intervals(text: str) -> str | None:
    r"""The intervals that a normalised text with relations stands for, or None where it is of another kind.

    >>> as_intervals(r"-2 \le x < 7"), as_intervals("x < 1 or 3 < x"), as_intervals("x < y")
    ('[-2,7)', '(-\\infty,1) \\cup (3,\\infty)', None)
    """
    if _REALS.fullmatch(text.strip()):
        return r"(-\infty,\infty)"
    if not RELATION.search(text) or len(text) > 300 or r"\ne" in text or re.search(r"(?i)\band\b", text):
        return None
    parts = [_interval(part.strip()) for part in JOINED.split(text)]
    return r" \cup ".join(part for part in parts if part) if all(parts) else None


def _interval(text: str) -> str | None:
    """One inequality, with the unknown between two bounds or on either side of one."""
    if chain := _CHAIN.fullmatch(text):
        low, first, _, second, high = chain.groups()
        if first in ("<", r"\le") and second in ("<", r"\le"):
            return f"{_open(first)}{low.strip()},{high.strip()}{_close(second)}"
        if first in (">", r"\ge") and second in (">", r"\ge"):
            return f"{_open(second)}{high.strip()},{low.strip()}{_close(first)}"
        return None
    if single := _SINGLE.fullmatch(text):
        _, sign, bound = single.groups()
    elif turned := _TURNED.fullmatch(text):
        bound, sign = turned[1], _OPPOSITE[turned[2]]
    else:
        return None
    if sign in (">", r"\ge"):
        return rf"{_open(sign)}{bound.strip()},\infty)"
    return rf"(-\infty,{bound.strip()}{_close(sign)}"


def _open(sign: str) -> str:
    return "[" if "e" in sign else "("


def _close(sign: str) -> str:
    return "]" if "e" in sign else ")"
