"""Rows become parquet shards, and audit entries become files, all of them under `.work` until the run is whole."""

import json
import pickle
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import apache_beam as beam

from beam_rs import files, naming
from beam_rs.engines.base import DRAIN
from beam_rs.errors import Interrupted
from beam_rs.keys import canonical
from beam_rs.parquet import Row, Written, shard_count, shard_of, write_sorted
from beam_rs.schema import Drop
from beam_rs.transforms.group import Place

AUDIT_LINES: Final = 100_000

Shard: TypeAlias = tuple[str, str, int, int]
"""Family, split, index, count."""

Packed: TypeAlias = tuple[str, bytes]
"""SHA-256 and pickled row: a shard's rows come all at once, and unpacked they take five times as much."""


@dataclass
class WriteShards(beam.PTransform[beam.PCollection[tuple[Place, Row]], beam.PCollection[Written]]):
    """Write each split as deterministic shards: as many as its pictures need, each image in the one its hash names.

    Args:
      output: folder or URI prefix.
      families: names; each gets all its splits, the empty ones too.
    """

    output: str
    families: Sequence[str]

    def expand(self, rows: beam.PCollection[tuple[Place, Row]]) -> beam.PCollection[Written]:
        sizes = (
            rows
            | "Bytes" >> beam.MapTuple(lambda place, row: (place, row.ref.bytes))
            | "Sum" >> beam.CombinePerKey(sum)
        )
        totals = beam.pvalue.AsDict(sizes)
        places = [(family, split) for family in self.families for split in naming.SPLITS]
        placed = rows | "Place" >> beam.Map(_place, totals).with_output_types(tuple[Shard, Packed])
        filled = placed | "Shards" >> beam.Keys() | "Rows" >> beam.combiners.Count.PerElement()
        empty = (
            rows.pipeline
            | "All splits" >> beam.Create(places, reshuffle=False)
            | "Empty shards" >> beam.FlatMap(_empty_shards, totals, beam.pvalue.AsDict(filled))
            | "Write empty" >> beam.Map(write, self.output)
        )
        written = placed | "By shard" >> beam.GroupByKey() | "Write" >> beam.Map(write, self.output)
        return (written, empty) | "Written" >> beam.Flatten()


def _empty_shards(
    place: Place, totals: Mapping[Place, int], filled: Mapping[Shard, int]
) -> Iterator[tuple[Shard, list[Packed]]]:
    """The shards of a split that no row falls into: where it has none at all, or by chance of the hash."""
    count = shard_count(totals.get(place, 0))
    for index in range(count):
        shard = (*place, index, count)
        if shard not in filled:
            yield shard, []


def _place(placed: tuple[Place, Row], totals: Mapping[Place, int]) -> tuple[Shard, Packed]:
    place, row = placed
    count = shard_count(totals[place])
    sha256 = row.ref.sha256
    return (*place, shard_of(sha256, count), count), (sha256, pickle.dumps(row, pickle.HIGHEST_PROTOCOL))


def write(grouped: tuple[Shard, Iterable[Packed]], output: str) -> Written:
    """Write one shard under a name of its own, so that a repeated bundle never meets its predecessor."""
    (family, split, index, count), rows = grouped
    if DRAIN.is_set():
        raise Interrupted("stopped before writing shards")
    path = f"{naming.split_folder(family, split)}/{naming.shard_name(index, count)}"
    unpacked = (pickle.loads(packed) for _, packed in sorted(rows))
    return write_sorted(unpacked, split, path, _attempt(output, "parquet"))


def _attempt(output: str, suffix: str) -> str:
    return files.join(output, naming.ATTEMPTS, f"{uuid.uuid4().hex}.{suffix}")


@dataclass
class WriteAudit(beam.PTransform[beam.PCollection[Drop], beam.PCollection[Written]]):
    """Write what left early as JSON Lines, a set of files an end, sorted; whole items with their reason."""

    output: str

    def expand(self, drops: beam.PCollection[Drop]) -> beam.PCollection[Written]:
        totals = beam.pvalue.AsDict(
            drops | "End" >> beam.Map(lambda drop: (drop.end, 1)) | "Count" >> beam.CombinePerKey(sum)
        )
        return (
            drops
            | "Place" >> beam.Map(_place_drop, totals).with_output_types(tuple[tuple[str, int, int], Drop])
            | "By file" >> beam.GroupByKey()
            | "Write" >> beam.Map(write_audit, self.output).with_output_types(Written)
        )


def _place_drop(drop: Drop, totals: Mapping[str, int]) -> tuple[tuple[str, int, int], Drop]:
    count = shard_count(totals[drop.end], AUDIT_LINES)
    return (drop.end, zlib.crc32(drop.item.encode()) % count, count), drop


def write_audit(grouped: tuple[tuple[str, int, int], Iterable[Drop]], output: str) -> Written:
    """Write one audit file."""
    (end, index, count), drops = grouped
    lines = sorted(
        canonical(
            {
                "id": drop.item_id,
                "family": drop.family,
                "stage": drop.stage,
                "reason": drop.reason,
                "detail": drop.detail,
                "item": json.loads(drop.item),
            }
        )
        for drop in drops
    )
    attempt = _attempt(output, "jsonl")
    with files.HashingFile(attempt) as file:
        for line in lines:
            file.write(line.encode() + b"\n")
    return Written(naming.audit_name(end, index, count), attempt, file.sha256, file.length, rows=len(lines))
