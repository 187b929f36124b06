"""A pilot: the main job on a sample of the pool, in a folder that is thrown away; its answers stay in the ledger."""

import heapq
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from beam_rs import files, job, ledger, naming, registry
from beam_rs.config import Config
from beam_rs.forecast import Forecast, Pilot, forecast
from beam_rs.formats import FORMATS, Record, Split
from beam_rs.items import record
from beam_rs.keys import canonical, digest
from beam_rs.ledger import Ledger
from beam_rs.progress import PROGRESS
from beam_rs.runners import direct, interrupts, launch, options, pool
from beam_rs.schema import Item
from beam_rs.transforms.read import Part
from beam_rs.transforms.recipes import MakeDataset


@dataclass(frozen=True)
class Sampled:
    """The items of a pilot, and how many records the pool has."""

    items: tuple[Item, ...]
    records: int


def plan(config: Config, sample: int, beam_options: Sequence[str] = ()) -> Forecast:
    """Run a pilot and reckon the whole pool from it. The real output gets nothing but answers in its ledger.

    Args:
      config: of the real run.
      sample: items of the pilot.
      beam_options: further options for Beam.

    Raises:
      BeamRsError: as for a run.
    """
    settings = config.settings
    built = job.build(config)
    parts = pool.plan(config, built)
    launch.check(built)
    book = Ledger(files.join(built.output, naming.LEDGER))
    before = launch.usable(book)
    parsed = options.parse(options.flags(settings.runner.options, beam_options))
    chosen = choose(parts, sample)
    with tempfile.TemporaryDirectory(prefix="beam-rs-pilot-") as folder:
        pilot = replace(built, output=folder)
        part = replace(parts[0], split=_written(chosen.items, Path(folder) / "pool.jsonl", parts[0]), format="jsonl")
        part = replace(part, reader=replace(part.reader, family=None, map={}))
        made = MakeDataset(pilot, [part], launch.header(config, pilot), book, before, started=time.time())
        with interrupts.draining(book):
            launch.wait(made, direct.runner(settings.runner.name), parsed)
        manifest = launch.finished(pilot).manifest
    counts, seconds = PROGRESS.last()
    tokens = tuple(_tokens(book, before))
    return forecast(Pilot(chosen.records, manifest, tokens, seconds, counts.get("answered", 0)), settings.cost)


def choose(parts: Sequence[Part], sample: int) -> Sampled:
    """The items with the smallest hash: a fair sample, the same on every run, whatever the order of the pool."""
    records = 0

    def ranked() -> Iterator[tuple[str, int, Item]]:
        nonlocal records
        for part in parts:
            form = registry.lookup(FORMATS, part.format, "format")()
            for found in form.read(part.split, files.open_read):
                records += 1
                item = part.reader.item(found.value) if isinstance(found, Record) else None
                if isinstance(item, Item):
                    yield digest(canonical(["pilot", item.id, item.question, item.image])), records, item

    smallest = heapq.nsmallest(sample, ranked())
    return Sampled(tuple(item for _, _, item in smallest), records)


def _written(items: Sequence[Item], path: Path, part: Part) -> Split:
    """A pool file of the chosen items, as a split."""
    path.write_text("".join(json.dumps(record(item), ensure_ascii=False) + "\n" for item in items), encoding="utf-8")
    return replace(part.split, path=str(path), start=0, end=None, limit=None)


def _tokens(book: Ledger, before: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Tokens of the requests that the pilot asked: what stands in the ledger's new files."""
    for path in book.files():
        if path not in before:
            for answer in ledger.read(path):
                if not answer["error"] and answer["kind"] == "generate":
                    yield answer["prompt_tokens"], answer["completion_tokens"]
