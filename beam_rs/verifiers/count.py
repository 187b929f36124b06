"""`count`: how many, as an integer.

Protocol: the answer is the reference's integer, in digits or as a number word. Sources: TallyQA (Acharya et al. 2018,
arXiv 1810.12440: accuracy on integers) and CountBench as lmms-eval scores it. Peers compare the whole answer; a model
that writes a sentence commits in it, so the stages below read on, from the surest to the weakest: whole, box, tag or
label, conclusion, counting phrase, only number. Ranges, signs, decimals and two different numbers are no commitment.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import ClassVar, Final

from beam_rs.schema import Case, Verdict
from beam_rs.verifiers._counting import NUMBER, counts_of_asked, read_counts, to_count
from beam_rs.verifiers.base import Verifier

_HEDGED: Final = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|at least|at most|more than|less than|fewer than|over"
    r"|up to|"
    r"maybe|perhaps|possibly|probably|might|may|could|either|between(?= \d)|estimated?|hard to|difficult to|unclear"
    r"|cannot|can't|"
    r"not|isn't|aren't|or)\b|~|≈|\d\+(?!\s?\d)|大约|左右",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    rf"\b(?:(?:less|more|fewer|greater|higher|lower) than|at least|at most|up to|over) (\d[\d,.]*|{NUMBER}\b)",
    re.IGNORECASE,
)
_UNSETTLED: Final = re.compile(
    r"\b(?:actually|wait,|on second (?:thought|look)|(?:may|might|could) be (?:more|fewer|others?|another))\b",
    re.IGNORECASE,
)
"""Second thoughts about a number that no conclusion follows."""
_PHRASES: Final = frozenset(["counting phrase", "only number"])


def reference_count(text: str) -> int | None:
    """The integer of a reference; `3.0`, as JSON may spell it, is 3."""
    value = to_count(text)
    if value is not None or len(text) > 40:
        return value
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return int(number) if number.is_finite() and number == number.to_integral_value() and abs(number) < 10**18 else None


def _other_bound(value: int) -> Callable[[re.Match[str]], str]:
    """What a bound is replaced by: `sold less than 5` says what is counted; only a bound on the count hedges."""
    return lambda bound: bound[0] if to_count(bound[1]) == value else ""


@dataclass(frozen=True, kw_only=True)
class Count(Verifier):
    """Equality of integers."""

    name: ClassVar[str] = "count"

    def unjudgeable(self, case: Case) -> str | None:
        if any(reference_count(r) is not None for r in case.references):
            return None
        return "the reference is no integer" if any(r.strip() for r in case.references) else "empty reference"

    def compare(self, case: Case, answer: str) -> Verdict:
        wanted = {reference_count(r) for r in case.references} - {None}
        for values, form, context in read_counts(answer):
            if len(values) != 1:
                reason = "several numbers" if values else "no integer"
                return self.verdict("no_match", form=form, reason=reason)
            value = next(iter(values))
            if value not in wanted:
                return self.verdict("no_match", extracted=str(value), form=form, reason="another number")
            asked = counts_of_asked(case.question, answer) if form in _PHRASES else None
            if asked is not None and value not in asked:
                return self.verdict("no_match", extracted=str(value), form=form, reason="the number of something else")
            hedged = (form in _PHRASES and _UNSETTLED.search(answer) is not None) or bool(
                _HEDGED.search(_BOUND.sub(_other_bound(value), context))
            )
            reason = "equal, but hedged" if hedged else "equal"
            return self.verdict("match", admitted=not hedged, extracted=str(value), form=form, reason=reason)
        return self.verdict("no_match", form="whole", reason="no integer")
