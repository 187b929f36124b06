"""A small pool of killable processes for algebra: an expression that never ends costs its wall limit, no more.

The pool belongs to one process and starts a worker when one is first needed. It needs neither fork nor
`multiprocessing`, so it works in daemon processes, in any thread, and in a forked child, which starts its own.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from beam_rs.errors import BeamRsError

WORKERS: Final = max(1, min(4, os.cpu_count() or 1))
START_LIMIT: Final = 120.0

_ROOT: Final = str(Path(__file__).resolve().parents[2])


class AlgebraTimeout(Exception):
    """A comparison reached its wall limit; its process was killed."""


class AlgebraMissing(BeamRsError):
    """The process for algebra does not start: an installation fault, not an answer's."""


class _Worker:
    """One child process and the socket to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setblocking(True)  # Google's client sets a default timeout, which makes new sockets non-blocking
        path = os.pathsep.join(filter(None, [_ROOT, os.environ.get("PYTHONPATH", "")]))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable or "python3", "-m", "beam_rs.verifiers._math_worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # a Ctrl-C at the terminal is for the run, which ends its workers itself
                start_new_session=True,
            )
        self._connection = Connection(ours.detach())
        self._started = False

    def ask(self, gold: str, predicted: str, seconds: float) -> bool:
        """Whether two expressions are equal.

        Raises:
          AlgebraTimeout: no reply within the limit.
          AlgebraMissing: the process does not start.
          EOFError, OSError: the process is gone.
        """
        if not self._started:
            self._wait_until_ready()
        request = {"gold": gold, "predicted": predicted, "seconds": seconds}
        self._connection.send_bytes(json.dumps(request).encode())
        if not self._connection.poll(seconds):
            raise AlgebraTimeout
        return bool(json.loads(self._connection.recv_bytes())["equal"])

    def _wait_until_ready(self) -> None:
        """Wait for the imports, which are no part of an expression's time.

        Raises:
          AlgebraMissing: the process ended before it was ready, or is not ready in two minutes.
        """
        try:
            if not self._connection.poll(START_LIMIT):
                raise EOFError
            self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise AlgebraMissing(
                "the process that compares expressions did not start; see `python -c 'import math_verify'`, "
                "and whether memory is left"
            ) from error
        self._started = True

    def end(self) -> None:
        """Kill the process and reap it."""
        self._connection.close()
        self._process.kill()
        self._process.wait()

    def forget(self) -> None:
        """Close our copy of the socket in a forked child; the process itself is the parent's."""
        self._connection.close()
        self._process.returncode = 0


class Pool:
    """At most `WORKERS` processes, handed out one caller at a time."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(WORKERS)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()

    def equal(self, gold: str, predicted: str, seconds: float) -> bool:
        """Whether the algebra system takes two expressions for equal; the wait for a free worker is not limited.

        Raises:
          AlgebraTimeout: the comparison was killed at its wall limit.
        """
        with self._free:
            try:
                return self._ask(gold, predicted, seconds)
            except (EOFError, OSError):
                # the process died between two requests, or of this one; a second death is the expression's fault
                pass
            try:
                return self._ask(gold, predicted, seconds)
            except (EOFError, OSError):
                return False

    def _ask(self, gold: str, predicted: str, seconds: float) -> bool:
        worker = self._take()
        try:
            answer = worker.ask(gold, predicted, seconds)
        except BaseException:
            with self._lock:
                self._all.discard(worker)
            worker.end()
            raise
        with self._lock:
            self._idle.append(worker)
        return answer

    def _take(self) -> _Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        worker = _Worker()
        with self._lock:
            self._all.add(worker)
        return worker

    def close(self) -> None:
        """End every process; the pool starts new ones when it is asked again."""
        with self._lock:
            workers, self._all, self._idle = self._all, set(), []
        for worker in workers:
            worker.end()

    def forget(self) -> None:
        """Let go of the parent's processes in a forked child."""
        for worker in self._all:
            worker.forget()
        self.__init__()  # type: ignore[misc]


POOL: Final = Pool()
atexit.register(POOL.close)
os.register_at_fork(after_in_child=POOL.forget)
