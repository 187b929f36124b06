"""Provenance: an item's recorded source must be the very picture that it is attached to."""

import functools
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from beam_rs import images
from beam_rs.cleaning._manifest import Index, load_manifest
from beam_rs.cleaning.base import Refusal, Rule
from beam_rs.errors import ConfigError
from beam_rs.schema import Item, Source

UNKNOWN: Final = "provenance.unknown"
MISMATCH: Final = "provenance.mismatch"

__all__ = ["MISMATCH", "UNKNOWN", "Index", "Provenance", "load_manifest"]


@dataclass(frozen=True, kw_only=True)
class Provenance(Rule):
    """Look an item's source up, in a manifest or under a folder, and compare SHA-256 digests.

    Attributes:
      manifest: JSONL, Parquet or Avro with `dataset`, `image`, `sha256`; a path or a URI.
      root: folder or URI prefix that holds `<dataset>/<image>`; exactly one of the two is given.
    """

    name: ClassVar[str] = "provenance"

    manifest: str | None = None
    root: str | None = None

    def __post_init__(self) -> None:
        if (self.manifest is None) == (self.root is None):
            raise ConfigError("cleaning.provenance needs exactly one of 'manifest' and 'root'")

    def check(self) -> None:
        if self.manifest is not None:
            load_manifest(self.manifest)
        elif "://" not in (self.root or "") and not os.path.isdir(self.root or ""):
            raise ConfigError(f"cleaning.provenance.root is no folder: {self.root}")

    def apply(self, item: Item, measured: Mapping[str, int]) -> Item | Refusal:
        if item.source is None:
            return Refusal(UNKNOWN, "the item records no source")
        known = self._digests(item.source)
        if isinstance(known, Refusal):
            return known
        if item.ref is not None and item.ref.sha256 in known:
            return item
        found = item.ref.sha256 if item.ref else "nothing"
        shown = ", ".join(known[:4])
        return Refusal(MISMATCH, f"{_named(item.source)} has SHA-256 {shown}, the item's picture {found}")

    def _digests(self, source: Source) -> tuple[str, ...] | Refusal:
        """Each SHA-256 that a source may have, or why it has none."""
        if self.manifest is not None:
            known = load_manifest(self.manifest).digests(source)
            return known or Refusal(UNKNOWN, f"{_named(source)} is not in the source manifest")
        found = _hash_under(self.root or "", source)
        return Refusal(UNKNOWN, f"{_named(source)}: {found.detail}") if isinstance(found, images.Fault) else (found,)


def _hash_under(root: str, source: Source) -> str | images.Fault:
    """SHA-256 of `<root>/<dataset>/<image>`, which may not leave the root."""
    path = f"{source.dataset}/{source.image}"
    if not source.dataset or source.dataset.startswith("/") or ".." in path.split("/"):
        return images.Fault("refused", "a source may not leave its root")
    found = images.Place(root).locate(path)
    if isinstance(found, images.Fault):
        return found
    return _hash(found, _state(found))


@functools.lru_cache(maxsize=65_536)
def _hash(uri: str, state: tuple[int, int]) -> str | images.Fault:
    """SHA-256 of a file; many items share a picture, so that each state of it is read once."""
    try:
        data = images.read(uri)
    except Exception as error:
        if type(error).__name__ != "NotFound":  # of google.api_core; whatever else is wrong may pass, and is no answer
            raise
        data = images.Fault("missing", str(error)[:200])
    return data if isinstance(data, images.Fault) else hashlib.sha256(data).hexdigest()


def _state(uri: str) -> tuple[int, int]:
    """Time and length of a local file, zeros for what is not one."""
    try:
        status = os.stat(uri)
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _named(source: Source) -> str:
    return ascii(f"{source.dataset}/{source.image}"[:200])
