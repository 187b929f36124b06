"""Every verdict of a data set again, from its shards alone; what differs is listed."""

import functools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow.parquet as pq

from beam_rs import files, naming, reasoning, registry
from beam_rs.errors import BeamRsError, UsageError
from beam_rs.schema import Case, Completion
from beam_rs.verifiers import VERIFIERS, Verifier, verify

COMPARED: Final = ("outcome", "admitted", "score", "extracted", "form", "reason")
COLUMNS: Final = ["qa", "clean_meta", "image_sha256"]


@dataclass(frozen=True)
class Difference:
    """A stored verdict that does not come out again.

    Attributes:
      shard: path of the file.
      image: SHA-256 of the image.
      item: id of the item.
      field: what differs.
      stored: what the shard says.
      found: what the verifier says now, or the error that kept it from saying anything.
    """

    shard: str
    image: str
    item: str
    field: str
    stored: Any
    found: Any


def shards(place: str) -> list[str]:
    """Parquet files of a data set, of a family or split of it, or one file.

    Raises:
      UsageError: there is none.
    """
    if place.endswith(".parquet") and files.exists(place):
        return [place]
    found = [files.join(place, name) for name in files.listing(place) if name.endswith(".parquet")]
    own = [path for path in found if f"/{naming.WORK}/" not in path]
    if not own:
        raise UsageError(f"no parquet shards in {place}; give the output folder of a run, or a part of it")
    return own


def recheck(path: str) -> Iterator[int | Difference]:
    """Go through one shard, a row group at a time: the number of verdicts recomputed, and the differences.

    Raises:
      BeamRsError: the file is no shard of ours.
    """
    with files.open_read(path, "uncompressed") as stream:
        try:
            shard = pq.ParquetFile(stream)
            for group in range(shard.num_row_groups):
                for row in shard.read_row_group(group, columns=COLUMNS).to_pylist():
                    yield from _row(path, row)
        except (OSError, KeyError, ValueError) as error:
            raise BeamRsError(f"{path} cannot be read as a shard: {error}") from error


def _row(path: str, row: Mapping[str, Any]) -> Iterator[int | Difference]:
    meta = row["clean_meta"]
    for qa, item in zip(row["qa"], meta["items"], strict=True):
        yield 1
        for field, stored, found in _differences(meta, qa, item):
            yield Difference(path, row["image_sha256"], item["id"], field, stored, found)


def _differences(
    meta: Mapping[str, Any], qa: Mapping[str, Any], item: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    try:
        verifier = _verifier(item["verifier"], item["verifier_parameters"])
    except BeamRsError as error:
        yield "verifier", item["verifier"], str(error)
        return
    case = Case(tuple(item["references"]), qa["question"], tuple(item["options"]), meta["width"], meta["height"])
    verdict = verify(verifier, case, completion(qa))
    for field in COMPARED:
        stored, found = item[field], getattr(verdict, field)
        if not _same(stored, found):
            yield field, stored, found
    if verifier.version != item["verifier_version"]:
        yield "verifier_version", item["verifier_version"], verifier.version


def completion(qa: Mapping[str, Any]) -> Completion:
    """The completion behind a stored pair: its answer without the thought, and whether the limit cut it."""
    if qa.get("verdict") == "truncated":
        return Completion("", truncated=True)
    return Completion("", answer=reasoning.split(qa["answer"]).answer)


def _same(stored: Any, found: Any) -> bool:
    if isinstance(stored, float) and isinstance(found, float):
        return math.isclose(stored, found, rel_tol=1e-9, abs_tol=1e-12)
    return bool(stored == found)


@functools.lru_cache(maxsize=256)
def _verifier(name: str, parameters: str) -> Verifier:
    made: Verifier = registry.build(VERIFIERS, {"name": name, **json.loads(parameters)}, "verifier")
    return made
