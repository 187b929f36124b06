"""A live table while a run goes on; plain lines where there is no terminal."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table

from beam_rs.engines import loaded
from beam_rs.engines.base import DRAIN
from beam_rs.progress import PROGRESS
from beam_rs.runners.interrupts import STOPPING

PERIOD: Final = 0.5
PLAIN_PERIOD: Final = 10.0


@contextmanager
def shown(in_process: bool) -> Iterator[None]:
    """Show the totals of this process until the block ends; other processes' totals are not seen, and it says so."""
    console = Console(stderr=True)
    if not in_process:
        console.print("running; totals are shown at the end, the work is done in other processes")
        yield
        return
    stop = threading.Event()
    show = _table if console.is_terminal else _lines
    thread = threading.Thread(target=show, args=(console, stop), name="beam-rs-live", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _table(console: Console, stop: threading.Event) -> None:
    with Live(console=console, refresh_per_second=4, transient=True) as table:
        while not stop.wait(PERIOD):
            table.update(_rows())


def _rows() -> Table:
    """The figures in two columns, so that a narrow terminal cuts nothing off."""
    shown = list(figures().items())
    half = (len(shown) + 1) // 2
    # a line that is logged while the table stands is wiped out with it
    table = Table(box=None, show_header=False, caption=STOPPING if DRAIN.is_set() else None, caption_justify="left")
    for justify in ("left", "right", "left", "right"):
        table.add_column(justify=justify, no_wrap=True)
    for left, right in zip_longest(shown[:half], shown[half:], fillvalue=("", "")):
        table.add_row(*left, *right)
    return table


def _lines(console: Console, stop: threading.Event) -> None:
    while not stop.wait(PLAIN_PERIOD):
        print(line(), file=sys.stderr, flush=True)


def line() -> str:
    """The figures as one plain line."""
    return time.strftime("%H:%M:%S ") + "  ".join(f"{name} {value}" for name, value in figures().items())


def figures() -> dict[str, str]:
    """What is shown: items read, answers so far, ends, rates, occupancy, time left.

    Ends are known when all answers are there, as an item is graded with all its samples; until then failures are
    those of requests, and what is not known yet is a dash.
    """
    counts, seconds = PROGRESS.snapshot()
    answered = counts.get("answered", 0) + counts.get("failed requests", 0)
    asked = counts.get("asked", 0)
    rate = answered / seconds if seconds else 0.0
    tokens = counts.get("completion tokens", 0)
    graded = any(counts.get(end) for end in ("accepted", "rejected", "failed"))
    return {
        "read": f"{counts.get('read', 0):,}",
        "answered": f"{answered:,}/{asked:,}",
        "from ledger": f"{counts.get('from_ledger', 0):,}",
        "accepted": f"{counts.get('accepted', 0):,}" if graded else "—",
        "rejected": f"{counts.get('rejected', 0):,}" if graded else "—",
        "failed": f"{counts.get('failed' if graded else 'failed requests', 0):,}",
        "answers/s": f"{rate:,.1f}",
        "tokens/s": f"{tokens / seconds:,.0f}" if seconds else "0",
        "in flight": occupancy(),
        "left": clock((asked - answered) / rate) if rate and asked > answered else "—",
    }


def clock(seconds: float) -> str:
    """A span of time in hours, however many they are.

    >>> clock(100_000)
    '27:46:40'
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest:02}"


def occupancy() -> str:
    """Requests in flight, of how many there may be."""
    busy, window = loaded.occupancy()
    return f"{busy}/{window}" if window else "—"
