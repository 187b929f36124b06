"""What was not admitted is put to the judge: the same loaded model, text only, tried on controls in the same run."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import apache_beam as beam
from apache_beam.pvalue import AsSingleton, TaggedOutput

from beam_rs import judge
from beam_rs.job import Job
from beam_rs.judge import JudgeSettings, Word, replies, screens
from beam_rs.judge import controls as drawn
from beam_rs.judge import gate as gates
from beam_rs.judge.controls import Control, Sample
from beam_rs.judge.gate import Calibration
from beam_rs.keys import canonical, digest
from beam_rs.ledger.pointers import Pointers
from beam_rs.rows import Graded
from beam_rs.schema import Case, Completion, Request
from beam_rs.transforms.count import count
from beam_rs.transforms.generate import Generate, Run

INQUIRY: Final = "inquiry"
Figures: TypeAlias = tuple[tuple[str, str, str], int]


@dataclass(frozen=True)
class Inquiry:
    """One thing that the judge is asked about: an item that was not admitted, or a control.

    Attributes:
      family: whose judge is asked.
      item_id: for messages.
      case: question and references.
      candidate: the answer to be judged.
      about: the item or the control.
    """

    family: str
    item_id: str
    case: Case
    candidate: str
    about: Graded | Control

    @property
    def name(self) -> str:
        """What tells inquiries apart."""
        kind = self.about.kind if isinstance(self.about, Control) else ""
        case = [self.case.question, list(self.case.references)]
        return digest(canonical([self.family, self.item_id, kind, self.candidate, *case]))


@dataclass(frozen=True)
class Asker:
    """Makes the requests of an inquiry.

    Attributes:
      settings: of the judge.
      model: that judges.
      revision: of that model.
    """

    settings: JudgeSettings
    model: str
    revision: str

    def requests(self, inquiry: Inquiry, attempt: int) -> list[Request]:
        """One request an order of reference and candidate."""
        orders = (False, True) if self.settings.swap else (False,)
        return [
            judge.request(
                inquiry.item_id,
                inquiry.case,
                inquiry.candidate,
                attempt=attempt,
                swapped=swapped,
                model=self.model,
                revision=self.revision,
            )
            for swapped in orders
        ]


class Judged(NamedTuple):
    """What `Judge` returns.

    Attributes:
      graded: all items, the promoted ones among them.
      usage: figures of the judge's requests.
      calibration: one dictionary, family to calibration and gate; None where the judge is off.
    """

    graded: beam.PCollection[Graded]
    usage: beam.PCollection[Figures]
    calibration: beam.PCollection[dict[str, Any]] | None


@dataclass
class Judge(beam.PTransform[Any, Judged]):
    """Screen, ask, calibrate and rule; the input is `{"graded": …, "known": …}`.

    Args:
      job: with the judge's settings and engine; a job without a judge passes everything on.
      run: ledger and batch.
    """

    job: Job
    run: Run

    def expand(self, parts: Mapping[str, beam.PCollection[Any]]) -> Judged:
        graded: beam.PCollection[Graded] = parts["graded"]
        settings, engine = self.job.judge, self.job.judge_engine
        if settings is None:
            return Judged(graded, graded.pipeline | "No usage" >> beam.Create([]), None)
        asker = Asker(settings, engine.model, engine.revision)
        split = graded | "Screen" >> beam.FlatMap(screen, self.job).with_outputs(INQUIRY, main="settled")
        controls = graded | Controls(self.job, settings.calibrate)
        inquiries = (split[INQUIRY], controls[INQUIRY]) | "Inquiries" >> beam.Flatten()
        asked = inquiries | AskJudge(self.job, self.run, asker, parts["known"])
        calibration = (controls["screened"], asked.controls) | "Calibrate" >> Calibrate(settings.gate)
        ruled = asked.items | "Rule" >> beam.Map(rule, settings.gate, AsSingleton(calibration))
        return Judged((split["settled"], ruled) | "All" >> beam.Flatten(), asked.usage, calibration)


def screen(graded: Graded, job: Job) -> Iterator[Graded | TaggedOutput[Literal["inquiry"], Inquiry]]:
    """Items that the judge never sees pass; the others become inquiries."""
    if graded.end != "rejected":
        yield graded
        return
    case, completion = job.case(graded.item), graded.samples[graded.shown].completion
    why = screens.screen(case, completion)
    if why is not None:
        count("Judge", f"screened.{why}")
        yield graded if why == "truncated" else replace(graded, judge=f"screened: {why}")
        return
    inquiry = Inquiry(graded.item.family, graded.item.id, case, completion.answer, graded)
    yield TaggedOutput(INQUIRY, inquiry)


@dataclass
class Controls(beam.PTransform[beam.PCollection[Graded], Any]):
    """Choose a family's controls; those that a screen stops come out under `screened`, the others as inquiries."""

    job: Job
    limit: int

    def expand(self, graded: beam.PCollection[Graded]) -> Any:
        limit = self.limit
        return (
            graded
            | "Samples" >> beam.FlatMap(sample, self.job).with_output_types(tuple[str, tuple[Sample, ...]])
            | "Choose" >> beam.CombinePerKey(lambda parts: drawn.choose(chain(*parts), limit))
            | "Controls" >> beam.FlatMap(controls).with_outputs(INQUIRY, main="screened")
        )


def sample(graded: Graded, job: Job) -> Iterator[tuple[str, tuple[Sample, ...]]]:
    """What an item offers for the choice of controls, by family."""
    end = graded.end
    if end not in ("accepted", "rejected"):
        return
    answer = graded.samples[graded.chosen[0]].completion.answer if graded.chosen else None
    yield graded.item.family, (Sample(graded.item.id, job.case(graded.item), answer),)


def controls(
    chosen: tuple[str, tuple[Sample, ...]],
) -> Iterator[tuple[str, Calibration] | TaggedOutput[Literal["inquiry"], Inquiry]]:
    """The controls of a family."""
    family, samples = chosen
    for control in drawn.plan(samples):
        if screens.screen_text(control.case, control.candidate) is not None:
            yield family, gates.observe(control, "screened")
        else:
            inquiry = Inquiry(family, control.item_id, control.case, control.candidate, control)
            yield TaggedOutput(INQUIRY, inquiry)


class Asked(NamedTuple):
    """What `AskJudge` returns: items and controls with the judge's word, and what that took."""

    items: beam.PCollection[tuple[Graded, Word]]
    controls: beam.PCollection[tuple[str, Calibration]]
    usage: beam.PCollection[Figures]


@dataclass
class AskJudge(beam.PTransform[beam.PCollection[Inquiry], Asked]):
    """Ask about each inquiry, once more where the reply holds no verdict, and gather the words of both orders."""

    job: Job
    run: Run
    asker: Asker
    known: beam.PCollection[tuple[str, Pointers]]

    def expand(self, inquiries: beam.PCollection[Inquiry]) -> Asked:
        words, usage = inquiries, []
        tried: beam.PCollection[tuple[Inquiry, tuple[Word, ...]]] = words | "Untried" >> beam.Map(lambda i: (i, ()))
        settled = []
        for attempt in range(self.asker.settings.tries):
            round_ = tried | f"Try {attempt + 1}" >> Try(self.job, self.run, self.asker, self.known, attempt)
            settled.append(round_["settled"])
            usage.append(round_["usage"])
            tried = round_["again"]
        done = (*settled, tried) | "Done" >> beam.Flatten()
        split = done | "Split" >> beam.FlatMap(by_subject).with_outputs("controls", main="items")
        return Asked(split["items"], split["controls"], tuple(usage) | "Usage" >> beam.Flatten())


@dataclass
class Try(beam.PTransform[Any, Any]):
    """One round of questions; inquiries without a verdict come out under `again`, the others under `settled`."""

    job: Job
    run: Run
    asker: Asker
    known: beam.PCollection[tuple[str, Pointers]]
    attempt: int

    def expand(self, tried: beam.PCollection[tuple[Inquiry, tuple[Word, ...]]]) -> Any:
        asker, attempt = self.asker, self.attempt
        requests = tried | "Requests" >> beam.FlatMap(lambda pair: asker.requests(pair[0], attempt)).with_output_types(
            Request
        )
        completions = requests | Generate(self.job.judge_engine, self.run, self.known, "judge")
        keyed = tried | "Key" >> beam.FlatMap(
            lambda pair: [(request.key, pair) for request in asker.requests(pair[0], attempt)]
        )
        replies_ = completions | "Key replies" >> beam.Map(lambda completion: (completion.key, completion))
        return (
            {"inquiries": keyed, "completions": replies_}
            | "Join" >> beam.CoGroupByKey()
            | "Pair" >> beam.FlatMap(_pair)
            | "By inquiry" >> beam.GroupByKey()
            | "Settle"
            >> beam.FlatMap(settle, attempt + 1 == asker.settings.tries).with_outputs("again", "usage", main="settled")
        )


Answered: TypeAlias = tuple[tuple[Inquiry, tuple[Word, ...]], Completion]


def _pair(joined: tuple[str, Mapping[str, Iterable[Any]]]) -> Iterator[tuple[str, Answered]]:
    _, parts = joined
    for completion in parts["completions"]:
        for inquiry, before in parts["inquiries"]:
            yield inquiry.name, ((inquiry, before), completion)


def settle(group: tuple[str, Iterable[Answered]], last: bool) -> Iterator[Any]:
    """The word of one inquiry over the orders in which it was asked; or another round."""
    answered = list(group[1])
    (inquiry, _), _ = answered[0]
    words = [word(completion) for _, completion in answered]
    for completion in (completion for _, completion in answered):
        yield from _spent(inquiry.family, completion)
    combined = judge.combine(words)
    if combined == "INVALID" and not last:
        yield TaggedOutput("again", (inquiry, (combined,)))
    else:
        yield inquiry, (combined,)


def word(completion: Completion) -> Word:
    """What a reply is read as; a request that failed gave no verdict."""
    return "INVALID" if completion.error else replies.parse(completion.text)


def _spent(family: str, completion: Completion) -> Iterator[TaggedOutput[Literal["usage"], Figures]]:
    for name, amount in (
        ("judge_requests", 1),
        ("judge_prompt_tokens", completion.prompt_tokens),
        ("judge_completion_tokens", completion.completion_tokens),
    ):
        yield TaggedOutput("usage", (("usage", family, name), amount))


def by_subject(done: tuple[Inquiry, tuple[Word, ...]]) -> Iterator[Any]:
    """Items with their word; controls as the calibration that they amount to."""
    inquiry, words = done
    found = judge.settle(words)
    count("Judge", found)
    if isinstance(inquiry.about, Control):
        yield TaggedOutput("controls", (inquiry.family, gates.observe(inquiry.about, found)))
    else:
        yield inquiry.about, found


@dataclass
class Calibrate(beam.PTransform[Any, beam.PCollection[dict[str, Any]]]):
    """Sum the calibration of each family, and decide its gate."""

    gate: float

    def expand(self, parts: tuple[beam.PCollection[Any], ...]) -> beam.PCollection[dict[str, Any]]:
        gate = self.gate
        return (
            parts
            | "Controls" >> beam.Flatten()
            | "Sum" >> beam.CombinePerKey(gates.merge)
            | "Gate" >> beam.Map(lambda pair: (pair[0], calibrated(pair[1], gate)))
            | "Gather" >> beam.combiners.ToDict()
        )


def calibrated(calibration: Calibration, gate: float) -> dict[str, Any]:
    """A family's calibration and gate, as the manifest holds them."""
    found = gates.gate(calibration, gate)
    return {**calibration.as_json(), "gate": {"open": found.open, "least": gate, "reason": found.reason}}


def rule(judged: tuple[Graded, Word], gate: float, calibration: Mapping[str, Any]) -> Graded:
    """An item with what follows from the judge's word and its family's gate."""
    graded, found = judged
    known = calibration.get(graded.item.family) or calibrated(Calibration(), gate)
    ruling = judge.rule(found, known["gate"]["open"])
    return replace(graded, judge="CORRECT" if ruling.promoted else ruling.verdict)
