import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.exact import Exact


@pytest.mark.parametrize(
    ("reference", "answer", "form"),
    [
        ("left", "left", "whole"), ("left", "Left.", "whole"), ("Left.", " left ", "whole"),
        ("left", r"It stands on the left side. \boxed{left}", "box"), ("left", "<answer> left </answer>", "tag"),
        ("left", "It is beside the car.\n\nFinal answer: left.", "label"), ("left", "**Answer:** Left", "label"),
        ("left", "Answer: right\nNo, wait.\nAnswer: left", "label"),
        ("left", r"\boxed{right} Hm. \boxed{left}", "box"),
        ("left", r"\boxed{right}. But no. Final answer: left", "label"),
    ],
)  # fmt: skip
def test_equal(reference, answer, form):
    verdict = Exact().compare(Case((reference,)), answer)
    assert (verdict.outcome, verdict.form) == ("match", form)


@pytest.mark.parametrize(
    "answer",
    ["right", "", "the answer is left", "left side", "on the left", "Answer: left\nAnswer: right", r"\boxed{left", "2"],
)
def test_different(answer):
    assert Exact().compare(Case(("left", "two")), answer).outcome == "no_match"


def test_without_final_the_whole_alone_counts():
    assert Exact(final=False).compare(Case(("left",)), "Final answer: left").outcome == "no_match"
