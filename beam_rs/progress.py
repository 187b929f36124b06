"""What this process has done so far, for a live table; the figures of a run come from the pipeline itself."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final


@dataclass
class Progress:
    """Running totals of one process.

    Attributes:
      counts: by name.
      started: when the engine was first asked, on the monotonic clock; 0 before.
      ended: when it last finished a request.
    """

    counts: Counter[str] = field(default_factory=Counter)
    started: float = 0.0
    ended: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, amount: int = 1) -> None:
        """Add to a total; safe from any thread."""
        with self._lock:
            self.counts[name] += amount

    def asked(self, requests: int) -> None:
        """Note that so many requests went to the engine."""
        with self._lock:
            self.counts["asked"] += requests
            self.started = self.started or time.monotonic()

    def answered(self, failed: bool, tokens: int) -> None:
        """Note that the engine finished a request."""
        with self._lock:
            self.counts["failed requests" if failed else "answered"] += 1
            self.counts["completion tokens"] += tokens
            self.ended = time.monotonic()

    def last(self) -> tuple[dict[str, int], float]:
        """The totals, and the seconds from the first request to the last answer."""
        with self._lock:
            return dict(self.counts), max(0.0, self.ended - self.started) if self.started else 0.0

    def snapshot(self) -> tuple[dict[str, int], float]:
        """The totals, and the seconds since the engine was first asked."""
        with self._lock:
            return dict(self.counts), time.monotonic() - self.started if self.started else 0.0

    def reset(self) -> None:
        """Forget everything, for the next run of this process."""
        with self._lock:
            self.counts.clear()
            self.started = self.ended = 0.0


PROGRESS: Final = Progress()


def add(name: str, amount: int = 1) -> None:
    """Add to a total of this process."""
    PROGRESS.add(name, amount)
