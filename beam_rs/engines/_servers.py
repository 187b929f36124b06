"""Servers that come and go: which one a request belongs to, which ones answer, and when to give up on all."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from beam_rs.engines.base import DRAIN
from beam_rs.errors import ConfigError, EngineUnreachable, Interrupted

PROBE_EVERY: Final = 0.5

_SECRETS: Final = frozenset(
    {"key", "api_key", "api-key", "apikey", "token", "access_token", "sig", "secret", "password"}
)

Probe = Callable[["Server"], Awaitable[str]]
"""Asks a server for anything at all; returns what went wrong, empty where it answers."""


@dataclass(eq=False)
class Server:
    """One server and what is known about its health.

    Attributes:
      base: address up to and with the version, such as `http://host:8000/v1`.
      query: query string that every call carries, mostly empty.
      down_since: since when nothing answers there, by the monotonic clock; None while it is up.
      paused_until: when it wants to be asked again, by the monotonic clock.
      last_error: of the probe or attempt that failed last.
      takes_choice: whether it is known to understand, or to refuse, `structured_outputs`.
    """

    base: str
    query: str = ""
    down_since: float | None = None
    paused_until: float = 0.0
    last_error: str = ""
    takes_choice: bool = True
    probing: "asyncio.Task[None] | None" = field(default=None, repr=False)

    def at(self, path: str) -> str:
        """Address of a call."""
        return f"{self.base}/{path}" + (f"?{self.query}" if self.query else "")


def parse_server(url: str) -> Server:
    """The server behind a configured address.

    >>> parse_server("http://localhost:8000").base
    'http://localhost:8000/v1'

    Raises:
      ConfigError: no http or https address, or one that holds a password.
    """
    try:
        parts = urlsplit(url.strip())
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        known = False
    if not known:
        raise ConfigError(
            f"url {url.split('@')[-1].split('?')[0][:200]!r} is no address such as http://localhost:8000/v1"
        )
    if parts.username or parts.password or _SECRETS & {name.lower() for name, _ in parse_qsl(parts.query)}:
        raise ConfigError(
            f"url of {parts.hostname} holds a password or key; give it in an environment variable, see api_key_env"
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return Server(urlunsplit((parts.scheme, parts.netloc, path, "", "")), parts.query)


@dataclass
class Fleet:
    """All servers of an engine. Used by the engine's event loop alone, but for the constructor.

    Attributes:
      servers: at least one.
      probe: how to see whether one answers.
      patience: seconds without an answer from any of them after which the fleet counts as unreachable.
    """

    servers: Sequence[Server]
    probe: Probe
    patience: float
    lost: EngineUnreachable | None = field(default=None, init=False)

    def choose(self, affinity: str, avoid: Collection[Server] = ()) -> Server | None:
        """The server that requests of one picture and prefix belong to, by rendezvous hashing.

        Args:
          affinity: what such requests have in common.
          avoid: servers that failed this request before; taken again where no other is up.

        Returns:
          The first by rank of those that are up, or None where none is.
        """
        up = [server for server in self.servers if server.down_since is None]
        preferred = [server for server in up if server not in avoid] or up
        return max(preferred, key=lambda server: _weight(server, affinity), default=None)

    def found_up(self, server: Server) -> None:
        """Take note that a server answered."""
        server.down_since = None
        self.lost = None

    def suspect(self, server: Server, since: float, error: str) -> None:
        """Take a server for down, from a moment on, until a probe or a request is answered."""
        server.last_error = error
        if server.down_since is None:
            server.down_since = since
        if server.probing is None or server.probing.done():
            server.probing = asyncio.ensure_future(self._watch(server))

    async def wait_for_any(self) -> None:
        """Return when a server answers.

        Raises:
          EngineUnreachable: none did, for as long as patience lasts.
          Interrupted: `DRAIN` was set.
        """
        since = time.monotonic()
        for server in self.servers:
            self.suspect(server, since, "no answer yet")
        while self.lost is None and all(server.down_since is not None for server in self.servers):
            if DRAIN.is_set():
                raise Interrupted("stopped by a signal before a server answered")
            await asyncio.sleep(0.02)
        if self.lost is not None:
            raise self.lost

    async def stop(self) -> None:
        """End all probes."""
        tasks = [server.probing for server in self.servers if server.probing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, server: Server) -> None:
        """Probe a server until it answers; on the way, see whether all of them are lost."""
        while server.down_since is not None:
            left = self.patience - (time.monotonic() - server.down_since)
            try:
                # while patience lasts a probe may not outlive it, so that the end comes in time
                error = await asyncio.wait_for(self.probe(server), max(left, PROBE_EVERY))
            except asyncio.TimeoutError:
                error = "no answer"
            if not error:
                self.found_up(server)
                return
            server.last_error = error
            self._judge()
            await asyncio.sleep(max(0.0, min(PROBE_EVERY, left)) or PROBE_EVERY)

    def _judge(self) -> None:
        now = time.monotonic()
        downs = [server.down_since for server in self.servers]
        if any(down is None or now - down < self.patience for down in downs):
            return
        errors = "; ".join(f"{server.base}: {server.last_error}" for server in self.servers)
        self.lost = EngineUnreachable(
            f"no server has answered for {self.patience:g} s ({errors}); is it running, and is the address right? "
            "Once it answers, run the same command again"
        )


def _weight(server: Server, affinity: str) -> bytes:
    return hashlib.blake2b(f"{server.base}\n{affinity}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
