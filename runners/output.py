"""The output folder: whose it is, whether it can be written, and that only one run writes it at a time."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from beam_rs import files, naming
from beam_rs.errors import OutputRefused
from beam_rs.publish import stale

RUN: Final = f"{naming.WORK}/run.json"
LOCK: Final = f"{naming.WORK}/lock"


def prepare(output: str, fingerprint: str, configuration: dict[str, Any], overwrite: bool) -> None:
    """Make the folder ready for a run.

    Args:
      output: folder or URI prefix.
      fingerprint: of the run.
      configuration: saved beside it, for a person who asks what was run.
      overwrite: replace what a run with another fingerprint wrote; the ledger stays.

    Raises:
      OutputRefused: another fingerprint's output, or it cannot be written.
    """
    theirs = _fingerprint(output)
    if theirs is not None and theirs != fingerprint and not overwrite:
        raise OutputRefused(
            f"{output} was made by another configuration (fingerprint {theirs[:12]}, this one is {fingerprint[:12]}); "
            "give another output, or --overwrite to replace it (the ledger of answers is kept)"
        )
    saved = json.dumps({"fingerprint": fingerprint, "configuration": configuration}, indent=1, ensure_ascii=False)
    try:
        if theirs is not None and theirs != fingerprint:
            _clear(output)
        files.write(files.join(output, RUN), saved.encode() + b"\n")
        files.delete_tree(files.join(output, naming.ATTEMPTS))
    except Exception as error:  # whatever a file system raises, the folder cannot be used
        raise OutputRefused(f"output {output} cannot be written: {error}") from error


def _fingerprint(output: str) -> str | None:
    """Fingerprint of what is in the folder, None where there is nothing of a run."""
    for name in (RUN, naming.MANIFEST):
        try:
            data = files.read(files.join(output, name))
            if data is not None:
                return str(json.loads(data)["fingerprint"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OutputRefused(f"{files.join(output, name)} cannot be read: {error}") from error
    return None


def _clear(output: str) -> None:
    """Remove what an earlier run published; never the ledger, nor what others put there."""
    files.delete(files.join(output, naming.MANIFEST))
    for name in stale(files.listing(output), set()):
        files.delete(files.join(output, name))


@contextmanager
def held(output: str) -> Iterator[None]:
    """Hold a local output folder against a second run.

    Raises:
      OutputRefused: another process writes it now, or the folder cannot be made.
    """
    if files.is_remote(output):
        yield
        return
    path = files.join(output, LOCK)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise OutputRefused(f"output {output} cannot be written: {error.strerror}: {error.filename}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OutputRefused(f"another run is writing {output}; wait for it, or stop it") from error
        yield
    finally:
        os.close(descriptor)
