"""`ocr_contains`: OCRBench, whether the reference stands anywhere in the answer.

Protocol: both sides stripped, lower-cased, line breaks turned into blanks, then containment of any reference; for
`HME100k` (handwritten formulas) case is kept and all blanks go. Source: Yuliang-Liu/MultimodalOCR,
`OCRBench/example.py`. The rule finds `5` in `15` and every word in a long enough text. So it admits nothing: a match
is a score for the card, and the judge decides.
"""

from dataclasses import dataclass
from typing import ClassVar

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers.base import Verifier


def fold_line(text: str) -> str:
    r"""Lower case, one line.

    >>> fold_line(" Hello\nWorld ")
    'hello world'
    """
    return text.lower().strip().replace("\n", " ")


def fold_formula(text: str) -> str:
    r"""All blanks gone, case kept.

    >>> fold_formula(r"\frac { 1 } { 2 }")
    '\\frac{1}{2}'
    """
    return text.strip().replace("\n", " ").replace(" ", "")


@dataclass(frozen=True, kw_only=True)
class OcrContains(Verifier):
    """Containment, as OCRBench scores it.

    Attributes:
      dataset_name: the part of the benchmark; `HME100k` is compared without blanks.
    """

    name: ClassVar[str] = "ocr_contains"
    dataset_name: str = ""

    def unjudgeable(self, case: Case) -> str | None:
        # The empty text stands in every answer.
        return None if any(self._fold(r) for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        folded = self._fold(answer)
        for reference in case.references:
            wanted = self._fold(reference)
            if wanted and wanted in folded:
                reason = "contained; containment admits nothing"
                return self.verdict("match", admitted=False, extracted=reference, form="contained", reason=reason)
        return self.verdict("no_match", form="whole", reason="not contained")

    def _fold(self, text: str) -> str:
        return fold_formula(text) if self.dataset_name == "HME100k" else fold_line(text)
