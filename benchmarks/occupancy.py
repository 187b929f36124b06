"""How busy a served model is kept: the engine under RunInference, against an asyncio client and Beam's own handler.

Every contender asks the same requests, in the same order, of a fresh simulated server with slots and heavy-tailed
answer lengths, with as many requests in flight as there are slots. The makespan is taken on the server, from the
first request to the last answer, so that start-up counts for nobody. The bound is the list schedule of the very
lengths: what a client without any delay would reach.

    python benchmarks/occupancy.py                          32, 64 and 256 slots, some four minutes
    python benchmarks/occupancy.py --slots 32 --seconds 20 --requests 3000
"""

import argparse
import asyncio
import heapq
import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

import apache_beam as beam
from apache_beam.ml.inference.base import RunInference
from apache_beam.ml.inference.vllm_inference import OpenAIChatMessage, VLLMChatModelHandler
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from beam_rs import keys
from beam_rs.engines.openai import OpenAiEngine
from beam_rs.schema import Message, Request, Sampling
from beam_rs.transforms.generate import Run, VisionModelHandler

SERVER = Path(__file__).resolve().parents[1] / "tests/engines/simulated.py"
sys.path.insert(0, str(SERVER.parent))

from simulated import seconds  # noqa: E402

Contender = Callable[[str, Sequence[Request], int], None]


@dataclass(frozen=True)
class Measured:
    """What the server saw of a contender."""

    name: str
    span: float
    busy: float
    requests: int
    most: int
    wall: float


@contextmanager
def served(slots: int, median: float) -> Iterator[str]:
    """Address of a fresh server."""
    command = [sys.executable, str(SERVER), "--slots", str(slots), "--median", str(median)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def measure(name: str, contender: Contender, requests: Sequence[Request], slots: int, median: float) -> Measured:
    with served(slots, median) as url:
        started = time.monotonic()
        contender(url, requests, slots)
        wall = time.monotonic() - started
        stats = json.load(build_opener(ProxyHandler({})).open(url.replace("/v1", "/stats")))
    return Measured(name, stats["span"], stats["busy"], stats["requests"], stats["most"], wall)


def with_asyncio(url: str, requests: Sequence[Request], slots: int) -> None:
    """As plain as it gets: a connection for each slot, all taking from one list."""
    asyncio.run(_all_connections(url, requests, slots))


async def _all_connections(url: str, requests: Sequence[Request], slots: int) -> None:
    address, left = urlsplit(url), iter(requests)

    async def connection() -> None:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        for request in left:
            turns = [{"role": m.role, "content": m.text} for m in request.messages]
            body = json.dumps({"model": "simulated", "messages": turns, "seed": request.seed}).encode()
            writer.write(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            json.loads(await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0])))
        writer.close()

    await asyncio.gather(*(connection() for _ in range(slots)))


def with_beam_rs(url: str, requests: Sequence[Request], slots: int) -> None:
    """The engine, through this package's handler."""
    handler = VisionModelHandler(OpenAiEngine(model="simulated", url=url, window=slots, api_key_env=""), Run())
    run(requests, handler)


def with_beam(url: str, requests: Sequence[Request], slots: int) -> None:
    """Beam's own handler for vLLM's chat API, as it comes, pointed at the server."""
    chats = [[OpenAIChatMessage(m.role, m.text) for m in request.messages] for request in requests]
    run(chats, _Pointed(urlsplit(url).port or 0))


def run(elements: Sequence[Any], handler: Any) -> None:
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        _ = pipeline | beam.Create(elements, reshuffle=False) | RunInference(handler) | beam.Map(lambda _: None)


@dataclass
class _Port:
    """What Beam's handler wants of the server that it would start."""

    port: int

    def get_server_port(self) -> int:
        return self.port

    def check_connectivity(self, retries: int = 3) -> None:
        del retries


class _Pointed(VLLMChatModelHandler):
    """Beam's handler, but for the server: that one is running."""

    def __init__(self, port: int) -> None:
        super().__init__("simulated")
        self._port = port

    def load_model(self) -> Any:
        return _Port(self._port)

    def share_model_across_processes(self) -> bool:
        return False


CONTENDERS: dict[str, Contender] = {
    "asyncio, one connection a slot": with_asyncio,
    "beam_rs, RunInference": with_beam_rs,
    "Beam's vLLM chat handler": with_beam,
}


def bound(lengths: Sequence[float], slots: int) -> float:
    """Makespan of a list schedule: each request goes to the slot that is free first."""
    ends = [0.0] * slots
    for length in lengths:
        heapq.heapreplace(ends, ends[0] + length)
    return max(ends)


def make_requests(count: int) -> list[Request]:
    """Requests in the order in which the handler sends them."""
    made = [
        keys.request(str(n), None, (Message("user", f"question {n}"),), Sampling(), model="simulated")
        for n in range(count)
    ]
    return sorted(made, key=lambda request: request.locality)


def compare(slots: int, count: int, aim: float, names: Sequence[str]) -> None:
    """Print one table."""
    requests = make_requests(count)
    units = [seconds(request.messages[-1].text, 1.0) for request in requests]
    median = aim / bound(units, slots)
    best = bound([unit * median for unit in units], slots)
    print(f"\n{count} requests, {slots} slots, list-schedule bound {best:.2f} s, longest {max(units) * median:.2f} s")
    print(f"{'':32}{'makespan':>10}{'bound/it':>10}{'busy':>8}{'sent':>8}{'most':>6}{'wall':>9}")
    for name in names:
        m = measure(name, CONTENDERS[name], requests, slots, median)
        figures = (
            f"{m.span:8.2f} s{best / m.span:10.3f}{m.busy / slots / m.span:8.3f}{m.requests:8}{m.most:6}{m.wall:7.1f} s"
        )
        print(f"{name:32} {figures}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, nargs="+", default=[32, 64, 256])
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=20.0, help="bound of each table, by scaling all lengths")
    parser.add_argument("--without", action="append", default=[], choices=["asyncio", "beam_rs", "beam"])
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    left_out = [dict(zip(["asyncio", "beam_rs", "beam"], CONTENDERS, strict=True))[name] for name in options.without]
    for slots in options.slots:
        compare(slots, options.requests, options.seconds, [name for name in CONTENDERS if name not in left_out])


if __name__ == "__main__":
    main()
