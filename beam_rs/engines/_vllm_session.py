"""A started `vllm`: one engine for all threads, watched, and begun anew when it dies."""

import asyncio
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, replace
from typing import Any, Final

from PIL import Image

from beam_rs.engines._devices import Claim, one_start_at_a_time, used_devices
from beam_rs.engines._loop import LoopThread, Window, run_batch
from beam_rs.engines._processes import Reaper, end_marked, find_marked, memory_of
from beam_rs.engines._vllm_core import Core, CoreDied, Gauge, Load
from beam_rs.engines._vllm_prompt import Prompt, load_renderer
from beam_rs.engines._vllm_requests import Preparer, answered, refused
from beam_rs.engines._watchdog import Watchdog
from beam_rs.engines.base import DRAIN, OnDone, failed
from beam_rs.errors import BeamRsError, ConfigError, EngineDied, EngineError
from beam_rs.schema import Completion, Request

_LOG: Final = logging.getLogger(__name__)
_THREADS: Final = 4


@dataclass(frozen=True)
class Limits:
    """Bounds of a session; see `VllmEngine`."""

    window: int
    pixels: int | None
    start_seconds: float
    stall_seconds: float
    restarts: int


class Session:
    """Owns devices, processes, loop and engine from start to close.

    Args:
      label: model and revision, for the log.
      make_args: makes vLLM's engine arguments; called anew for every life.
      limits: bounds.
    """

    def __init__(self, label: str, make_args: Callable[[], Any], limits: Limits) -> None:
        self._label, self._make_args, self._limits = label, make_args, limits
        self.mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._closing = threading.Lock()
        self._closed = False
        self._core: Core | None = None
        self._preparer: Preparer | None = None
        self._loop: LoopThread | None = None
        self._claim: Claim | None = None
        self._reaper: Reaper | None = None
        self._asked = 0
        self._deaths = 0
        self._pool = ThreadPoolExecutor(_THREADS, "beam_rs-vllm-prepare")
        self._watchdog = Watchdog(self._end_hung)
        self._gauge = Gauge(self._watchdog.progress)

    def start(self) -> None:
        """Take the devices and load the model.

        Raises:
          ConfigError: vLLM refuses an option, or the model has no chat template.
          EngineError: the devices are taken, or the engine does not start.
        """
        args = self._make_args()
        count = args.tensor_parallel_size * args.pipeline_parallel_size * args.data_parallel_size
        self._claim = Claim(used_devices(count), self.mark, self._label)
        self._reaper = Reaper(self.mark)
        self._loop = LoopThread("beam_rs-vllm")
        opened = self._loop.submit(self._first())
        try:
            opened.result(2 * self._limits.start_seconds + 60)  # its turn, the start, and the watchdog's work
        except FutureTimeout as error:
            raise EngineError(f"vLLM has not started {self._label}: it hangs outside its own processes") from error

    def answer(self, requests: Sequence[Request], on_done: OnDone) -> None:
        """As `Engine.generate`."""
        if self._loop is None or self._closed:
            raise EngineDied("the engine is not started")
        run_batch(self._loop, self._window, requests, on_done)

    def load(self) -> Load:
        """What the engine is doing."""
        return self._gauge.load()

    def processes(self) -> list[int]:
        """Ids of the engine's processes."""
        return find_marked(self.mark)

    def rendered(self, request: Request) -> str:
        """The prompt text that the model gets for a request."""
        if self._preparer is None:
            raise EngineDied("the engine is not started")
        return self._preparer.renderer.text(request)

    def close(self) -> None:
        """Give everything back. Safe to call twice, from any thread."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        self._watchdog.close()
        try:
            if self._loop and self._core:
                self._loop.submit(self._end_core()).result(30)
        except (FutureTimeout, EngineError) as error:
            _LOG.warning("the engine did not close by itself: %s", error or "30 s passed")
        end_marked(self.mark)
        if self._loop:
            self._loop.close()
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._reaper:
            self._reaper.dismiss()
        if self._claim:
            self._claim.release()

    async def _first(self) -> None:
        """The first life; it also tells how prompts are rendered."""
        ahead = max(8, self._limits.window // 4)  # pictures are made ready while the engine is full
        self._window = Window(self._limits.window + ahead, self._answer)
        self._reviving = asyncio.Lock()
        self._core = self._open()
        self._preparer = Preparer(load_renderer(self._core.config), self._limits.pixels)

    def _open(self) -> Core:
        """Begin a life; blocks the loop, on which nothing else can go on without an engine."""
        with one_start_at_a_time(self._limits.start_seconds):
            begun = time.monotonic()
            self._watchdog.watch(self._limits.start_seconds)
            try:
                core = Core(self._make_args(), self.mark, self._gauge)
            except BeamRsError:
                raise
            except Exception as error:  # whatever keeps it from starting; its processes have logged why
                end_marked(self.mark)
                raise EngineError(f"vLLM could not start {self._label}: {error}; its log says why") from error
            finally:
                self._watchdog.rest()
        model, cache = core.config.model_config, core.config.cache_config
        _LOG.info(
            "vllm: model %s, commit %s, loaded in %.1f s, host memory %.1f GB, context %s tokens, %s KV blocks of %s",
            self._label,
            getattr(model.hf_config, "_commit_hash", None) or "none (a folder)",
            time.monotonic() - begun,
            memory_of(self.mark) / 1e9,
            model.max_model_len,
            cache.num_gpu_blocks,
            cache.block_size,
        )
        return core

    async def _end_core(self) -> None:
        core, self._core = self._core, None
        if core:
            core.close()

    def _end_hung(self, idle: float) -> None:
        """What the watchdog does: with its processes gone, the engine counts as dead, and a new life begins."""
        ended = end_marked(self.mark)
        _LOG.error("vllm: no progress for %.0f s; ended its %s processes", idle, ended)

    async def _answer(self, request: Request) -> Completion | None:
        """One request, asked again when the engine dies under it; None where draining forbids that."""
        if self._preparer is None:
            raise EngineDied("the engine is not started")
        prepared = await asyncio.get_running_loop().run_in_executor(self._pool, self._preparer.prepare, request)
        if isinstance(prepared, Completion):
            return prepared
        for _ in range(self._limits.restarts + 1):
            core = self._core
            if core is None:
                raise EngineDied(f"the engine of {self._label} is gone")
            try:
                return await self._ask(core, request, *prepared)
            except CoreDied as error:
                if DRAIN.is_set():
                    return None
                await self._revive(core, str(error))
        return failed(request, "engine_died", f"the engine died {self._limits.restarts + 1} times on it")

    async def _ask(self, core: Core, request: Request, prompt: Prompt, picture: Image.Image | None) -> Completion:
        if self._asked == 0:
            self._watchdog.watch(self._limits.stall_seconds)
        self._asked += 1
        begun = time.monotonic()
        try:
            output = await core.ask(request, prompt, picture)
        except CoreDied:
            raise
        except Exception as error:  # what vLLM has against this one request; the engine lives
            return refused(request, error)
        finally:
            self._asked -= 1
            if self._asked == 0:
                self._watchdog.rest()
        self._deaths = 0
        return replace(answered(request, output, prompt), seconds=time.monotonic() - begun)

    async def _revive(self, dead: Core, why: str) -> None:
        """Begin a new life unless another request has done so already.

        Raises:
          EngineDied: it died too often without an answer in between.
        """
        async with self._reviving:
            if self._core is not dead:
                return
            self._core = None
            dead.close()
            while not self._closed:
                self._deaths += 1
                if self._deaths > self._limits.restarts:
                    raise EngineDied(
                        f"the engine of {self._label} died {self._deaths} times without an answer in between; "
                        f"last: {why}"
                    )
                _LOG.warning("vllm: the engine died (%s); start %s of %s", why, self._deaths, self._limits.restarts)
                try:
                    self._core = self._open()
                    return
                except (EngineError, ConfigError) as error:  # the model folder may be gone
                    why = str(error)
