"""The judge is asked: each inquiry once, and once more where the reply holds no verdict."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from beam_rs import judge
from beam_rs.engines import Engine
from beam_rs.judge import JudgeSettings, Word, replies
from beam_rs.judge import gate as gates
from beam_rs.judge.controls import Control
from beam_rs.judge.gate import Calibration
from beam_rs.keys import canonical, digest
from beam_rs.ledger.pointers import Pointers
from beam_rs.rows import Graded
from beam_rs.schema import Case, Completion, Request
from beam_rs.transforms.count import count
from beam_rs.transforms.generate import Generate, Run

Figures: TypeAlias = tuple[tuple[str, str, str], float]
"""(what is counted, family, name), and how much."""


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
      engine: that judges, not started.
    """

    settings: JudgeSettings
    engine: Engine

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
                model=self.engine.model,
                revision=self.engine.revision,
            )
            for swapped in orders
        ]


class Asked(NamedTuple):
    """What `AskJudge` returns: items and controls with the judge's word, and what that took."""

    items: beam.PCollection[tuple[Graded, Word]]
    controls: beam.PCollection[tuple[str, Calibration]]
    usage: beam.PCollection[Figures]


@dataclass
class AskJudge(beam.PTransform[beam.PCollection[Inquiry], Asked]):
    """Ask about each inquiry, once more where the reply holds no verdict, and gather the words of both orders."""

    run: Run
    asker: Asker
    known: beam.PCollection[tuple[str, Pointers]]

    def expand(self, inquiries: beam.PCollection[Inquiry]) -> Asked:
        words, usage = inquiries, []
        tried: beam.PCollection[tuple[Inquiry, tuple[Word, ...]]] = words | "Untried" >> beam.Map(lambda i: (i, ()))
        settled = []
        for attempt in range(self.asker.settings.tries):
            round_ = tried | f"Try {attempt + 1}" >> Try(self.run, self.asker, self.known, attempt)
            settled.append(round_["settled"])
            usage.append(round_["usage"])
            tried = round_["again"]
        done = (*settled, tried) | "Done" >> beam.Flatten()
        split = done | "Split" >> beam.FlatMap(by_subject).with_outputs("controls", main="items")
        return Asked(split["items"], split["controls"], tuple(usage) | "Usage" >> beam.Flatten())


@dataclass
class Try(beam.PTransform[Any, Any]):
    """One round of questions; inquiries without a verdict come out under `again`, the others under `settled`."""

    run: Run
    asker: Asker
    known: beam.PCollection[tuple[str, Pointers]]
    attempt: int

    def expand(self, tried: beam.PCollection[tuple[Inquiry, tuple[Word, ...]]]) -> Any:
        asker, attempt = self.asker, self.attempt
        requests = tried | "Requests" >> beam.FlatMap(lambda pair: asker.requests(pair[0], attempt)).with_output_types(
            Request
        )
        completions = requests | Generate(asker.engine, self.run, self.known, "judge")
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
        ("judge_request_seconds", completion.seconds),
        ("judge_failed_requests", int(bool(completion.error))),
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
