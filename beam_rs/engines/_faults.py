"""What can go wrong with one attempt at a request, and how often and how soon to try again."""

import email.utils
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import httpx

FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 20.0
_ALWAYS: Final = 1_000_000

_TOO_LONG: Final = re.compile(
    r"context[ _](length|size|window)|context_length_exceeded|maximum model length|max_model_len"
    r"|(prompt|input|message)s? (is|are) too long|too many (input )?tokens|maximum (input|prompt) length",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Fault:
    """Why an attempt gave no completion.

    Attributes:
      code: the part of the reason code behind `failed.`.
      detail: for a person, without secrets.
      tries: how often this class of fault is worth another attempt; the engine's own bound holds beside it.
      wait: seconds that the server asks to be left alone.
      silent: nothing came back, so that the server may be down.
      refuses_choice: the server may have refused the body for its `structured_outputs`.
    """

    code: str
    detail: str
    tries: int = _ALWAYS
    wait: float = 0.0
    silent: bool = False
    refuses_choice: bool = False


def from_status(status: int, text: str, headers: Mapping[str, str]) -> Fault:
    """The fault behind a status that is not 200.

    Args:
      status: HTTP status.
      text: beginning of the body.
      headers: of the response.
    """
    detail = f"HTTP {status}: {shorten(text)}"
    if status == 429:
        return Fault("rate_limited", detail, wait=retry_after(headers))
    if status in (408, 425):
        return Fault("timeout", detail, wait=retry_after(headers))
    if status >= 500:
        # vLLM answers 500 to some prompts that it finds too long only while it works on them
        return (
            too_long(detail)
            if status == 500 and _TOO_LONG.search(text)
            else Fault("server_error", detail, wait=retry_after(headers))
        )
    if status in (400, 413, 422) and _TOO_LONG.search(text):
        return too_long(detail)
    return Fault("bad_response", detail, tries=0, refuses_choice=status in (400, 422))


def from_error(error: Exception, answered: bool, first_byte: float) -> Fault:
    """The fault behind an error of the connection.

    Args:
      error: what httpx raised.
      answered: whether an answer had begun.
      first_byte: seconds that were waited for one.
    """
    words = shorten(str(error)) or type(error).__name__
    if isinstance(error, httpx.ReadTimeout):
        return Fault("timeout", f"no answer within {first_byte:g} s", silent=True)
    if isinstance(error, httpx.WriteTimeout):
        return Fault("timeout", "the server does not take the request", silent=True)
    if answered:
        return Fault("bad_response", f"the answer breaks off: {words}")
    if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in words:
        return rubbish(f"no HTTP: {words}")
    return Fault("unreachable", words, silent=True)


def too_long(detail: str) -> Fault:
    """The prompt does not fit the model; asking again changes nothing."""
    return Fault("prompt_too_long", detail, tries=0)


def rubbish(detail: str) -> Fault:
    """A 200 with a body that is no completion: once more, in case a proxy stumbled."""
    return Fault("bad_response", detail, tries=1)


def backoff(attempt: int) -> float:
    """Seconds before the next attempt: doubling, with jitter so that requests do not return in step."""
    return float(min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(attempt, 16)) * random.uniform(0.5, 1.0))


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that `Retry-After` asks for, given as a number or as a date; 0 where it says nothing usable.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after": "soon"})
    (7.0, 0.0)
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def shorten(text: str, limit: int = 300) -> str:
    """A server's words on one line, shortened, whatever they hold."""
    words = " ".join(text[: 4 * limit].split())
    return words if len(words) <= limit else words[:limit] + "…"
