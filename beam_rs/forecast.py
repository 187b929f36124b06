"""What a whole run will take, from a small pilot: figures with the range that the pilot's size allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from beam_rs.settings import CostSettings
from beam_rs.stats import Z95, Rate

HOUR: Final = 3600.0


@dataclass(frozen=True)
class Range:
    """A figure with the ends of its 95 % interval."""

    low: float
    middle: float
    high: float

    def times(self, other: "Range") -> "Range":
        """The product, end by end: wide rather than wrong."""
        return Range(self.low * other.low, self.middle * other.middle, self.high * other.high)

    def scaled(self, factor: float) -> "Range":
        """The same figure in another unit."""
        return Range(self.low * factor, self.middle * factor, self.high * factor)


@dataclass(frozen=True)
class Pilot:
    """What a pilot measured.

    Attributes:
      items: records of the whole pool.
      manifest: of the pilot.
      tokens: prompt and completion tokens of each request, as the engine counted them.
      seconds: the engine was at work, first request to last answer; 0 where the ledger answered everything.
      answered: requests that were answered in that time.
    """

    items: int
    manifest: Mapping[str, Any]
    tokens: tuple[tuple[int, int], ...]
    seconds: float
    answered: int


@dataclass(frozen=True)
class Forecast:
    """What the whole pool will take.

    Attributes:
      items: records of the pool.
      ends: share of each end.
      requests: to the model, judge not counted.
      prompt_tokens: over all requests.
      completion_tokens: over all requests.
      hours: GPU hours at the pilot's rate; None where the pilot asked nothing.
      cost: in the configured currency; None without a price.
    """

    items: int
    ends: Mapping[str, Range]
    requests: Range
    prompt_tokens: Range
    completion_tokens: Range
    hours: Range | None
    cost: Range | None


def forecast(pilot: Pilot, cost: CostSettings) -> Forecast:
    """Reckon the whole pool from a pilot.

    Shares get Wilson intervals, tokens the normal interval of their mean. The rate is the pilot's own: a pilot smaller
    than the engine's window keeps it half idle, and then the hours are too many, never too few.
    """
    total = pilot.manifest["counts"]["total"]
    read = total["read"]
    ends = {end: share(total[end], read) for end in total if end != "read"}
    each = pilot.manifest["usage"]["total"].get("requests", 0)
    asked = total["accepted"] + total["rejected"] + total["failed"]
    requests = share(asked, read).scaled(pilot.items * (each / asked if asked else 0.0))
    prompt = requests.times(mean([tokens[0] for tokens in pilot.tokens]))
    completion = requests.times(mean([tokens[1] for tokens in pilot.tokens]))
    hours = None
    if pilot.seconds and pilot.answered:
        hours = requests.scaled(pilot.seconds / pilot.answered / HOUR * cost.gpus)
    spent = hours.scaled(cost.price) if hours and cost.price is not None else None
    return Forecast(pilot.items, ends, requests, prompt, completion, hours, spent)


def share(hits: int, total: int) -> Range:
    """A share with its Wilson interval.

    >>> share(0, 0)
    Range(low=0.0, middle=0.0, high=1.0)
    """
    interval = Rate(hits, total).interval
    return Range(interval.low, hits / total if total else 0.0, interval.high)


def mean(values: list[int]) -> Range:
    """A mean with its normal 95 % interval; one value says nothing of its spread."""
    if not values:
        return Range(0.0, 0.0, 0.0)
    middle = sum(values) / len(values)
    if len(values) == 1:
        return Range(middle, middle, middle)
    spread = sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))
    return Range(max(0.0, middle - Z95 * spread), middle, middle + Z95 * spread)


def lines(found: Forecast, cost: CostSettings) -> list[tuple[str, str]]:
    """The forecast as rows of a name and a text."""
    rows = [("items", f"{found.items:,}")]
    rows += [(end, _share(range_, found.items)) for end, range_ in found.ends.items() if range_.middle]
    rows += [
        ("requests", _range(found.requests)),
        ("prompt tokens", _range(found.prompt_tokens)),
        ("completion tokens", _range(found.completion_tokens)),
    ]
    if found.hours is None:
        rows.append(("GPU hours", "not known: the pilot's answers were all in the ledger, or none were asked"))
        return rows
    rows.append((f"{cost.gpu} hours", _range(found.hours, 2)))
    text = f"{_range(found.cost, 2)} {cost.currency}" if found.cost else "set cost.price, the price of one GPU hour"
    rows.append(("cost", text))
    return rows


def _share(range_: Range, items: int) -> str:
    return f"{range_.middle:.1%} (≈ {range_.middle * items:,.0f}; {range_.low:.1%} to {range_.high:.1%})"


def _range(range_: Range, digits: int = 0) -> str:
    return f"{range_.middle:,.{digits}f} ({range_.low:,.{digits}f} to {range_.high:,.{digits}f})"
