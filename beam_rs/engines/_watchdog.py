"""A thread that notices when something that should go on does not."""

import threading
import time
from collections.abc import Callable
from typing import Final

_LONGEST_NAP: Final = 1.0


class Watchdog:
    """Calls `on_hang` once when, while watching, no progress is reported for longer than the limit.

    Args:
      on_hang: what to do, given the seconds without progress; it runs in the watchdog's thread.
    """

    def __init__(self, on_hang: Callable[[float], None]) -> None:
        self._on_hang = on_hang
        self._limit = 0.0  # 0: not watching
        self._last = 0.0
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._watch, name="beam_rs-watchdog", daemon=True)
        self._thread.start()

    def watch(self, limit: float) -> None:
        """Expect progress from now on, at least every `limit` seconds."""
        with self._changed:
            self._limit, self._last = limit, time.monotonic()
            self._changed.notify()

    def rest(self) -> None:
        """Expect nothing until `watch` is called again."""
        with self._changed:
            self._limit = 0.0

    def progress(self) -> None:
        """Something went on."""
        self._last = time.monotonic()

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(5)

    def _watch(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                idle = time.monotonic() - self._last
                hung = 0 < self._limit < idle
                if hung:
                    self._limit = 0.0
                else:
                    self._changed.wait(min(_LONGEST_NAP, self._limit / 4) if self._limit else None)
            if hung:
                self._on_hang(idle)
