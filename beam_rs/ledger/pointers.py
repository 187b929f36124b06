"""Where each record of a ledger file stands, packed: what a keyed join carries instead of the answers themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from beam_rs.ledger import storage
from beam_rs.ledger.blocks import Block, Blocks, Run, coded_long
from beam_rs.ledger.coding import Header, plain, read_header, records, records_of
from beam_rs.ledger.records import Record

BUCKET: Final = 2
"""Hex digits of a locality that name its bucket: 256 of them."""

GATHERED: Final = 1 << 20
"""Records that are held, packed, before they are handed on."""

_LOOK: Final = 1 << 14
_HALF: Final = 16
_MARK: Final = coded_long(64)
_STEP: Final = len(_MARK) + 64
"""Of key, group and locality, with which a record of ours begins: each the length and 64 letters."""

_START: Final[Any] = np.dtype(
    {
        "names": ["first", "key", "second", "third", "bucket"],
        "formats": ["<u2", f"S{_HALF}", "<u2", "<u2", f"S{BUCKET}"],
        "offsets": [0, len(_MARK), _STEP, 2 * _STEP, 2 * _STEP + len(_MARK)],
        "itemsize": 3 * _STEP,
    }
)
_PLACE: Final[Any] = np.dtype([("key", f"S{_HALF}"), ("offset", "<u8")])
_NAMED: Final[Any] = np.dtype([("bucket", f"S{BUCKET}"), ("place", _PLACE)])


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
    """Request keys in the form that `Pointers` holds; sorted where the keys are.

    Half a key stands for it: 64 bits of its hash. The record itself says whether it is the one.
    """
    packed: np.ndarray[Any, Any] = np.array([key.encode()[:_HALF] for key in keys], f"S{_HALF}")
    return packed


def pointers(path: str) -> Iterator[tuple[str, Pointers]]:
    """A file's records by bucket, some million records at a time; the answers are passed over.

    Raises:
      LedgerError: the file cannot be opened or is no ledger file.
    """
    with storage.reading(path) as stream:
        head = read_header(stream, path)
        if head is None:
            return
        gathered: list[np.ndarray[Any, Any]] = []
        for run in Blocks(stream, head.sync, head.end).runs():
            gathered.append(_named(run, head))
            if sum(map(len, gathered)) >= GATHERED:
                yield from _by_bucket(path, gathered)
                gathered.clear()
        yield from _by_bucket(path, gathered)


def fetch(path: str, offsets: list[int]) -> Iterator[Record]:
    """The records of the blocks at some offsets, front to back."""
    with storage.reading(path) as stream:
        head = read_header(stream, path)
        if head is None:
            return
        wanted = sorted(set(offsets))
        blocks = Blocks(stream, head.sync, head.end, _LOOK)
        for start in range(0, len(wanted), 64):
            found = [block for offset in wanted[start : start + 64] if (block := blocks.at(offset))]
            yield from records_of(Run(*map(list, zip(*found, strict=True))), head) if found else ()


def _named(run: Run, head: Header) -> "np.ndarray[Any, Any]":
    """Bucket and place of each record of a run; nothing else is decoded where the blocks are ours."""
    starts = plain(run, head, 3 * _STEP)
    if head.native and max(run.holds) == 1 and min(map(len, starts)) >= 3 * _STEP:
        table = np.frombuffer(b"".join([start[: 3 * _STEP] for start in starts]), _START)
        mark = int.from_bytes(_MARK, "little")
        if all((table[name] == mark).all() for name in ("first", "second", "third")):
            named: np.ndarray[Any, Any] = np.empty(len(table), _NAMED)
            named["bucket"], named["place"]["key"] = table["bucket"], table["key"]
            named["place"]["offset"] = run.offsets
            return named
    each = [
        (bucket_of(record["locality"]).encode(), (record["key"].encode()[:_HALF], block.offset))
        for block in map(Block, *run)
        for record in records(block, head)
    ]
    decoded: np.ndarray[Any, Any] = np.array(each, _NAMED)
    return decoded


def _by_bucket(path: str, gathered: "list[np.ndarray[Any, Any]]") -> Iterator[tuple[str, Pointers]]:
    if not gathered:
        return
    named: Any = np.concatenate(gathered)
    named = named[np.argsort(named["bucket"], kind="stable")]
    buckets, starts = np.unique(named["bucket"], return_index=True)
    for bucket, some in zip(buckets, np.split(named["place"], starts[1:]), strict=True):
        yield bucket.decode(), Pointers(path, some.tobytes())
