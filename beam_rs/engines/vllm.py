"""The `vllm` engine: vLLM inside the worker process, shared by all its threads."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from beam_rs.engines._staging import is_remote, stage
from beam_rs.engines._vllm_core import Load
from beam_rs.engines._vllm_options import check_options, engine_args
from beam_rs.engines._vllm_session import Limits, Session
from beam_rs.engines.base import Engine, OnDone
from beam_rs.errors import ConfigError, EngineDied
from beam_rs.schema import Request


@dataclass(kw_only=True)
class VllmEngine(Engine):
    """vLLM's asynchronous engine, its event loop in one background thread that all worker threads submit to.

    Samples are single requests with seeds of their own. Whichever threads and bundles requests come from, at most
    `window` of them run at once, and vLLM batches them continuously. When the engine dies or hangs it is started
    anew, and what was in flight is asked again.

    Attributes:
      model: name on the Hugging Face hub, local folder, or a folder such as `gs://bucket/model`, which is copied
        once a host.
      revision: branch, tag or commit on the hub; name a commit to pin it.
      window: sequences that vLLM runs at once over all bundles; also its `max_num_seqs` unless that is an option.
      options: vLLM's engine arguments, such as `max_model_len`, `tensor_parallel_size`, `gpu_memory_utilization`.
      start_seconds: longest time that loading the model may take.
      stall_seconds: longest time without any token while requests run, after which the engine is replaced.
      restarts: how often in a row, without an answer in between, the engine is started anew.
      accelerator: Beam's resource hint for the steps that ask, such as
        `type:nvidia-l4;count:1;install-nvidia-driver`; runners that do not know it ignore it.
    """

    name: ClassVar[str] = "vllm"

    window: int = 256
    options: dict[str, Any] = field(default_factory=dict)
    start_seconds: float = 1800.0
    stall_seconds: float = 300.0
    restarts: int = 3
    accelerator: str = ""

    def __post_init__(self) -> None:
        self._session: Session | None = None
        if not self.model:
            raise ConfigError("engine 'vllm' needs a model: a hub name, a folder or a gs:// folder")
        if self.window < 1 or self.restarts < 0 or min(self.start_seconds, self.stall_seconds) <= 0:
            raise ConfigError("engine 'vllm': window and time limits are above 0, restarts is not below")

    def __getstate__(self) -> dict[str, Any]:
        """The settings alone: the handler is pickled without a loaded model."""
        return {**self.__dict__, "_session": None}

    @property
    def resource_hints(self) -> dict[str, str]:
        """What Beam is to give the inference steps, and these alone."""
        return {"accelerator": self.accelerator} if self.accelerator else {}

    @property
    def in_flight(self) -> int:
        """Sequences that vLLM is running now, as its scheduler says."""
        return self._session.load().running if self._session else 0

    def check(self) -> None:
        """Refuse options that vLLM does not know, without importing it.

        Raises:
          ConfigError: an unknown option, with the nearest known one.
          MissingExtra: vLLM is not installed.
        """
        check_options(self.options)

    def start(self) -> None:
        if self._session is not None:
            return
        self.check()
        if self.model.startswith(("/", "./", "../", "~")) and not os.path.isdir(os.path.expanduser(self.model)):
            raise ConfigError(f"engine 'vllm': there is no model folder {self.model}")
        folder = str(stage(self.model, self.start_seconds)) if is_remote(self.model) else os.path.expanduser(self.model)
        revision, window, options = "" if folder != self.model else self.revision, self.window, dict(self.options)
        label = f"{self.model}@{self.revision or 'default'}"
        limits = Limits(window, self.pixels, self.start_seconds, self.stall_seconds, self.restarts)
        self._session = Session(label, lambda: engine_args(folder, revision, window, options), limits)
        try:
            self._session.start()
        except BaseException:
            self.close()
            raise

    def generate(self, requests: Sequence[Request], on_done: OnDone) -> None:
        self._started().answer(requests, on_done)

    def load(self) -> Load:
        """What the engine is doing, from vLLM's own figures."""
        return self._started().load()

    @property
    def mark(self) -> str:
        """What `BEAM_RS_ENGINE` says in the environment of each of the engine's processes."""
        return self._started().mark

    def processes(self) -> list[int]:
        """Ids of the engine's processes, of which this one is none."""
        return self._started().processes()

    def rendered(self, request: Request) -> str:
        """The prompt text that the model gets for a request."""
        return self._started().rendered(request)

    def close(self) -> None:
        session, self._session = self._session, None
        if session:
            session.close()

    def _started(self) -> Session:
        if self._session is None:
            raise EngineDied("the engine is not started")
        return self._session
