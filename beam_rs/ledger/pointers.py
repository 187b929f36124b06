"""Where each record of a ledger file stands, packed: what a keyed join carries instead of the answers themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from beam_rs.ledger import storage
from beam_rs.ledger.blocks import Block, Blocks, read_long
from beam_rs.ledger.coding import Header, read_header, records
from beam_rs.ledger.records import Record

BUCKET: Final = 2
"""Hex digits of a locality that name its bucket: 256 of them."""

_PLACE: Final[Any] = np.dtype([("key", "S16"), ("offset", "<u8")])


@dataclass(frozen=True)
class Pointers:
    """The records of one file that belong to one bucket.

    Attributes:
      path: the ledger file.
      packed: 24 bytes a record: half of the key's hash, and the offset of its block.
    """

    path: str
    packed: bytes

    def find(self, wanted: "np.ndarray[Any, Any]") -> Iterator[tuple[int, int]]:
        """Index into `wanted` (sorted, see `packed_keys`) and offset of each record whose key is wanted."""
        places = np.frombuffer(self.packed, _PLACE)
        at: Any = np.searchsorted(wanted, places["key"])
        at[at == len(wanted)] = 0
        hits: Any = np.nonzero(wanted[at] == places["key"])[0] if len(wanted) else ()
        for hit in hits:
            yield int(at[hit]), int(places["offset"][hit])


def bucket_of(locality: str) -> str:
    """The bucket that requests and records of one locality share."""
    return locality[:BUCKET]


def packed_keys(keys: list[str]) -> "np.ndarray[Any, Any]":
    """Request keys in the form that `Pointers` holds; sorted where the keys are."""
    packed: np.ndarray[Any, Any] = np.array([_half(key.encode()) for key in keys], "S16")
    return packed


def pointers(path: str) -> Iterator[tuple[str, Pointers]]:
    """A file's records by bucket. Memory is 24 bytes a record; the answers are passed over.

    Raises:
      LedgerError: the file cannot be opened or is no ledger file.
    """
    buckets: dict[str, bytearray] = {}
    with storage.reading(path) as stream:
        head = read_header(stream, path)
        if head is None:
            return
        for block in Blocks(stream, head.sync, head.end):
            for key, locality in _names(block, head):
                packed = buckets.setdefault(bucket_of(locality.decode("ascii", "replace")), bytearray())
                packed += _half(key).ljust(16, b"\0") + block.offset.to_bytes(8, "little")
    for bucket, packed in buckets.items():
        yield bucket, Pointers(path, bytes(packed))


def fetch(path: str, offsets: list[int]) -> Iterator[tuple[int, list[Record]]]:
    """The records of the blocks at some offsets, front to back."""
    with storage.reading(path) as stream:
        head = read_header(stream, path)
        if head is None:
            return
        blocks = Blocks(stream, head.sync, head.end)
        for offset in sorted(set(offsets)):
            block = blocks.at(offset)
            if block is not None:
                yield offset, records(block, head)


def _half(key: bytes) -> bytes:
    """Sixteen bytes that stand for a key: 64 bits of its hash; the record itself says whether it is the one."""
    return key[:16]


def _names(block: Block, head: Header) -> list[tuple[bytes, bytes]]:
    """Key and locality of each record of a block, without decoding the rest where the block is one of ours."""
    if block.holds != 1 or not head.native or head.codec != "null":
        return [(record["key"].encode(), record["locality"].encode()) for record in records(block, head)]
    try:
        found = []
        at = 0
        for _ in ("key", "group", "locality"):
            length, at = read_long(block.payload, at)
            found.append(block.payload[at : at + length])
            at += length
    except (IndexError, ValueError):
        return []
    return [(found[0], found[2])]
