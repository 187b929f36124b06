"""The frames of Avro's container format, a block at a time: written whole, and read up to whatever damage there is.

The frames are ours and not fastavro's, because a torn or damaged stretch must cost its own records and nothing else,
at a bounded price in memory, and because a look-up needs to know where a block stands.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from typing import BinaryIO, Final, NamedTuple

MAX_BLOCK: Final = 64 << 20
"""Bytes. A frame that claims more is damage, not an answer."""

SYNC: Final = 16
"""Length of the mark that ends each block, different in every file."""


_LONGEST: Final = MAX_BLOCK + 20
"""Of the bytes between two marks."""


class Block(NamedTuple):
    """One block of a file: where it starts, how many records it holds, and their coded bytes."""

    offset: int
    holds: int
    payload: bytes


class Run(NamedTuple):
    """Blocks that follow one another, in three lists of one length."""

    offsets: list[int]
    holds: list[int]
    payloads: list[bytes]

    def handfuls(self, most: int = 64) -> "Iterator[Run]":
        """The run in pieces, for what needs memory a block."""
        for start in range(0, len(self.offsets), most):
            end = start + most
            yield Run(self.offsets[start:end], self.holds[start:end], self.payloads[start:end])


def frame(payload: bytes, sync: bytes) -> bytes:
    """One record as a block of its own, so that it can be read whatever happens to the next."""
    return b"\x02" + coded_long(len(payload)) + payload + sync


def new_sync() -> bytes:
    """A mark that no other file has."""
    return os.urandom(SYNC)


class Blocks:
    """The sound blocks of an open file, in order. What is damaged is passed over, up to the next mark.

    Attributes:
      offset: just behind the last sound block; reading may go on from here once the file has grown.
      gaps: how many damaged stretches were passed over.
      torn: bytes behind the last mark, once the iteration has ended.
    """

    def __init__(self, file: BinaryIO, sync: bytes, offset: int, chunk: int = 1 << 17) -> None:
        self.offset = offset
        self.gaps = 0
        self.torn = 0
        self._file, self._sync, self._chunk = file, sync, chunk
        self._window, self._base = b"", offset
        file.seek(offset)

    def __iter__(self) -> Iterator[Block]:
        for run in self.runs():
            yield from map(Block, run.offsets, run.holds, run.payloads)

    def runs(self) -> Iterator[Run]:
        """The same blocks, as many at a time as one read brings: three times as fast as one by one."""
        while self._grow():
            parts = self._window.split(self._sync)
            self._window = parts.pop()
            run = Run([], [], [])
            for part in parts:
                holds, payload = _opened(part)
                if holds:
                    run.offsets.append(self._base)
                    run.holds.append(holds)
                    run.payloads.append(payload)
                self._base += len(part) + SYNC
            self.gaps += len(parts) - len(run.offsets)
            if run.offsets:
                self.offset = run.offsets[-1] + _length(run.holds[-1], run.payloads[-1])
                yield run
            self._shed()
        self.torn += len(self._window)

    def at(self, offset: int) -> Block | None:
        """The block that starts at an offset; cheap when offsets are asked in order."""
        if not self._base <= offset < self._base + len(self._window):
            self._window, self._base = b"", offset
            self._file.seek(offset)
        while (end := self._window.find(self._sync, offset - self._base)) < 0:
            self._window, self._base = self._window[offset - self._base :], offset
            if len(self._window) > _LONGEST or not self._grow():
                return None
        holds, payload = _opened(self._window[offset - self._base : end])
        return Block(offset, holds, payload) if holds else None

    def _grow(self) -> bool:
        """Read on; False at the end of the file."""
        more = self._file.read(max(self._chunk, len(self._window)))
        self._window += more
        return bool(more)

    def _shed(self) -> None:
        """Let go of what is too long to be a block, but for what may be the start of a mark."""
        if len(self._window) > _LONGEST:
            gone = len(self._window) - SYNC + 1
            self._window, self._base = self._window[gone:], self._base + gone
            self.torn += gone


def _opened(part: bytes) -> tuple[int, bytes]:
    """How many records the block between two marks holds, and their bytes; none where it is damaged."""
    start = _start_of_one(len(part))
    if part.startswith(start):
        return 1, part[len(start) :]
    try:
        holds, at = read_long(part, 0)
        size, at = read_long(part, at)
    except (IndexError, ValueError):
        return 0, b""
    return (holds, part[at:]) if holds > 0 and size == len(part) - at else (0, b"")


def _length(holds: int, payload: bytes) -> int:
    """Of a whole block, its mark included."""
    return len(coded_long(holds)) + len(coded_long(len(payload))) + len(payload) + SYNC


@lru_cache(maxsize=1 << 16)
def _start_of_one(length: int) -> bytes:
    """How a part of this length starts if it holds one record: there is one way only, and comparing is cheap."""
    for width in range(1, 6):
        start = b"\x02" + coded_long(max(0, length - 1 - width))
        if len(start) == 1 + width:
            break
    return start


def read_long(data: bytes, at: int) -> tuple[int, int]:
    """An Avro long (zigzag, seven bits a byte, least first) and where it ends."""
    byte = data[at]
    at += 1
    if byte < 128:
        return (byte >> 1) ^ -(byte & 1), at
    value, shift = byte & 127, 7
    while byte & 128:
        if shift > 63:
            raise ValueError("too long a number")
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
    return (value >> 1) ^ -(value & 1), at


def coded_long(value: int) -> bytes:
    """A number that is not negative as an Avro long."""
    coded, value = bytearray(), value << 1
    while value > 127:
        coded.append(value & 127 | 128)
        value >>= 7
    return bytes([*coded, value])
