"""Small pools of one's own, runs of the command line, and what a run leaves."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from beam_rs.cli import main

CONFIG = """
output: out
pool: [pool.jsonl]
images: {root: images}
cleaning: {provenance: {manifest: sources.jsonl}}
families: {Signs: {verifier: alnum, instruction: Answer in short.}}
engine: {name: scripted, table: answers.jsonl, default: a wrong answer}
judge: {enabled: false}
"""


@dataclass(frozen=True)
class Pool:
    """A pool in a folder, with its configuration and the answers to it.

    Attributes:
      folder: holds all of it, and the output.
    """

    folder: Path

    @property
    def config(self) -> str:
        return str(self.folder / "config.yaml")

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "pool.jsonl").read_text().splitlines()]

    def manifest(self, out: str = "out") -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.folder / out / "manifest.json").read_text())
        return value

    def await_answers(self, process: "subprocess.Popen[str]") -> None:
        """Wait until the ledger of a run holds answers."""
        for _ in range(1_200):
            if sum(path.stat().st_size for path in (self.out / ".work/ledger").rglob("*.avro")) > 2_300:
                return
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.05)
        raise AssertionError("no answer within a minute")


def make(folder: Path, size: int = 40) -> Pool:
    """A pool of so many pictures; every third question is answered with a thought, every fifth answer is wrong."""
    (folder / "images").mkdir(parents=True)
    pool, sources, answers = [], [], []
    for n in range(size):
        name = f"{n:04}.png"
        Image.new("RGB", (8 + n % 5, 8), (n % 256, 7, n // 256)).save(folder / "images" / name)
        data = (folder / "images" / name).read_bytes()
        source = {"dataset": "Drawn", "image": name}
        pool.append(
            {
                "id": f"{n:04}",
                "family": "Signs",
                "image": name,
                "question": "Word?",
                "answer": f"w{n}",
                "source": source,
            }
        )
        sources.append({**source, "sha256": hashlib.sha256(data).hexdigest()})
        answer = f"w{n}" if n % 5 else f"no{n}"
        answers.append({"item": f"{n:04}", "answer": f"<think>It says {answer}.</think>{answer}" if n % 3 else answer})
    for name, rows in {"pool": pool, "sources": sources, "answers": answers}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "config.yaml").write_text(CONFIG)
    return Pool(folder)


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    return make(tmp_path / "pool")


@pytest.fixture
def make_pool(tmp_path: Path) -> Callable[[int], Pool]:
    return lambda size: make(tmp_path / f"pool-{size}", size)


@dataclass(frozen=True)
class Called:
    """What a call of the command line came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """Call the command line in this process."""

    def called(*arguments: object) -> Called:
        capfd.readouterr()
        code = 0
        try:
            main([str(one) for one in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        return Called(code, *capfd.readouterr())

    return called


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command line in a process of its own, in a process group of its own."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: object, **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "beam_rs", *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        started.append(subprocess.Popen(command, start_new_session=True, **{**pipes, **options}))
        return started[-1]

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, 9)
        process.wait()
        if process.stdout:
            process.stdout.close()


def contents(folder: Path, *kinds: str) -> dict[str, str]:
    """SHA-256 of every published file below a folder, by name; of the given endings where there are any."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".work" not in path.relative_to(folder).parts
        if not kinds or path.name.endswith(kinds)
    }


@pytest.fixture
def published() -> Callable[..., dict[str, str]]:
    return contents
