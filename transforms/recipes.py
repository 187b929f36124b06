"""The main job, wired: a pool becomes a published data set."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam

from beam_rs.job import Job
from beam_rs.ledger import Ledger
from beam_rs.manifest import Header
from beam_rs.transforms import report
from beam_rs.transforms.clean import Clean, Cleaned, Distinct
from beam_rs.transforms.generate import LOCAL_BATCH, Generate, Run
from beam_rs.transforms.group import GroupByImage
from beam_rs.transforms.images import ResolveImages
from beam_rs.transforms.judge import Judge
from beam_rs.transforms.lookup import ReadLedger
from beam_rs.transforms.read import Part, ReadItems
from beam_rs.transforms.route import Route
from beam_rs.transforms.verify import BuildRequests, SetApart, Verify
from beam_rs.transforms.write import WriteAudit, WriteShards


@dataclass
class MakeDataset(beam.PTransform[Any, beam.PCollection[str]]):
    """Read, clean, ask, verify, judge, route, write, publish; the output is the path of the manifest.

    Args:
      job: what to do.
      parts: what to read.
      header: what the manifest says of the run before it starts.
      ledger: where answers are kept, or None.
      snapshot: the ledger's files and their lengths when the run began.
      batch: requests handed to the engine at once by one thread.
      started: seconds since 1970.
    """

    job: Job
    parts: Sequence[Part]
    header: Header
    ledger: Ledger | None = None
    snapshot: dict[str, int] = field(default_factory=dict)
    batch: int = LOCAL_BATCH
    started: float = field(default_factory=time.time)

    def expand(self, pipeline: Any) -> beam.PCollection[str]:
        job = self.job
        run = Run(self.ledger, self.started, self.snapshot, self.batch)
        read = pipeline | ReadItems(self.parts)
        resolved = read.items | ResolveImages(job.place, job.limits)
        cleaned: Cleaned = resolved.items | Clean(job.rules)
        unique = cleaned.items | Distinct(job)
        judgeable = unique.items | SetApart(job)
        known = pipeline | ReadLedger(sorted(self.snapshot))
        requests = judgeable.items | BuildRequests(job)
        completions = requests | Generate(job.engine, run, known)
        verified = {"items": judgeable.items, "completions": completions} | Verify(job)
        judged = {"graded": verified, "known": known} | Judge(job, run)
        routed = judged.graded | Route()
        apart = judgeable.longform | "Route apart" >> Route()
        drops = (read.malformed, resolved.undecodable, cleaned.dropped, unique.duplicate, routed.failed)
        entries = (routed.think, routed.nothink, routed.rejected, apart.longform) | "Entries" >> beam.Flatten()
        rows = entries | GroupByImage(job.policy, job.policy_versions)
        audit = drops | "Drops" >> beam.Flatten()
        files = (
            rows | WriteShards(job.output, sorted(job.families)),
            audit | WriteAudit(job.output),
        ) | "Files" >> beam.Flatten()
        tally = (
            read.items | "Count items" >> beam.Map(report.item_read),
            read.malformed | "Count lines" >> beam.Map(report.line_read),
            audit | "Count drops" >> beam.FlatMap(report.dropped),
            judgeable.longform | "Count apart" >> beam.FlatMap(report.left),
            judged.graded | "Count graded" >> beam.FlatMap(report.graded),
            judged.usage,
        ) | report.Tally()
        parts = {
            "files": files,
            "tally": tally,
            "purity": cleaned.measured.get("purity"),
            "calibration": judged.calibration,
        }
        return {name: part for name, part in parts.items() if part is not None} | report.Publish(job, self.header)
