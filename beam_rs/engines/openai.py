"""Any server that speaks the OpenAI chat protocol, or several: vLLM or SGLang beside the pipeline, a gateway.

Answers are not streamed: at hundreds of requests in flight a line of JSON for each token would keep a core busy and
gain nothing, as a completion is used whole. So the first byte comes when the text is complete, and
`first_byte_timeout` covers waiting and generating. A thought is split by `beam_rs.reasoning`; run servers without a
reasoning parser.
"""

import asyncio
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import httpx

from beam_rs.engines._bodies import RESERVED, BodyStyle
from beam_rs.engines._dialog import Dialog, Patience, affinity
from beam_rs.engines._faults import shorten
from beam_rs.engines._lanes import Lanes
from beam_rs.engines._loop import LoopThread, Window, run_batch
from beam_rs.engines._servers import Fleet, Server, parse_server
from beam_rs.engines.base import Engine, OnDone
from beam_rs.errors import ConfigError, EngineError
from beam_rs.schema import Json, Request

_PROBE_TIMEOUT = 5.0
_WRITE_TIMEOUT = 60.0


@dataclass(kw_only=True)
class OpenAiEngine(Engine):
    """Requests over HTTP, a bounded window of them in flight over all threads and servers.

    Attributes:
      url: address of the server, such as `http://localhost:8000/v1`, or a list of them. Requests of one picture and
        system prompt go to the same server, a dead one's to the others until it is back.
      window: requests in flight over all servers.
      api_key_env: environment variable that holds the key; none is sent where it is not set.
      connect_timeout: seconds to open a connection.
      first_byte_timeout: seconds until an answer begins, that is, until its text is complete.
      total_timeout: seconds that a request may take with all its attempts and waits.
      retries: attempts after the first.
      unreachable_after: seconds without an answer from any server after which the run ends.
      thinking_argument: argument of the chat template that turns thinking on and off; empty for a template without.
      extensions: whether to use the fields that vLLM and SGLang have beyond OpenAI's; false where they are refused.
      options: further fields of the request body; null takes one away. What `sampling` says has no place here.
    """

    name: ClassVar[str] = "openai"

    url: str | list[str]
    window: int = 64
    api_key_env: str = "OPENAI_API_KEY"
    connect_timeout: float = 10.0
    first_byte_timeout: float = 600.0
    total_timeout: float = 1200.0
    retries: int = 8
    unreachable_after: float = 30.0
    thinking_argument: str = "enable_thinking"
    extensions: bool = True
    options: dict[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._live: _Live | None = None
        if not self.servers():
            raise ConfigError("engine 'openai' needs a url")
        limits = (self.connect_timeout, self.first_byte_timeout, self.total_timeout, self.unreachable_after)
        if self.window < 1 or self.retries < 0 or min(limits) <= 0:
            raise ConfigError("engine 'openai': window and time limits must be positive, retries not negative")
        for option in sorted(RESERVED & self.options.keys()):
            if self.options[option] is not None:
                raise ConfigError(f"engine 'openai': option {option!r} belongs to the model or to sampling")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_live": None}

    @property
    def in_flight(self) -> int:
        """Requests that a server is working on or that wait for one, of `window`."""
        return self._live.window.in_flight if self._live else 0

    def servers(self) -> list[Server]:
        """The configured servers, each once."""
        urls = [self.url] if isinstance(self.url, str) else self.url
        return list({server.base: server for server in map(parse_server, urls)}.values())

    def start(self) -> None:
        if self._live:
            return
        for noisy in ("httpx", "httpcore"):  # a line for each request otherwise
            logging.getLogger(noisy).setLevel(logging.WARNING)
        loop = LoopThread("beam-rs-openai")
        try:
            self._live = loop.submit(_connect(replace(self), loop)).result()
        except BaseException:
            loop.close()
            raise

    def generate(self, requests: Sequence[Request], on_done: OnDone) -> None:
        live = self._live
        if live is None:
            raise EngineError("engine 'openai' was not started")
        run_batch(live.loop, live.window, sorted(requests, key=affinity), on_done)

    def close(self) -> None:
        live, self._live = self._live, None
        if live:
            live.loop.close(live.stop())


@dataclass(frozen=True)
class _Live:
    """What exists between `start` and `close`."""

    loop: LoopThread
    window: Window
    dialog: Dialog

    async def stop(self) -> None:
        await self.dialog.fleet.stop()
        await self.dialog.lanes.close()
        self.dialog.readers.shutdown(wait=False, cancel_futures=True)


async def _connect(engine: OpenAiEngine, loop: LoopThread) -> _Live:
    """Open the pool and wait for a server to answer; runs on the loop."""
    key = _read_key(engine.api_key_env)
    lanes = _lanes(engine, key)
    refused: list[str] = []

    async def probe(server: Server) -> str:
        """Whatever the server answers, it is there; only a refused key is worth a word."""
        try:
            with lanes.borrow() as client:
                async with client.stream("GET", server.at("models"), timeout=_PROBE_TIMEOUT) as response:
                    if response.status_code == 401:
                        refused.append(server.base)
                    return ""
        except (httpx.HTTPError, OSError) as error:
            return shorten(str(error)) or type(error).__name__

    fleet = Fleet(engine.servers(), probe, engine.unreachable_after)
    patience = Patience(engine.first_byte_timeout, engine.total_timeout, engine.retries)
    style = BodyStyle(engine.model, engine.pixels, engine.thinking_argument, engine.extensions, engine.options)
    dialog = Dialog(lanes, fleet, style, patience, key)
    live = _Live(loop, Window(engine.window, dialog.answer), dialog)
    try:
        await fleet.wait_for_any()
        await asyncio.sleep(0)
        if len(refused) == len(fleet.servers):
            hint = (
                f"the key in {engine.api_key_env}"
                if key
                else f"a request without a key ({engine.api_key_env} is not set)"
            )
            raise EngineError(f"{refused[0]} refuses {hint}: HTTP 401")
    except BaseException:
        await live.stop()
        raise
    return live


def _read_key(variable: str) -> str:
    key = os.environ.get(variable, "").strip() if variable else ""
    if not (key.isascii() and key.isprintable()):
        raise EngineError(f"the key in {variable} holds characters that no header can")
    return key


def _lanes(engine: OpenAiEngine, key: str) -> Lanes:
    headers = {"accept": "application/json", "accept-encoding": "identity", "content-type": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    first = engine.first_byte_timeout
    return Lanes(headers, httpx.Timeout(connect=engine.connect_timeout, read=first, write=_WRITE_TIMEOUT, pool=None))
