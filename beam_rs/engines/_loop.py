"""One event loop in a background thread, and a window of requests in flight that all worker threads share."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, TypeVar

from beam_rs.engines.base import DRAIN, OnDone
from beam_rs.errors import EngineDied, Interrupted
from beam_rs.schema import Completion, Request

T = TypeVar("T")

Answer = Callable[[Request], Awaitable[Completion | None]]
"""Answers one request; None where the engine is being drained and the request was not sent."""


class LoopThread:
    """An event loop that runs until it is closed; whatever still runs on it then is cancelled."""

    def __init__(self, name: str) -> None:
        self._ready = threading.Event()
        self._last: Coroutine[Any, Any, None] | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()), name=name, daemon=True)
        self._thread.start()
        self._ready.wait()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine on the loop, from any other thread.

        Raises:
          EngineDied: the loop is closed.
        """
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError as error:
            work.close()
            raise EngineDied("the engine is closed") from error

    def close(self, last: Coroutine[Any, Any, None] | None = None) -> None:
        """End the loop and wait for its thread. Safe to call twice, and from the loop itself.

        Args:
          last: what to run on the loop when nothing else runs there any more.
        """
        if not self._thread.is_alive():
            if last is not None:
                last.close()
            return
        self._last = last
        self._loop.call_soon_threadsafe(self._stop.set)
        # the collector may end an engine from any thread, and a thread cannot wait for itself
        if threading.current_thread() is not self._thread:
            self._thread.join()

    async def _live(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._ready.set()
        await self._stop.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._last is not None:
            await self._last


class Window:
    """At most so many requests in flight, whichever threads and bundles they come from, first come, first served.

    Args:
      size: how many.
      answer: answers one of them.
    """

    def __init__(self, size: int, answer: Answer) -> None:
        self._answer = answer
        self._slots = asyncio.Semaphore(size)
        self.in_flight = 0

    async def answer_all(self, requests: Sequence[Request], hand_over: OnDone) -> None:
        """Answer requests in their order, hand each over as it ends.

        A request takes its slot before anything is read or made for it, so memory is bounded by the window.

        Raises:
          EngineError: as `answer` raises it; what is in flight is cancelled then.
          Interrupted: `DRAIN` was set; what was in flight has been handed over.
        """
        batch = _Batch()
        try:
            for request in requests:
                await self._slots.acquire()
                if DRAIN.is_set() or batch.errors:
                    self._slots.release()
                    batch.unsent += 1
                    break
                batch.add(asyncio.create_task(self._answer_one(request, batch, hand_over)))
            await batch.finish()
        finally:
            await batch.cancel()
        if batch.unsent:
            raise Interrupted("stopped by a signal; what was in flight has been answered")

    async def _answer_one(self, request: Request, batch: "_Batch", hand_over: OnDone) -> None:
        self.in_flight += 1
        began = time.monotonic()
        try:
            completion = await self._answer(request)
        finally:
            self.in_flight -= 1
            self._slots.release()
        if completion is None:
            batch.unsent += 1
        else:
            hand_over(replace(completion, seconds=time.monotonic() - began))


class _Batch:
    """The tasks of one call that have not ended, and what became of the others."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self.unsent = 0
        self._pending: set[asyncio.Task[None]] = set()

    def add(self, task: "asyncio.Task[None]") -> None:
        self._pending.add(task)
        task.add_done_callback(self._settle)

    def _settle(self, task: "asyncio.Task[None]") -> None:
        self._pending.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.errors.append(error)

    async def finish(self) -> None:
        """Wait for all; raise the first error as soon as there is one."""
        while self._pending and not self.errors:
            await asyncio.wait(set(self._pending), return_when=asyncio.FIRST_EXCEPTION)
            await asyncio.sleep(0)  # lets `_settle` run
        if self.errors:
            raise self.errors[0]

    async def cancel(self) -> None:
        tasks = list(self._pending)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def run_batch(loop: LoopThread, window: Window, requests: Sequence[Request], on_done: OnDone) -> None:
    """Answer requests through a shared window; `on_done` is called in the thread that calls this.

    So a slow ledger never holds up the loop, and an error of `on_done` ends this call and what it has in flight.

    Raises:
      EngineError: the engine is gone or was closed.
      Interrupted: `DRAIN` was set.
    """
    results: SimpleQueue[Completion | Future[None]] = SimpleQueue()
    work = loop.submit(window.answer_all(requests, results.put))
    work.add_done_callback(results.put)
    try:
        while not isinstance(result := results.get(), Future):
            on_done(result)
        result.result()
    except CancelledError as error:
        raise EngineDied("the engine was closed while it was answering") from error
    finally:
        work.cancel()
