"""Graded items leave through tagged outputs: one a split, and one for those that failed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from beam_rs import items, naming
from beam_rs.keys import canonical
from beam_rs.rows import Entry, Graded, entries
from beam_rs.schema import Failure
from beam_rs.transforms.count import count

FAILED: Final = "failed"


class Routed(NamedTuple):
    """What `Route` returns: the entries of each split, and the items that no sample answered."""

    think: beam.PCollection[Entry]
    nothink: beam.PCollection[Entry]
    rejected: beam.PCollection[Entry]
    longform: beam.PCollection[Entry]
    failed: beam.PCollection[Failure]


@dataclass
class Route(beam.PTransform[beam.PCollection[Graded], Routed]):
    """Send the question-answer pairs of each item to their splits."""

    def expand(self, graded: beam.PCollection[Graded]) -> Routed:
        split = graded | "Route" >> beam.FlatMap(route).with_outputs(*naming.SPLITS, FAILED)
        return Routed(*(split[name] for name in (*naming.SPLITS, FAILED)))


def route(graded: Graded) -> Iterator[Any]:
    """The entries of an item, each under the tag of its split; or its failure."""
    end = graded.end
    count("Route", end)
    if end == "failed":
        yield TaggedOutput(FAILED, failure(graded))
        return
    for entry in entries(graded):
        yield TaggedOutput(entry.split, entry)


def failure(graded: Graded) -> Failure:
    """The audit entry of an item whose samples all failed."""
    completion = graded.samples[graded.shown].completion
    return Failure(
        item_id=graded.item.id,
        family=graded.item.family,
        end="failed",
        stage="Generate",
        rule="engine",
        reason=f"failed.{completion.error}",
        detail=completion.detail,
        item=canonical(items.record(graded.item)),
    )
