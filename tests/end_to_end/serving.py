"""A simulated server as a process of its own, a pool that is asked of it, and what a run of it left."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from beam_rs.ledger import Ledger, Record, read

SERVER = Path(__file__).resolve().parents[1] / "engines/simulated.py"
WINDOW = 16


class Server:
    """A server process. `kill` and `start` again keep the port and the journal."""

    def __init__(self, journal: Path, *arguments: str) -> None:
        self._journal, self._arguments, self.port = journal, arguments, 0
        journal.touch()
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        options = ["--port", str(self.port), "--journal", str(self._journal), *self._arguments]
        self.process = subprocess.Popen([sys.executable, str(SERVER), *options], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.port = int(self.process.stdout.readline().split(":")[2].split("/")[0])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()

    def seeds(self, event: str = "asked", since: int = 0) -> list[int]:
        """Seeds of the requests that it was asked or has answered, in order; a seed stands for a request key."""
        lines = [line.split() for line in self._journal.read_text().splitlines()[since:]]
        return [int(seed) for name, seed in lines if name == event]

    def mark(self) -> int:
        """Length of the journal now, for `since`."""
        return len(self._journal.read_text().splitlines())


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[Server]:
    """A server whose journal is in a folder."""
    server = Server(folder / "journal.txt", *arguments)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()


def make_pool(
    folder: Path, size: int, url: str, question: Callable[[int], str] = "word {}".format, **more: Any
) -> Path:
    """A pool of so many questions on half as many pictures, asked of a server that answers with the question itself.

    Four in five references are the question. The engine's fields are set by keywords.

    Returns:
      The configuration.
    """
    (folder / "images").mkdir(parents=True)
    lines, sources = [], []
    for n in range(size):
        name = f"{n // 2:04}.png"
        Image.new("RGB", (8, 8), (n // 2 % 256, 7, n // 512)).save(folder / "images" / name)
        asked, source = question(n), {"dataset": "Drawn", "image": name}
        answer = asked if n % 5 else f"other {n}"
        lines.append(
            {"id": f"{n:04}", "family": "Signs", "image": name, "question": asked, "answer": answer, "source": source}
        )
        data = (folder / "images" / name).read_bytes()
        sources.append({**source, "sha256": hashlib.sha256(data).hexdigest()})
    for name, rows in {"pool": lines, "sources": sources}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    engine = {"name": "openai", "url": url, "model": "simulated", "window": WINDOW, "api_key_env": "", **more}
    config = {
        "output": "out",
        "pool": ["pool.jsonl"],
        "images": {"root": "images"},
        "cleaning": {"provenance": {"manifest": "sources.jsonl"}},
        "families": {"Signs": {"verifier": "alnum"}},
        "engine": engine,
        "sampling": {"max_tokens": 64},
        "judge": {"gate": 0},
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    return folder / "config.yaml"


def begin(config: Path, *arguments: str, out: str = "out", **options: Any) -> "subprocess.Popen[str]":
    """Start a run in a process group of its own; its output goes to a file beside the configuration."""
    folder = config.parent
    command = [sys.executable, "-m", "beam_rs", "run", str(config), "--set", f"output={folder / out}", *arguments]
    with (folder / f"{out}.log").open("w") as log:
        return subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, text=True, start_new_session=True, **options
        )


def log(config: Path, out: str = "out") -> str:
    return (config.parent / f"{out}.log").read_text()


def run(config: Path, *arguments: str, out: str = "out", **options: Any) -> int:
    """A run to its end."""
    process = begin(config, *arguments, out=out, **options)
    try:
        return process.wait(200)
    finally:
        kill(process)


def kill(process: "subprocess.Popen[str]") -> None:
    """SIGKILL to the whole process group; nothing where it has ended."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(true: Callable[[], Any], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


def records(out: Path) -> list[Record]:
    """All records of the ledger."""
    return [record for path in Ledger(str(out / ".work/ledger")).files() for record in read(path)]


def kept(out: Path) -> set[int]:
    """Seeds of the requests that the ledger has an answer to."""
    return {record["seed"] for record in records(out) if not record["error"]}


def manifest(out: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((out / "manifest.json").read_text())
    return value


def contents(out: Path) -> dict[str, str]:
    """SHA-256 of all that is published but the manifest, which says when it was."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and ".work" not in path.relative_to(out).parts and path.name != "manifest.json"
    }


def ids(out: Path) -> Counter[str]:
    """How often each item stands in the splits, longform and rejected and nothink alone: an item is in one of them."""
    import pyarrow.parquet as pq

    found: Counter[str] = Counter()
    for path in sorted(out.glob("Signs/*/*.parquet")):
        if "_RS_think" in path.parent.name:
            continue
        for meta in pq.read_table(path, columns=["clean_meta"]).column("clean_meta").to_pylist():
            found.update(item["id"] for item in meta["items"])
    return found
