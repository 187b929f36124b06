"""Items are asked, and their answers verified."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from beam_rs import samples
from beam_rs.job import Job
from beam_rs.rows import Graded, Sample
from beam_rs.schema import Case, Completion, Item, Request, Verdict
from beam_rs.transforms.count import count
from beam_rs.verifiers import Verifier, verify

LONGFORM: Final = "longform"


class Judgeable(NamedTuple):
    """What `SetApart` returns."""

    items: beam.PCollection[Item]
    longform: beam.PCollection[Graded]


@dataclass
class SetApart(beam.PTransform[beam.PCollection[Item], Judgeable]):
    """Items whose reference the verifier cannot judge are never asked about: they go to longform."""

    job: Job

    def expand(self, items: beam.PCollection[Item]) -> Judgeable:
        split = items | "Judgeable?" >> beam.FlatMap(set_apart, self.job).with_outputs(LONGFORM, main="items")
        return Judgeable(split["items"], split[LONGFORM])


def set_apart(item: Item, job: Job) -> Iterator[Item | TaggedOutput[Literal["longform"], Graded]]:
    """The item, or its longform end."""
    verifier, case = job.verifier(item), job.case(item)
    why = verifier.unjudgeable(case)
    if why is None:
        yield item
        return
    count("SetApart", "longform")
    verdict = verifier.verdict("unjudgeable", reason=why)
    yield TaggedOutput(LONGFORM, Graded(item, case.question, verifier.spec, verifier.parameters, verdict=verdict))


@dataclass
class BuildRequests(beam.PTransform[beam.PCollection[Item], beam.PCollection[Request]]):
    """The requests of each item: as many as its family draws samples."""

    job: Job

    def expand(self, items: beam.PCollection[Item]) -> beam.PCollection[Request]:
        return items | "Requests" >> beam.FlatMap(build_requests, self.job).with_output_types(Request)


def build_requests(item: Item, job: Job) -> Iterator[Request]:
    """One request a sample."""
    for index in range(job.families[item.family].samples):
        yield job.request(item, index)


@dataclass
class Verify(beam.PTransform[Any, beam.PCollection[Graded]]):
    """Join items with their completions and verify each; the input is `{"items": …, "completions": …}`."""

    job: Job

    def expand(self, parts: Mapping[str, beam.PCollection[Any]]) -> beam.PCollection[Graded]:
        keyed = {
            "items": parts["items"]
            | "Key items" >> beam.Map(lambda item, job: (job.request(item).group, item), self.job),
            "completions": parts["completions"] | "Key completions" >> beam.Map(lambda c: (c.group, c)),
        }
        return keyed | "Join" >> beam.CoGroupByKey() | "Verify" >> beam.FlatMap(_joined, self.job)


def _joined(joined: tuple[str, Mapping[str, Iterable[Any]]], job: Job) -> Iterator[Graded]:
    _, parts = joined
    completions: list[Completion] = sorted(parts["completions"], key=lambda c: c.key)
    answers = {completion.key: completion for completion in completions}
    for item in parts["items"]:
        yield grade(item, answers, job)


def grade(item: Item, answers: Mapping[str, Completion], job: Job) -> Graded:
    """An item with its answers, verified and chosen among."""
    verifier, case = job.verifier(item), job.case(item)
    plan = job.families[item.family]
    keys = [request.key for request in build_requests(item, job)]
    made = tuple(Sample(key, answers[key], _verdict(verifier, case, answers[key])) for key in keys)
    verdicts = [None if sample.completion.error else sample.verdict for sample in made]
    picked = samples.pick([sample.completion for sample in made], verdicts, plan.accept)
    for sample in made:
        count("Verify", f"{verifier.name}.{sample.verdict.outcome}")
    accepted = picked.end == "accepted"
    return Graded(
        item,
        case.question,
        verifier.spec,
        verifier.parameters,
        samples=made,
        chosen=picked.chosen if accepted else (),
        shown=picked.chosen[0] if picked.chosen else 0,
        pass_rate=picked.pass_rate,
        suspect=picked.suspect,
    )


def _verdict(verifier: Verifier, case: Case, completion: Completion) -> Verdict:
    if completion.error:
        return verifier.verdict("no_match", reason=f"failed.{completion.error}")
    return verify(verifier, case, completion)
