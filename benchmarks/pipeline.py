"""What the pipeline costs beside the work itself: CPU, memory and start-up, the anchors measured in the same run.

Every contender is a process of its own, the contenders take turns, and the figures are CPU seconds of whole processes
(user and system, children included), so that ratios hold on a machine that has other things to do. The scripted
engine answers at once: what is left is the pipeline. The anchors are in `benchmarks/loops.py`.

    python benchmarks/pipeline.py                        everything, about half an hour on two cores
    python benchmarks/pipeline.py overhead --kind large --items 2000 --rounds 3
    python benchmarks/pipeline.py ocr --config CONFIG --limit 600
    python benchmarks/pipeline.py memory --items 2000 5000 20000
    python benchmarks/pipeline.py start
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pool import write

Contenders = dict[str, Callable[[], list[str]]]
"""Name and command line, made anew for every round."""

RUN = "beam-rs run"
LOOPS = str(Path(__file__).with_name("loops.py"))


@dataclass(frozen=True)
class Cost:
    """What a process took: CPU seconds, wall seconds, its largest resident set in MB."""

    cpu: float
    wall: float
    peak: float


def cost(command: Sequence[str]) -> Cost:
    """Run a process of Python to its end.

    Raises:
      SystemExit: it failed; what it said is shown.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([sys.executable, *command], stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 3):
            said.seek(0)
            sys.exit(f"{' '.join(command)}: exit code {process.returncode}\n{said.read().decode()}")
    return Cost(used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024)


def pipeline(config: Path, out: Path, *more: str) -> list[str]:
    """The command line of a run into a folder of its own."""
    shutil.rmtree(out, ignore_errors=True)
    return ["-m", "beam_rs", "run", str(config), "--set", f"output={out}", *more]


def loop(name: str, *arguments: object) -> list[str]:
    return [LOOPS, name, *map(str, arguments)]


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="beam_rs_benchmark_") as name:
        yield Path(name)


def runs(config: Path, work: Path) -> Contenders:
    """A run and both loops over one pool."""
    for name in ("same", "plain"):
        (work / name).mkdir(exist_ok=True)
    return {
        RUN: lambda: pipeline(config, work / "out"),
        "loop, the same functions": lambda: loop("same", config, work / "same"),
        "loop, Pillow and pyarrow only": lambda: loop("plain", config, work / "plain"),
    }


def turns(contenders: Contenders, rounds: int) -> dict[str, Cost]:
    """The median cost of each contender, taken in turns."""
    costs: dict[str, list[Cost]] = defaultdict(list)
    for _ in range(rounds):
        for name, command in contenders.items():
            costs[name].append(cost(command()))
    return {
        name: Cost(*(median(getattr(c, field) for c in found) for field in ("cpu", "wall", "peak")))
        for name, found in costs.items()
    }


def show_start(rounds: int) -> dict[str, float]:
    """Print what runs of one item and their parts take, and return the CPU seconds of each contender's start."""
    with folder() as work:
        parts: Contenders = {
            "imports of beam_rs and Beam": lambda: loop("nothing"),
            "Beam, a pipeline of one element": lambda: loop("empty"),
        }
        found = turns(parts | runs(write(work / "one", 1, "small"), work), rounds)
    print(f"\nfixed cost, one item, medians of {rounds}\n{'':34}{'CPU s':>8}{'wall s':>8}{'MB':>7}")
    for name, used in found.items():
        print(f"{name:34}{used.cpu:8.2f}{used.wall:8.2f}{used.peak:7.0f}", flush=True)
    return {name: used.cpu for name, used in found.items()}


def show_overhead(kind: str, items: int, rounds: int, start: dict[str, float]) -> None:
    """Print the cost of a run against the loops over the same items, engine time 0: whole, and without the starts."""
    with folder() as work:
        config = write(work / "pool", items, kind)
        size = (config.parent / "images/000/000000.jpg").stat().st_size / 1000
        found = turns(runs(config, work), rounds)
    more = {name: max(used.cpu - start[name], 1e-9) for name, used in found.items()}
    print(f"\n{items:,} pictures of {size:.0f} KB, engine time 0, medians of {rounds}")
    print(f"{'':34}{'CPU s':>8}{'run/it':>8}{'without starts':>16}{'run/it':>8}{'items/CPU s':>13}{'MB':>7}")
    for name, used in found.items():
        whole = f"{used.cpu:8.2f}{found[RUN].cpu / used.cpu:8.2f}"
        print(
            f"{name:34}{whole}{more[name]:16.2f}{more[RUN] / more[name]:8.2f}"
            f"{items / more[name]:13,.0f}{used.peak:7.0f}",
            flush=True,
        )


def show_ocr(config: Path | None, limit: int, rounds: int) -> None:
    """Print the cost of a run with the embedded reader against the reader alone, over the pictures it was asked."""
    with folder() as work:
        if config is None:
            from beam_rs import sample_pool

            config = sample_pool.write(work / "pool", items=limit)
        cost(pipeline(config, work / "out", f"--limit={limit}", "--set", "limits={dead_letters: 1}"))
        listed = work / "asked.txt"
        listed.write_text("\n".join(asked(work / "out", config.parent)))
        found = turns(
            {
                "beam-rs run, ocr": lambda: pipeline(config, work / "out", f"--limit={limit}"),
                "the reader alone, one thread": lambda: loop("read", config, listed),
            },
            rounds,
        )
        count = len(listed.read_text().splitlines())
    ours = found["beam-rs run, ocr"].cpu
    print(f"\n{limit} lines of a pool, {count} requests to the embedded reader, medians of {rounds}")
    print(f"{'':34}{'CPU s':>8}{'run/it':>8}{'wall s':>8}{'MB':>7}")
    for name, used in found.items():
        print(f"{name:34}{used.cpu:8.2f}{ours / used.cpu:8.2f}{used.wall:8.2f}{used.peak:7.0f}", flush=True)


def asked(out: Path, pool: Path) -> list[str]:
    """Paths of the pictures behind the requests of a finished run, one a request."""
    import pyarrow.parquet as pq

    requests: dict[str, str] = {}
    for shard in out.glob("*/*/*.parquet"):
        for row in pq.read_table(shard, columns=["image_sha256", "clean_meta"]).to_pylist():
            for item in row["clean_meta"]["items"]:
                if item["request_key"]:
                    requests[item["request_key"]] = row["image_sha256"]
    files = [path for path in pool.rglob("*") if path.is_file()]
    paths = {hashlib.sha256(path.read_bytes()).hexdigest(): str(path) for path in files}
    return [paths[requests[key]] for key in sorted(requests)]


def show_memory(counts: Sequence[int], kind: str) -> None:
    """Print the largest resident set against the number of items."""
    print(f"\npeak memory, {kind} pictures, engine time 0")
    print(f"{'items':>8}{'MB':>8}{'KB an item more':>18}{'CPU s':>9}{'wall s':>9}")
    last: tuple[int, float] | None = None
    for count in counts:
        with folder() as work:
            used = cost(pipeline(write(work / "pool", count, kind), work / "out"))
        more = "" if last is None else f"{1024 * (used.peak - last[1]) / (count - last[0]):.1f}"
        print(f"{count:8,}{used.peak:8.0f}{more:>18}{used.cpu:9.1f}{used.wall:9.1f}", flush=True)
        last = count, used.peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["all", "start", "overhead", "ocr", "memory"], default="all")
    parser.add_argument("--kind", choices=["large", "small"], nargs="+", default=["large", "small"])
    parser.add_argument("--items", type=int, nargs="+", help="overhead: pictures; memory: the numbers compared")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--config", type=Path, help="ocr: a pool of one's own instead of the drawn one")
    parser.add_argument("--limit", type=int, default=600, help="ocr: lines read")
    arguments = parser.parse_args()
    what, rounds = arguments.what, arguments.rounds
    if what in ("all", "start", "overhead"):
        start = show_start(rounds)
    if what in ("all", "overhead"):
        for kind in arguments.kind:
            show_overhead(kind, (arguments.items or [4000])[0], rounds, start)
    if what in ("all", "ocr"):
        show_ocr(arguments.config, arguments.limit, rounds)
    if what in ("all", "memory"):
        show_memory(arguments.items or [2000, 5000, 20000], arguments.kind[0])


if __name__ == "__main__":
    main()
