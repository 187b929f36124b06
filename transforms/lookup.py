"""Which requests the ledger has answered already: a keyed join of small things, then one reading of what was hit.

The join carries 24 bytes a record and never an answer; the answers that are wanted are read in a second pass, a stretch
of a file at a time. So neither the ledger nor its keys are ever held whole.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from beam_rs.ledger import Record, choose, completion_of, settled
from beam_rs.ledger.pointers import Pointers, bucket_of, fetch, packed_keys, pointers
from beam_rs.schema import Completion, Request
from beam_rs.transforms.count import count

HIT: Final = "hit"
MISSING: Final = "missing"
STRETCH: Final = 16_000_000
"""Bytes of a ledger file that are read at a time."""

Where: TypeAlias = tuple[str, int]
"""A ledger file and the offset of a block."""

Hit: TypeAlias = tuple[tuple[str, int], tuple[Request, list[Where]]]
"""A stretch of a file, and a request with all places of its records."""


class Found(NamedTuple):
    """What `Lookup` returns: what the ledger knows, and what is still to be asked, each key once."""

    known: beam.PCollection[Completion]
    missing: beam.PCollection[Request]


@dataclass
class ReadLedger(beam.PTransform[Any, beam.PCollection[tuple[str, Pointers]]]):
    """Where the records of the ledger stand, by bucket.

    Args:
      files: paths of the ledger's files when the run began.
    """

    files: Sequence[str]

    def expand(self, pipeline: Any) -> beam.PCollection[tuple[str, Pointers]]:
        return (
            pipeline
            | "Files" >> beam.Create(list(self.files), reshuffle=len(self.files) > 1)
            | "Places" >> beam.FlatMap(pointers).with_output_types(tuple[str, Pointers])
        )


@dataclass
class Lookup(beam.PTransform[beam.PCollection[Request], Found]):
    """Join requests with the ledger; equal requests are merged on the way.

    Args:
      ledger: from `ReadLedger`.
      kind: of the requests, for counters.
    """

    ledger: beam.PCollection[tuple[str, Pointers]]
    kind: str

    def expand(self, requests: beam.PCollection[Request]) -> Found:
        keyed = requests | "Bucket" >> beam.WithKeys(lambda r: bucket_of(r.locality)).with_output_types(
            tuple[str, Request]
        )
        joined = {"requests": keyed, "pointers": self.ledger} | "Join" >> beam.CoGroupByKey()
        split = joined | "Match" >> beam.FlatMap(match, self.kind).with_outputs(HIT, main=MISSING)
        read = (
            split[HIT]
            | "By stretch" >> beam.GroupByKey()
            | "Read answers" >> beam.FlatMap(read_answers, self.kind).with_outputs(MISSING, main="known")
        )
        return Found(read["known"], (split[MISSING], read[MISSING]) | "Missing" >> beam.Flatten())


def match(
    joined: tuple[str, Mapping[str, Iterable[Any]]], kind: str
) -> Iterator[Request | TaggedOutput[Literal["hit"], Hit]]:
    """The requests of a bucket that have no record; those that have, with the places, by stretch of the first file."""
    _, parts = joined
    unique: dict[str, Request] = {}
    for request in parts["requests"]:
        known = unique.setdefault(request.key, request)
        if request.item_id < known.item_id:
            unique[request.key] = request
    keys = sorted(unique)
    wanted = packed_keys(keys)
    places: dict[str, list[Where]] = {}
    for part in parts["pointers"]:
        for index, offset in part.find(wanted):
            places.setdefault(keys[index], []).append((part.path, offset))
    count(kind, "requests", len(unique))
    for request in sorted(unique.values(), key=lambda r: (r.locality, r.group, r.sample)):
        if request.key not in places:
            yield request
            continue
        where = sorted(places[request.key])
        path, offset = where[0]
        yield TaggedOutput(HIT, ((path, offset // STRETCH), (request, where)))


def read_answers(
    group: tuple[tuple[str, int], Iterable[tuple[Request, list[Where]]]], kind: str
) -> Iterator[Completion | TaggedOutput[Literal["missing"], Request]]:
    """The answers of a stretch of a file; requests whose records are errors that asking again may mend go on."""
    wanted = list(group[1])
    found = _records(wanted)
    for request, _ in wanted:
        records = found.get(request.key)
        record = choose(records) if records else None
        if record is not None and settled(record):
            count(kind, "from_ledger")
            yield completion_of(record)
        else:
            yield TaggedOutput(MISSING, request)


def _records(hits: Sequence[tuple[Request, list[Where]]]) -> dict[str, list[Record]]:
    """All records of the wanted keys."""
    offsets: dict[str, list[int]] = {}
    for _, where in hits:
        for path, offset in where:
            offsets.setdefault(path, []).append(offset)
    keys = {request.key for request, _ in hits}
    found: dict[str, list[Record]] = {}
    for path in sorted(offsets):
        for record in fetch(path, offsets[path]):
            if record["key"] in keys:
                found.setdefault(record["key"], []).append(record)
    return found
