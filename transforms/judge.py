"""What was not admitted is put to the judge: the same loaded model, text only, tried on controls in the same run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import AsSingleton, TaggedOutput

from beam_rs import judge
from beam_rs.job import Job
from beam_rs.judge import Word, screens
from beam_rs.judge import controls as drawn
from beam_rs.judge import gate as gates
from beam_rs.judge.controls import Sample
from beam_rs.judge.gate import Calibration
from beam_rs.rows import Graded
from beam_rs.transforms.ask_judge import Asker, AskJudge, Figures, Inquiry
from beam_rs.transforms.count import count
from beam_rs.transforms.generate import Run

INQUIRY: Final = "inquiry"


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
        settings = self.job.judge
        if settings is None:
            return Judged(graded, graded.pipeline | "No usage" >> beam.Create([]), None)
        asker = Asker(settings, self.job.judge_engine)
        split = graded | "Screen" >> beam.FlatMap(screen, self.job).with_outputs(INQUIRY, main="settled")
        controls = graded | Controls(self.job, settings.calibrate)
        inquiries = (split[INQUIRY], controls[INQUIRY]) | "Inquiries" >> beam.Flatten()
        asked = inquiries | AskJudge(self.run, asker, parts["known"])
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
