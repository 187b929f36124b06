"""`mmmu_open`: the open questions of MMMU.

Protocol: the answer is cut at line breaks; of each piece the shortest tail behind `is`, `so`, `thus`, `therefore`,
`final`, `answer`, `result`, `could be` (in the last piece also `=`) is a key response, without any the whole is; the
numbers in them count too. Numbers are equal when they agree rounded to two decimals; a text reference must stand in a
key response, case folded. Source: MMMU-Benchmark/MMMU, `eval_utils.py` (`parse_open_response`, `eval_open`).

The rule takes any number and any mention: `It is not the mitochondria` matches. Admitted is only what the last
commitment says and nothing else.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import TAIL, last_commitment, plain
from beam_rs.verifiers._numbers import numbers
from beam_rs.verifiers.base import Verifier

_INDICATORS: Final = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_TRIVIAL: Final = frozenset(":,.!?;'")
# The official patterns, kept from starting inside a run of digits: the same matches, in linear time.
_NUMBERS: Final = (
    re.compile(r"-?\b\d{1,3}(?:,\d{3})+\b"),
    re.compile(r"-?(?<!\d)\d+(?:\.\d+)?[eE][+-]?\d+"),
    re.compile(r"-?(?:(?<!\d)\d+\.\d+|\.\d+|(?<!\d)\d+\b)(?![eE][+-]?\d+)(?![,\d])"),
)
_POLITE: Final = re.compile(
    r"\n\s*(?:i hope|hope (?:this|that)|let me know|feel free|if you have|is there anything)[^\n]*\s*$", re.IGNORECASE
)
"""The last line of a helpful model, which answers nothing."""
_NEGATION: Final = re.compile(
    r"n't\b|\b(?:not|no|never|cannot|neither|nor|incorrect|wrong|rather than|instead of|unlike|except|or)\b", re.I
)


def normalise(text: str) -> float | str:
    """A number rounded to two decimals, or the text in lower case.

    >>> normalise("1,000.504"), normalise(" Paris ")
    (1000.5, 'paris')
    """
    text = text.strip()
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return text.lower()
    return round(value, 2) if math.isfinite(value) else text.lower()


def _needles(text: str) -> list[float | str]:
    """What to look for: a single character only beside a blank, so that it is not found inside a word."""
    value = normalise(text)
    if isinstance(value, str) and len(value) == 1:
        return [f" {value}", f"{value} "]
    return [value]


def key_responses(answer: str) -> list[str]:
    r"""The parts of an answer that may hold its result.

    >>> key_responses("We add both.\nSo the sum is 7.")
    ['7']
    """
    text = answer.strip().strip(".").lower()
    pieces = text.split("\n")
    keys = [key for place, piece in enumerate(pieces) for key in _tail(piece, place == len(pieces) - 1)]
    return keys or [text]


def _tail(piece: str, last: bool) -> Iterator[str]:
    """The shortest tail behind an indicator."""
    shortest = ""
    for indicator in (*_INDICATORS, "=") if last else _INDICATORS:
        if indicator in piece:
            tail = piece.rpartition(indicator)[2].strip()
            if not shortest or len(tail) < len(shortest):
                shortest = tail
    if shortest and shortest not in _TRIVIAL:
        yield shortest


def read_numbers(text: str) -> list[str]:
    """Numbers with thousands separators, in scientific notation, and plain ones."""
    return [found for pattern in _NUMBERS for found in pattern.findall(text)]


@dataclass(frozen=True, kw_only=True)
class MmmuOpen(Verifier):
    """Open answers of MMMU."""

    name: ClassVar[str] = "mmmu_open"

    def unjudgeable(self, case: Case) -> str | None:
        return None if any(r.strip() for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        references = [r for r in case.references if r.strip()]
        if not answer.strip():
            return self.verdict("no_match", reason="empty answer")
        keys = key_responses(answer[-TAIL:])
        found = self._official(references, keys)
        if found is None:
            return self.verdict(
                "no_match", extracted=keys[-1][:200], form="key response", reason="not in any key response"
            )
        text, form = self._commitment(answer, keys)
        sure = self._says(references, text)
        reason = "the commitment says it" if sure else "mentioned, not committed to"
        return self.verdict("match", admitted=sure, extracted=text[:200], form=form, reason=reason)

    def _official(self, references: list[str], keys: list[str]) -> str | None:
        """The key response, or number in one, that satisfies the official rule."""
        needles = [needle for reference in references for needle in _needles(reference)]
        values = {needle for needle in needles if isinstance(needle, float)}
        texts = [needle for needle in needles if isinstance(needle, str)]
        for key in [*keys, *(number for text in keys for number in read_numbers(text))]:
            for value in _needles(key):
                if value in values if isinstance(value, float) else any(text in value for text in texts):
                    return key
        return None

    def _commitment(self, answer: str, keys: list[str]) -> tuple[str, str]:
        """The last word of an answer: its box, tag or label, else the last key response."""
        mark = last_commitment(answer)
        if mark:
            return plain(mark.text), mark.form
        if _POLITE.search(answer[-TAIL:]):
            keys = key_responses(_POLITE.sub("", answer[-TAIL:]))
        return plain(keys[-1]), "key response"

    def _says(self, references: list[str], text: str) -> bool:
        """Whether a commitment says a reference and nothing else."""
        text = text.strip().strip(".").lower()
        values = {normalise(number) for number in numbers(text)}
        for reference in references:
            wanted = normalise(reference)
            if isinstance(wanted, float):
                if values == {wanted} and not _NEGATION.search(text):
                    return True
            elif _mentions(text, wanted) and not _NEGATION.search(text.replace(wanted, " ")):
                return True
        return False


def _mentions(text: str, wanted: str) -> bool:
    """Whether a text holds another as whole words."""
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None
