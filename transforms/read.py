"""Pool files become items, or say why not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from beam_rs import files, registry
from beam_rs.formats import FORMATS, Broken, Record, Split
from beam_rs.items import Malformed, Reader
from beam_rs.keys import canonical
from beam_rs.schema import Failure, Item
from beam_rs.transforms.count import count

MALFORMED: Final = "malformed"


@dataclass(frozen=True)
class Part:
    """A split of a pool file, and how its records become items.

    Attributes:
      split: what to read.
      format: name of the format.
      reader: how a record becomes an item.
    """

    split: Split
    format: str
    reader: Reader


class Read(NamedTuple):
    """What `ReadItems` returns."""

    items: beam.PCollection[Item]
    malformed: beam.PCollection[Failure]


@dataclass
class ReadItems(beam.PTransform[Any, Read]):
    """Read the parts of a pool; a bad record is a failure with file, line and reason.

    Args:
      parts: planned by the launcher, one a worker at a time.
    """

    parts: Sequence[Part]

    def expand(self, pipeline: Any) -> Read:
        split = (
            pipeline
            | "Parts" >> beam.Create(list(self.parts), reshuffle=len(self.parts) > 1)
            | "Read" >> beam.FlatMap(read).with_outputs(MALFORMED, main="items")
        )
        return Read(split["items"], split[MALFORMED])


def read(part: Part) -> Iterator[Item | TaggedOutput[Literal["malformed"], Failure]]:
    """The items of a part, and a failure for each record that is none."""
    form = registry.lookup(FORMATS, part.format, "format")()
    before: int | None = None
    for record in form.read(part.split, files.open_read):
        count("Read", "read")
        found = part.reader.item(record.value) if isinstance(record, Record) else record
        if isinstance(found, Item):
            yield found
        else:
            count("Read", f"malformed.{found.code}")
            if before is None:
                before = form.lines_before(part.split, files.open_read)
            yield TaggedOutput(MALFORMED, failure(part, record, found, before + record.line))


def failure(part: Part, record: Record | Broken, found: Malformed | Broken, line: int) -> Failure:
    """The audit entry of a bad record."""
    return Failure(
        item_id=found.item_id if isinstance(found, Malformed) else "",
        family=found.family if isinstance(found, Malformed) else "",
        end="malformed",
        stage="Read",
        rule=part.format,
        reason=f"malformed.{found.code}",
        detail=f"{part.split.path}:{line}: {found.detail}",
        item=_text(record),
    )


def _text(record: Record | Broken) -> str:
    """The record as JSON text; of one that is too deep for that, its beginning."""
    if isinstance(record, Broken):
        return canonical(record.raw)
    try:
        return canonical(record.value)
    except RecursionError:
        return canonical(
            str(record.value)[:1000] if not isinstance(record.value, (dict, list)) else "nested too deeply"
        )
