"""One `vllm` a device, one start at a time a host: file locks that the system gives back when their owner dies."""

import fcntl
import json
import logging
import os
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from beam_rs.engines._processes import end_marked
from beam_rs.errors import EngineError

_LOG: Final = logging.getLogger(__name__)
_POLL: Final = 0.2


def used_devices(count: int) -> tuple[str, ...]:
    """Names of the devices that an engine on `count` of them takes: `cpu`, or the first visible cards."""
    from vllm.platforms import current_platform

    if current_platform.is_cpu():
        return ("cpu",)
    variable = str(getattr(current_platform, "device_control_env_var", "CUDA_VISIBLE_DEVICES"))
    visible = [name.strip() for name in os.environ.get(variable, "").split(",") if name.strip()]
    return tuple((visible or [str(i) for i in range(count)])[:count])


def lock_folder() -> Path:
    """Where the locks of this user lie: `BEAM_RS_LOCKS`, or a folder of its own among the temporary files."""
    chosen = os.environ.get("BEAM_RS_LOCKS") or os.path.join(tempfile.gettempdir(), f"beam_rs-{os.getuid()}")
    folder = Path(chosen)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


class Claim:
    """The hold of one engine on its devices.

    Args:
      devices: names of the devices.
      mark: of the engine's processes; the next owner ends what carries it.
      model: for the message that another owner reads.
      patience: seconds to wait for an owner that is just closing.

    Raises:
      EngineError: another engine holds one of them.
    """

    def __init__(self, devices: Sequence[str], mark: str, model: str, patience: float = 10.0) -> None:
        self._files = ExitStack()
        deadline = time.monotonic() + patience
        try:
            for device in sorted(set(devices)):
                self._take(device, json.dumps({"pid": os.getpid(), "mark": mark, "model": model}), deadline)
        except BaseException:
            self._files.close()
            raise

    def _take(self, device: str, owner: str, deadline: float) -> None:
        path = lock_folder() / f"device-{re.sub(r'[^A-Za-z0-9._-]', '_', device)}.lock"
        file = self._files.enter_context(_opened(path))
        if not _locked(file, deadline):
            holder = _owner(file)
            raise EngineError(
                f"a vllm engine already runs on device {device} (process {holder.get('pid', '?')}, model "
                f"{holder.get('model', '?')}); wait for it, or choose other devices with CUDA_VISIBLE_DEVICES"
            )
        left = end_marked(str(_owner(file).get("mark") or "none"))
        if left:
            _LOG.warning("ended %d processes of an engine whose owner died on device %s", left, device)
        file.seek(0)
        file.truncate()
        file.write(owner)
        file.flush()

    def release(self) -> None:
        """Give the devices back. Safe to call twice."""
        self._files.close()


@contextmanager
def one_start_at_a_time(patience: float) -> Iterator[None]:
    """Hold the host's start lock: engines that load at once measure each other's memory wrongly.

    Raises:
      EngineError: another start took longer than `patience` seconds.
    """
    with hold(lock_folder() / "start.lock", patience):
        yield


@contextmanager
def hold(path: Path, patience: float) -> Iterator[None]:
    """Hold a lock file, which is made if it is not there.

    Raises:
      EngineError: somebody else held it for more than `patience` seconds.
    """
    with _opened(path) as file:
        if not _locked(file, time.monotonic() + patience):
            raise EngineError(f"another process of this host has held {path} for more than {patience:.0f} s")
        yield


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+") as file:
        yield file


def _locked(file: IO[str], deadline: float) -> bool:
    """Take the lock of a file, or give up at the deadline."""
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL)


def _owner(file: IO[str]) -> dict[str, object]:
    """Who wrote into a lock file; empty where nobody did or the writing was cut."""
    file.seek(0)
    try:
        owner = json.loads(file.read() or "{}")
    except ValueError:
        return {}
    return owner if isinstance(owner, dict) else {}
