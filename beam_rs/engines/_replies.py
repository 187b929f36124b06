"""What a server sent back, read without trust: a completion, or the fault that it amounts to."""

import json
from typing import Any

from beam_rs.engines._faults import Fault, from_status, rubbish, shorten, too_long
from beam_rs.reasoning import completion
from beam_rs.schema import Completion, Json, Request


def read_reply(request: Request, body: bytes) -> Completion | Fault:
    """The completion in the body of a 200, or the fault.

    Args:
      request: what was asked.
      body: the whole body.
    """
    try:
        reply: Json = json.loads(body)
    except (ValueError, RecursionError):
        return rubbish(f"no JSON: {shorten(body[:1200].decode('utf-8', 'replace'))}")
    if not isinstance(reply, dict):
        return rubbish(f"a JSON {type(reply).__name__} instead of an object")
    choices = reply.get("choices")
    if reply.get("error") and not choices:
        return _reported(reply["error"])
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return rubbish("no choices in the answer")
    return _read_choice(request, choices[0], reply.get("usage"))


def _read_choice(request: Request, choice: dict[str, Any], usage: Json) -> Completion | Fault:
    message, reason = choice.get("message"), choice.get("finish_reason")
    if not isinstance(message, dict):
        return rubbish("a choice without a message")
    text = _text(message.get("content"))
    thought = _text(message.get("reasoning")) or _text(message.get("reasoning_content"))
    if text is None or ("content" not in message and not thought):
        return rubbish("a message without text")
    if reason in ("abort", "error"):
        return Fault("server_error", "the server gave up in the middle of the answer")
    if reason == "content_filter":
        return Fault("bad_response", "withheld by the server's content filter", tries=0)
    return completion(
        request,
        text,
        reasoning_field=thought,
        finish_reason="length" if reason == "length" else "stop",
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
    )


def _text(content: Json) -> str | None:
    """Text of a content field: a text, nothing at all, or a list of parts; None where it is something else."""
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, dict)]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    return content if isinstance(content, str) else None


def _count(usage: Json, name: str) -> int:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _reported(error: Json) -> Fault:
    """An error object under status 200, as some gateways send it."""
    text = json.dumps(error) if not isinstance(error, str) else error
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return from_status(code, text, {})
    found = from_status(400, text, {})
    return too_long(found.detail) if found.code == "prompt_too_long" else Fault("server_error", shorten(text))
