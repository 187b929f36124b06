import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs import keys
from beam_rs.engines._faults import Fault, from_status, retry_after
from beam_rs.engines._replies import read_reply
from beam_rs.engines._servers import Fleet, Server
from beam_rs.schema import Completion, Message, Sampling

REQUEST = keys.request("i", None, (Message("user", "?"),), Sampling(), model="m")


def read(**message: Any) -> Completion | Fault:
    reason = message.pop("finish_reason", "stop")
    usage = {"prompt_tokens": 3, "completion_tokens": None}
    body = {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}
    return read_reply(REQUEST, json.dumps(body).encode())


MESSAGES: dict[str, tuple[dict[str, Any], Any]] = {
    "a text": ({"content": "42"}, (None, "42", False)),
    "an empty text": ({"content": ""}, (None, "", False)),
    "null": ({"content": None}, (None, "", False)),
    "parts": ({"content": [{"type": "text", "text": "4"}, {"type": "text", "text": "2"}]}, (None, "42", False)),
    "reasoning": ({"content": "42", "reasoning": "a"}, ("a", "42", False)),
    "reasoning_content": ({"content": "42", "reasoning_content": "a"}, ("a", "42", False)),
    "both fields": ({"content": "42", "reasoning": "a", "reasoning_content": "a"}, ("a", "42", False)),
    "a thought alone": ({"content": None, "reasoning": "a"}, ("a", "", True)),
    "cut": ({"content": "<think>a</think>4", "finish_reason": "length"}, ("a", "4", True)),
    "a number": ({"content": 42}, "bad_response"),
    "nothing": ({}, "bad_response"),
    "given up": ({"content": "4", "finish_reason": "abort"}, "server_error"),
    "withheld": ({"content": "", "finish_reason": "content_filter"}, "bad_response"),
}


@pytest.mark.parametrize(("message", "expected"), MESSAGES.values(), ids=MESSAGES)
def test_messages(message: dict[str, Any], expected: Any) -> None:
    found = read(**message)
    seen = found.code if isinstance(found, Fault) else (found.reasoning, found.answer, found.truncated)
    assert seen == expected


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "error", "usage", "text", "finish_reason", "reasoning", "code"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_json)
def test_no_reply_raises(reply: Any) -> None:
    assert isinstance(read_reply(REQUEST, json.dumps(reply).encode()), Completion | Fault)


@given(st.binary(max_size=50))
def test_no_bytes_raise(body: bytes) -> None:
    assert isinstance(read_reply(REQUEST, body), Completion | Fault)


TOO_LONG = [
    "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    '{"error": {"code": "context_length_exceeded"}}',
    "the request exceeds the available context size, try increasing it",
]


@pytest.mark.parametrize("text", TOO_LONG)
def test_too_long(text: str) -> None:
    assert from_status(400, text, {}).code == "prompt_too_long"


@pytest.mark.parametrize(
    ("value", "seconds"), [("3", 3), ("1.5", 1.5), ("", 0), ("-1", 0), ("soon", 0), ("9" * 400, 0)]
)
def test_retry_after(value: str, seconds: float) -> None:
    assert retry_after({"retry-after": value}) == seconds
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "Fri, 21 Oct 2095 07:28:00 GMT"}) > 1e9


async def _silent(server: Server) -> str:
    return "no answer"


@given(st.integers(1, 6), st.integers(0, 5))
def test_only_the_requests_of_a_dead_server_move(count: int, dead: int) -> None:
    fleet = Fleet([Server(f"http://h{n}/v1") for n in range(count)], _silent, 30)
    before = [fleet.choose(str(n)) for n in range(50)]
    fleet.servers[dead % count].down_since = 0.0
    after = [fleet.choose(str(n)) for n in range(50)]
    moved = {a for a, b in zip(before, after, strict=True) if a is not b}
    assert moved <= {fleet.servers[dead % count]}
    assert (None in after) == (count == 1)
