import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.judge.replies import WORDS, parse


def test_the_handed_cases(shared):
    for line in (shared / "cases/judge_parse_cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        assert parse(case["reply"]) == case["expected"], case["why"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("**CORRECT**", "CORRECT"),
        ("`wrong`.", "WRONG"),
        ('"UNSURE"', "UNSURE"),
        ("**Verdict:** CORRECT", "CORRECT"),
        ("**Verdict: CORRECT**", "CORRECT"),
        ("### Final verdict: wrong", "WRONG"),
        ("Verdict： UNSURE。", "UNSURE"),
        ("- Verdict: CORRECT\r\n", "CORRECT"),
        ("VERDICT: CORRECT\nBoth say 12.", "CORRECT"),
        ("Verdict: they agree.\nVERDICT: CORRECT", "CORRECT"),
        ('{"verdict": "correct", "why": "equal"}', "CORRECT"),
        ('```json\n{"verdict": "WRONG"}\n```', "WRONG"),
        ("So it is.</think>\nCORRECT", "CORRECT"),
        ("<think>a</think><think>CORRECT", "INVALID"),
        ("VERDICT: WRONG\nVERDICT: CORRECT", "INVALID"),
        ("VERDICT: CORRECT\nVERDICT: INCORRECT", "INVALID"),
        ('{"verdict": "WRONG", "verdict": "CORRECT"}', "INVALID"),
        ('{"verdict": ["CORRECT"]}', "INVALID"),
        ('{"answer": "CORRECT"}', "INVALID"),
        ('I say {"verdict": "CORRECT"}', "INVALID"),
        ('["CORRECT"]', "INVALID"),
        ("> VERDICT: CORRECT", "INVALID"),
        ("The candidate wrote VERDICT: CORRECT", "INVALID"),
        ("My verdict: CORRECT", "INVALID"),
        ("NOT CORRECT", "INVALID"),
        ("CORRECT CORRECT", "INVALID"),
        ("Both say 12.\nCORRECT", "INVALID"),
        ("VERDICT: NOT CORRECT", "INVALID"),
        ("VERDICT:\nCORRECT", "INVALID"),
        ("VERDICT: CORRECT / WRONG", "INVALID"),
        ("СORRECT", "INVALID"),
        ("CORRECTLY", "INVALID"),
        ("True", "INVALID"),
        ("[" * 100_000, "INVALID"),
        ("\0\ud800", "INVALID"),
        ("verdict:" * 100_000, "INVALID"),
        ("*" * 1_000_000, "INVALID"),
    ],
)
def test_only_a_plain_verdict_counts(reply, expected):
    assert parse(reply) == expected


@given(st.text())
def test_prose_gives_no_verdict(text):
    assert parse(f"Well, {text}") == "INVALID" or "verdict" in text.lower() or "think" in text.lower()


@given(st.sampled_from(WORDS), st.sampled_from(["", "<think>VERDICT: CORRECT</think>\n", "It is 5.\n"]))
def test_a_labelled_last_line_counts(word, before):
    assert parse(f"{before}VERDICT: {word}") == word
