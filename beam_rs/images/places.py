"""Where pictures lie: looked up under their root, and read; what leaves the root is refused."""

import errno
import hashlib
import os
import re
import stat
from dataclasses import dataclass
from typing import Final

from beam_rs.errors import ImageChanged
from beam_rs.images.decoding import Fault, Limits, inspect
from beam_rs.schema import ImageRef

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True)
class Place:
    """Where images may lie.

    Attributes:
      root: folder or URI prefix that relative paths are looked up under.
      allow: further prefixes, such as `gs://bucket/images/`, under which full URIs are accepted.
    """

    root: str
    allow: tuple[str, ...] = ()

    def locate(self, image: str) -> str | Fault:
        """The path or URI behind an image's text, or why it is refused.

        >>> Place("gs://bucket/images").locate("a/b.png")
        'gs://bucket/images/a/b.png'
        >>> Place("gs://bucket/images").locate("../secret.png").code
        'refused'
        """
        if _SCHEME.match(image):
            return self._allowed(image)
        if _SCHEME.match(self.root):
            if image.startswith("/") or ".." in image.split("/"):
                return Fault("refused", f"{image!r} leaves the image root {self.root}")
            return f"{self.root.rstrip('/')}/{image}"
        try:
            return self._local(image)
        except (ValueError, OSError) as error:
            return Fault("missing", f"{_shown(image)} cannot be a file: {error}")

    def _allowed(self, uri: str) -> str | Fault:
        prefixes = [prefix.rstrip("/") + "/" for prefix in (*self.allow, self.root) if _SCHEME.match(prefix)]
        if ".." in uri.split("/") or not any(uri.startswith(prefix) for prefix in prefixes):
            return Fault("refused", f"{_shown(uri)} is under no allowed prefix; add it to images.allow")
        return uri

    def _local(self, image: str) -> str | Fault:
        path = os.path.realpath(os.path.join(self.root, image))
        roots = [self.root, *(prefix for prefix in self.allow if os.path.isabs(prefix))]
        for root in map(os.path.realpath, roots):
            if path == root or path.startswith(root.rstrip(os.sep) + os.sep):
                return path
        return Fault("refused", f"{_shown(image)} leaves the image root")


def resolve(image: str, place: Place, limits: Limits) -> ImageRef | Fault:
    """The checked picture behind an image's text, or why there is none.

    Args:
      image: as the pool writes it.
      place: where images may lie.
      limits: what one may cost.
    """
    found = place.locate(image)
    if isinstance(found, Fault):
        return found
    data = read(found, limits.max_bytes)
    return data if isinstance(data, Fault) else inspect(data, found, limits)


def read(uri: str, max_bytes: int | None = None) -> bytes | Fault:
    """The bytes behind a path or URI; `missing`, `empty` and `too_many_bytes` come back as faults."""
    try:
        size, data = _read_remote(uri, max_bytes) if _SCHEME.match(uri) else _read_local(uri, max_bytes)
    except Exception as error:  # file systems of object stores raise errors of their own
        return Fault("missing", f"{_shown(uri)}: {_why(error)}")
    if max_bytes is not None and size > max_bytes:
        return Fault("too_many_bytes", f"{size} bytes, limit {max_bytes}")
    return data or Fault("empty", f"{_shown(uri)} has no bytes")


def read_checked(ref: ImageRef) -> bytes:
    """The source bytes of a checked picture.

    Raises:
      ImageChanged: the bytes are gone, or are not those that were checked.
    """
    data = read(ref.uri)
    if isinstance(data, Fault):
        raise ImageChanged(f"image {ref.sha256} cannot be read again: {data.detail}")
    if hashlib.sha256(data).hexdigest() != ref.sha256:
        raise ImageChanged(f"{ref.uri} changed since it was checked (expected SHA-256 {ref.sha256})")
    return data


def _read_local(path: str, max_bytes: int | None) -> tuple[int, bytes]:
    """Size and bytes of a regular file; pipes and devices are never opened."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EISDIR, "not a regular file")
    if max_bytes is not None and status.st_size > max_bytes:
        return status.st_size, b""
    with open(path, "rb") as file:
        data = file.read()
    return len(data), data


def _read_remote(uri: str, max_bytes: int | None) -> tuple[int, bytes]:
    from apache_beam.io.filesystems import FileSystems

    with FileSystems.open(uri, compression_type="uncompressed") as file:
        data: bytes = file.read() if max_bytes is None else file.read(max_bytes + 1)
    return len(data), data


def _shown(text: str) -> str:
    """A name in a message, shortened, whatever it holds."""
    return ascii(text if len(text) <= 120 else text[:120] + "…")


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__)[:200]
