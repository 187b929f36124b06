r"""The thought and the answer in what a model wrote, split by our own code in every shape that models produce.

The rule is short: the answer is what follows the *last* closing tag, the thought is everything before it, and a tag
that is opened after that and never closed is a thought that was cut. Hence an opening tag in the prompt, nested
tags and several thoughts need no cases of their own. Tags are `<think>` and `<thinking>` in any case, and `◁think▷`
of Kimi-VL. A thought of nothing but white space, as templates write it for thinking off, counts as none.
"""

import re
from typing import Final, NamedTuple

from beam_rs.schema import Completion, Request

_OPEN: Final = re.compile(r"<think(?:ing)?>|◁think▷", re.IGNORECASE)
_CLOSE: Final = re.compile(r"</think(?:ing)?>|◁/think▷", re.IGNORECASE)
_TAG: Final = re.compile(rf"{_OPEN.pattern}|{_CLOSE.pattern}", re.IGNORECASE)
_CLOSE_AT_END: Final = re.compile(rf"(?:{_CLOSE.pattern})\s*\Z", re.IGNORECASE)
_LONGEST_TAG: Final = len("</thinking>")


class Split(NamedTuple):
    """What a text consists of.

    Attributes:
      reasoning: the thought without its tags, or None where there is none.
      answer: the text after the thought, the whole text where there is none, without white space at its ends.
      truncated: a thought was opened and never closed; the answer is empty then.
    """

    reasoning: str | None
    answer: str
    truncated: bool


def split(text: str, reasoning_field: str | None = None, thinking: bool = False) -> Split:
    r"""Tell the thought from the answer.

    Args:
      text: what the model wrote.
      reasoning_field: what a server's reasoning parser took out of the text, if one is running there.
      thinking: the prompt itself is known to have opened a thought, so that a text without a closing tag is one
        that was cut. That a thought was merely asked for does not say so: many models never give one.

    >>> split("<think>\nIt says so.\n</think>\n\nOPEN")
    Split(reasoning='It says so.', answer='OPEN', truncated=False)
    >>> split("It says so.</think>OPEN").answer
    'OPEN'
    >>> split("<think>It says").truncated
    True
    """
    if reasoning_field and reasoning_field.strip() and not text.strip():
        return Split(_thought(reasoning_field), "", True)
    return _split_inline(_render(text, reasoning_field), thinking)


def completion(
    request: Request,
    text: str,
    *,
    reasoning_field: str | None = None,
    finish_reason: str = "stop",
    prompt_tokens: int = 0,
    completion_tokens: int = 0,
    thinking: bool = False,
) -> Completion:
    """The completion of a request that was answered.

    Where the last turn is an open assistant turn, thought and answer are those of that turn as a whole, and `text`
    is what was generated.

    Args:
      request: what was asked.
      text: what the model wrote: of an open assistant turn, the continuation alone.
      reasoning_field: the thought that the server took out of it, if any.
      finish_reason: `stop` or `length`.
      prompt_tokens: 0 where unknown.
      completion_tokens: 0 where unknown.
      thinking: as in `split`.
    """
    last = request.messages[-1] if request.messages else None
    prefix = last.text if last and last.role == "assistant" else ""
    if prefix:
        text, thinking = _continuation(prefix, text, reasoning_field), False
        found = _split_inline(prefix + text, thinking)
    else:
        found = split(text, reasoning_field, thinking)
        text = _render(text, reasoning_field)
    return Completion(
        key=request.key,
        group=request.group,
        text=text,
        reasoning=found.reasoning,
        answer=found.answer,
        finish_reason=finish_reason,
        truncated=found.truncated or finish_reason == "length",
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
    )


def _split_inline(text: str, thinking: bool) -> Split:
    text = _without_stray_end(text)
    closings = list(_CLOSE.finditer(text))
    end = closings[-1].end() if closings else 0
    if _OPEN.search(text, end) or (thinking and not closings):
        return Split(_thought(text), "", True)
    return Split(_thought(text[:end]), text[end:].strip(), False)


def _without_stray_end(text: str) -> str:
    """The text without closing tags behind the answer that close nothing: `<think>a</think>b</think>`."""
    opened = len(_OPEN.findall(text)) + (not _OPEN.match(text.lstrip()))
    stray = len(_CLOSE.findall(text)) - max(opened, 1)
    while stray > 0 and (end := _CLOSE_AT_END.search(text, max(0, len(text.rstrip()) - _LONGEST_TAG))):
        text, stray = text[: end.start()], stray - 1
    return text


def _thought(text: str) -> str | None:
    """The pieces between the tags as paragraphs, or None where nothing is written there."""
    pieces = [piece.strip() for piece in _TAG.split(text)]
    return "\n\n".join(piece for piece in pieces if piece) or None


def _render(text: str, reasoning_field: str | None) -> str:
    """Everything the model wrote as one text, a thought from the server's field in front."""
    thought = (reasoning_field or "").strip()
    if not thought or thought == _split_inline(text, False).reasoning:
        return text  # some servers give the thought twice, in the field and inline
    if not text.strip():
        return f"<think>\n{thought}"
    return f"<think>\n{thought}\n</think>\n\n{text}"


def _continuation(prefix: str, text: str, reasoning_field: str | None) -> str:
    """What was generated behind a prefix.

    A server's reasoning parser takes a continued answer for a thought; only where the prefix ends inside one is it.
    """
    if not reasoning_field:
        return text
    if not text:
        return reasoning_field
    inside = _split_inline(prefix, False).truncated
    return f"{reasoning_field}</think>{text}" if inside else _render(text, reasoning_field)
