"""`vqa_soft`: soft accuracy over annotators, as in VQAv2, OK-VQA, VizWiz and TextVQA.

Protocol: min(1, matching annotators / 3), averaged over every way to leave one annotator out. So of ten annotators
one gives 0.3, two 0.6, three 0.9, four 1.0. Sources: GT-Vision-Lab/VQA (`vqaEval.py`), facebookresearch/mmf
(`m4c_evaluators.py`).

| variant | normalisation |
|---|---|
| `vqa` | both sides, only where the annotators differ at all (the official script's own condition) |
| `always` | both sides, always (the EvalAI server) |
| `text` | TextVQA's: commas and question marks first, then as `always` |

Fewer than four references are not annotators who vote but accepted answers: then any of them scores 1.
"""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._answers import readings
from beam_rs.verifiers._evalai import flat, normalise, normalise_text
from beam_rs.verifiers.base import Verifier

FULL: Final = 3
"""Agreeing annotators that make a full score."""


def soft_accuracy(matching: int, annotators: int) -> float:
    """The leave-one-out average for an answer that `matching` of the annotators gave.

    >>> [round(soft_accuracy(n, 10), 4) for n in range(5)]
    [0.0, 0.3, 0.6, 0.9, 1.0]
    """
    if annotators <= FULL:
        return float(matching > 0)
    own = min(1.0, max(matching - 1, 0) / FULL)
    rest = min(1.0, matching / FULL)
    return (matching * own + (annotators - matching) * rest) / annotators


@dataclass(frozen=True, kw_only=True)
class VqaSoft(Verifier):
    """Soft accuracy over annotators.

    Attributes:
      variant: which normalisation, see the module.
      accept_at: score from which the outcome is a match.
      final: also read a box, an answer tag or a `Final answer:` label; the official rule does not.
    """

    name: ClassVar[str] = "vqa_soft"
    variant: Literal["vqa", "text", "always"] = "vqa"
    accept_at: float = 0.5
    final: bool = False

    def unjudgeable(self, case: Case) -> str | None:
        return None if any(self._fold(r, case) for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        given = [self._fold(r, case) for r in case.references]
        score, text, form = 0.0, "", "whole"
        for reading, kind in readings(answer, final=self.final):
            folded = self._fold(reading, case)
            found = soft_accuracy(given.count(folded), len(given)) if folded else 0.0
            if found > score or not text:
                score, text, form = found, reading, kind
        if score < self.accept_at:
            reason = "too few annotators" if score else "differs"
            return self.verdict("no_match", score=score, extracted=text[:200] or None, form=form, reason=reason)
        split = self._contradicted(self._fold(text, case), given)
        reason = "the annotators contradict each other" if split else "agrees"
        return self.verdict("match", admitted=not split, score=score, extracted=text, form=form, reason=reason)

    def _contradicted(self, answer: str, given: list[str]) -> bool:
        """Whether the opposite of a yes or no would match as well: such references prove nothing."""
        opposite = {"yes": "no", "no": "yes"}.get(answer)
        return opposite is not None and soft_accuracy(given.count(opposite), len(given)) >= self.accept_at

    def _fold(self, text: str, case: Case) -> str:
        """A side as the variant normalises it."""
        if self.variant == "text":
            return normalise_text(text)
        text = flat(text)
        unanimous = len({flat(r) for r in case.references}) <= 1
        return text if self.variant == "vqa" and unanimous else normalise(text)
