"""Writing answers as they end: a file a process and start, a block a record, nothing ever appended to an older file.

Locally a record is handed to the operating system in one `write`, so that SIGKILL cannot take it back. On object
stores, where nothing can be appended, records are gathered into small numbered files.
"""

import atexit
import os
import re
import socket
import threading
import time
import weakref
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Final
from uuid import uuid4

from beam_rs.errors import LedgerError
from beam_rs.ledger import storage
from beam_rs.ledger.blocks import frame, new_sync
from beam_rs.ledger.coding import encode, header
from beam_rs.ledger.records import record_of
from beam_rs.schema import Completion, Request

BATCH: Final = 64
"""Records that an object holds at most, but for those that arrive while it is sent."""

PERIOD: Final = 5.0
"""Seconds that a record waits for company before its object is sent."""


class Writer(ABC):
    """The process's hold on one ledger folder; any number of threads may append."""

    codec = "null"

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.forget()
        _ALIVE.add(self)

    def append(
        self,
        request: Request,
        completion: Completion,
        kind: str = "generate",
        seconds: float = 0.0,
        model: str = "",
        revision: str = "",
    ) -> None:
        """Record a finished request; returns when the record is safe from the death of this process.

        Object stores give less: see `ObjectWriter`.

        Raises:
          LedgerError: it cannot be kept; what was kept before stays readable.
        """
        self._keep(encode(record_of(request, completion, kind, seconds, model, revision), self.codec))

    @abstractmethod
    def flush(self) -> None:
        """Bring everything appended so far to stable storage."""

    @abstractmethod
    def close(self) -> None:
        """Flush and end the file; a later append starts another. Safe to call twice."""

    @abstractmethod
    def forget(self) -> None:
        """Start afresh, as a forked child must: the parent's file and what it has not sent are the parent's."""

    @abstractmethod
    def _keep(self, payload: bytes) -> None:
        """Take in the coded bytes of one record."""


class LocalWriter(Writer):
    """Appends to one file, opened at the first record."""

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._file: int | None = None
        self._path, self._sync, self._sound, self._empty = "", b"", 0, 0

    def flush(self) -> None:
        with self._lock:
            if self._file is not None:
                try:
                    os.fsync(self._file)
                except OSError as error:
                    raise storage.refusal(self.folder, error) from error

    def close(self) -> None:
        self.flush()
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _keep(self, payload: bytes) -> None:
        with self._lock:
            try:
                file = self._open() if self._file is None else self._file
                self._write(file, frame(payload, self._sync))
            except BaseException as error:
                self._abandon()
                if isinstance(error, OSError):
                    raise storage.refusal(self.folder, error) from error
                raise

    def _open(self) -> int:
        os.makedirs(self.folder, exist_ok=True)
        self._path = f"{self.folder}/{_new_name()}{storage.SUFFIX}"
        self._sync, self._sound = new_sync(), 0
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)
        start = header(self._sync, self.codec)
        self._empty = len(start)
        self._write(self._file, start)
        return self._file

    def _write(self, file: int, data: bytes) -> None:
        done = os.write(file, data)
        while done < len(data):  # a disk that fills up takes a part, and refuses the rest
            done += os.write(file, data[done:])
        self._sound += len(data)

    def _abandon(self) -> None:
        """Leave a file whose end is in doubt, cut back to what is sound; the next record starts another."""
        if self._file is None:
            return
        # Whatever fails here costs nothing: a reader stops at a torn end by itself.
        with suppress(OSError):
            os.ftruncate(self._file, self._sound)
            if self._sound <= self._empty:
                os.unlink(self._path)
        with suppress(OSError):
            os.close(self._file)
        self._file = None


class ObjectWriter(Writer):
    """Gathers records into numbered objects of `BATCH` records, sent at the latest after `PERIOD` seconds.

    `append` returns before the record is sent: what has not been sent when the process is killed is asked again.
    `flush` sends at once. A failed sending keeps its records, and is raised by the next `append` if it fails again.
    """

    codec = "deflate"

    def __init__(self, folder: str, period: float = PERIOD) -> None:
        self._period = period
        super().__init__(folder)

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._pending: list[bytes] = []
        self._timer: threading.Timer | None = None
        self._late = False
        self._name, self._number = "", 0

    def flush(self) -> None:
        with self._sending:
            with self._lock:
                batch, self._pending = self._pending, []
                self._stop_timer()
            if not batch:
                return
            try:
                self._send(batch)
            except BaseException as error:
                with self._lock:
                    self._pending, self._late = batch + self._pending, True
                if isinstance(error, Exception):
                    raise storage.refusal(self.folder, error) from error
                raise
            self._late = False

    def close(self) -> None:
        self.flush()

    def _keep(self, payload: bytes) -> None:
        with self._lock:
            self._pending.append(payload)
            full = len(self._pending) >= BATCH or self._late
            if not full and self._timer is None:
                self._timer = threading.Timer(self._period, self._send_late)
                self._timer.daemon = True
                self._timer.start()
        if full:
            self.flush()

    def _send(self, batch: list[bytes]) -> None:
        self._name = self._name or _new_name()
        sync = new_sync()
        data = header(sync, self.codec) + b"".join(frame(payload, sync) for payload in batch)
        storage.put(f"{self.folder}/{self._name}-{self._number:06d}{storage.SUFFIX}", data)
        self._number += 1

    def _send_late(self) -> None:
        # The records are kept, and the next append meets the fault in a thread that can report it.
        with suppress(LedgerError):
            self.flush()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


_ALIVE: Final["weakref.WeakSet[Writer]"] = weakref.WeakSet()
_WRITERS: Final[dict[str, Writer]] = {}
_TABLE = threading.Lock()


def writer_for(folder: str) -> Writer:
    """The writer of this process for a folder; the same one for all that ask."""
    with _TABLE:
        if folder not in _WRITERS:
            _WRITERS[folder] = ObjectWriter(folder) if storage.is_remote(folder) else LocalWriter(folder)
        return _WRITERS[folder]


def _new_name() -> str:
    """A name that no other start of any process has; names sort by time of start."""
    host = re.sub(r"[^A-Za-z0-9.]+", "-", socket.gethostname())[:60] or "host"
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{host}-{os.getpid()}-{uuid4().hex[:8]}"


def _after_fork() -> None:
    global _TABLE
    _TABLE = threading.Lock()
    for writer in list(_ALIVE):
        writer.forget()


def _at_exit() -> None:
    faults = []
    for writer in list(_WRITERS.values()):
        try:
            writer.close()
        except LedgerError as error:
            faults.append(error)
    if faults:
        raise faults[0]


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
