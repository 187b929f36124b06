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
    """

    counts: Counter[str] = field(default_factory=Counter)
    started: float = 0.0
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

    def snapshot(self) -> tuple[dict[str, int], float]:
        """The totals, and the seconds since the engine was first asked."""
        with self._lock:
            return dict(self.counts), time.monotonic() - self.started if self.started else 0.0

    def reset(self) -> None:
        """Forget everything, for the next run of this process."""
        with self._lock:
            self.counts.clear()
            self.started = 0.0


PROGRESS: Final = Progress()


def add(name: str, amount: int = 1) -> None:
    """Add to a total of this process."""
    PROGRESS.add(name, amount)
