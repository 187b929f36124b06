"""What the controls say of a judge, and whether its promotions count.

A control that a screen stops never reaches the judge and says nothing of it: it stands in the table, not in the
shares. Otherwise a judge that says CORRECT to everything would pass on a family where the screens do all the work.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from beam_rs.judge.controls import Control
from beam_rs.judge.edits import KINDS, Kind
from beam_rs.judge.prompt import Word
from beam_rs.schema import Json
from beam_rs.stats import Rate

FEW: Final = 10
"""With fewer accepted controls than this, agreement is no evidence and the wrong ones decide alone."""

Fate: TypeAlias = Word | Literal["screened"]
"""What became of a control: the judge's word, or a screen before it."""


@dataclass(frozen=True)
class Tally:
    """Outcomes of the controls of one kind.

    Attributes:
      kind: of the controls.
      screened: stopped before the judge.
      correct: called CORRECT, so that they would be promoted.
      wrong: called WRONG.
      unsure: called UNSURE.
      invalid: no verdict in the reply.
    """

    kind: Kind
    screened: int = 0
    correct: int = 0
    wrong: int = 0
    unsure: int = 0
    invalid: int = 0

    @property
    def asked(self) -> int:
        """Controls that reached the judge."""
        return self.correct + self.wrong + self.unsure + self.invalid

    @property
    def right(self) -> Rate:
        """Controls that came out as they should, of those asked."""
        return Rate(self.correct if self.kind == "accepted" else self.asked - self.correct, self.asked)


@dataclass(frozen=True)
class Calibration:
    """Outcomes of all controls of a family; adds up like a sum, in any order.

    Attributes:
      counts: how often a control of a kind met a fate, as sorted triples; equal tables are equal values.
    """

    counts: tuple[tuple[Kind, Fate, int], ...] = ()

    def __add__(self, other: "Calibration") -> "Calibration":
        return merge([self, other])

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """One tally a kind that occurred, in the order of `KINDS`."""
        by_kind: dict[Kind, dict[str, int]] = {}
        for kind, fate, count in self.counts:
            by_kind.setdefault(kind, {})[fate.lower()] = count
        return tuple(Tally(kind, **by_kind[kind]) for kind in KINDS if kind in by_kind)

    @property
    def agreement(self) -> Rate:
        """Accepted answers that the judge calls CORRECT."""
        return sum((tally.right for tally in self.tallies if tally.kind == "accepted"), Rate(0, 0))

    @property
    def specificity(self) -> Rate:
        """Wrong answers that the judge does not call CORRECT."""
        return sum((tally.right for tally in self.tallies if tally.kind != "accepted"), Rate(0, 0))

    def as_json(self) -> Json:
        """The calibration for the manifest: both rates with their intervals, and a row a kind."""
        rows = [
            {
                "kind": tally.kind,
                "controls": tally.screened + tally.asked,
                "screened": tally.screened,
                "CORRECT": tally.correct,
                "WRONG": tally.wrong,
                "UNSURE": tally.unsure,
                "INVALID": tally.invalid,
                **_rate(tally.right),
            }
            for tally in self.tallies
        ]
        return {"agreement": _rate(self.agreement), "specificity": _rate(self.specificity), "kinds": rows}


def observe(control: Control, fate: Fate) -> Calibration:
    """The calibration that one control amounts to."""
    return Calibration(((control.kind, fate, 1),))


def merge(parts: Iterable[Calibration]) -> Calibration:
    """The sum of calibrations."""
    total: Counter[tuple[Kind, Fate]] = Counter()
    for part in parts:
        for kind, fate, count in part.counts:
            total[kind, fate] += count
    return Calibration(tuple((kind, fate, count) for (kind, fate), count in sorted(total.items())))


@dataclass(frozen=True)
class Gate:
    """Whether a judge's promotions count in a family, and why, in a sentence for the card."""

    open: bool
    reason: str


def gate(calibration: Calibration, least: float) -> Gate:
    """Open where agreement and specificity, as measured, both reach `least`.

    Args:
      calibration: outcomes of a family's controls.
      least: the configured `gate`; 0 lets everything through.

    >>> gate(Calibration(), 0.95).open, gate(Calibration(), 0).open
    (False, True)
    """
    agreement, specificity = calibration.agreement, calibration.specificity
    if least <= 0:
        return Gate(True, "open: the gate is 0, so promotions count whatever the controls say")
    if not specificity.total:
        return Gate(False, "closed: no wrong control reached the judge, so nothing is known of it")
    found = f"controls not promoted: {specificity}"
    if agreement.total < FEW:
        alone = f"only {agreement.total} accepted controls reached the judge, so the wrong ones decide alone"
        return _decide(_reaches(specificity, least), least, f"{alone}; {found}")
    both = _reaches(specificity, least) and _reaches(agreement, least)
    return _decide(both, least, f"agreement: {agreement}; {found}")


def _decide(passed: bool, least: float, found: str) -> Gate:
    state = "open: at least" if passed else "closed: below"
    return Gate(passed, f"{state} {100 * least:g} % ({found})")


def _reaches(rate: Rate, least: float) -> bool:
    # Floating point must not close a gate of 0.95 at 57 of 60.
    return rate.hits >= least * rate.total - 1e-9


def _rate(rate: Rate) -> dict[str, Json]:
    interval = rate.interval
    return {
        "hits": rate.hits,
        "total": rate.total,
        "share": rate.share,
        "low": round(interval.low, 6),
        "high": round(interval.high, 6),
    }
