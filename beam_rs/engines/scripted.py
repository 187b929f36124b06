"""An engine that answers from a table or a function: for tests, rehearsals and `--dry-run`."""

import importlib
import itertools
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

from beam_rs.engines.base import DRAIN, Engine, OnDone, failed
from beam_rs.errors import ConfigError, EngineDied, EngineError, Interrupted
from beam_rs.prompts import last_user_text
from beam_rs.reasoning import completion
from beam_rs.registry import nearest
from beam_rs.schema import Completion, Request

Answers: TypeAlias = str | list[str]
Reply: TypeAlias = Callable[[Request], str | Completion | None]

FAULTS: Final = (
    "unreachable",
    "timeout",
    "rate_limited",
    "server_error",
    "bad_response",
    "prompt_too_long",
    "image_changed",
    "engine_died",
)


@dataclass(kw_only=True)
class ScriptedEngine(Engine):
    """Answers that are known beforehand.

    A request is looked up by its key, then by the item that asks, then by the text asked; first among the faults,
    then in the table. What the table lacks is answered by the function, and what that answers with None by `default`.
    An answer may hold a thought, `<think>…</think>`, like any model's. Nothing here is part of a request's key:
    give another `revision` where changed answers should be asked for again.

    Attributes:
      table: answers, or the path of a JSONL file of `{"item" or "question" or "key": …, "answer": …}`. A list of
        answers is given to the samples of a request in turn.
      default: the answer to everything else; without one (None) such a request fails as `bad_response`.
      function: `package.module:name` of a function from a `Request` to a text, a `Completion` or None.
      faults: which requests fail, and how: the part of a reason code behind `failed.`.
      delay: seconds that a request takes.
      window: requests that are worked on at once, over all threads, where there is a delay.
      die_after: number of requests after which the engine dies.
    """

    name: ClassVar[str] = "scripted"

    model: str = "scripted"
    table: dict[str, Answers] | str = field(default_factory=dict)
    default: str | None = ""
    function: str = ""
    faults: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    window: int = 16
    die_after: int | None = None

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
          ConfigError: a setting that cannot work.
        """
        self._answers: Mapping[str, Answers] | None = None
        self._reply: Reply | None = None
        self._pool: ThreadPoolExecutor | None = None
        unknown = next((fault for fault in self.faults.values() if fault not in FAULTS), None)
        if unknown is not None:
            raise ConfigError(f"engine 'scripted': unknown fault {unknown!r}{nearest(unknown, list(FAULTS))}")
        if self.window < 1 or self.delay < 0:
            raise ConfigError("engine 'scripted': window is at least 1 and delay at least 0 seconds")
        if self.function and not all(self.function.partition(":")):
            raise ConfigError(f"engine 'scripted': function is written 'package.module:name', got {self.function!r}")

    def start(self) -> None:
        self._reply = _import(self.function) if self.function else None
        self._answers = read_table(Path(self.table)) if isinstance(self.table, str) else self.table
        self._lock, self._asked = threading.Lock(), itertools.count(1)
        if self.delay:
            self._pool = ThreadPoolExecutor(self.window, thread_name_prefix="scripted")

    def generate(self, requests: Sequence[Request], on_done: OnDone) -> None:
        if self._answers is None:
            raise EngineError("engine 'scripted' was asked before it was started, or after it was closed")
        if self._pool is None:
            for request in requests:
                self._serve(request, on_done)
            return
        futures = [self._pool.submit(self._serve, request, on_done) for request in requests]
        try:
            for future in futures:
                future.result()
        finally:
            wait([future for future in futures if not future.cancel()])

    def close(self) -> None:
        self._answers = None
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _serve(self, request: Request, on_done: OnDone) -> None:
        if DRAIN.is_set():
            raise Interrupted("stopped before all requests were answered; run the same command again to go on")
        if self.die_after is not None:
            with self._lock:
                if next(self._asked) > self.die_after:
                    raise EngineDied(f"the scripted engine dies after {self.die_after} requests")
        if self.delay:
            time.sleep(self.delay)
        on_done(self.answer(request))

    def answer(self, request: Request) -> Completion:
        """The completion of one request."""
        fault = _find(self.faults, request)
        if isinstance(fault, str):
            return failed(request, fault, "scripted")
        try:
            given = self._given(request)
        except Exception as error:  # the function is the user's, and a failing request is a completion
            return failed(request, "bad_response", f"{self.function}: {type(error).__name__}: {error}"[:500])
        if isinstance(given, Completion):
            return given
        if not isinstance(given, str):
            return failed(request, "bad_response", "the script has no answer to this")
        return completion(request, given, thinking=False)

    def _given(self, request: Request) -> str | Completion | None:
        found = _find(self._answers or {}, request)
        if isinstance(found, list):
            return found[request.sample % len(found)] if found else self.default
        if found is not None:
            return found
        replied = self._reply(request) if self._reply else None
        return self.default if replied is None else replied


def read_table(path: Path) -> dict[str, Answers]:
    """The answers of a JSONL file; of two lines for the same, the later one counts.

    Raises:
      ConfigError: no such file, or a line that is no answer.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise ConfigError(f"engine 'scripted': table {path}: {error}") from error
    return dict(_row(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip())


def _row(line: str, where: str) -> tuple[str, Answers]:
    try:
        record = json.loads(line)
        name = next(record[key] for key in ("key", "item", "question") if key in record)
        answer = record["answer"]
    except (ValueError, KeyError, TypeError, StopIteration, RecursionError) as error:
        raise ConfigError(f'{where}: expected {{"item" or "question": …, "answer": …}}') from error
    texts = answer if isinstance(answer, list) else [answer]
    if not isinstance(name, str) or not all(isinstance(text, str) for text in texts):
        raise ConfigError(f"{where}: item, question and answer are texts; answer may be a list of texts")
    return name, answer


def _find(table: Mapping[str, Answers] | Mapping[str, str], request: Request) -> Answers | None:
    """What a table has under the key, the item or the text asked."""
    if not table:
        return None
    for name in (request.key, request.item_id):
        if name in table:
            return table[name]
    return table.get(last_user_text(request.messages))


def _import(function: str) -> Reply:
    module, _, name = function.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"engine 'scripted': function {function!r} cannot be imported: {error}") from error
    if not callable(found):
        raise ConfigError(f"engine 'scripted': {function!r} is {type(found).__name__}, not a function")
    reply: Reply = found
    return reply
