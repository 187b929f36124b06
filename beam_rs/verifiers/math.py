r"""Mathematics: the committed answer against the reference, by text, by value and by algebra."""

import re
import time
from dataclasses import dataclass
from typing import ClassVar, Final

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._commitments import commitment, last_box
from beam_rs.verifiers._conclusions import is_prose
from beam_rs.verifiers._latex_reader import TooLarge
from beam_rs.verifiers._latex_text import spaced
from beam_rs.verifiers._math_pool import POOL, AlgebraTimeout
from beam_rs.verifiers._math_structure import same
from beam_rs.verifiers._spellings import decimal_comma, readings
from beam_rs.verifiers.base import Verifier

LONGEST: Final = 2_000
EXPRESSION: Final = 400
DEEPEST: Final = 24

_LETTER: Final = re.compile(r"[A-J]")
_LETTERED: Final = re.compile(r"(?:(?i:option|choice|answer)\s)?\(?([A-J])(?:[).:](?:\s.*)?|\s*[:.)].*)?", re.DOTALL)
_COSTLY: Final = re.compile(r"\d{60}|\^ ?\{? ?-?\d{4}|\d{4}\)? ?!|!{3}|\^[^^]{0,12}\^[^^]{0,12}\^")
_PERCENT: Final = re.compile(r"(?i)%|\bper ?cent|百分")
_SHARE: Final = re.compile(r"(\d+(?:\.\d+)?) ?%")
_MATHS: Final = re.compile(r"[0-9A-Za-z\u4e00-\u9fff\\]")


@dataclass(frozen=True, kw_only=True)
class Math(Verifier):
    r"""Equality with a mathematical reference, as huggingface/Math-Verify decides it, under guards of our own.

    What is compared is the last commitment: the last balanced `\boxed{}` (or `\fbox`), else what follows the last
    `final answer` or `the answer is`, else the whole of a short answer, else what the closing line ends in. The last
    number of a text is never an answer by itself. Lists, sets, tuples, intervals, assignments and units are compared
    part by part, numbers by exact value (six decimals where one is a decimal), and only then is math-verify asked, in
    a process that is killed at the limit.

    Args:
      seconds: wall limit of one verdict's algebra.
    """

    name: ClassVar[str] = "math"
    seconds: float = 5.0

    def unjudgeable(self, case: Case) -> str | None:
        if not case.references:
            return "no reference"
        return next((why for reference in case.references if (why := _not_an_expression(reference))), None)

    def compare(self, case: Case, answer: str) -> Verdict:
        found = commitment(answer)
        if not found.text:
            return self.verdict(
                "no_match", form=found.form, reason="cut-off box" if found.form == "boxed" else "no committed answer"
            )
        deadline = time.monotonic() + self.seconds
        reason = "differs"
        for reference in case.references:
            try:
                if self._same(reference, found.text, case, deadline):
                    return self.verdict("match", extracted=found.text, form=found.form)
            except TooLarge:
                reason = "too large to compare"
            except AlgebraTimeout:
                reason = "wall limit reached"
        return self.verdict("no_match", extracted=found.text[:LONGEST], form=found.form, reason=reason)

    def _same(self, reference: str, said: str, case: Case, deadline: float) -> bool:
        """Whether an extracted text says what a reference says."""
        gold, predicted, options = spaced(_without_box(reference)), spaced(said), case.options
        if gold == predicted:
            return True
        if "%" in predicted and "%" not in gold and case.question and not _PERCENT.search(case.question):
            # nobody asked for a percentage: 5% is a twentieth, and not 5
            predicted = _SHARE.sub(r"\\frac{\1}{100}", predicted)
        letter = _LETTERED.fullmatch(predicted)
        if _LETTER.fullmatch(gold):
            if letter:
                return letter[1] == gold
            chosen = options[ord(gold) - ord("A")] if ord(gold) - ord("A") < len(options) else None
            return chosen is not None and self._any_equal(spaced(chosen), predicted, deadline)
        if letter and len(predicted) <= 3 and ord(letter[1]) - ord("A") < len(options):
            predicted = spaced(options[ord(letter[1]) - ord("A")])
        return self._any_equal(gold, predicted, deadline)

    def _any_equal(self, gold: str, predicted: str, deadline: float) -> bool:
        """Whether one reading of an extracted text equals one of the reference."""
        for wanted in readings(gold):
            for said in readings(predicted):
                if self._equal(*decimal_comma(wanted, said), deadline):
                    return True
        return False

    def _equal(self, gold: str, predicted: str, deadline: float) -> bool:
        if max(len(gold), len(predicted)) > LONGEST or max(_depth(gold), _depth(predicted)) > DEEPEST:
            raise TooLarge("too long or nested too deeply")

        def algebra(a: str, b: str) -> bool:
            if len(a) + len(b) > EXPRESSION or _COSTLY.search(a) or _COSTLY.search(b):
                raise TooLarge("too costly for algebra")
            left = deadline - time.monotonic()
            if left <= 0:
                raise AlgebraTimeout
            return POOL.equal(a, b, left)

        return same(gold, predicted, algebra)


def _without_box(reference: str) -> str:
    box = last_box(reference)
    return box.text if box and box.text else reference


def _not_an_expression(reference: str) -> str | None:
    """Why a reference cannot be compared, or None."""
    if len(reference) > 2 * LONGEST:
        return "the reference is too long"
    text = spaced(_without_box(reference))
    if not _MATHS.search(text):
        return "the reference is empty"
    if len(text) > LONGEST:
        return "the reference is too long"
    if is_prose(text):
        return "the reference is prose, not an expression"
    return None if _balanced(text) else "the reference's braces do not close"


def _balanced(text: str) -> bool:
    depth = 0
    for token in re.findall(r"\\.|[{}]", text, re.DOTALL):
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return False
    return depth == 0


def _depth(text: str) -> int:
    """How deeply brackets nest."""
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest
