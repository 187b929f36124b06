"""`longform`: families whose references no rule can judge.

Captions, explanations and stories have metrics for a corpus (CIDEr), none for a row. This verifier says so: every
item of such a family goes to the long-form split with its reference, and is never asked about.
"""

from dataclasses import dataclass
from typing import ClassVar

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers.base import Verifier


@dataclass(frozen=True, kw_only=True)
class Longform(Verifier):
    """Judges nothing, whatever the answer: equal texts are no evidence in a free-form family."""

    name: ClassVar[str] = "longform"

    def unjudgeable(self, case: Case) -> str | None:
        return "free-form reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        return self.verdict("unjudgeable", reason="free-form reference")
