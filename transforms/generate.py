"""Requests become completions: each key once, what the ledger has is not asked again, the rest goes to the engine."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import apache_beam as beam

from beam_rs import files
from beam_rs.engines import Engine
from beam_rs.engines.loaded import Loaded, load
from beam_rs.errors import EngineDied
from beam_rs.ledger import Ledger, Recent
from beam_rs.ledger.pointers import Pointers
from beam_rs.ledger.records import Kind
from beam_rs.progress import PROGRESS
from beam_rs.schema import Completion, Request
from beam_rs.transforms.count import count
from beam_rs.transforms.inference import ModelHandler, RunInference
from beam_rs.transforms.lookup import Lookup

LOCAL_BATCH: Final = 16_384
"""Where one bundle is one batch: a batch is a barrier, so the fewer the better; requests hold no picture."""

_LOCK: Final = threading.Lock()
_RECENT: Final[dict[tuple[str, float], Recent]] = {}

CLUSTER_BATCH: Final = 512
"""Where bundles overlap in several threads."""


@dataclass(frozen=True)
class Run:
    """What the steps that ask share.

    Attributes:
      ledger: where answers are kept, or None.
      started: when the run began, seconds since 1970.
      snapshot: the ledger's files and their lengths then; all workers agree on it.
      batch: requests handed to the engine at once by one thread.
    """

    ledger: Ledger | None = None
    started: float = 0.0
    snapshot: Mapping[str, int] = field(default_factory=dict)
    batch: int = LOCAL_BATCH


@dataclass
class Generate(beam.PTransform[beam.PCollection[Request], beam.PCollection[Completion]]):
    """The completion of each distinct request.

    Args:
      engine: what answers, not started.
      run: what the steps that ask share.
      known: where the ledger's records stood when the run began; see `ReadLedger`.
      kind: `generate`, `judge` or `rollout`, for ledger and accounting.
    """

    engine: Engine
    run: Run
    known: beam.PCollection[tuple[str, Pointers]]
    kind: Kind = "generate"

    def expand(self, requests: beam.PCollection[Request]) -> beam.PCollection[Completion]:
        found = requests | "Look up" >> Lookup(self.known, self.kind)
        handler = VisionModelHandler(self.engine, self.run, self.kind)
        asked = found.missing | "Ask" >> RunInference(handler)
        return (asked, found.known) | "All" >> beam.Flatten()


class VisionModelHandler(ModelHandler[Request, Completion, Loaded]):
    """RunInference over an `Engine`. Errors are completions; only the engine's own death raises.

    Args:
      engine: not started; loaded once a process, whatever the number of steps.
      run: the ledger that each completion is written to as it ends, and the size of a batch (smallest and largest,
        or Beam's adaptive batching would shrink it).
      kind: of the requests, for ledger and accounting.
    """

    def __init__(self, engine: Engine, run: Run | None = None, kind: Kind = "generate") -> None:
        self._engine, self._run, self._kind = engine, run or Run(), kind
        super().__init__(min_batch_size=self._run.batch, max_batch_size=self._run.batch)

    def load_model(self) -> Loaded:
        return load(self._engine)

    def run_inference(
        self, batch: Sequence[Request], model: Loaded, inference_args: dict[str, Any] | None = None
    ) -> list[Completion]:
        # Requests of one picture and one prompt stand together, so that a prefix cache pays for itself.
        ordered = sorted(batch, key=lambda r: (r.locality, [m.text for m in r.messages], r.sample))
        answers = Answers(self._engine, self._run, self._kind, ordered)
        missing = answers.missing()
        if missing:
            PROGRESS.asked(len(missing))
            model.generate(missing, answers.take)
            answers.flush()
        return answers.complete()

    def get_num_bytes(self, batch: Sequence[Request]) -> int:
        """A size for metrics; the default pickles every batch to learn it."""
        return sum(len(m.text) for request in batch for m in request.messages)

    def get_resource_hints(self) -> dict[str, Any]:
        return dict(getattr(self._engine, "resource_hints", {}))

    def get_metrics_namespace(self) -> str:
        return f"beam_rs.{self._kind}"


class Answers:
    """The completions of one batch as they come in: each goes to the ledger before Beam sees it."""

    def __init__(self, engine: Engine, run: Run, kind: Kind, requests: Sequence[Request]) -> None:
        self._run, self._kind = run, kind
        self._requests = {request.key: request for request in requests}
        self._ledger = replace(run.ledger, model=engine.model, revision=engine.revision) if run.ledger else None
        self._done: dict[str, Completion] = {}

    def missing(self) -> list[Request]:
        """What is still to be asked: a bundle may be a retry, so what this run has written is looked up once more."""
        if self._ledger is not None:
            self._done.update(_recent(self._ledger.folder, self._run).lookup(self._requests))
            count(self._kind, "recovered", len(self._done))
        return [request for key, request in self._requests.items() if key not in self._done]

    def take(self, completion: Completion) -> None:
        """Keep a completion. Called from the engine's threads."""
        if self._ledger is not None:
            request = self._requests[completion.key]
            self._ledger.append(request, completion, self._kind, completion.seconds)
        self._done[completion.key] = completion
        PROGRESS.answered(bool(completion.error), completion.completion_tokens)

    def flush(self) -> None:
        """Send what an object store's writer still gathers, so that a finished bundle has lost nothing."""
        if self._ledger is not None and files.is_remote(self._ledger.folder):
            self._ledger.flush()

    def complete(self) -> list[Completion]:
        """All completions, in the order of the requests.

        Raises:
          EngineDied: the engine returned without having answered everything.
        """
        lost = [key for key in self._requests if key not in self._done]
        if lost:
            raise EngineDied(f"the engine returned without answering {len(lost)} requests, the first is {lost[0]}")
        made: Iterable[Completion] = (self._done[key] for key in self._requests)
        return list(_counted(made, self._kind))


def _recent(folder: str, run: Run) -> Recent:
    """This process's second look-up of a run: one, so that files are followed and not read anew."""
    with _LOCK:
        key = (folder, run.started)
        if key not in _RECENT:
            _RECENT.clear()
            _RECENT[key] = Recent(Ledger(folder), run.started, run.snapshot)
        return _RECENT[key]


def _counted(completions: Iterable[Completion], kind: Kind) -> Iterable[Completion]:
    """The completions, counted for Beam's metrics."""
    for completion in completions:
        count(kind, f"failed.{completion.error}" if completion.error else "completions")
        count(kind, "prompt_tokens", completion.prompt_tokens)
        count(kind, "completion_tokens", completion.completion_tokens)
        yield completion
