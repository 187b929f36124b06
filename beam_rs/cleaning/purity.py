"""Task purity: questions that do not belong to their family, measured by slice and taken out where they abound."""

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from beam_rs.cleaning.base import Refusal, Rule
from beam_rs.errors import ConfigError
from beam_rs.keys import canonical
from beam_rs.schema import Item

OFF_TASK: Final = "purity.off_task"


@dataclass(frozen=True)
class Genuine:
    """What makes an item one of its family: all conditions that are declared must hold.

    Attributes:
      origins: data sets that the item may come from, as its `source` names them.
      questions: patterns, one of which is found in the question as it came.
      max_reference_words: most words that any of its references may have.
      min_reference_words: fewest words that each of its references has.
    """

    origins: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    max_reference_words: int | None = None
    min_reference_words: int | None = None

    def __post_init__(self) -> None:
        for pattern in self.questions:
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                raise ConfigError(f"genuine.questions: {pattern!r} is no regular expression: {error}") from error

    def fault(self, item: Item) -> str | None:
        """The first condition that an item fails, or None for a genuine one.

        >>> Genuine(max_reference_words=2).fault(Item("1", "F", "a.png", "What?", ("a long tale",)))
        'reference of 3 words, at most 2'
        """
        return self._origin(item) or self._question(item) or self._reference(item)

    def _origin(self, item: Item) -> str | None:
        if not self.origins or (item.source and item.source.dataset in self.origins):
            return None
        return f"origin {item.source.dataset!r}" if item.source else "no recorded origin"

    def _question(self, item: Item) -> str | None:
        if not self.questions or any(_compiled(pattern).search(item.question) for pattern in self.questions):
            return None
        return "the question matches no pattern"

    def _reference(self, item: Item) -> str | None:
        counts = [len(reference.split()) for reference in item.references]
        if self.max_reference_words is not None and max(counts, default=0) > self.max_reference_words:
            return f"reference of {max(counts)} words, at most {self.max_reference_words}"
        if self.min_reference_words is not None and min(counts, default=0) < self.min_reference_words:
            return f"reference of {min(counts, default=0)} words, at least {self.min_reference_words}"
        return None


@dataclass(frozen=True, kw_only=True)
class Purity(Rule):
    """Drop foreign items from slices that hold too many of them; keep every other slice whole.

    Attributes:
      threshold: share of foreign items above which a slice keeps only its genuine ones.
      families: conditions by family; a family without any counts as genuine and is not measured.
    """

    name: ClassVar[str] = "purity"
    measures: ClassVar[bool] = True

    threshold: float = 0.05
    families: Mapping[str, Genuine] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"purity.threshold must be between 0 and 1, got {self.threshold!r}")

    def measure(self, item: Item) -> Iterable[str]:
        conditions = self.families.get(item.family)
        if conditions is None:
            return ()
        return (_label(item, "foreign" if conditions.fault(item) else "genuine"),)

    def apply(self, item: Item, measured: Mapping[str, int]) -> Item | Refusal:
        conditions = self.families.get(item.family)
        fault = conditions.fault(item) if conditions else None
        if fault is None:
            return item
        foreign, genuine = measured.get(_label(item, "foreign"), 0), measured.get(_label(item, "genuine"), 0)
        if not foreign or foreign / (foreign + genuine) <= self.threshold:
            return item
        share = f"{foreign} of {foreign + genuine} in slice {item.slice!r} are foreign"
        return Refusal(OFF_TASK, f"{fault}; {share}")


def shares(measured: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """Share of foreign items by family and slice, from the counts of `Purity.measure`; other labels are passed over.

    >>> shares({'["F","s","foreign"]': 1, '["F","s","genuine"]': 3})
    {'F': {'s': 0.25}}
    """
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for label, count in measured.items():
        parts = _parts(label)
        if parts:
            counts.setdefault((parts[0], parts[1]), {"foreign": 0, "genuine": 0})[parts[2]] += count
    found: dict[str, dict[str, float]] = {}
    for (family, part), tally in sorted(counts.items()):
        found.setdefault(family, {})[part] = tally["foreign"] / max(1, tally["foreign"] + tally["genuine"])
    return found


def _label(item: Item, found: Literal["foreign", "genuine"]) -> str:
    return canonical([item.family, item.slice, found])


def _parts(label: str) -> tuple[str, str, str] | None:
    """Family, slice and finding behind a label, or None for a label of another rule."""
    try:
        parts = json.loads(label)
    except ValueError:
        return None
    if isinstance(parts, list) and len(parts) == 3 and parts[2] in ("foreign", "genuine"):
        return str(parts[0]), str(parts[1]), str(parts[2])
    return None


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
