"""Files at a path or URI: local ones by the operating system, others through Beam's file systems."""

import bz2
import gzip
import hashlib
import io
import os
import shutil
import zlib
from pathlib import Path
from typing import IO, Any, Final, cast

COMPRESSED: Final = (".gz", ".bz2", ".zst", ".deflate")


class Damaged(ValueError):
    """Compressed bytes that are cut or are no such bytes at all."""


def is_remote(path: str) -> bool:
    """Whether a path is a URI."""
    return "://" in path


def join(folder: str, *names: str) -> str:
    """A path below a folder.

    >>> join("gs://bucket/out/", "a", "b.json")
    'gs://bucket/out/a/b.json'
    """
    return "/".join([folder.rstrip("/") or "/", *names]) if is_remote(folder) else os.path.join(folder, *names)


def open_read(path: str, compression: str = "auto") -> IO[bytes]:
    """Open for reading; with `auto`, decompressed where the name says so.

    A compressed file raises `Damaged` once the reading comes to a place that cannot be decompressed.
    """
    if compression == "uncompressed" or not path.endswith(COMPRESSED):
        return cast(IO[bytes], _beam().open(path, compression_type="uncompressed"))
    return cast(IO[bytes], io.BufferedReader(_Decompressed(path), 1 << 18))


class _Decompressed(io.RawIOBase):
    """The content of a compressed file.

    Beam's own reader knows no `readline` with a limit and takes a cut file for a whole one, so that gzip and bzip2
    are read by Python's.
    """

    def __init__(self, path: str) -> None:
        kind = "auto" if path.endswith((".zst", ".deflate")) else "uncompressed"
        self._raw = _beam().open(path, compression_type=kind)
        self._inner: Any = gzip.GzipFile(fileobj=self._raw) if path.endswith(".gz") else self._raw
        self._inner = bz2.BZ2File(self._raw) if path.endswith(".bz2") else self._inner
        self._position = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except (EOFError, zlib.error, OSError) as error:
            if getattr(error, "errno", None) is not None:  # the disk, not the file's content
                raise
            raise Damaged(str(error)) from error
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._raw.close()
        super().close()


def open_write(path: str) -> IO[bytes]:
    """Create a file, and the folders above it."""
    if is_remote(path):
        return cast(IO[bytes], _beam().create(path, compression_type="uncompressed"))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return open(path, "wb")


def write(path: str, data: bytes) -> None:
    """Write a whole file so that its name never stands for half of it."""
    if is_remote(path):
        with open_write(path) as file:
            file.write(data)
        return
    partial = f"{path}.partial"
    with open_write(partial) as file:
        file.write(data)
    os.replace(partial, path)


def read(path: str) -> bytes | None:
    """The bytes of a file, or None where there is none."""
    if not exists(path):
        return None
    with open_read(path, "uncompressed") as file:
        return file.read()


def exists(path: str) -> bool:
    """Whether there is a file."""
    return bool(_beam().exists(path)) if is_remote(path) else os.path.isfile(path)


def move(source: str, target: str) -> None:
    """Rename a file; a repeated call, its source gone and its target there, does nothing."""
    if not exists(source) and exists(target):
        return
    if is_remote(source):
        _beam().rename([source], [target])
        return
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


def listing(folder: str) -> list[str]:
    """Names of all files below a folder, relative to it, sorted."""
    if not is_remote(folder):
        return sorted(
            os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names
        )
    matched = _beam().match([join(folder, "**")])
    prefix = folder.rstrip("/") + "/"
    return sorted(found.path.removeprefix(prefix) for result in matched for found in result.metadata_list)


def delete(path: str) -> None:
    """Remove a file, if it is there."""
    if is_remote(path):
        if exists(path):
            _beam().delete([path])
        return
    Path(path).unlink(missing_ok=True)


def delete_tree(folder: str) -> None:
    """Remove a folder and all that is in it."""
    if is_remote(folder):
        names = listing(folder)
        if names:
            _beam().delete([join(folder, name) for name in names])
        return
    shutil.rmtree(folder, ignore_errors=True)


def match(pattern: str) -> list[tuple[str, int]]:
    """Paths and sizes of the files that a path or glob stands for, sorted."""
    found = _beam().match([pattern])[0].metadata_list
    return sorted((metadata.path, int(metadata.size_in_bytes)) for metadata in found)


class HashingFile:
    """A file opened for writing that knows the SHA-256 and the length of what was written; closed by `with`."""

    def __init__(self, path: str) -> None:
        self._file = open_write(path)
        self._digest = hashlib.sha256()
        self.length = 0
        self.closed = False

    def __enter__(self) -> "HashingFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, data: Any) -> int:
        self._digest.update(data)
        self._file.write(data)
        self.length += len(data)
        return len(data)

    def tell(self) -> int:
        return self.length

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()
        self.closed = True

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


def _beam() -> Any:
    from apache_beam.io.filesystems import FileSystems

    return FileSystems
