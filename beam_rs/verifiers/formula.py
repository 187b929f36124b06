r"""Formula recognition: two LaTeX texts, token by token."""

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from rapidfuzz.distance import Levenshtein

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._conclusions import without_courtesy
from beam_rs.verifiers._latex_text import balanced_end
from beam_rs.verifiers.base import Verifier

LONGEST: Final = 20_000

_TOKEN: Final = re.compile(r"\\[A-Za-z]+|\\[^A-Za-z]|\S", re.DOTALL)
_FENCE: Final = re.compile(r"```[ \t]*(?:latex|tex|math|LaTeX)?[ \t]*\r?\n?(.*?)```", re.DOTALL)
_DISPLAY: Final = re.compile(
    r"\$\$([^$]+)\$\$|\\\[((?:(?!\\\[).)+?)\\\]"
    r"|\\begin\{(?:equation|displaymath)\*?\}((?:(?!\\begin\{(?:equ|displ)).)+?)\\end\{(?:equation|displaymath)\*?\}",
    re.DOTALL,
)
_INLINE: Final = re.compile(r"(?<![\\$])\$([^$\n]+)\$(?!\$)|\\\(((?:(?!\\\().)+?)\\\)|(?<!`)`([^`\n]+)`(?!`)")
_LEAD: Final = re.compile(r"(?i)^[^\\\n]{0,80}?\b(?:latex|formula|expression|equation|answer|is)\b[^\\\n:]{0,40}:\s*")


@dataclass(frozen=True, kw_only=True)
class Formula(Verifier):
    r"""Equality of LaTeX token sequences (ExpRate); the score is one minus their normalised edit distance.

    White space between tokens counts for nothing, `\ ` and other spacing commands count. Recognition is not algebra:
    order, operators and braces are part of what is read. Source: opendatalab/UniMERNet `normalize_text`, with all
    blanks taken out (both give the same equality); edit distance over the longer sequence as in
    harvardnlp/im2markup `evaluate_text_edit_distance.py`.

    Args:
      accept_at: smallest score that matches; 1 is ExpRate.
    """

    name: ClassVar[str] = "formula"
    accept_at: float = 1.0

    def unjudgeable(self, case: Case) -> str | None:
        if not case.references:
            return "no reference"
        if not all(tokens(bare(reference)) for reference in case.references):
            return "the reference holds no LaTeX token"
        return None

    def compare(self, case: Case, answer: str) -> Verdict:
        if answer in case.references:
            return self.verdict("match", extracted=answer, form="whole")
        text, form = find_formula(answer[-2 * LONGEST :])
        if len(text) > LONGEST:
            return self.verdict("no_match", form=form, reason="the answer is too long for a formula")
        predicted = tokens(text)
        if not predicted:
            return self.verdict("no_match", form=form, reason="no formula in the answer")
        score = max(likeness(predicted, tokens(bare(reference))) for reference in case.references)
        matched = score >= self.accept_at - 1e-9
        return self.verdict(
            "match" if matched else "no_match",
            score=score,
            extracted=text,
            form=form,
            reason="" if matched else "formulas differ",
        )


def tokens(text: str) -> list[str]:
    r"""Commands, escaped characters and single characters, without white space.

    >>> tokens(r"\frac { 1 }{x_2}")
    ['\\frac', '{', '1', '}', '{', 'x', '_', '2', '}']
    """
    return _TOKEN.findall(text)


def bare(text: str) -> str:
    r"""A formula without the delimiters, or the box, around the whole of it.

    >>> bare("$$ x $$"), bare(r"\boxed{x}"), bare("$x$ and $y$")
    ('x', 'x', '$x$ and $y$')
    """
    text = text.strip()
    for opening, closing in (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)")):
        inside = text[len(opening) : -len(closing)]
        if text.startswith(opening) and text.endswith(closing) and len(text) > 2 * len(opening) and "$" not in inside:
            return bare(inside)
    boxed = len(r"\boxed")
    if text.startswith(r"\boxed{") and balanced_end(text, boxed) == len(text):
        return bare(text[boxed + 1 : -1])
    return text


def likeness(a: list[str], b: list[str]) -> float:
    """One minus the edit distance over the longer length; symmetric.

    >>> likeness(["x", "+", "1"], ["x", "-", "1"])
    0.6666666666666667
    """
    return float(Levenshtein.normalized_similarity(a, b))


def find_formula(answer: str) -> tuple[str, str]:
    """The formula that an answer gives, and the stage that found it.

    A display or a fence stands for the formula; the last one counts. An inline formula does so only in a single
    sentence, since prose names parts of a formula inline. Else the whole text is the formula.
    """
    text = without_courtesy(answer).strip()
    if bare(text) != text:
        return bare(text), "whole"
    if fences := _FENCE.findall(text):
        return bare(fences[-1]), "fence"
    if displays := _DISPLAY.findall(text):
        return next(part for part in displays[-1] if part).strip(), "display"
    inline = _INLINE.findall(text)
    if len(inline) == 1 and "\n" not in text:
        return next(part for part in inline[0] if part).strip(), "inline"
    return _LEAD.sub("", text, count=1), "whole"
