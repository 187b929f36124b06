"""Question-answer pairs become rows: one an image and split, by SHA-256."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import apache_beam as beam

from beam_rs.keys import canonical
from beam_rs.parquet import Row
from beam_rs.rows import Entry

Place = tuple[str, str]
"""Family and split."""


@dataclass
class GroupByImage(beam.PTransform[beam.PCollection[Entry], beam.PCollection[tuple[Place, Row]]]):
    """One row an image and split, its pairs sorted by (id, request key).

    Args:
      policy: name of the cleaning policy.
      versions: its version, by family.
    """

    policy: str
    versions: Mapping[str, str]

    def expand(self, entries: beam.PCollection[Entry]) -> beam.PCollection[tuple[Place, Row]]:
        return (
            entries
            | "Key"
            >> beam.Map(lambda e: ("\0".join((e.family, e.split, e.ref.sha256)), e)).with_output_types(
                tuple[str, Entry]
            )
            | "Group" >> beam.GroupByKey()
            | "Row" >> beam.Map(row, self.policy, self.versions)
        )


def row(grouped: tuple[str, Iterable[Entry]], policy: str, versions: Mapping[str, str]) -> tuple[Place, Row]:
    """The row of one image in one split."""
    entries = sorted(grouped[1], key=lambda e: (e.record["id"], e.record["request_key"]))
    if len({(e.record["id"], e.record["request_key"]) for e in entries}) < len(entries):
        entries.sort(key=_order)
    # The same bytes may lie in several places: the first by name is read, so that the row is the same on every run.
    ref = min((entry.ref for entry in entries), key=lambda r: r.uri)
    first = entries[0]
    meta = {
        "family": first.family,
        "policy": policy,
        "policy_version": versions.get(first.family, ""),
        "width": ref.width,
        "height": ref.height,
        "format": ref.format,
        "pixel_sha256": ref.pixel_sha256,
        "image_note": ref.note or None,
        "items": [entry.record for entry in entries],
    }
    return (first.family, first.split), Row(ref, tuple(entry.qa for entry in entries), meta)


def _order(entry: Entry) -> tuple[str, str, str]:
    """By id and request key, and by all the rest where a pool gives one id to several items."""
    return entry.record["id"], entry.record["request_key"], canonical([dict(entry.qa), dict(entry.record)])
