"""Headers and records in Avro's coding, by fastavro; what is damaged is told from what is foreign."""

import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, BinaryIO, Final

import fastavro
from fastavro.schema import SchemaParseException, UnknownType

from beam_rs.errors import LedgerError
from beam_rs.ledger.blocks import MAX_BLOCK, SYNC, Block, Run, coded_long
from beam_rs.ledger.records import DEFAULTS, SCHEMA, Record

_KEY_START: Final = coded_long(64)
"""What stands before a key of 64 letters, as all of ours have."""

_MAGIC: Final = b"Obj\x01"
_HEADER: Final = fastavro.parse_schema(
    {
        "type": "record",
        "name": "org.apache.avro.file.Header",
        "fields": [
            {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": len(_MAGIC)}},
            {"name": "meta", "type": {"type": "map", "values": "bytes"}},
            {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": SYNC}},
        ],
    }
)
_ANSWER: Final = fastavro.parse_schema(SCHEMA)
_GARBAGE: Final = (
    EOFError,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    OverflowError,
    MemoryError,
    SchemaParseException,
    UnknownType,
)
"""What fastavro raises on bytes that are not what they should be."""


@dataclass(frozen=True)
class Header:
    """What stands at the start of a file.

    Attributes:
      codec: `null` or `deflate`.
      schema: the parsed schema that the file was written with.
      array: that of an array of such records.
      native: whether that is today's schema; an older file's records get what they lack from `DEFAULTS`.
      sync: the 16 bytes that end each block.
      end: where the first block starts.
    """

    codec: str
    schema: Any
    array: Any
    native: bool
    sync: bytes
    end: int


def encode(record: Record, codec: str = "null") -> bytes:
    """The coded bytes of one record.

    Raises:
      LedgerError: the record does not fit the schema or is too large to be read again.
    """
    coded = io.BytesIO()
    try:
        fastavro.schemaless_writer(coded, _ANSWER, record)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise LedgerError(f"the answer to {record.get('key')!r} cannot be recorded: {error}") from error
    payload = coded.getvalue()
    if len(payload) > MAX_BLOCK:
        raise LedgerError(f"the answer to {record['key']!r} has {len(payload)} bytes; at most {MAX_BLOCK} are kept")
    return payload if codec == "null" else _deflate(payload)


def header(sync: bytes, codec: str = "null") -> bytes:
    """The bytes a file starts with."""
    start = io.BytesIO()
    fastavro.writer(start, _ANSWER, [], codec=codec, sync_marker=sync)
    return start.getvalue()


def read_header(file: BinaryIO, path: str) -> Header | None:
    """The header of a file, or None where it is cut or damaged.

    Raises:
      LedgerError: a sound Avro file that holds something else than answers.
    """
    start = io.BytesIO(file.read(1 << 16))
    if start.getvalue()[: len(_MAGIC)] != _MAGIC:
        return None
    try:
        found: Any = fastavro.schemaless_reader(start, _HEADER, None)
        codec = found["meta"].get("avro.codec", b"null").decode()
        schema = _schema_of(found["meta"]["avro.schema"].decode())
    except _GARBAGE:
        return None
    if len(found["sync"]) < SYNC:
        return None
    if codec not in ("null", "deflate"):
        raise LedgerError(f"{path}: codec {codec!r} is not one of null, deflate; move the file out of the ledger")
    if schema is None:
        raise LedgerError(f"{path} holds something else than answers; move the file out of the ledger")
    return Header(codec, *schema, found["sync"], start.tell())


def records(block: Block, head: Header) -> list[Record]:
    """The records of a block, in order. A damaged one is left out, with what follows it in the block."""
    data = block.payload if head.codec == "null" else _inflate(block.payload, MAX_BLOCK)
    coded, found = io.BytesIO(data), list[Record]()
    try:
        for _ in range(block.holds):
            record: Any = fastavro.schemaless_reader(coded, head.schema, None)
            found.append(record if head.native else {**DEFAULTS, **record})
    except _GARBAGE:
        return found
    return found if coded.tell() == len(data) else found[:-1]


def records_of(run: Run, head: Header) -> list[Record]:
    """The records of a run, as `records` gives them.

    Blocks are decoded together, as one Avro array, which takes two thirds of the time; where that does not come out
    even, one by one.
    """
    data = b"".join([coded_long(sum(run.holds)), *plain(run, head, MAX_BLOCK), b"\0"])
    coded = io.BytesIO(data)
    try:
        found: Any = fastavro.schemaless_reader(coded, head.array, None)
        if coded.tell() == len(data):
            return found if head.native else [{**DEFAULTS, **record} for record in found]
    except _GARBAGE:
        pass  # the slow way finds out which block it is
    return [record for block in map(Block, *run) for record in records(block, head)]


def keys_of(run: Run, head: Header) -> Iterator[tuple[bytes, int]]:
    """The keys of a run, each with the offset of its block; the rest is not decoded where the blocks are ours."""
    if head.native and max(run.holds) == 1:
        starts = plain(run, head, 256)
        if all(start.startswith(_KEY_START) and len(start) >= 66 for start in starts):
            yield from zip([start[2:66] for start in starts], run.offsets, strict=True)
            return
    for block in map(Block, *run):
        for record in records(block, head):
            yield record["key"].encode(), block.offset


def plain(run: Run, head: Header, limit: int) -> list[bytes]:
    """The payloads of a run without compression; of compressed ones, no more than `limit` bytes each."""
    return run.payloads if head.codec == "null" else [_inflate(payload, limit) for payload in run.payloads]


def _deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def _inflate(data: bytes, limit: int) -> bytes:
    """The first bytes of what was deflated, at most `limit`; nothing where it is damaged."""
    try:
        return zlib.decompressobj(-15).decompress(data, limit)
    except zlib.error:
        return b""


@lru_cache(maxsize=64)
def _schema_of(text: str) -> tuple[Any, Any, bool] | None:
    """The parsed schema of a file, that of an array of its records, and whether it is ours to the letter.

    None where the file holds no answers.
    """
    theirs: Any = json.loads(text)
    if not isinstance(theirs, dict) or theirs.get("type") != "record":
        return None
    types = {field["name"]: field["type"] for field in theirs["fields"]}
    ours = {field["name"]: field["type"] for field in SCHEMA["fields"]}
    if "key" not in types or any(types[name] != ours[name] for name in types.keys() & ours.keys()):
        return None
    array = fastavro.parse_schema({"type": "array", "items": theirs})
    return fastavro.parse_schema(theirs), array, list(types) == list(ours)
