"""The source manifest as a compact index: which SHA-256 a picture of a data set has."""

import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from beam_rs.errors import ConfigError
from beam_rs.schema import Source

FIELDS: Final = ("dataset", "image", "sha256")

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DIGEST: Final = re.compile(r"[0-9a-fA-F]{64}")
_ENTRY: Final = 48
_LOADED: dict[tuple[str, int, int], "Index"] = {}
_LOADING: Final = threading.Lock()


@dataclass(frozen=True, eq=False)
class Index:
    """Sorted entries of 48 bytes: sixteen of a hash of data set and image, thirty-two of the picture's SHA-256.

    Attributes:
      high: first eight bytes of each key, in ascending order.
      rest: the other eight bytes of each key, then the digest.
    """

    high: Any
    rest: Any

    def __len__(self) -> int:
        return len(self.high)

    def digests(self, source: Source) -> tuple[str, ...]:
        """Each SHA-256 that the manifest gives for a source, as hex; none for an unknown one."""
        key = _key(source.dataset, source.image)
        high = self.high.dtype.type(int.from_bytes(key[:8], "big"))
        first, behind = self.high.searchsorted(high, "left"), self.high.searchsorted(high, "right")
        rows = [self.rest[i].tobytes() for i in range(first, behind)]
        return tuple(dict.fromkeys(row[8:].hex() for row in rows if row[:8] == key[8:]))


def load_manifest(path: str) -> Index:
    """The index of a manifest, loaded once a process: JSONL, Parquet or Avro, local or behind a URI.

    Raises:
      ConfigError: it cannot be read, or an entry is wrong, with its line or row.
    """
    with _LOADING:
        signature = _signature(path)
        if signature not in _LOADED:
            for stale in [known for known in _LOADED if known[0] == path]:
                del _LOADED[stale]
            _LOADED[signature] = _load(path)
        return _LOADED[signature]


def _load(path: str) -> Index:
    import numpy as np

    packed = bytearray()
    for number, entry in _entries(path):
        try:
            packed += _pack(entry)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{path}, line {number}: {error}") from error
    table = np.frombuffer(packed, dtype=np.uint8).reshape(-1, _ENTRY)
    high = np.ascontiguousarray(table[:, :8]).view(">u8").reshape(-1).astype(np.uint64)
    order = np.argsort(high, kind="stable")
    return Index(high[order], table[order, 8:])


def _pack(entry: Any) -> bytes:
    """An entry as 48 bytes.

    Raises:
      TypeError: it is no object with the three texts.
      ValueError: its digest is none.
    """
    if not isinstance(entry, dict):
        raise TypeError(f"an object with {', '.join(FIELDS)} is expected, got {type(entry).__name__}")
    for name in FIELDS:
        if not isinstance(entry.get(name), str):
            found = type(entry[name]).__name__ if name in entry else "nothing"
            raise TypeError(f"{name!r} must be a text, got {found}")
    if not _DIGEST.fullmatch(entry["sha256"]):
        raise ValueError(f"'sha256' must be 64 hexadecimal digits, got {entry['sha256'][:80]!r}")
    return _key(entry["dataset"], entry["image"]) + bytes.fromhex(entry["sha256"])


def _key(dataset: str, image: str) -> bytes:
    """A 16-byte hash of a source; the length keeps `("a", "b/c")` and `("ab", "/c")` apart."""
    text = f"{len(dataset)}:{dataset}{image}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _entries(path: str) -> Iterator[tuple[int, Any]]:
    """Each entry with its line, row or record in the file; faults of the file become `ConfigError`."""
    suffix = os.path.splitext(path.lower())[1]
    readers = {".parquet": _read_parquet, ".pq": _read_parquet, ".avro": _read_avro}
    read = readers.get(suffix, _read_lines)
    try:
        with _open(path) as file:
            yield from read(file, path)
    except ConfigError:
        raise
    except Exception as error:  # the file systems of clouds raise errors of their own
        raise ConfigError(f"source manifest {path} cannot be read: {error}") from error


def _read_lines(file: BinaryIO, path: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        text = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
        if not text:
            continue
        try:
            yield number, json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}, line {number}: no JSON: {error}") from error


def _read_parquet(file: BinaryIO, path: str) -> Iterator[tuple[int, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
        missing = [name for name in FIELDS if name not in table.schema_arrow.names]
        if missing:
            raise ConfigError(f"{path}, line 1: no column {missing[0]!r}")
        row = 0
        for batch in table.iter_batches(batch_size=10_000, columns=list(FIELDS)):
            for entry in batch.to_pylist():
                row += 1
                yield row, entry
    except pa.ArrowException as error:
        raise ConfigError(f"{path}: no Parquet file: {error}") from error


def _read_avro(file: BinaryIO, path: str) -> Iterator[tuple[int, Any]]:
    import fastavro

    row = 0
    try:
        for entry in fastavro.reader(file):
            row += 1
            yield row, entry
    except Exception as error:  # fastavro raises whatever the damage leads it to
        raise ConfigError(f"{path}, line {row + 1}: no Avro: {error}") from error


def _open(path: str) -> AbstractContextManager[BinaryIO]:
    if not _SCHEME.match(path):
        return open(path, "rb")
    from apache_beam.io.filesystems import FileSystems

    opened: AbstractContextManager[BinaryIO] = FileSystems.open(path)
    return opened


def _signature(path: str) -> tuple[str, int, int]:
    """What tells one state of a file from the next; remote files count as unchanging within a process."""
    if _SCHEME.match(path):
        return path, 0, 0
    try:
        status = os.stat(path)
    except ConfigError:
        raise
    except Exception as error:  # the file systems of clouds raise errors of their own
        raise ConfigError(f"source manifest {path} cannot be read: {error}") from error
    return path, status.st_mtime_ns, status.st_size
