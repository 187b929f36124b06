"""A server with slots and faults that speaks the OpenAI chat protocol, for tests and benchmarks.

A request takes a slot for a time that its content alone decides (lognormal, so a few are very long), answers arrive
complete, and every request is counted by its content. Marks in the question call faults:
`[500x2]` fails the first two times and answers then; `[hang]` does so every time.

    python tests/engines/simulated.py --slots 32 --median 0.1        prints its address, then serves
"""

import argparse
import asyncio
import hashlib
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

MARK = re.compile(r"\[(\w+?)(?:x(\d+))?\]")
_STATUS = {"400": 400, "401": 401, "413": 413, "429": 429, "500": 500, "502": 502, "503": 503}


@dataclass
class Simulated:
    """What the server does, and what it saw.

    Attributes:
      slots: requests worked on at once.
      median: seconds that half of the requests take at most; 0 answers at once.
      sigma: spread of the logarithm; 1 gives a heavy tail.
      hidden: nothing is answered at all, connections are just held.
      key: a key that must be sent, or empty.
      retry_after: what a 429 asks for.
      journal: file that outlives this process: a line `asked SEED` and a line `answered SEED` a request.
      judges: whether a constrained request gets one of its choices, by its content, instead of its own text back.
    """

    slots: int = 32
    median: float = 0.0
    sigma: float = 1.0
    hidden: bool = False
    key: str = ""
    retry_after: str = "0.2"
    journal: str = ""
    judges: bool = False
    seen: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keep_bodies: bool = True
    active: int = 0
    most_active: int = 0
    busy: float = 0.0
    first: float = 0.0
    last: float = 0.0

    def note(self, event: str, body: dict[str, Any]) -> None:
        if self.journal:
            with open(self.journal, "a") as file:
                file.write(f"{event} {body.get('seed')}\n")

    def stats(self) -> dict[str, Any]:
        counts = {"requests": self.seen.total(), "distinct": len(self.seen), "most": max(self.seen.values(), default=0)}
        span = {"busy": self.busy, "first": self.first, "span": self.last - self.first}
        return {**counts, **span, "most_active": self.most_active}


def seconds(content: str, median: float, sigma: float = 1.0) -> float:
    """How long a request takes: the same for the same content."""
    draw = random.Random(hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest())
    return median * draw.lognormvariate(0.0, sigma) if median else 0.0


def question(body: dict[str, Any]) -> str:
    content = [m for m in body["messages"] if m["role"] == "user"][-1]["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class _Refused(Exception):
    """Ends a connection, with or without some last bytes."""


@dataclass
class _Handler:
    server: Simulated
    gate: asyncio.Semaphore
    connections: dict[asyncio.StreamWriter, "asyncio.Task[None]"] = field(default_factory=dict)

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections[writer] = asyncio.create_task(self.serve(reader, writer))

    async def break_off(self) -> None:
        for writer, task in list(self.connections.items()):
            writer.transport.abort()
            task.cancel()
        await asyncio.sleep(0.01)  # lets the sockets close

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (_Refused, asyncio.CancelledError, OSError, EOFError, asyncio.LimitOverrunError):
            pass
        finally:
            self.connections.pop(writer, None)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request, *lines = head.split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if self.server.hidden:
            await asyncio.sleep(3600)
        if self.server.key and headers.get("authorization") != f"Bearer {self.server.key}":
            await _send(writer, 401, {"error": {"message": f"no such key: {headers.get('authorization')}"}})
        elif request.startswith("GET /stats"):
            await _send(writer, 200, self.server.stats())
        elif request.startswith("GET"):
            await _send(writer, 200, {"object": "list", "data": [{"id": "simulated"}]})
        else:
            await self._complete(json.loads(body), writer)
        return True

    async def _complete(self, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        server, text = self.server, question(body)
        content = f"{text}|{body.get('seed')}"
        server.seen[content] += 1
        server.note("asked", body)
        if server.keep_bodies:
            server.bodies.append(body)
        for name, times in MARK.findall(text):
            if not times or server.seen[content] <= int(times):
                await _fail(name, server, body, writer)
        async with self.gate:
            server.active += 1
            server.first = server.first or time.monotonic()
            server.most_active = max(server.active, server.most_active)
            duration = seconds(text, server.median, server.sigma)
            try:
                await asyncio.sleep(duration)
                server.busy += duration
                server.last = time.monotonic()
            finally:
                server.active -= 1
        server.note("answered", body)
        await _send(writer, 200, answer(body, text, server.judges))


def answer(body: dict[str, Any], text: str, judges: bool = False) -> dict[str, Any]:
    message = {"role": "assistant", "content": f"<think>\nhm\n</think>\n\n{text}"}
    if judges and "structured_outputs" in body:
        choices = body["structured_outputs"]["choice"]
        message["content"] = choices[hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] % len(choices)]
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 5}}


async def _send(writer: asyncio.StreamWriter, status: int, body: Any, headers: str = "") -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\n{headers}\r\n".encode() + data)
    await writer.drain()


async def _fail(name: str, server: Simulated, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
    """Answer with the fault of a name and end the connection; names that are none pass."""
    if name in _STATUS:
        extra = f"retry-after: {server.retry_after}\r\n" if name == "429" else ""
        await _send(writer, _STATUS[name], {"error": {"message": f"fault {name}"}}, extra)
    elif name == "long":
        await _send(writer, 400, {"error": {"message": "This model's maximum context length is 4096 tokens."}})
    elif name == "choiceless" and "structured_outputs" in body:
        await _send(writer, 400, {"error": {"message": "extra fields not permitted: structured_outputs"}})
    elif name == "hang":
        await asyncio.sleep(3600)
    elif name == "flood":
        await _flood(writer)
    elif name in _RAW:
        writer.write(_RAW[name])
        await writer.drain()
    elif name != "reset":
        return
    raise _Refused


async def _flood(writer: asyncio.StreamWriter) -> None:
    """A body of 100 MB."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n")
    for _ in range(1600):
        writer.write(b"x" * 65536)
        await writer.drain()


def _ok(body: bytes, headers: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\n" + headers + b"content-length: %d\r\n\r\n%b" % (len(body), body)


_RAW = {
    "half": b'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"choices": [{"mess',
    "rubbish": _ok(bytes(range(256))),
    "nohttp": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "html": _ok(b"<html><body>Welcome</body></html>", b"content-type: text/html\r\n"),
    "empty": _ok(b'{"choices": []}'),
    "array": _ok(b"[1, 2]"),
    "deep": _ok(b"[" * 100_000),
    "nomessage": _ok(b'{"choices": [{"finish_reason": "stop"}]}'),
    "inner": _ok(b'{"error": {"message": "overloaded", "code": 503}}'),
    "gzip": _ok(b"\x1f\x8b", b"content-encoding: gzip\r\n"),
    "redirect": b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
}


class Running:
    """A simulated server on a loop of its own thread, on loopback. `stop` and `start` again keep the port."""

    def __init__(self, server: Simulated, port: int = 0) -> None:
        self.server, self.port = server, port
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live(ready.set)), daemon=True)
        self._thread.start()
        ready.wait()

    def stop(self) -> None:
        """End it as a crash would: connections that are open break off."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    async def _live(self, ready: Callable[[], None]) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        handler = _Handler(self.server, asyncio.Semaphore(self.server.slots))
        listener = await asyncio.start_server(handler.accept, "127.0.0.1", self.port, limit=1 << 20, backlog=1024)
        self.port = listener.sockets[0].getsockname()[1]
        ready()
        await self._stop.wait()
        listener.close()
        await handler.break_off()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=32)
    parser.add_argument("--median", type=float, default=0.1)
    parser.add_argument("--sigma", type=float, default=1.0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--retry-after", default="0.2")
    parser.add_argument("--journal", default="")
    options = parser.parse_args()
    server = Simulated(options.slots, options.median, options.sigma, retry_after=options.retry_after, judges=True)
    server.keep_bodies, server.journal = False, options.journal
    running = Running(server, options.port)
    print(running.url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
