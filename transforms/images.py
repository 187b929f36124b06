"""Items get their checked picture, or say why there is none."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from beam_rs import allocator, images, items
from beam_rs.engines.base import DRAIN
from beam_rs.errors import Interrupted
from beam_rs.images import Fault, Limits, Place
from beam_rs.keys import canonical
from beam_rs.schema import Failure, ImageRef, Item
from beam_rs.transforms.count import count

UNDECODABLE: Final = "undecodable"
REMEMBERED: Final = 1_024


class Resolved(NamedTuple):
    """What `ResolveImages` returns."""

    items: beam.PCollection[Item]
    undecodable: beam.PCollection[Failure]


@dataclass
class ResolveImages(beam.PTransform[beam.PCollection[Item], Resolved]):
    """Attach the checked image to each item, or say why there is none.

    Args:
      place: where images may lie.
      limits: largest picture in pixels and bytes, and the formats that are decoded.
    """

    place: Place
    limits: Limits = field(default_factory=Limits)

    def expand(self, items: beam.PCollection[Item]) -> Resolved:
        split = items | "Resolve" >> beam.ParDo(_Resolve(self.place, self.limits)).with_outputs(
            UNDECODABLE, main="items"
        )
        return Resolved(split["items"], split[UNDECODABLE])


class _Resolve(beam.DoFn):
    """Resolves; remembers the last pictures of a bundle, for pools that ask several questions of one."""

    def __init__(self, place: Place, limits: Limits) -> None:
        self._place, self._limits = place, limits
        self._seen: OrderedDict[str, ImageRef | Fault] = OrderedDict()

    def setup(self) -> None:
        allocator.tune()

    def start_bundle(self) -> None:
        self._seen = OrderedDict()

    def process(self, item: Item) -> Iterator[Item | TaggedOutput[Literal["undecodable"], Failure]]:
        if DRAIN.is_set():
            raise Interrupted("stopped while reading images")
        found = self._seen.get(item.image)
        if found is None:
            found = self._seen[item.image] = images.resolve(item.image, self._place, self._limits)
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        if isinstance(found, ImageRef):
            yield replace(item, ref=found)
        else:
            count("ResolveImages", f"undecodable.{found.code}")
            yield TaggedOutput(UNDECODABLE, failure(item, found))


def failure(item: Item, fault: Fault) -> Failure:
    """The audit entry of an item without a picture."""
    return Failure(
        item_id=item.id,
        family=item.family,
        end="undecodable",
        stage="ResolveImages",
        rule="image",
        reason=f"undecodable.{fault.code}",
        detail=fault.detail,
        item=canonical(items.record(item)),
    )
