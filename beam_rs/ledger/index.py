"""Where the record of a key stands: 16 bytes of memory a record, and the second look-up of retried bundles on top."""

import threading
import time
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

import numpy as np

from beam_rs.ledger import storage
from beam_rs.ledger.blocks import SYNC, Blocks, Run
from beam_rs.ledger.books import Ledger
from beam_rs.ledger.coding import Header, keys_of, read_header, records_of
from beam_rs.ledger.records import Record, choose, completion_of, settled
from beam_rs.schema import Completion

SLACK: Final = 300.0
"""Seconds that clocks of different machines may differ by; a larger value only reads more."""

_OFFSET: Final = 40
_LOOK: Final = 1 << 14

_Segment: TypeAlias = "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]"


class Places:
    """Sorted numbers of keys, each with a place. Several places a key are fine.

    New entries gather in plain arrays; a look-up sorts them into a segment, and segments of like size are merged, so
    that there are few of them and each entry is sorted a handful of times. The numbers are `hash` of the key: good in
    this process only, never stored, and equal ones are told apart by reading the record.
    """

    def __init__(self) -> None:
        self._segments: list[_Segment] = []
        self._numbers, self._places = array("q"), array("Q")

    def __len__(self) -> int:
        return len(self._numbers) + sum(len(numbers) for numbers, _ in self._segments)

    def add(self, entries: Iterable[tuple[bytes, int]], base: int = 0) -> None:
        """Note where records of some keys stand: key and place less `base`."""
        for key, place in entries:
            self._numbers.append(hash(key))
            self._places.append(base + place)
        if len(self._numbers) >= 1 << 18:
            self._settle()

    def find(self, wanted: Collection[str]) -> tuple[list[int], set[int]]:
        """Places where a wanted key's records may stand, in order, and the numbers that have several of them."""
        self._settle()
        asked = np.fromiter((hash(key.encode()) for key in wanted), np.int64, len(wanted))
        numbers: list[np.ndarray[Any, Any]] = [asked[:0]]
        places: list[np.ndarray[Any, Any]] = [np.zeros(0, np.uint64)]
        for known, where in self._segments:
            low, high = np.searchsorted(known, asked, "left"), np.searchsorted(known, asked, "right")
            width = high - low
            ends = np.cumsum(width)
            hits = np.repeat(high - ends, width) + np.arange(width.sum())
            numbers.append(known[hits])
            places.append(where[hits])
        distinct, counts = np.unique(np.concatenate(numbers), return_counts=True)
        return np.unique(np.concatenate(places)).tolist(), set(distinct[counts > 1].tolist())

    def _settle(self) -> None:
        if self._numbers:
            self._segments.append(_sorted(np.array(self._numbers, np.int64), np.array(self._places, np.uint64)))
            self._numbers, self._places = array("q"), array("Q")
        while len(self._segments) > 1 and len(self._segments[-2][0]) < 2 * len(self._segments[-1][0]):
            (a, b), (c, d) = self._segments.pop(), self._segments.pop()
            self._segments.append(_sorted(np.concatenate((a, c)), np.concatenate((b, d))))


@dataclass
class _Followed:
    """A file and how far it has been read."""

    path: str
    size: int = 0
    offset: int = 0
    head: Header | None = None


class Index:
    """A look-up over ledger files that may still grow. Not picklable, and not for several threads: see `Recent`."""

    def __init__(self) -> None:
        self._places = Places()
        self._files: list[_Followed] = []
        self._known: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def follow(self, path: str, size: int, start: int = 0) -> None:
        """Take in what a file holds by now; costs nothing where its size is what it was.

        Args:
          path: the file.
          size: its length in bytes, as listed.
          start: where to begin when the file is met first; any offset will do.
        """
        number = self._known.setdefault(path, len(self._files))
        if number == len(self._files):
            self._files.append(_Followed(path, size=start, offset=start))
        file = self._files[number]
        if size != file.size:
            self._take_in(file, number)
            file.size = size

    def lookup(self, wanted: Collection[str]) -> Iterator[tuple[str, list[Record]]]:
        """Each wanted key that has records, with all of them; the files are read again, front to back.

        Records are held only for keys that stand in several places.
        """
        wanted = wanted if isinstance(wanted, (set, frozenset, dict)) else frozenset(wanted)
        places, several = self._places.find(wanted)
        held: dict[str, list[Record]] = {}
        for record in self._read(places):
            key = record["key"]
            if key not in wanted:
                continue
            if hash(key.encode()) in several:
                held.setdefault(key, []).append(record)
            else:
                yield key, [record]
        yield from held.items()

    def _take_in(self, file: _Followed, number: int) -> None:
        with storage.reading(file.path) as stream:
            file.head = file.head or read_header(stream, file.path)
            if file.head is None:
                return
            # A start that was given may lie inside a mark: with the mark in front, no block is missed.
            blocks = Blocks(stream, file.head.sync, max(file.offset - SYNC, file.head.end))
            for run in blocks.runs():
                self._places.add(keys_of(run, file.head), number << _OFFSET)
            file.offset = max(file.offset, blocks.offset)

    def _read(self, places: list[int]) -> Iterator[Record]:
        for number, group in groupby(places, lambda place: place >> _OFFSET):
            file = self._files[number]
            assert file.head is not None, "a place stands in a file whose header was read"
            offsets = [place & (1 << _OFFSET) - 1 for place in group]
            with storage.reading(file.path) as stream:
                blocks = Blocks(stream, file.head.sync, offsets[0], _LOOK)
                for start in range(0, len(offsets), 64):
                    found = [block for offset in offsets[start : start + 64] if (block := blocks.at(offset))]
                    yield from records_of(Run(*map(list, zip(*found, strict=True))), file.head) if found else ()


class Recent:
    """What this run has been answered so far, by any process: the second look-up of a bundle that may be a retry.

    Files are followed as they grow. Local folders are listed at each look-up, others at most every `interval` seconds.
    Safe for several threads; make one a process and ledger.

    Args:
      ledger: where to look.
      run_started: seconds since 1970; files that have not changed since then (less `SLACK`) are left out.
      snapshot: `Ledger.snapshot()` as taken when the run started: what it lists is left out, what came after is not.
      interval: seconds between listings; by default 0 for local folders, 5 for others.
    """

    def __init__(
        self,
        ledger: Ledger,
        run_started: float = 0.0,
        snapshot: Mapping[str, int] | None = None,
        interval: float | None = None,
    ) -> None:
        self._folder = ledger.folder
        self._since = run_started - SLACK
        self._snapshot = {_name(path): size for path, size in (snapshot or {}).items()}
        self._interval = interval if interval is not None else 5.0 if storage.is_remote(ledger.folder) else 0.0
        self._index, self._lock = Index(), threading.Lock()
        self._listed = float("-inf")

    def lookup(self, wanted: Collection[str]) -> dict[str, Completion]:
        """The completions that stand for those wanted keys that need not be asked again.

        Raises:
          LedgerError: the ledger cannot be read.
        """
        with self._lock:
            self._refresh()
            chosen = ((key, choose(found)) for key, found in self._index.lookup(wanted))
            return {key: completion_of(record) for key, record in chosen if settled(record)}

    def _refresh(self) -> None:
        if time.monotonic() - self._listed < self._interval:
            return
        for path, size, changed in storage.listing(self._folder):
            if changed >= self._since:
                self._index.follow(path, size, self._snapshot.get(_name(path), 0))
        self._listed = time.monotonic()


def _sorted(numbers: "np.ndarray[Any, Any]", places: "np.ndarray[Any, Any]") -> _Segment:
    order = np.argsort(numbers, kind="stable")
    return numbers[order], places[order]


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
