"""The cleaning rules, one after another, and the equal items set apart."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from beam_rs import items
from beam_rs.cleaning import Rule
from beam_rs.cleaning.base import Refusal
from beam_rs.job import Job
from beam_rs.keys import canonical, digest
from beam_rs.schema import Drop, Item
from beam_rs.transforms.count import count

DROPPED: Final = "dropped"
DUPLICATE: Final = "duplicate"


class Cleaned(NamedTuple):
    """What `Clean` returns.

    Attributes:
      items: kept, as they stand or changed.
      dropped: the others, each with its reason.
      measured: counts of each measuring rule, by its name; dictionaries of one element.
    """

    items: beam.PCollection[Item]
    dropped: beam.PCollection[Drop]
    measured: dict[str, beam.PCollection[dict[str, int]]]


@dataclass
class Clean(beam.PTransform[beam.PCollection[Item], Cleaned]):
    """Apply rules in order; a rule that measures sees its counts over all items that reached it.

    Args:
      rules: in order.
    """

    rules: Sequence[Rule]

    def expand(self, items: beam.PCollection[Item]) -> Cleaned:
        dropped: list[beam.PCollection[Drop]] = []
        measured: dict[str, beam.PCollection[dict[str, int]]] = {}
        for rule in self.rules:
            counts = {}
            if rule.measures:
                measured[rule.name] = items | f"Measure {rule.name}" >> Measure(rule)
                counts = {"measured": beam.pvalue.AsSingleton(measured[rule.name])}
            split = items | f"Apply {rule.name}" >> beam.FlatMap(apply, rule, **counts).with_outputs(
                DROPPED, main="items"
            )
            items = split["items"]
            dropped.append(split[DROPPED])
        return Cleaned(items, _flat(dropped, items.pipeline), measured)


def _flat(parts: list[beam.PCollection[Drop]], pipeline: beam.Pipeline) -> beam.PCollection[Any]:
    return tuple(parts) | beam.Flatten(pipeline=pipeline)


@dataclass
class Measure(beam.PTransform[beam.PCollection[Item], beam.PCollection[dict[str, int]]]):
    """Count a rule's labels over all items: one dictionary."""

    rule: Rule

    def expand(self, items: beam.PCollection[Item]) -> beam.PCollection[dict[str, int]]:
        return (
            items
            | "Label" >> beam.FlatMap(self.rule.measure).with_output_types(str)
            | "Count" >> beam.combiners.Count.PerElement()
            | "Gather" >> beam.combiners.ToDict()
        )


def apply(
    item: Item, rule: Rule, measured: Mapping[str, int] | None = None
) -> Iterator[Item | TaggedOutput[Literal["dropped"], Drop]]:
    """The item as the rule leaves it, or the drop."""
    found = rule.apply(item, measured or {})
    if isinstance(found, Refusal):
        count("Clean", found.reason)
        yield TaggedOutput(DROPPED, drop(item, rule.name, found))
    else:
        yield replace(found, rules=(*found.rules, rule.name))


def drop(item: Item, rule: str, refusal: Refusal) -> Drop:
    """The audit entry of an item that a rule refuses."""
    return Drop(
        item_id=item.id,
        family=item.family,
        end="dropped",
        stage="Clean",
        rule=rule,
        reason=refusal.reason,
        detail=refusal.detail,
        item=canonical(items.record(item)),
    )


class Unique(NamedTuple):
    """What `Distinct` returns."""

    items: beam.PCollection[Item]
    duplicate: beam.PCollection[Drop]


@dataclass
class Distinct(beam.PTransform[beam.PCollection[Item], Unique]):
    """Of equal items (same family, image bytes, text asked, references) the one with the smallest id stays."""

    job: Job

    def expand(self, items: beam.PCollection[Item]) -> Unique:
        split = (
            items
            | "Key" >> beam.WithKeys(self._key).with_output_types(tuple[str, Item])
            | "Group" >> beam.GroupByKey()
            | "Keep one" >> beam.FlatMapTuple(keep_one).with_outputs(DUPLICATE, main="items")
        )
        return Unique(split["items"], split[DUPLICATE])

    def _key(self, item: Item) -> str:
        assert item.ref is not None
        return digest(canonical([item.family, item.ref.sha256, self.job.asked(item), sorted(item.references)]))


def keep_one(key: str, group: Iterable[Item]) -> Iterator[Item | TaggedOutput[Literal["duplicate"], Drop]]:
    """The item with the smallest id; the others as duplicates of it."""
    members = list(group)
    first, *others = sorted(members, key=_order) if len(members) > 1 else members
    yield first
    for item in others:
        count("Distinct", "duplicate.equal")
        yield TaggedOutput(DUPLICATE, _duplicate(item, first))


def _order(item: Item) -> tuple[str, str]:
    """By id; items of one id, by everything else, so that the choice is the same on every run."""
    return item.id, canonical(items.record(item))


def _duplicate(item: Item, first: Item) -> Drop:
    return Drop(
        item_id=item.id,
        family=item.family,
        end="duplicate",
        stage="Distinct",
        rule="equal",
        reason="duplicate.equal",
        detail=f"equal to item {first.id}",
        item=canonical(items.record(item)),
    )
