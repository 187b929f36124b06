"""The frames of Avro's container format, a block at a time: written whole, and read up to whatever damage there is.

The frames are ours and not fastavro's, because a torn or damaged stretch must cost its own records and nothing else,
at a bounded price in memory, and because a look-up needs to know where a block stands.
"""

import os
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

MAX_BLOCK: Final = 64 << 20
"""Bytes. A frame that claims more is damage, not an answer."""

SYNC: Final = 16
"""Length of the mark that ends each block, different in every file."""


class Block(NamedTuple):
    """One block of a file: where it starts, how many records it holds, and their coded bytes."""

    offset: int
    holds: int
    payload: bytes


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
      torn: bytes behind the last sound block, once the iteration has ended.
    """

    def __init__(self, file: BinaryIO, sync: bytes, offset: int, chunk: int = 1 << 20) -> None:
        self.offset = offset
        self.gaps = 0
        self.torn = 0
        self._file, self._sync, self._chunk = file, sync, chunk
        self._window, self._base = b"", self.offset
        file.seek(self.offset)

    def __iter__(self) -> Iterator[Block]:
        at = self.offset - self._base
        while True:
            try:
                count, start, end = _parse(self._window, at, self._sync)
            except IndexError:
                if self._grow(at):
                    at = 0
                    continue
                at = self._pass_over(at)
            except ValueError:
                at = self._pass_over(at)
            else:
                block = Block(self._base + at, count, self._window[start:end])
                at = end + SYNC
                self.offset = self._base + at
                yield block
            if at < 0:
                return

    def at(self, offset: int) -> Block | None:
        """The block that starts at an offset; cheap when offsets are asked in order."""
        if not self._base <= offset < self._base + len(self._window):
            self._window, self._base = b"", offset
            self._file.seek(offset)
        self.offset = offset
        found = next(iter(self), None)
        return found if found and found.offset == offset else None

    def _grow(self, at: int) -> bool:
        """Drop what lies before `at` and read on; False at the end of the file."""
        more = self._file.read(max(self._chunk, len(self._window) - at))
        if more:
            self._window, self._base = self._window[at:] + more, self._base + at
        return bool(more)

    def _pass_over(self, at: int) -> int:
        """Behind the next mark, or -1 with `torn` set where there is none."""
        start = self._base + at
        while (found := self._window.find(self._sync, at)) < 0:
            at = max(at, len(self._window) - SYNC + 1)
            if not self._grow(at):
                self.torn = self._base + len(self._window) - start
                return -1
            at = 0
        self.gaps += 1
        return found + SYNC


def _parse(window: bytes, at: int, sync: bytes) -> tuple[int, int, int]:
    """Count, start and end of the payload of the block at `at`.

    Raises:
      IndexError: the window ends before the block does.
      ValueError: this is no block.
    """
    count, start = read_long(window, at)
    size, start = read_long(window, start)
    if count < 1 or not 0 <= size <= MAX_BLOCK:
        raise ValueError("no block")
    end = start + size
    if len(window) < end + SYNC:
        raise IndexError
    if window[end : end + SYNC] != sync:
        raise ValueError("no mark")
    return count, start, end


def read_long(data: bytes, at: int) -> tuple[int, int]:
    """An Avro long (zigzag, seven bits a byte, least first) and where it ends."""
    byte = data[at]
    value, shift = byte & 127, 7
    at += 1
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
