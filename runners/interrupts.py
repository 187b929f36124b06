"""SIGINT and SIGTERM: the first drains, the second ends at once."""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from beam_rs.engines._processes import end_marked
from beam_rs.engines.base import DRAIN
from beam_rs.errors import Interrupted
from beam_rs.ledger import Ledger

STOPPING: Final = "stopping: what is in flight is finished and kept; once more ends at once"

LAST_MOMENT: Final = 0.2
LAST_FLUSH: Final = 5.0
"""Seconds between a second signal and the end."""

STOPPED: Final = "interrupted; run the same command again to go on where it stopped"

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def draining(ledger: Ledger, workers: str = "") -> Iterator[None]:
    """The first SIGINT or SIGTERM drains what is in flight; the second ends at once, and loses no finished answer.

    Args:
      ledger: where answers are kept.
      workers: mark of worker processes, where the work is done there: the terminal's signal ends them anyway, and
        Beam's runner would wait for them for ever, so that the first signal already ends the run.
    """

    def handle(number: int, frame: Any) -> None:
        if workers and not DRAIN.is_set():
            DRAIN.set()
            threading.excepthook = lambda failed: None  # Beam's threads would each print that their worker is gone
            end_marked(workers)
            print(f"error: {STOPPED}", file=sys.stderr, flush=True)
        if DRAIN.is_set():
            threading.Thread(target=_end_now, args=(ledger,), daemon=True).start()
            return
        DRAIN.set()
        _LOG.warning(STOPPING)

    DRAIN.clear()
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _end_now(ledger: Ledger) -> None:
    """End this process, whatever it waits for; answers that have arrived get a moment to reach the ledger."""
    time.sleep(LAST_MOMENT)
    flushing = threading.Thread(target=ledger.flush, daemon=True)  # an object store may not answer either
    flushing.start()
    flushing.join(LAST_FLUSH)
    os._exit(Interrupted.exit_code)
