"""The few things that the ledger asks of a file system: local paths directly, everything else through Beam."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, NamedTuple
from uuid import uuid4

from beam_rs.errors import LedgerError

SUFFIX: Final = ".avro"

_PLAIN: Final = "uncompressed"
"""The codec is Avro's business: Beam is not to guess one from the name."""

_ADVICE: Final = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space or raise the quota",
    errno.EFBIG: "raise the limit on file sizes",
    errno.EROFS: "choose a folder that can be written",
    errno.EACCES: "give this user the right to write there, or choose another folder",
    errno.EPERM: "give this user the right to write there, or choose another folder",
    errno.ENOTDIR: "move the file that stands in place of a folder, or choose another folder",
    errno.EEXIST: "move the file that stands in place of a folder, or choose another folder",
}


class Listed(NamedTuple):
    """A file of the ledger: its path, its length in bytes, and when it last changed, in seconds since 1970."""

    path: str
    size: int
    changed: float


def is_remote(path: str) -> bool:
    """Whether Beam's file systems are needed to reach a path.

    >>> is_remote("gs://bucket/run"), is_remote("out/.work/ledger")
    (True, False)
    """
    return "://" in path


def normal(folder: str) -> str:
    """One spelling a folder, whatever the working directory becomes."""
    folder = folder.removeprefix("file://")
    return folder.rstrip("/") if is_remote(folder) else os.path.abspath(folder)


def listing(folder: str) -> list[Listed]:
    """The ledger's files, by name. A folder that does not exist is empty.

    Raises:
      LedgerError: the folder is there and cannot be read.
    """
    try:
        return sorted(_list_remote(folder) if is_remote(folder) else _list_local(folder))
    except FileNotFoundError:
        return []
    except Exception as error:
        raise LedgerError(f"the ledger {folder} cannot be read: {error}") from error


@contextmanager
def reading(path: str) -> Iterator[BinaryIO]:
    """A file, open for reading.

    Raises:
      LedgerError: it cannot be opened or read.
    """
    # Each of Beam's file systems has errors of its own.
    faults = (Exception,) if is_remote(path) else (OSError,)
    try:
        with _open(path) as file:
            yield file
    except LedgerError:
        raise
    except faults as error:
        raise LedgerError(f"the ledger file {path} cannot be read: {error}") from error


def put(path: str, data: bytes) -> None:
    """Write a whole object through Beam's file systems."""
    with _beam().create(path, compression_type=_PLAIN) as file:
        file.write(data)


def make_folder(folder: str) -> None:
    """Make a folder and those above it; fine where it is there."""
    if not is_remote(folder):
        os.makedirs(folder, exist_ok=True)
        return
    if not _beam().exists(folder):
        _beam().mkdirs(folder)


def check_writable(folder: str) -> None:
    """Write a file and take it away again, so that a run fails before its first request and not at its first answer.

    Raises:
      LedgerError: it did not work, with what to do.
    """
    probe = f"{folder}/.probe-{uuid4().hex}"
    try:
        make_folder(folder)
        if is_remote(folder):
            _probe_remote(probe)
        else:
            _probe_local(probe)
    except Exception as error:
        raise refusal(folder, error) from error


def refusal(folder: str, error: BaseException) -> LedgerError:
    """The error to raise when answers cannot be written: what, where, why, and what to do."""
    number = error.errno if isinstance(error, OSError) else None
    why = os.strerror(number) if number else str(error)
    advice = _ADVICE.get(number or 0, "see to it that the folder can be written")
    return LedgerError(
        f"the ledger {folder} cannot be written: {why}; {advice}, then run again: finished answers are kept"
    )


def _list_local(folder: str) -> Iterator[Listed]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(SUFFIX):
                # A file may go between the listing and the look at it.
                with suppress(FileNotFoundError):
                    found = entry.stat()
                    yield Listed(f"{folder}/{entry.name}", found.st_size, found.st_mtime)


def _list_remote(folder: str) -> Iterator[Listed]:
    for result in _beam().match([f"{folder}/*{SUFFIX}"]):
        for found in result.metadata_list:
            yield Listed(found.path, found.size_in_bytes, found.last_updated_in_seconds or 0.0)


def _open(path: str) -> BinaryIO:
    if not is_remote(path):
        return open(path, "rb", buffering=0)
    opened: BinaryIO = _beam().open(path, compression_type=_PLAIN)
    return opened


def _probe_local(probe: str) -> None:
    file = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        if os.write(file, bytes(4096)) < 4096:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file)
    finally:
        os.close(file)
        os.unlink(probe)


def _probe_remote(probe: str) -> None:
    put(probe, b"probe")
    _beam().delete([probe])


def _beam() -> Any:
    """Beam's file systems; imported when first needed, for they take a second."""
    from apache_beam.io.filesystems import FileSystems

    return FileSystems
