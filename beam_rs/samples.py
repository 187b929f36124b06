"""Several samples an item: which are kept, how often it went right, and whether the reference is to be doubted."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from beam_rs.schema import Completion, Verdict
from beam_rs.stats import Rate

Accept: TypeAlias = Literal["first", "shortest", "distinct"]
"""Which admitted samples of an item are kept: the first, the shortest, or one of each different text."""

DOUBT: Final = 0.75
"""Share of the samples that must agree on another answer before the reference is doubted."""

FEWEST: Final = 4
"""Samples below which agreement among them says nothing."""


@dataclass(frozen=True)
class Picked:
    """What becomes of an item with k samples.

    Attributes:
      end: `accepted` where a sample is kept, `failed` where all samples failed, else `rejected`.
      chosen: indexes of the samples that are written: the kept ones, or one that stands for a rejected item; empty
        where all failed.
      passed: samples admitted, of those that did not fail.
      suspect: the answer on which samples agree although it is not the reference's, else None.
    """

    end: Literal["accepted", "rejected", "failed"]
    chosen: tuple[int, ...]
    passed: Rate
    suspect: str | None = None

    @property
    def pass_rate(self) -> float | None:
        """Share of samples admitted, of those that did not fail; None where all failed."""
        return self.passed.share


def pick(
    completions: Sequence[Completion],
    verdicts: Sequence[Verdict | None],
    accept: Accept = "first",
    doubt: float = DOUBT,
) -> Picked:
    """Choose among the samples of one item.

    A promotion by the judge counts as admitted: hand in its verdict with `admitted` set. A sample that the limit cut
    is never kept, whatever its verdict says.

    Args:
      completions: the samples in order of their index.
      verdicts: aligned with them; None for a sample that failed.
      accept: which admitted samples are kept.
      doubt: share of the samples that must agree on another answer for `suspect`.

    Raises:
      ValueError: completions and verdicts are not aligned.
    """
    pairs = list(enumerate(zip(completions, verdicts, strict=True)))
    answered = [(index, done, verdict) for index, (done, verdict) in pairs if verdict and not done.error]
    if not answered:
        return Picked("failed", (), Rate(0, 0))
    good = [(index, done) for index, done, verdict in answered if verdict.admitted and not done.truncated]
    passed = Rate(len(good), len(answered))
    suspect = suspected([(done, verdict) for _, done, verdict in answered], doubt)
    if good:
        return Picked("accepted", _kept(good, accept), passed, suspect)
    whole = [index for index, done, _ in answered if not done.truncated]
    return Picked("rejected", ((whole or [answered[0][0]])[0],), passed, suspect)


def suspected(answered: Sequence[tuple[Completion, Verdict]], doubt: float = DOUBT) -> str | None:
    """The answer, not admitted, on which at least a share `doubt` of the samples agree; None where there is none.

    Cut samples count in the whole and agree with nothing.
    """
    if len(answered) < FEWEST:
        return None
    said: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for done, verdict in answered:
        answer = _answer(done, verdict)
        if answer and not verdict.admitted and not done.truncated:
            same = _same(answer)
            said[same] += 1
            spelled.setdefault(same, answer)
    if not said:
        return None
    same, count = said.most_common(1)[0]
    return spelled[same] if same and count >= doubt * len(answered) else None


def _kept(good: list[tuple[int, Completion]], accept: Accept) -> tuple[int, ...]:
    if accept == "first":
        return (good[0][0],)
    if accept == "shortest":
        # Characters, not tokens: a ledger may not know the tokens, and the choice must not depend on it.
        return (min(good, key=lambda pair: (len(pair[1].text), pair[0]))[0],)
    first: dict[tuple[str, str], int] = {}
    for index, done in good:
        first.setdefault(((done.reasoning or "").strip(), done.answer.strip()), index)
    return tuple(first.values())


def _answer(done: Completion, verdict: Verdict) -> str:
    """What a sample commits to: what the verifier extracted, else its last line."""
    if verdict.extracted and verdict.extracted.strip():
        return verdict.extracted.strip()
    lines = done.answer.strip().splitlines()
    return lines[-1].strip() if lines else ""


def _same(answer: str) -> str:
    """A form that spelling does not change: signs and decimal points stay, for -1.5 is not 15."""
    text = unicodedata.normalize("NFKC", answer).casefold().replace("−", "-")
    return re.sub(r"(?<!\d)\.|\.(?!\d)|[^\w.+\-/%]", "", text)
