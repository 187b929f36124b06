"""Worker processes that Beam's in-process runner starts on this machine: they end with the run, however it ends."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from beam_rs.engines._processes import Reaper, marked_environment


@contextmanager
def owned(expected: bool) -> Iterator[str]:
    """Mark worker processes that are started inside; those that are left end with the block, or with this process.

    Without this, workers of a run that was killed would ask on until their bundle is done, beside the next run's.

    Args:
      expected: whether the runner starts any.

    Yields:
      Their mark, empty where there are none.
    """
    if not expected:
        yield ""
        return
    mark = f"run-{uuid.uuid4().hex}"
    reaper = Reaper(mark)
    try:
        with marked_environment(mark, {}):
            yield mark
    finally:
        reaper.dismiss()
