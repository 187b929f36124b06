"""The processes of an engine: marked at birth, found by their mark, and ended with their owner, however that dies.

Every process that is started while `marked_environment` holds carries the mark in its environment, and so do its own
children. A small reaper process, which runs this file, waits at a pipe for the owner's end and then ends what
carries the mark: a SIGKILL of the owner leaves no engine behind that holds the GPU.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

MARK = "BEAM_RS_ENGINE"


@contextmanager
def marked_environment(mark: str, settings: Mapping[str, str]) -> Iterator[None]:
    """Let processes that are started inside carry the mark and further settings.

    Args:
      mark: what the owner's processes are known by.
      settings: further environment variables; those that are already set by the user stay.
    """
    # SPT_NOENV: a process that renames itself must not overwrite the environment that it is found by.
    added = {MARK: mark, "SPT_NOENV": "1", **{key: value for key, value in settings.items() if key not in os.environ}}
    before = {key: os.environ.get(key) for key in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


@contextmanager
def spared_from_interrupts() -> Iterator[None]:
    """Let processes started inside, from this thread, never see SIGINT or SIGHUP.

    Ctrl-C goes to every process of the terminal; the engine must live on to finish what is in flight. A blocked
    signal stays blocked in children.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def find_marked(mark: str) -> list[int]:
    """Process ids that carry the mark, without this process; zombies are left out."""
    needle = f"{MARK}={mark}".encode()
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if not name.isdigit() or int(name) == os.getpid():
            continue
        with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            if needle in file.read().split(b"\0"):
                found.append(int(name))
    return found


def end_marked(mark: str, patience: float = 5.0) -> int:
    """Kill everything that carries the mark, also what is stopped or starts meanwhile.

    Args:
      mark: what to look for.
      patience: seconds until it is given up.

    Returns:
      How many processes were killed.
    """
    killed: set[int] = set()
    deadline = time.monotonic() + patience
    while (alive := find_marked(mark)) and time.monotonic() < deadline:
        for process in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
                killed.add(process)
        time.sleep(0.05)
    return len(killed)


def memory_of(mark: str) -> int:
    """Bytes of resident memory of all marked processes; pages that they share count in each."""
    total = 0
    for process in find_marked(mark):
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{process}/statm") as file:
            total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


class Reaper:
    """The process that outlives its owner just long enough to end the engine."""

    def __init__(self, mark: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, mark, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """Let it go: it ends what still carries the mark, and itself."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _reap(mark: str, owner: int) -> None:
    """Wait until the owner is gone, then end what carries the mark."""
    while os.getppid() == owner:  # a forked child of the owner may hold the pipe open
        if select.select([0], [], [], 1.0)[0] and not os.read(0, 1):
            break
    end_marked(mark)


if __name__ == "__main__":
    _reap(sys.argv[1], int(sys.argv[2]))
