"""One run, from a configuration to an exit code."""

import logging
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Final

import apache_beam as beam

from beam_rs import errors, files, job, manifest, naming
from beam_rs.config import Config
from beam_rs.engines import loaded
from beam_rs.engines.base import DRAIN, Engine
from beam_rs.errors import BeamRsError, Interrupted, LedgerError, OutputRefused
from beam_rs.job import Job
from beam_rs.keys import canonical
from beam_rs.ledger import Ledger
from beam_rs.manifest import Header
from beam_rs.progress import PROGRESS
from beam_rs.runners import direct, live, options, output, pool, workers
from beam_rs.runners.interrupts import STOPPED, draining
from beam_rs.transforms.generate import CLUSTER_BATCH, LOCAL_BATCH
from beam_rs.transforms.recipes import MakeDataset

DEAD_LETTERS: Final = 3
"""Exit code of a finished run with more dead letters than allowed."""

_STEP: Final = " [while running"
_RAISED: Final = re.compile(r"beam_rs\.errors\.(\w+): (.*)")


@dataclass(frozen=True)
class Finished:
    """What a run left.

    Attributes:
      code: exit code.
      manifest: as published.
    """

    code: int
    manifest: dict[str, Any]


def run(
    config: Config, *, limit: int | None = None, overwrite: bool = False, beam_options: Sequence[str] = ()
) -> Finished:
    """Run the main job and wait for its end.

    Args:
      config: what to do.
      limit: read no more than this many records.
      overwrite: replace the output of another configuration.
      beam_options: further options for Beam, as on its command line.

    Raises:
      UsageError: found before the first item is read.
      BeamRsError: the run failed; what was finished is in the ledger.
    """
    settings = config.settings
    built = job.build(config)
    arguments = options.flags(settings.runner.options, beam_options)
    parsed = options.parse(arguments)
    runner = direct.runner(settings.runner.name)
    parts = pool.plan(config, built, limit)
    check(built, settings.runner.name in direct.HERE)
    ledger = Ledger(files.join(built.output, naming.LEDGER))
    with output.held(built.output):
        output.prepare(built.output, built.fingerprint, config.portable, overwrite)
        batch = LOCAL_BATCH if settings.runner.name == "direct" else CLUSTER_BATCH
        made = MakeDataset(built, parts, header(config, built), ledger, usable(ledger), batch, time.time())
        _carry_out(made, runner, parsed, settings.runner.name, ledger)
    return finished(built)


def _carry_out(made: MakeDataset, runner: Any, parsed: Any, name: str, ledger: Ledger) -> None:
    """Wait for the pipeline's end, with signals, live figures and worker processes looked after."""
    try:
        with (
            workers.owned(direct.has_workers(name, parsed)) as mark,
            draining(ledger, mark),
            live.shown(direct.is_in_process(name, parsed)),
        ):
            wait(made, runner, parsed)
    finally:
        ledger.writer().close()


def check(built: Job, here: bool = True) -> None:
    """What can be found out about rules and engines before the first item is read.

    Args:
      built: the job.
      here: whether this machine is the one that asks the model.

    Raises:
      ConfigError: a source manifest that is absent or cannot be read, an option that an engine does not know.
      MissingExtra: an engine's package is not installed here, where it is needed.
    """
    for rule in built.rules:
        rule.check()
    if here:
        built.engine.check()
        if built.judge:
            built.judge_engine.check()


def usable(ledger: Ledger) -> dict[str, int]:
    """The ledger's files and their lengths, once it is known that answers can be kept.

    Raises:
      OutputRefused: they cannot, or those that are there cannot be listed.
    """
    try:
        ledger.check_writable()
        return ledger.snapshot()
    except LedgerError as error:
        raise OutputRefused(str(error)) from error


def wait(made: MakeDataset, runner: Any, parsed: Any) -> None:
    """Run a pipeline to its end.

    Raises:
      BeamRsError: the error of ours that ended it, or one that shows what did.
    """
    PROGRESS.reset()
    try:
        with _quiet():
            pipeline = beam.Pipeline(runner=runner, options=parsed)
            pipeline | "Main job" >> made
            pipeline.run().wait_until_finish()
    except BaseException as error:
        found = explained(error)
        raise found from None if found is error else error
    finally:
        loaded.release()


def explained(error: BaseException) -> BeamRsError:
    """The error of ours behind what Beam raises: it notes its step in the text, and may keep the text alone."""
    text = str(error)
    found = _RAISED.findall(text)
    made = BeamRsError(f"the run failed: {_last_line(text) or type(error).__name__}")
    if isinstance(error, BeamRsError):
        made = error
        made.args = (text.split(_STEP)[0],)
    elif found:
        name, message = found[-1]
        kind = getattr(errors, name, BeamRsError)
        made = kind.__new__(kind)
        made.args = (message.split(_STEP)[0],)
    stopped = DRAIN.is_set() or isinstance(error, KeyboardInterrupt)
    if isinstance(made, Interrupted) or (stopped and made is not error and not found):
        return Interrupted(STOPPED)
    return made


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def header(config: Config, built: Job) -> Header:
    """What the manifest says before the run starts."""
    families = {
        name: {
            "verifier": plan.verifier.spec,
            "verifier_version": plan.verifier.version,
            "verifier_parameters": job.parameters(plan.verifier.parameters),
            "instruction": plan.instruction,
            "system": plan.system,
            "sampling": {**vars(plan.sampling), "samples": plan.samples, "accept": plan.accept},
            "policy_version": built.policy_versions[name],
        }
        for name, plan in built.families.items()
    }
    judge = {**vars(built.judge), **_engine(built.judge_engine)} if built.judge else None
    return Header(
        configuration=config.portable,
        fingerprint=built.fingerprint,
        model=_engine(built.engine),
        families=families,
        judge=judge,
        policy=built.policy,
        started=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )


def _engine(engine: Engine) -> dict[str, Any]:
    return {"engine": engine.name, "model": engine.model, "revision": engine.revision, "pixels": engine.pixels}


def finished(built: Job) -> Finished:
    """The published manifest, and the exit code that follows from it.

    Raises:
      BeamRsError: the run ended without publishing.
    """
    import json

    data = files.read(files.join(built.output, naming.MANIFEST))
    if data is None:
        raise BeamRsError(f"the run ended, but there is no {naming.MANIFEST} in {built.output}")
    value = json.loads(data)
    share = manifest.dead_letters(value["counts"]["total"])
    return Finished(DEAD_LETTERS if share > built.dead_letters else 0, value)


@contextmanager
def _quiet() -> Iterator[None]:
    """Beam logs its translation passes as warnings and each failure with its stack; the error itself is shown by us."""
    noisy = [logging.getLogger(name) for name in ("apache_beam", "root")]
    levels = [logger.level for logger in noisy]
    noisy[0].setLevel(logging.CRITICAL if not os.environ.get("BEAM_RS_DEBUG") else logging.INFO)
    try:
        yield
    finally:
        for logger, level in zip(noisy, levels, strict=True):
            logger.setLevel(level)


def saved(value: dict[str, Any]) -> str:
    """A configuration as one line, for logs."""
    return canonical(value)
