"""`exact`: closed vocabularies such as GQA and CLEVR.

Protocol: stripped, final periods off, lower case, then equal; no synonyms, no number words. Source: GQA's `eval.py`
(`predicted == gold`) behind the usual conversion of a model's answer (`rstrip('.').lower()`). A model that argues
first commits in a box, an answer tag or behind a `Final answer:` label; that is read where the whole differs.
"""

from dataclasses import dataclass
from typing import ClassVar

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import readings
from beam_rs.verifiers.base import Verifier


def fold_exact(text: str) -> str:
    """Lower case, no final period, no outer white space.

    >>> fold_exact(" Left. ")
    'left'
    """
    return text.strip().rstrip(".").lower().strip()


@dataclass(frozen=True, kw_only=True)
class Exact(Verifier):
    """Equality of short answers.

    Attributes:
      final: also read a box, an answer tag or a `Final answer:` label.
    """

    name: ClassVar[str] = "exact"
    final: bool = True

    def unjudgeable(self, case: Case) -> str | None:
        return None if any(fold_exact(r) for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        wanted = {fold_exact(r) for r in case.references} - {""}
        text, form = "", "whole"
        for text, form in readings(answer, final=self.final):
            if fold_exact(text) in wanted:
                return self.verdict("match", extracted=text, form=form, reason="equal")
        return self.verdict("no_match", extracted=text[:200] or None, form=form, reason="differs")
