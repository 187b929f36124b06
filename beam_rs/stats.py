"""Shares and how far to trust them."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

Z95: Final = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a share; both ends lie between 0 and 1."""

    low: float
    high: float


def wilson(hits: int, total: int, z: float = Z95) -> Interval:
    """The Wilson score interval of a binomial share (Wilson 1927); everything is possible where nothing was seen.

    >>> interval = wilson(58, 60)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.886, 0.991)

    Raises:
      ValueError: hits do not lie between 0 and total.
    """
    if not 0 <= hits <= total:
        raise ValueError(f"{hits} of {total} is no share")
    if total == 0:
        return Interval(0.0, 1.0)
    share, spread = hits / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    # The ends are 0 and 1 exactly where all or nothing was hit; rounding must not say otherwise.
    low = 0.0 if hits == 0 else max(0.0, min(middle - half, share))
    high = 1.0 if hits == total else min(1.0, max(middle + half, share))
    return Interval(low, high)


@dataclass(frozen=True)
class Rate:
    """So many of so many.

    Attributes:
      hits: cases that have the property.
      total: cases looked at.
    """

    hits: int
    total: int

    @property
    def share(self) -> float | None:
        """Hits over total; None where nothing was looked at."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> Interval:
        """The Wilson 95 % interval."""
        return wilson(self.hits, self.total)

    def __add__(self, other: "Rate") -> "Rate":
        return Rate(self.hits + other.hits, self.total + other.total)

    def __str__(self) -> str:
        """As cards state it.

        >>> print(Rate(58, 60)), print(Rate(0, 0))
        58 of 60, 96.7 % (95 % interval 88.6–99.1 %)
        none of none
        (None, None)
        """
        if not self.total:
            return "none of none"
        low, high = 100 * self.interval.low, 100 * self.interval.high
        share = 100 * self.hits / self.total
        return f"{self.hits:,} of {self.total:,}, {share:.1f} % (95 % interval {low:.1f}–{high:.1f} %)"
