"""Summing a ledger up, and finding single answers in it."""

from pathlib import Path

import pytest

from beam_rs.keys import digest
from beam_rs.ledger import Ledger, find, inspect, render
from beam_rs.schema import Completion, Message, Request, Sampling

ANSWERS = [
    ("a", "generate", Completion(digest("a"), "", "text", prompt_tokens=10, completion_tokens=3)),
    ("a", "generate", Completion(digest("a"), "", "again", prompt_tokens=10, completion_tokens=4)),
    ("b", "judge", Completion(digest("b"), "", error="timeout", finish_reason="error")),
    ("b", "judge", Completion(digest("b"), "", "CORRECT", truncated=True)),
    ("c", "rollout", Completion(digest("c"), "", error="timeout", finish_reason="error")),
    ("d", "generate", Completion(digest("d"), "", error="prompt_too_long", finish_reason="error")),
]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    ledger = Ledger(str(tmp_path), "Qwen", "main")
    for name, kind, completion in ANSWERS:
        request = Request(completion.key, "", f"item-{name}", None, (Message("user", "?"),), Sampling())
        ledger.append(request, completion, kind, 2.0)
    with open(ledger.files()[0], "ab") as file:
        file.write(b"\x02\x80")
    return ledger.folder


def test_figures(folder: str) -> None:
    summary = inspect(folder)
    assert (summary.files, summary.records, summary.keys, summary.open, summary.duplicates) == (1, 6, 4, 1, 1)
    assert (summary.prompt_tokens, summary.completion_tokens, summary.seconds) == (20, 7, 12.0)
    assert (summary.torn_files, summary.torn_bytes, summary.gaps, summary.truncated) == (1, 2, 0, 1)
    assert summary.kinds == {"generate": 3, "judge": 2, "rollout": 1}
    assert summary.errors == {"timeout": 2, "prompt_too_long": 1}
    assert summary.models == {"Qwen@main": 6}
    assert summary.bytes == sum(path.stat().st_size for path in Path(folder).iterdir())


@pytest.mark.parametrize(
    "line",
    [
        "requests      4 (1 to be asked again, 1 answered twice)",
        "tokens        20 in, 7 out",
        "damage        torn ends: 1 (2 bytes), gaps: 0; what stood there is asked again",
        "error         timeout: 2",
        "model         Qwen@main: 6",
    ],
)
def test_lines(folder: str, line: str) -> None:
    assert line in render(inspect(folder)).split("\n")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(digest("a"), 2), (digest("a")[:12], 2), (digest("a")[:11], 0), ("item-b", 2), ("item", 0), ("", 0)],
)
def test_find(folder: str, wanted: str, found: int) -> None:
    assert len(list(find(folder, wanted))) == found


def test_an_empty_ledger(tmp_path: Path) -> None:
    assert "written       never" in render(inspect(str(tmp_path)))
