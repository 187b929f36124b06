"""What was not admitted is put to the judge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from beam_rs.job import Job
from beam_rs.rows import Graded
from beam_rs.transforms.generate import Run


class Judged(NamedTuple):
    """What `Judge` returns."""

    graded: beam.PCollection[Graded]
    usage: beam.PCollection[tuple[tuple[str, str, str], int]]
    calibration: beam.PCollection[dict[str, Any]] | None


@dataclass
class Judge(beam.PTransform[Any, Judged]):
    """Judge."""

    job: Job
    run: Run

    def expand(self, parts: Mapping[str, beam.PCollection]) -> Judged:
        graded = parts["graded"]
        usage = graded.pipeline | "No usage" >> beam.Create([])
        return Judged(graded, usage, None)
