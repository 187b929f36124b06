"""How long it takes from the command to the first request, beside an empty Beam pipeline on the same machine.

    python benchmarks/start.py [TIMES]

The server notes when the first request arrives; the CPU time is the process's own up to then. What is over Beam's own
start is ours: reading the configuration, building the pipeline, checking pictures, looking the ledger up.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

from PIL import Image

SERVER = Path(__file__).resolve().parents[1] / "tests/engines/simulated.py"
ITEMS = 200
EMPTY = """
import apache_beam as beam
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
with beam.Pipeline(runner=FnApiRunner()) as pipeline:
    pipeline | beam.Create([1]) | beam.Map(print)
"""


def write_pool(folder: Path, url: str) -> Path:
    """A pool of small pictures; returns the configuration."""
    (folder / "images").mkdir(parents=True)
    lines, sources = [], []
    for n in range(ITEMS):
        path = folder / "images" / f"{n}.png"
        Image.new("RGB", (64, 64), (n % 256, 7, n // 256)).save(path)
        source, asked = {"dataset": "Drawn", "image": path.name}, {"question": "?", "answer": "a"}
        lines.append({"id": str(n), "family": "F", "image": path.name, **asked, "source": source})
        sources.append({**source, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()})
    for name, rows in {"pool": lines, "sources": sources}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = {
        "output": "out",
        "pool": "pool.jsonl",
        "images": {"root": "images"},
        "cleaning": {"provenance": {"manifest": "sources.jsonl"}},
        "families": {"F": {"verifier": "alnum"}},
        "engine": {"name": "openai", "url": url, "model": "simulated", "api_key_env": ""},
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    return folder / "config.yaml"


def to_the_first_request(folder: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a run up to its first request."""
    with subprocess.Popen([sys.executable, str(SERVER), "--median", "0"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        url = server.stdout.readline().strip()
        command = [sys.executable, "-m", "beam_rs", "run", str(write_pool(folder, url))]
        began = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            cpu, first = 0.0, 0.0
            while not first and run.poll() is None:
                time.sleep(0.1)
                cpu = used(run.pid)
                first = json.load(build_opener(ProxyHandler({})).open(url.replace("/v1", "/stats")))["first"]
            code = run.wait()
        server.kill()
    assert first, f"the run ended with exit code {code} and without a request"
    return first - began, cpu


def used(pid: int) -> float:
    """CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def empty() -> tuple[float, float]:
    """Wall and CPU seconds of a pipeline that does nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", EMPTY], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(times: int = 3) -> None:
    print(f"{'':<36} {'seconds':>8} {'CPU s':>8}")
    for _ in range(times):
        beam = empty()
        with tempfile.TemporaryDirectory() as folder:
            ours = to_the_first_request(Path(folder) / "pool")
        over = ours[0] - beam[0], ours[1] - beam[1]
        for name, found in (("empty Beam pipeline", beam), ("command to first request", ours), ("ours", over)):
            print(f"{name:<36} {found[0]:8.1f} {found[1]:8.1f}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
