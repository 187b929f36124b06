"""`relaxed`: ChartQA and PlotQA, numbers within 5 %.

Protocol: where both sides are numbers for Python's `float` (a final `%` divides by 100) and the reference is not 0,
the relative difference may be 5 %; else the texts must be equal, but for case. Source: google-research/pix2struct,
`metrics.py` (`relaxed_correctness`), after Masry et al. 2022 (arXiv 2203.10244, 5.1). Five percent of a year is a
century: where the reference is a year, an answer is admitted only if it is that year.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import last_commitment, readings
from beam_rs.verifiers._commitments import commitment
from beam_rs.verifiers.base import Verifier

_SEPARATED: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?")
_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}|2100")


def to_float(text: str) -> float | None:
    """A number as the protocol reads it, or None.

    >>> to_float("25%"), to_float("1_000"), to_float("1,000")
    (0.25, 1000.0, None)
    """
    try:
        value = float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
    # `nan` and `inf` are words here: as numbers they would not even match themselves.
    return value if math.isfinite(value) else None


def within(reference: str, prediction: str, tolerance: float) -> bool:
    """The official rule for one pair.

    >>> within("10", "10.5", 0.05), within("0", "0.0", 0.05), within("Yes", "yes", 0.05)
    (True, False, True)
    """
    target, value = to_float(reference), to_float(prediction)
    if value is not None and target:
        return abs(value - target) / abs(target) <= tolerance
    return prediction.lower() == reference.lower()


def _bare(text: str) -> str:
    """A committed text without a full stop and, where it is a number, without currency and separators.

    >>> _bare("China."), _bare("$1,200.5"), _bare("1, 2")
    ('China', '1200.5', '1, 2')
    """
    text = text.strip().strip("$").removesuffix(".").strip()
    return text.replace(",", "") if _SEPARATED.fullmatch(text) else text


@dataclass(frozen=True, kw_only=True)
class Relaxed(Verifier):
    """Relaxed accuracy.

    Attributes:
      tolerance: largest relative difference of two numbers.
      final: also read a box, an answer tag or a `Final answer:` label; the official rule does not.
    """

    name: ClassVar[str] = "relaxed"
    tolerance: float = 0.05
    final: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < 1:
            raise ValueError("tolerance must be at least 0 and below 1")

    def unjudgeable(self, case: Case) -> str | None:
        return None if any(r.strip() for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        passed: Verdict | None = None
        text, form = "", "whole"
        for text, form in self._readings(answer):
            for reference in (r.strip() for r in case.references if r.strip()):
                if within(reference, text, self.tolerance):
                    passed = self._passed(reference, text, form)
                    if passed.admitted:
                        return passed
        return passed or self.verdict("no_match", extracted=text[:200] or None, form=form, reason="differs")

    def _readings(self, answer: str) -> Iterator[tuple[str, str]]:
        """The whole answer as it stands; what it commits to without a full stop and thousands separators."""
        for text, form in readings(answer, final=self.final):
            yield (text, form) if form == "whole" else (_bare(text), form)
        if self.final and last_commitment(answer) is None:
            found = commitment(answer)
            if found.text and found.form != "whole":
                yield _bare(found.text), found.form

    def _passed(self, reference: str, text: str, form: str) -> Verdict:
        """A match, admitted unless another year passes for the one asked for."""
        target, value = to_float(reference), to_float(text)
        if _YEAR.fullmatch(reference) and value != target:
            reason = "another year within the tolerance"
            return self.verdict("match", admitted=False, extracted=text, form=form, reason=reason)
        equal = target == value if target else True
        return self.verdict("match", extracted=text, form=form, reason="equal" if equal else "within the tolerance")
