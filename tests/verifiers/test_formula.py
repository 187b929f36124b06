"""Formulas: tokens, delimiters, prose around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.schema import Case, Completion, Verdict
from beam_rs.verifiers import verify
from beam_rs.verifiers.formula import Formula, likeness, tokens


def judge(reference: str, answer: str, **parameters) -> Verdict:
    return verify(Formula(**parameters), Case((reference,)), Completion("k", answer=answer))


@pytest.mark.parametrize(
    ("reference", "answer", "form"),
    [
        (r"x ^ { 2 }", r"x^{2}", "whole"),
        (r"\frac { 1 } { 2 }", r"$\frac{1}{2}$", "whole"),
        (r"\frac { 1 } { 2 }", r"\boxed{\frac{1}{2}}", "whole"),
        (r"\frac { 1 } { 2 }", "<|im_start|>assistant\n\\frac{1}{2}<|im_end|>", "whole"),
        (r"\frac { 1 } { 2 }", r"**LaTeX:** `\frac{1}{2}`", "inline"),
        (r"\frac { 1 } { 2 }", r"$$\frac{1}{2}$$", "whole"),
        (r"\frac { 1 } { 2 }", r"\[ \frac{1}{2} \]", "whole"),
        (r"\alpha x", r"\alpha x", "whole"),
        (r"$ a + b $", "a+b", "whole"),
        (r"a + b", "```latex\na + b\n```", "fence"),
        (r"a + b", "The formula in LaTeX is:\n$$a + b$$\nIt adds two numbers.", "display"),
        (r"a + b", r"The image shows $a$ and $b$: \[a + b\]", "display"),
        (r"a + b", "The formula is $a + b$.", "inline"),
        (r"a + b", "LaTeX: a + b", "whole"),
        (r"\mathrm { d } x", r"\mathrm{d}x", "whole"),
    ],
)
def test_match(reference: str, answer: str, form: str) -> None:
    verdict = judge(reference, answer)
    assert (verdict.outcome, verdict.form, verdict.score) == ("match", form, 1.0)


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (r"a \times b", r"a \cdot b"),
        ("x + y", "y + x"),
        ("x ^ { 2 }", ""),
        ("0 . 5", r"\frac{1}{2}"),
        ("l", "1"),
        ("x + 1", "x + 1 + 1"),
        (r"\alpha x", r"\alphax"),
        (r"a \, b", "a b"),
        ("x", "X"),
        ("x + 1", "x + 1" + " + 1" * 50_000),
    ],
)
def test_no_match(reference: str, answer: str) -> None:
    verdict = judge(reference, answer)
    assert verdict.outcome == "no_match"
    assert verdict.score is not None and verdict.score < 1


def test_score_and_bar() -> None:
    assert judge("x + 1", "x - 1").score == pytest.approx(2 / 3)
    assert judge("x + 1", "x - 1", accept_at=0.6).outcome == "match"


@pytest.mark.parametrize("reference", ["", "  ", "$ $"])
def test_unjudgeable(reference: str) -> None:
    assert judge(reference, "x").outcome in ("unjudgeable", "no_match")


@given(st.lists(st.sampled_from(["x", "+", r"\frac", "{", "}"])), st.lists(st.sampled_from(["x", "+", "{"])))
def test_symmetric(a, b) -> None:
    assert likeness(a, b) == likeness(b, a)
    assert likeness(a, a) == 1.0


@given(st.text(max_size=100))
def test_a_reference_matches_itself(text: str) -> None:
    assert judge(text, text).outcome in ("match", "unjudgeable")
    assert tokens(text) == tokens(f" {text}\n") or text.endswith("\\")
