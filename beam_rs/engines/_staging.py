"""Model folders on an object store, copied once a host."""

import hashlib
import logging
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any, Final

from beam_rs.engines._devices import hold
from beam_rs.errors import ConfigError

_LOG: Final = logging.getLogger(__name__)
_REMOTE: Final = re.compile(r"[a-z][a-z0-9+.-]*://")
_DONE: Final = ".complete"


def is_remote(model: str) -> bool:
    """Whether a model's name is a folder behind a URI.

    >>> is_remote("gs://bucket/models/qwen"), is_remote("Qwen/Qwen3-VL-8B-Instruct")
    (True, False)
    """
    return bool(_REMOTE.match(model))


def cache_folder() -> Path:
    """Where staged models lie: `BEAM_RS_MODELS`, or `~/.cache/beam_rs/models`."""
    return Path(os.environ.get("BEAM_RS_MODELS") or Path.home() / ".cache" / "beam_rs" / "models")


def stage(uri: str, patience: float = 3600.0) -> Path:
    """The local copy of a remote model folder; made by the first process of the host that asks, awaited by others.

    A copy is taken for the same as long as names and sizes of the remote files are the same.

    Args:
      uri: a folder such as `gs://bucket/models/qwen3-vl-8b`.
      patience: seconds to wait for another process that is copying it.

    Raises:
      ConfigError: nothing is there, or no `config.json` among it.
      EngineError: another process has been copying it for longer than that.
    """
    files = _listing(uri)
    if "config.json" not in files:
        raise ConfigError(f"{uri} is no model folder: it has no config.json ({len(files)} files found)")
    version = hashlib.sha256(repr((uri, sorted(files.items()))).encode()).hexdigest()[:16]
    target = cache_folder() / version
    target.parent.mkdir(parents=True, exist_ok=True)
    with hold(target.with_suffix(".lock"), patience):
        if not (target / _DONE).exists():
            _copy(uri, files, target)
    return target


def _listing(uri: str) -> dict[str, int]:
    """Sizes of the files below a URI, by their path relative to it."""
    from apache_beam.io.filesystems import FileSystems

    match: Any = FileSystems.match
    top = uri.rstrip("/") + "/"
    try:
        found = match([top + "**"])[0].metadata_list
    except Exception as error:  # each store raises its own
        raise ConfigError(f"the model folder {uri} cannot be listed: {error}") from error
    files = {one.path[len(top) :]: int(one.size_in_bytes) for one in found}
    return {name: size for name, size in files.items() if name and not name.endswith("/")}


def _copy(uri: str, files: dict[str, int], target: Path) -> None:
    from apache_beam.io.filesystems import FileSystems

    start = time.monotonic()
    shutil.rmtree(target, ignore_errors=True)
    for name in sorted(files):
        path = target / name
        if target.resolve() not in path.resolve().parents:
            raise ConfigError(f"{uri} has a file that leaves the folder: {name!r}")
        path.parent.mkdir(parents=True, exist_ok=True)
        remote = FileSystems.open(f"{uri.rstrip('/')}/{name}", compression_type="uncompressed")
        with remote as source, open(path, "wb") as copy:
            shutil.copyfileobj(source, copy, 16 << 20)
    (target / _DONE).touch()
    _LOG.info("staged %s: %.1f GB in %.0f s", uri, sum(files.values()) / 1e9, time.monotonic() - start)
