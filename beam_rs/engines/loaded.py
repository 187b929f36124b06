"""One loaded engine a process and configuration, however many steps use it.

RunInference loads a model a step (measured on Beam 2.77: `model_identifier` does not share one inside a process), and
two copies of a model do not fit a GPU. So `load_model` takes the engine from this table.
"""

import copy
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Final

from beam_rs.engines.base import Engine, OnDone
from beam_rs.schema import Request

KEPT: Final = 2
"""Engines kept alive between steps: the generating one and a judge of its own."""

_LOG: Final = logging.getLogger(__name__)
_LOCK: Final = threading.Lock()
_TABLE: "Final[weakref.WeakValueDictionary[str, Loaded]]" = weakref.WeakValueDictionary()
_RECENT: "Final[deque[Loaded]]" = deque(maxlen=KEPT)


class Loaded:
    """An engine that starts with the first request, so that a run whose answers are all known loads no model.

    Closed when nobody holds it any more, or at the end of the process.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = threading.Lock()
        self._started = False
        self._closer = weakref.finalize(self, engine.close)

    def generate(self, requests: Sequence[Request], on_done: OnDone) -> None:
        """Answer all requests; see `Engine.generate`.

        Raises:
          EngineError: the engine cannot start, or is gone.
          MissingExtra: its package is not installed.
        """
        with self._lock:
            if not self._started:
                self._start()
        self.engine.generate(requests, on_done)

    def _start(self) -> None:
        began = time.monotonic()
        try:
            self.engine.start()
        except BaseException:
            self.engine.close()
            raise
        self._started = True
        name, model = self.engine.name, self.engine.model
        _LOG.info("engine %s with model %s started in %.1f s", name, model, time.monotonic() - began)

    def close(self) -> None:
        """Close the engine now."""
        self._closer()


def load(engine: Engine) -> Loaded:
    """The engine of these settings: the one that this process has, or a new one."""
    with _LOCK:
        loaded = _TABLE.get(engine.fingerprint)
        if loaded is None:
            loaded = _TABLE[engine.fingerprint] = Loaded(copy.copy(engine))
            _RECENT.append(loaded)
        return loaded


def occupancy() -> tuple[int, int]:
    """Requests in flight in this process's engines, and the sum of their windows; 0 where an engine has none."""
    with _LOCK:
        engines = [loaded.engine for loaded in _TABLE.values()]
    return sum(engine.in_flight for engine in engines), sum(getattr(engine, "window", 0) for engine in engines)


def release() -> None:
    """Close every engine of this process."""
    with _LOCK:
        for loaded in list(_TABLE.values()):
            loaded.close()
        _TABLE.clear()
        _RECENT.clear()
