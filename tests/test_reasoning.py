import pytest

from beam_rs import reasoning
from beam_rs.keys import request
from beam_rs.reasoning import split
from beam_rs.schema import Message, Sampling

SHAPES = {
    "none": ("42", None, "42", False),
    "nothing": ("", None, "", False),
    "plain": ("<think>\na\n</think>\n\n42", "a", "42", False),
    "opened in the prompt": ("a\n</think>\n\n42", "a", "42", False),
    "opened in the prompt, without a thought": ("\n\n</think>\n\n42", None, "42", False),
    "closing tag missing": ("<think>\na 42", "a 42", "", True),
    "only the opening tag": ("<think>", None, "", True),
    "half a closing tag": ("<think>a</thi", "a</thi", "", True),
    "empty": ("<think>\n\n</think>\n\n42", None, "42", False),
    "nested": ("<think>a<think>b</think>c</think>42", "a\n\nb\n\nc", "42", False),
    "nested, the inner never closed": ("<think>\n<think>\na</think>42", "a", "42", False),
    "several": ("<think>a</think>\n<think>b</think>\n42", "a\n\nb", "42", False),
    "several, text between": ("<think>a</think>or<think>b</think>42", "a\n\nor\n\nb", "42", False),
    "several, the last one cut": ("<think>a</think>or<think>b", "a\n\nor\n\nb", "", True),
    "closed twice": ("<think>a</think></think>42", "a", "42", False),
    "closed once more behind the answer": ("<think>a</think>42</think>", "a", "42", False),
    "no answer": ("<think>a</think>", "a", "", False),
    "no answer, nested": ("<think>a<think>b</think></think>", "a\n\nb", "", False),
    "words before it": ("Sure.\n<think>a</think>42", "Sure.\n\na", "42", False),
    "thinking": ("<thinking>a</thinking>42", "a", "42", False),
    "capitals": ("<THINK>a</Think>42", "a", "42", False),
    "Kimi-VL": ("◁think▷a◁/think▷42", "a", "42", False),
    "another tag": ("<thinker>a</thinker>42", None, "<thinker>a</thinker>42", False),
    "lines kept": ("<think>a\n\n b</think>1\n\n 2\n", "a\n\n b", "1\n\n 2", False),
}


@pytest.mark.parametrize(("text", "thought", "answer", "truncated"), SHAPES.values(), ids=SHAPES)
def test_shapes(text: str, thought: str | None, answer: str, truncated: bool) -> None:
    assert split(text) == (thought, answer, truncated)


FIELDS = {
    "field": ("42", "a", "<think>\na\n</think>\n\n42", "a", "42", False),
    "empty field": ("42", " \n", "42", None, "42", False),
    "field without an answer": ("", "a", "<think>\na", "a", "", True),
    "field, inline tags": ("<think>b</think>4", "a", "<think>\na\n</think>\n\n<think>b</think>4", "a\n\nb", "4", False),
    "the same thought twice": ("<think>a</think>42", "a", "<think>a</think>42", "a", "42", False),
    "field and a stray closing tag": ("</think>42", "a", "<think>\na\n</think>\n\n</think>42", "a", "42", False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "field", "whole", "thought", "answer", "truncated"), FIELDS.values(), ids=FIELDS)
def test_server_field(text: str, field: str, whole: str, thought: str, answer: str, truncated: bool) -> None:
    asked = request("i", None, (Message("user", "?"),), Sampling(), model="m")
    done = reasoning.completion(asked, text, reasoning_field=field)
    assert (done.text, done.reasoning, done.answer, done.truncated) == (whole, thought, answer, truncated)
    assert split(text, field) == (thought, answer, truncated)
    assert split(done.text) == (thought, answer, truncated)


CONTINUED = {
    "no thought": ("Step 1.\n\n", "Step 2. 42", None, "Step 2. 42", None, "Step 1.\n\nStep 2. 42", False),
    "inside a thought": ("<think>\na", " b</think>42", None, " b</think>42", "a b", "42", False),
    "thought not ended": ("<think>\na", " b", None, " b", "a b", "", True),
    "behind a thought": ("<think>a</think>4", "2", None, "2", "a", "42", False),
    "a parser takes all": ("Step 1. ", "", "42", "42", None, "Step 1. 42", False),
    "a parser takes the rest of the thought": ("<think>a", "42", " b", " b</think>42", "a b", "42", False),
}


@pytest.mark.parametrize(
    ("prefix", "text", "field", "whole", "thought", "answer", "truncated"), CONTINUED.values(), ids=CONTINUED
)
def test_continuation(
    prefix: str, text: str, field: str | None, whole: str, thought: str, answer: str, truncated: bool
) -> None:
    asked = request("i", None, (Message("user", "?"), Message("assistant", prefix)), Sampling(), model="m")
    done = reasoning.completion(asked, text, reasoning_field=field)
    assert (done.text, done.reasoning, done.answer, done.truncated) == (whole, thought, answer, truncated)


def test_known_to_think() -> None:
    assert split("a 42", thinking=True) == ("a 42", "", True)
    assert split("a</think>42", thinking=True) == ("a", "42", False)


def test_length_is_truncated() -> None:
    asked = request("i", None, (Message("user", "?"),), Sampling(), model="m")
    done = reasoning.completion(asked, "<think>a</think>4", finish_reason="length", completion_tokens=9)
    assert (done.answer, done.truncated, done.completion_tokens) == ("4", True, 9)


@pytest.mark.parametrize("text", ["<think>" * 20_000, "</think>" * 20_000, "<think>" + "</think>\n" * 20_000 + "42"])
def test_a_loop_of_tags_is_read_in_no_time(text: str) -> None:
    assert split(text).reasoning is None
