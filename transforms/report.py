"""The figures of a run, and the step that publishes it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, TypeAlias

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindows

from beam_rs import manifest, naming, publish
from beam_rs.card import cards
from beam_rs.cleaning.purity import shares
from beam_rs.job import Job
from beam_rs.manifest import Header, Outcome
from beam_rs.parquet import Written
from beam_rs.rows import Graded
from beam_rs.schema import Completion, Drop, Item
from beam_rs.transforms.count import count

Figure: TypeAlias = tuple[str, str, str]
"""What is counted, family, name: `("end", "ChartQA", "accepted")`."""


@dataclass
class Tally(beam.PTransform[Any, beam.PCollection[dict[Figure, int]]]):
    """Sum figures into one dictionary; the input is a list of collections of (figure, amount)."""

    def expand(self, parts: Sequence[beam.PCollection[tuple[Figure, int]]]) -> beam.PCollection[dict[Figure, int]]:
        summed = tuple(part | f"Sum of bundles {n}" >> beam.ParDo(_SumBundle()) for n, part in enumerate(parts))
        return summed | beam.Flatten() | "Sum" >> beam.CombinePerKey(sum) | "Gather" >> beam.combiners.ToDict()


class _SumBundle(beam.DoFn):
    """Sums the figures of a bundle, so that a few pairs travel instead of several an item."""

    def start_bundle(self) -> None:
        self._sums: defaultdict[Figure, float] = defaultdict(int)

    def process(self, pair: tuple[Figure, float]) -> None:
        figure, amount = pair
        self._sums[figure] += amount

    def finish_bundle(self) -> Iterator[Any]:
        for pair in self._sums.items():
            yield GlobalWindows.windowed_value(pair)


def item_read(item: Item) -> tuple[Figure, int]:
    """An item that was read."""
    return ("read", item.family, ""), 1


def line_read(drop: Drop) -> tuple[Figure, int]:
    """A line that was read and is no item."""
    return ("read", drop.family, ""), 1


def dropped(drop: Drop) -> Iterator[tuple[Figure, int]]:
    """The end and the reason of what left early."""
    yield ("end", drop.family, drop.end), 1
    yield ("reason", drop.family, drop.reason), 1


def left(graded: Graded) -> Iterator[tuple[Figure, int]]:
    """The end of a graded item, and the reason where there is one; failures bring theirs as drops."""
    family, end = graded.item.family, graded.end
    if end == "failed":
        return
    yield ("end", family, end), 1
    if end == "longform" and graded.verdict:
        yield ("reason", family, f"longform.{graded.verdict.verifier}"), 1
    if end == "rejected":
        cut = graded.samples[graded.shown].completion.truncated
        yield ("reason", family, f"rejected.{'truncated' if cut else graded.judge or 'no_match'}"), 1
    if end == "accepted":
        yield ("reason", family, "accepted.judge" if not graded.chosen else "accepted.verifier"), 1
    if graded.item.verifier == "mcq":
        yield ("usage", family, "multiple_choice"), 1
    if graded.suspect:
        yield ("usage", family, "suspect_references"), 1


def graded(item: Graded) -> Iterator[tuple[Figure, float]]:
    """All figures of an item that was asked."""
    yield from left(item)
    yield from spent(item)


def spent(graded: Graded) -> Iterator[tuple[Figure, float]]:
    """Tokens and requests of an item's samples."""
    family = graded.item.family
    for sample in graded.samples:
        yield ("usage", family, "requests"), 1
        yield from tokens(sample.completion, family)


def tokens(completion: Completion, family: str) -> Iterator[tuple[Figure, float]]:
    """Tokens and time of one completion."""
    yield ("usage", family, "prompt_tokens"), completion.prompt_tokens
    yield ("usage", family, "completion_tokens"), completion.completion_tokens
    yield ("usage", family, "request_seconds"), completion.seconds
    if completion.error:
        yield ("usage", family, "failed_requests"), 1


@dataclass
class Publish(beam.PTransform[Any, beam.PCollection[str]]):
    """Write cards, put everything in its place, and the manifest last.

    The input is `{"files": …, "tally": …}`, with `purity` and `calibration` where they were measured; the output is
    the path of the manifest.
    """

    job: Job
    header: Header

    def expand(self, parts: Mapping[str, Any]) -> beam.PCollection[str]:
        pipeline = parts["tally"].pipeline
        measured = [name for name in ("purity", "calibration") if name in parts]
        extra = {name: beam.pvalue.AsSingleton(parts[name]) for name in measured}
        return (
            pipeline
            | "Once" >> beam.Create([None])
            | "Publish"
            >> beam.Map(
                _publish,
                self.job,
                self.header,
                beam.pvalue.AsIter(parts["files"]),
                beam.pvalue.AsSingleton(parts["tally"]),
                **extra,
            )
        )


def _publish(
    _: None,
    job: Job,
    header: Header,
    written: Iterable[Written],
    tally: Mapping[Figure, int],
    purity: Mapping[str, int] | None = None,
    calibration: Mapping[str, Any] | None = None,
) -> str:
    finished = datetime.now(timezone.utc).isoformat(timespec="seconds")
    outcome = Outcome(tally, tuple(written), shares(purity or {}), dict(calibration or {}))
    value = manifest.build(header, outcome, finished)
    made = [publish.attempt(job.output, path, data) for path, data in cards(value, outcome.files)]
    outcome = Outcome(tally, (*outcome.files, *made), outcome.purity, outcome.calibration)
    publish.publish(job.output, outcome.files, manifest.build(header, outcome, finished))
    count("Publish", "files", len(outcome.files))
    return f"{job.output}/{naming.MANIFEST}"
