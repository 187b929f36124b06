"""`anls`: average normalised Levenshtein similarity of document and scene-text questions.

Protocol: lower case, white space collapsed, 1 − distance / longer length, the best over the references, and 0 below
0.5. Source: Biten et al. 2019 (arXiv 1907.00490, equation 1) and the Robust Reading Competition's evaluation of
DocVQA, InfographicVQA and ST-VQA. The similarity of 0.5 at which the metric starts to count lets `1995` pass for
`1985`; so a row is admitted from `admit_at` only, and only where both sides hold the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from rapidfuzz.distance import Levenshtein

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import readings
from beam_rs.verifiers._numbers import same_digits
from beam_rs.verifiers.base import Verifier

THRESHOLD: Final = 0.5
"""Below this similarity the metric is 0."""

LONGEST: Final = 10_000
"""Characters of a reference that is still a short answer; also what bounds the cost of a comparison."""


class Best(NamedTuple):
    """The reference that an answer is nearest to."""

    score: float
    reference: str
    text: str
    form: str


def fold(text: str) -> str:
    """Lower case, white space collapsed."""
    return " ".join(text.lower().split())


def similarity(reference: str, prediction: str) -> float:
    """The official score of one pair.

    >>> similarity("1985", "1995"), similarity("Paris", "paris "), similarity("Paris", "London")
    (0.75, 1.0, 0.0)
    """
    one, other = fold(reference), fold(prediction)
    # The official script measures lengths in upper case, where `ß` counts twice.
    longer, shorter = sorted((len(one.upper()), len(other.upper())), reverse=True)
    if longer == 0:
        return 1.0
    if longer > 2 * shorter + 2:
        return 0.0  # the distance is at least the difference in length: no need to compute it
    score = 1 - Levenshtein.distance(one, other) / longer
    return score if score >= THRESHOLD else 0.0


@dataclass(frozen=True, kw_only=True)
class Anls(Verifier):
    """Normalised edit similarity.

    Attributes:
      accept_at: score from which the outcome is a match.
      admit_at: score from which a match is admitted.
      final: also read a box, an answer tag or a `Final answer:` label; the official rule does not.
    """

    name: ClassVar[str] = "anls"
    accept_at: float = 0.5
    admit_at: float = 0.9
    final: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.admit_at <= 1:
            raise ValueError(f"admit_at must be above 0 and at most 1, got {self.admit_at}")

    def unjudgeable(self, case: Case) -> str | None:
        if not any(fold(r) for r in case.references):
            return "empty reference"
        return "reference too long" if max(map(len, case.references)) > LONGEST else None

    def compare(self, case: Case, answer: str) -> Verdict:
        best = max(
            (self._best(case.references, *reading) for reading in readings(answer, final=self.final)), key=_score
        )
        if best.score < self.accept_at or best.score == 0:
            return self.verdict(
                "no_match", score=best.score, extracted=best.text[:200] or None, form=best.form, reason="too far"
            )
        admitted, reason = self._admit(best)
        return self.verdict(
            "match", admitted=admitted, score=best.score, extracted=best.text, form=best.form, reason=reason
        )

    def _best(self, references: Sequence[str], text: str, form: str) -> Best:
        """The best of the references that are not empty."""
        return max((Best(similarity(r, text), r, text, form) for r in references if fold(r)), key=_score)

    def _admit(self, best: Best) -> tuple[bool, str]:
        """Whether a person would let it pass, and why."""
        if fold(best.reference) == fold(best.text):
            return best.score >= self.admit_at, "equal"
        if best.score < self.admit_at:
            return False, "near, but not near enough to admit"
        if not same_digits(fold(best.reference), fold(best.text)):
            return False, "near, but another number"
        return True, "near"


def _score(best: Best) -> float:
    """Key for `max`, which keeps the first of equals."""
    return best.score
