"""What `beam-rs doctor` looks at on the host: cards, memory, storage, credentials."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

Level: TypeAlias = Literal["ok", "warn", "fail"]

_REMOTE: Final = "://"
_LOW_DISK: Final = 10 << 30


@dataclass(frozen=True)
class Check:
    """One finding.

    Attributes:
      name: what was looked at.
      level: `ok`; `warn`: it works, not as well as it could; `fail`: a run would not work.
      found: what is there.
      advice: what to do, empty where nothing is to be done.
    """

    name: str
    level: Level
    found: str
    advice: str = ""


def check_gpus(needed: bool = False) -> Check:
    """The graphics cards that the driver lists and how much of their memory is free.

    Args:
      needed: the configuration's engine runs on them.
    """
    cards = list(_nvidia_cards())
    if cards:
        busy = [card for card, free in cards if free < 0.5]
        text = "; ".join(f"{card}, {free:.0%} free" for card, free in cards)
        if busy:
            return Check("gpu", "warn", text, "end what holds their memory (see nvidia-smi) before vllm starts")
        return Check("gpu", "ok", text)
    if not needed:
        return Check("gpu", "ok", "none; the ocr and openai engines need none")
    return Check("gpu", "warn", "no NVIDIA card found", "vllm will run on the CPU build only; check the driver")


def check_memory() -> Check:
    """Main memory, and the shared memory that vLLM's processes talk through."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    shared = shutil.disk_usage("/dev/shm").free / 2**30 if Path("/dev/shm").is_dir() else None
    text = f"{total:.0f} GiB" + (f", {shared:.1f} GiB of shared memory free" if shared is not None else "")
    if shared is not None and shared < 0.25:
        return Check("memory", "warn", text, "start the container with --shm-size=8g or --ipc=host for vllm")
    return Check("memory", "ok", text)


def check_place(place: str) -> Check:
    """Whether a folder or URI can be written to and read from, tried with a small file that is removed again."""
    name = f"storage {place}"
    probe = f"{place.rstrip('/')}/.beam-rs-doctor-{uuid.uuid4().hex}"
    try:
        free = None if _REMOTE in place else _try_local(place, probe)
        if free is None:
            _try_remote(probe)
    except Exception as error:  # every store has errors of its own
        return Check(name, "fail", f"{type(error).__name__}: {error}", _storage_advice(place))
    if free is not None and free < _LOW_DISK:
        return Check(name, "warn", f"written and read; {free / 2**30:.1f} GiB free", "the data set may not fit")
    return Check(name, "ok", "written and read" + (f"; {free / 2**30:.0f} GiB free" if free is not None else ""))


def check_google_credentials() -> Check:
    """Whether Google's client libraries find credentials."""
    try:
        import google.auth

        _, project = google.auth.default()
    except ImportError:
        return Check("google credentials", "fail", "the client library is absent", "pip install 'beam-rs[gcp]'")
    except Exception as error:  # the library's own error, or one of the file or the metadata server behind it
        advice = "run: gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS"
        return Check("google credentials", "fail", f"{type(error).__name__}: {error}", advice)
    return Check("google credentials", "ok", f"project {project or 'not set'}")


def _nvidia_cards() -> Iterator[tuple[str, float]]:
    """Name and free share of memory of each card, as nvidia-smi prints them."""
    query = ["nvidia-smi", "--query-gpu=name,memory.total,memory.free", "--format=csv,noheader,nounits"]
    try:
        lines = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return
    for line in lines:
        name, total, free = (part.strip() for part in line.rsplit(",", 2))
        yield f"{name} {float(total) / 1024:.0f} GiB", float(free) / max(float(total), 1.0)


def _try_local(place: str, probe: str) -> int:
    """Write and read below a folder, or its nearest parent that exists; the bytes that are free there."""
    folder = Path(place).absolute()
    while not folder.exists():
        folder = folder.parent
    with tempfile.NamedTemporaryFile(dir=folder, prefix=Path(probe).name) as file:
        file.write(b"beam_rs")
        file.flush()
        if Path(file.name).read_bytes() != b"beam_rs":
            raise OSError(f"{folder} does not give back what was written")
    return shutil.disk_usage(folder).free


def _try_remote(probe: str) -> None:
    from apache_beam.io.filesystems import FileSystems

    delete: Callable[[list[str]], None] = FileSystems.delete
    with FileSystems.create(probe) as file:
        file.write(b"beam_rs")
    try:
        with FileSystems.open(probe) as file:
            if file.read() != b"beam_rs":
                raise OSError("the store does not give back what was written")
    finally:
        delete([probe])


def _storage_advice(place: str) -> str:
    if place.startswith("gs:"):
        return "give the account roles/storage.objectAdmin on the bucket, and install the extra gcp"
    return "choose a folder that this user may write to"
