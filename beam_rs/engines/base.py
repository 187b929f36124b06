"""The contract of an engine, and the switch that drains all of them."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, Final, TypeAlias

from beam_rs.keys import canonical, digest
from beam_rs.schema import Completion, Request

OnDone: TypeAlias = Callable[[Completion], None]

DRAIN: Final = threading.Event()
"""Set by the first SIGINT or SIGTERM: engines finish what is in flight, start nothing, and raise `Interrupted`."""


@dataclass(kw_only=True)
class Engine(ABC):
    """A model that answers requests. The settings are its fields; it is cheap and picklable until `start`.

    Attributes:
      model: name of the model, part of every request key.
      revision: revision of the model, part of every request key; empty where none is configured.
      pixels: pixel budget: larger pictures are scaled down before the model sees them; part of every key.
    """

    name: ClassVar[str]
    judges: ClassVar[bool] = True
    """Whether it can follow a text-only instruction, so that it may serve as judge."""

    model: str
    revision: str = ""
    pixels: int | None = None

    @property
    def fingerprint(self) -> str:
        """What tells two loaded engines apart: the class and all settings."""
        settings = {key: repr(value) for key, value in asdict(self).items()}
        return digest(canonical([f"{type(self).__module__}:{type(self).__qualname__}", settings]))

    @property
    def in_flight(self) -> int:
        """Requests being answered now, for the live table; 0 where the engine does not count them."""
        return 0

    def check(self) -> None:
        """Find out, before the first item is read and without loading anything, whether this machine could start it.

        Raises:
          ConfigError: a setting that the engine's package does not know.
          MissingExtra: its package is not installed.
        """
        return

    @abstractmethod
    def start(self) -> None:
        """Load the model or connect to the server; called once, before `generate`.

        Raises:
          EngineError: the engine cannot work at all.
          MissingExtra: its package is not installed.
        """

    @abstractmethod
    def generate(self, requests: Sequence[Request], on_done: OnDone) -> None:
        """Answer all requests; return when each has been handed to `on_done`.

        Called by several threads at once; a bounded window over all of them is in flight. `on_done` is called
        once a request, as it ends, from any thread; it is quick, thread-safe, and an error that it raises ends
        the call. A request that fails is handed over as a `Completion` with an error.

        Raises:
          EngineError: the engine itself is gone.
          Interrupted: `DRAIN` was set; what was in flight has been handed over.
        """

    @abstractmethod
    def close(self) -> None:
        """Free what `start` took; also called when `start` failed half-way. Safe to call twice."""


def failed(request: Request, error: str, detail: str) -> Completion:
    """The completion of a request that failed.

    Args:
      request: what was asked.
      error: `unreachable`, `timeout`, `rate_limited`, `server_error`, `bad_response`, `prompt_too_long`,
        `image_changed` or `engine_died`.
      detail: what went wrong, for a person.
    """
    return Completion(request.key, request.group, finish_reason="error", error=error, detail=detail)
