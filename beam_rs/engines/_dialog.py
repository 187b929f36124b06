"""One request and the attempts that it takes, over HTTP."""

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

import anyio
import httpx

from beam_rs.engines._bodies import BodyStyle
from beam_rs.engines._faults import Fault, backoff, from_error, from_status, rubbish
from beam_rs.engines._lanes import Lanes
from beam_rs.engines._replies import read_reply
from beam_rs.engines._servers import Fleet, Server
from beam_rs.engines.base import DRAIN, failed
from beam_rs.errors import ImageChanged
from beam_rs.schema import Completion, Request

MAX_BODY: Final = 4 << 20
"""Bytes of an answer that are read at most: a hundred times what a long thought takes."""

_TICK: Final = 0.05
_READERS: Final = min(4, os.cpu_count() or 1)
_UPLOADS: Final = 8
"""Pictures that are held at once, from reading them to having sent them, whatever the window."""


@dataclass(frozen=True)
class Patience:
    """How long, in seconds, and how often.

    Attributes:
      first_byte: until the server begins to answer; without streaming it does so when the text is complete.
      total: for a request with all its attempts and waits.
      retries: attempts after the first.
    """

    first_byte: float
    total: float
    retries: int


@dataclass
class _Course:
    """What happened to a request so far."""

    request: Request
    affinity: str
    deadline: float
    counts: Counter[str] = field(default_factory=Counter)
    tried: set[Server] = field(default_factory=set)
    last: Fault | None = None
    wake_at: float = 0.0
    constrained: bool = True

    @property
    def left(self) -> float:
        return self.deadline - time.monotonic()


@dataclass(frozen=True)
class Dialog:
    """Asks servers until a request is answered or given up. Lives on the engine's event loop.

    Attributes:
      lanes: the pool of connections.
      fleet: the servers.
      style: of the bodies.
      patience: the limits.
      secret: a key that no message may hold, or empty.
      uploads: slots for pictures on their way.
      readers: threads that read and encode pictures.
    """

    lanes: Lanes
    fleet: Fleet
    style: BodyStyle
    patience: Patience
    secret: str = field(default="", repr=False)
    uploads: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_UPLOADS))
    readers: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_READERS, "beam-rs-images"))

    async def answer(self, request: Request) -> Completion | None:
        """The completion of a request, or None where the engine is drained before it was sent.

        Raises:
          EngineUnreachable: no server answers any more.
        """
        course = _Course(request, affinity(request), time.monotonic() + self.patience.total)
        while True:
            server = await self._reach(course)
            if server is None:
                return None
            outcome = server if isinstance(server, Fault) else await self._attempt(server, course)
            if isinstance(outcome, Completion):
                return outcome
            if isinstance(server, Fault) or not self._again(outcome, course, server):
                return failed(request, outcome.code, self._clean(outcome.detail))

    async def _reach(self, course: _Course) -> Server | Fault | None:
        """The server to ask now, once there is one; or why there is none in time; or None when draining."""
        while not DRAIN.is_set():
            if self.fleet.lost:
                raise self.fleet.lost
            server = self.fleet.choose(course.affinity, course.tried)
            ready = max(course.wake_at, server.paused_until if server else 0.0)
            wait = ready - time.monotonic()
            if server and wait <= 0:
                return server
            if wait > course.left or course.left <= 0:
                return course.last or _out_of_reach(server, wait)
            await asyncio.sleep(min(_TICK, wait) if wait > 0 else _TICK)
        return None

    def _again(self, fault: Fault, course: _Course, server: Server) -> bool:
        """Take note of a fault, and say whether to try once more."""
        if fault.refuses_choice and course.request.sampling.choice and course.constrained:
            course.constrained = False
            return True
        course.last = fault
        course.tried.add(server)
        course.counts[fault.code] += 1
        attempts = sum(course.counts.values())
        wait = fault.wait * random.uniform(1.0, 1.1) or backoff(attempts - 1)
        if fault.wait:
            server.paused_until = max(server.paused_until, time.monotonic() + fault.wait)
        # another server may answer at once, and a down one is waited for anyway
        course.wake_at = 0.0 if fault.silent and attempts <= len(self.fleet.servers) else time.monotonic() + wait
        return attempts <= self.patience.retries and course.counts[fault.code] <= fault.tries

    async def _attempt(self, server: Server, course: _Course) -> Completion | Fault:
        course.constrained = constrained = course.constrained and server.takes_choice
        started = time.monotonic()
        outcome: Completion | Fault = Fault("timeout", f"no answer within {self.patience.total:g} s", 0, silent=True)
        with ExitStack() as upload, anyio.move_on_after(course.left):  # `asyncio.wait_for` would take a task of its own
            if course.request.image is not None:
                await self.uploads.acquire()
                upload.callback(self.uploads.release)
            outcome = await self._exchange(server, course, upload)
        if isinstance(outcome, Fault) and outcome.silent:
            since = started if outcome.code == "unreachable" else time.monotonic()
            self.fleet.suspect(server, since, self._clean(outcome.detail))
        elif isinstance(outcome, Completion) and course.request.sampling.choice and not constrained:
            server.takes_choice = False
        return outcome

    async def _exchange(self, server: Server, course: _Course, upload: ExitStack) -> Completion | Fault:
        """Make the body, send it and read what comes back."""
        try:
            pieces = await self._render(course.request, course.constrained)
        except ImageChanged as error:
            return Fault("image_changed", str(error), tries=0)
        return await self._post(server, pieces, course.request, upload)

    async def _render(self, request: Request, constrained: bool) -> list[bytes]:
        if request.image is None:
            return self.style.render(request, constrained)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.readers, self.style.render, request, constrained)

    async def _post(
        self, server: Server, pieces: list[bytes], request: Request, upload: ExitStack
    ) -> Completion | Fault:
        answered = False
        length = str(sum(map(len, pieces)))
        content = _sent_once(pieces, upload) if len(pieces) > 1 else pieces[0]
        address = server.at("chat/completions")
        try:
            with self.lanes.borrow() as client:
                async with client.stream(
                    "POST", address, content=content, headers={"content-length": length}
                ) as response:
                    answered = True
                    self.fleet.found_up(server)
                    body = await _read(response)
        except (httpx.HTTPError, OSError) as error:
            return from_error(error, answered, self.patience.first_byte)
        if isinstance(body, Fault):
            return body
        if response.status_code != 200:
            return from_status(response.status_code, body.decode("utf-8", "replace"), response.headers)
        return read_reply(request, body)

    def _clean(self, text: str) -> str:
        return text.replace(self.secret, "***") if self.secret else text


def affinity(request: Request) -> str:
    """What requests have in common that a server's prefix cache can use: the system prompt and the picture."""
    system = [message.text for message in request.messages if message.role == "system"]
    return "\n".join([request.locality, *system])


async def _sent_once(pieces: list[bytes], upload: ExitStack) -> AsyncIterator[bytes]:
    """The pieces of a body; each is let go as soon as it is sent, so that waiting requests hold no picture."""
    pieces.reverse()
    while pieces:
        yield pieces.pop()
    upload.close()


async def _read(response: httpx.Response) -> bytes | Fault:
    """The body as it is sent, never more of it than the limit."""
    if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        return rubbish("a compressed answer, though none was asked for")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAX_BODY:
            return rubbish(f"an answer of more than {MAX_BODY >> 20} MB")
    return bytes(body)


def _out_of_reach(server: Server | None, wait: float) -> Fault:
    if server:
        return Fault("rate_limited", f"the server asks to wait for {wait:.0f} s, longer than a request may take")
    return Fault("unreachable", "no server answered in time")
