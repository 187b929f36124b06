"""What the ledger keeps of an answer, and which of several records of one key counts."""

import time
from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias

from beam_rs.errors import LedgerError
from beam_rs.keys import canonical, digest
from beam_rs.schema import Completion, Request

Record: TypeAlias = dict[str, Any]

Kind: TypeAlias = Literal["generate", "judge", "rollout"]

FINAL_ERRORS: Final = frozenset({"prompt_too_long"})
"""Errors that asking again cannot mend."""

_FIELDS: Final[dict[str, tuple[Any, Any]]] = {
    # name: (Avro type, value where an older file lacks it). The key comes first: look-ups read it and skip the rest.
    "key": ("string", None),
    "group": ("string", ""),
    "locality": ("string", ""),
    "kind": ("string", "generate"),
    "model": ("string", ""),
    "revision": ("string", ""),
    "item_id": ("string", ""),
    "sample": ("int", 0),
    "seed": ("long", 0),
    "text": ("string", ""),
    "reasoning": (["null", "string"], None),
    "answer": ("string", ""),
    "finish_reason": ("string", "stop"),
    "truncated": ("boolean", False),
    "prompt_tokens": ("long", 0),
    "completion_tokens": ("long", 0),
    "error": ("string", ""),
    "detail": ("string", ""),
    "seconds": ("double", 0.0),
    "at": ("double", 0.0),
}

SCHEMA: Final[dict[str, Any]] = {
    "type": "record",
    "name": "Answer",
    "namespace": "beam_rs",
    "doc": "One completion. `at` is when it was recorded, in seconds since 1970 (UTC).",
    "fields": [
        {"name": name, "type": kind} if name == "key" else {"name": name, "type": kind, "default": default}
        for name, (kind, default) in _FIELDS.items()
    ],
}

DEFAULTS: Final[Record] = {name: default for name, (_, default) in _FIELDS.items() if name != "key"}

_OUTCOME: Final = ("text", "reasoning", "answer", "finish_reason", "truncated", "error", "detail")


def record_of(
    request: Request, completion: Completion, kind: str, seconds: float, model: str = "", revision: str = ""
) -> Record:
    """The record of one finished request.

    Args:
      request: what was asked.
      completion: what came back for it.
      kind: `generate`, `judge` or `rollout`.
      seconds: from sending to finishing.
      model: name of the model that answered.
      revision: its revision.

    Raises:
      LedgerError: the completion belongs to another request.
    """
    if completion.key != request.key:
        raise LedgerError(f"the completion of {completion.key!r} was to be recorded under {request.key!r}")
    return {
        "key": request.key,
        "group": request.group,
        "locality": request.locality,
        "kind": kind,
        "model": _storable(model),
        "revision": _storable(revision),
        "item_id": _storable(request.item_id),
        "sample": request.sample,
        "seed": request.seed,
        "text": _storable(completion.text),
        "reasoning": None if completion.reasoning is None else _storable(completion.reasoning),
        "answer": _storable(completion.answer),
        "finish_reason": completion.finish_reason,
        "truncated": completion.truncated,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
        "error": completion.error,
        "detail": _storable(completion.detail),
        "seconds": seconds,
        "at": time.time(),
    }


def completion_of(record: Record) -> Completion:
    """The completion that a record keeps."""
    return Completion(
        record["key"],
        record["group"],
        record["text"],
        record["reasoning"],
        record["answer"],
        record["finish_reason"],
        record["truncated"],
        record["prompt_tokens"],
        record["completion_tokens"],
        record["error"],
        record["detail"],
        record["seconds"],
    )


def settled(record: Record) -> bool:
    """Whether the request need not be asked again: it was answered, or never will be."""
    return not record["error"] or record["error"] in FINAL_ERRORS


def choose(records: Iterable[Record]) -> Record:
    """The record that counts among those of one key, whatever their order.

    An answer beats an error, an error that asking again cannot mend beats one that it can. Then the earliest wins:
    a duplicate that arrives later never changes what an earlier run has already written. The content decides ties.

    >>> choose([{"error": "", "at": 2.0, "text": "b"}, {"error": "", "at": 1.0, "text": "a"}])["text"]
    'a'
    """
    return min(records, key=_rank)


def _rank(record: Record) -> tuple[int, float, str]:
    order = 0 if not record["error"] else 1 if settled(record) else 2
    return order, record["at"], digest(canonical([record.get(name) for name in _OUTCOME]))


def _storable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold; most texts come back as they are."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
