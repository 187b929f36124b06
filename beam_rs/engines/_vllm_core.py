"""One life of vLLM's engine: its processes, what it is asked, and what its own figures say about it."""

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any, Final

from PIL import Image

from beam_rs.engines._processes import end_marked, marked_environment, spared_from_interrupts
from beam_rs.engines._vllm_options import ENVIRONMENT, engine_config
from beam_rs.engines._vllm_prompt import Prompt
from beam_rs.schema import Request

_HISTORY: Final = 20_000


class CoreDied(Exception):
    """This life is over; another one may begin."""


@dataclass(frozen=True)
class Load:
    """What vLLM's scheduler last said about itself.

    Attributes:
      running: sequences that are being generated.
      waiting: sequences that wait for a place among them.
      tokens: tokens generated since the start.
      history: seconds on the monotonic clock and running sequences of the latest steps.
    """

    running: int
    waiting: int
    tokens: int
    history: tuple[tuple[float, int], ...]


class Gauge:
    """Takes vLLM's figures, step by step, in the shape of one of its stat loggers.

    Args:
      on_progress: called whenever tokens were read or written.
    """

    def __init__(self, on_progress: Callable[[], None]) -> None:
        self._on_progress = on_progress
        self._running: dict[int, int] = {}
        self._waiting: dict[int, int] = {}
        self._tokens = 0
        self._history: deque[tuple[float, int]] = deque(maxlen=_HISTORY)
        self._lock = threading.Lock()

    def load(self) -> Load:
        with self._lock:
            return Load(sum(self._running.values()), sum(self._waiting.values()), self._tokens, tuple(self._history))

    def rest(self) -> None:
        """Forget what an engine that is gone was doing."""
        with self._lock:
            self._running.clear()
            self._waiting.clear()

    def logger(self, index: int) -> "_StatLogger":
        return _StatLogger(self, index)

    def record(self, index: int, scheduler: Any, iteration: Any) -> None:
        written = int(getattr(iteration, "num_generation_tokens", 0) or 0)
        read = int(getattr(iteration, "num_prompt_tokens", 0) or 0)
        with self._lock:
            self._tokens += written
            if scheduler is not None:
                self._running[index] = int(scheduler.num_running_reqs)
                self._waiting[index] = int(scheduler.num_waiting_reqs)
                self._history.append((time.monotonic(), sum(self._running.values())))
        if written or read:
            self._on_progress()


class _StatLogger:
    """What vLLM expects of a stat logger, the same in all its releases that are supported."""

    def __init__(self, gauge: Gauge, index: int) -> None:
        self._gauge, self._index = gauge, index

    def record(self, scheduler_stats: Any, iteration_stats: Any, *_: Any, **__: Any) -> None:
        self._gauge.record(self._index, scheduler_stats, iteration_stats)

    def log_engine_initialized(self) -> None:
        """Nothing to say: the session logs the start."""

    def log(self) -> None:
        """Nothing to say: figures are asked for."""

    def record_sleep_state(self, *_: Any, **__: Any) -> None:
        """The engine is never put to sleep."""

    def record_admission_rejection(self, *_: Any, **__: Any) -> None:
        """No limit on the queue is set that could reject."""


class Core:
    """A running engine. Made, asked and closed on one event loop.

    Args:
      args: vLLM's engine arguments.
      mark: what its processes are known by.
      gauge: where its figures go.
    """

    def __init__(self, args: Any, mark: str, gauge: Gauge) -> None:
        self._mark, self._gauge = mark, gauge
        self._serial = itertools.count()
        resource_tracker.ensure_running()  # it outlives the engine, so it must not carry the mark
        with marked_environment(mark, ENVIRONMENT), spared_from_interrupts():
            from vllm.usage.usage_lib import UsageContext
            from vllm.v1.engine.async_llm import AsyncLLM

            self.config = engine_config(args)
            self._llm = AsyncLLM.from_vllm_config(
                self.config,
                usage_context=UsageContext.LLM_CLASS,
                stat_loggers=[lambda _, index=0: gauge.logger(index)],
                disable_log_stats=True,
            )

    async def ask(self, request: Request, prompt: Prompt, picture: Image.Image | None) -> Any:
        """The final output of vLLM for one request.

        Args:
          request: what to ask.
          prompt: the request, rendered.
          picture: what it shows.

        Raises:
          CoreDied: the engine is gone.
        """
        from vllm.v1.engine.exceptions import EngineDeadError

        given: dict[str, Any] = {"prompt_token_ids": prompt.tokens}
        if picture is not None:
            given["multi_modal_data"] = {"image": picture}
        room = self.config.model_config.max_model_len - len(prompt.tokens)
        name = f"{request.key[:16]}-{next(self._serial)}"
        outputs: list[Any] = []
        try:
            async for output in self._llm.generate(given, sampling_params(request, room, prompt.special), name):
                outputs = [output]
        except EngineDeadError as error:
            raise CoreDied(str(error)) from error
        except Exception as error:
            if self._llm.errored:
                raise CoreDied(str(error)) from error
            raise
        if not outputs or (outputs[0].outputs[0].finish_reason == "abort" and self._llm.errored):
            raise CoreDied("the engine gave up a request")
        return outputs[0]

    def close(self) -> None:
        """End the engine and all its processes."""
        self._gauge.rest()
        try:
            self._llm.shutdown()
        finally:
            end_marked(self._mark)


def sampling_params(request: Request, room: int, special: bool) -> Any:
    """The parameters of one request, in terms of vLLM.

    Args:
      request: whose sampling and seed count.
      room: tokens that the model's context leaves for the answer.
      special: keep special tokens in the text.
    """
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    chosen = request.sampling
    extra = _structured(chosen.choice) if chosen.choice else {}
    return SamplingParams(
        temperature=chosen.temperature,
        top_p=chosen.top_p,
        top_k=chosen.top_k,
        max_tokens=max(1, min(chosen.max_tokens, room)),
        stop=list(chosen.stop),
        seed=request.seed if chosen.temperature > 0 else None,  # greedy needs none, and is faster without
        skip_special_tokens=not special,
        output_kind=RequestOutputKind.FINAL_ONLY,
        **extra,
    )


def _structured(choice: tuple[str, ...]) -> dict[str, Any]:
    from vllm.sampling_params import StructuredOutputsParams

    return {"structured_outputs": StructuredOutputsParams(choice=list(choice))}
