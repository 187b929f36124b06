"""Numbers of a declared type and precision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.schema import Case, Completion, Verdict
from beam_rs.verifiers import verify
from beam_rs.verifiers.numeric import Numeric


def judge(reference, answer, *, question="", options=(), **parameters) -> Verdict:
    verifier = Numeric(**parameters)
    case = Case(verifier.references(reference), question, tuple(options))
    return verify(verifier, case, Completion("k", answer=answer))


@pytest.mark.parametrize(
    ("reference", "answer", "outcome", "admitted"),
    [
        ("3", "3", "match", True),
        ("3", "3.0", "match", True),
        ("3", "3.7", "match", False),
        ("3", "4", "no_match", False),
        ("-3", "3", "no_match", False),
        ("1000", "1,000", "no_match", False),
        ("1000", "The total is 1,000.", "match", True),
        ("1,000", "1,000", "match", True),
        ("3", "three", "no_match", False),
        ("3", "", "no_match", False),
        ("3", "nan", "no_match", False),
        ("3", "inf", "no_match", False),
        ("3", "1e999999999", "no_match", False),
        ("8", "The answer is 8.", "match", True),
        ("8", "**Final Answer:** 8 apples", "match", True),
        ("8", r"Hence $x = \boxed{8}$.", "match", True),
        ("8", r"\boxed{7}. No, the answer is 8.", "match", True),
        ("8", r"\boxed{8}. No, the answer is 7.", "no_match", False),
        ("8", "Add 3 and 5 to get 8.\nI hope that this explanation was helpful.", "match", True),
        ("8", "The answer is 8 or 9.", "no_match", False),
        ("8", "The answer is between 7 and 8.", "no_match", False),
        ("15", "There are 3 rows of 5.\n\nTherefore, the total number is 15.", "match", True),
        ("2", "Step 2: count.\nThe difference is $5 - 3 = 2$ years.", "match", True),
        ("50", "So the share is 50%.", "match", True),
        ("12", "答案是12。", "match", True),
        ("5", "5 (five)", "match", True),
        ("10", '{"answer": 10}', "match", True),
        ("2", "There are two cinnamon rolls.", "match", True),
        ("3", "After subtracting them, there are 3 objects left on the table.", "match", True),
        ("2", "There were two flocks that had at least 17 birds but fewer than 33 birds.", "match", True),
        ("17", "There were two flocks that had at least 17 birds but fewer than 33 birds.", "no_match", False),
        ("5", "Anna needs to subtract 3 from 11. So, she needs 5 more stickers.", "match", True),
        ("13", "$4.00 + $3.00 + $6.00 = $13.00\n\nRuth needs $13.00.", "match", True),
        ("3", "The total is 4 + 3 = 7.\n\nWe see 3 red ones among them.", "no_match", False),
        ("4", "We compare them.\n\nSo, 4 students play both games.", "match", True),
        ("4", "The result is 4, as 3 + 1 shows.", "match", True),
        ("5", "It is more than 5.", "no_match", False),
        ("5", "The answer is $5 + x$.", "no_match", False),
        ("5", "The answer is five hundred.", "no_match", False),
        ("5", "5 (six)", "no_match", False),
        ("5", "The city has 5 million people.", "no_match", False),
        ("2", "The perimeter is 2 times the side.", "no_match", False),
        ("4", "I cannot determine it; there may be 4.", "no_match", False),
        ("5", "Figure 5 shows the graph.", "no_match", False),
    ],
)
def test_integer(reference, answer, outcome, admitted) -> None:
    verdict = judge(reference, answer, answer_type="integer")
    assert (verdict.outcome, verdict.admitted) == (outcome, admitted)


@pytest.mark.parametrize(
    ("reference", "precision", "answer", "outcome"),
    [
        ("1.45", 2, "1.45", "match"),
        ("1.45", 2, "1.46", "no_match"),
        ("1.5", 1, "1.50", "match"),
        ("1.5", 1, "1.54", "match"),
        ("1.5", 1, "1.56", "no_match"),
        ("0.5", None, "The answer is 1/2.", "match"),
        ("2.67", 2, "2.675", "match"),
        ("0.50", None, "0.5", "match"),
        ("3.2", 1, "The length is about 3.2 cm.", "match"),
        ("3.2", 1, "The length is about 32 cm.", "no_match"),
    ],
)
def test_float(reference, precision, answer, outcome) -> None:
    assert judge(reference, answer, answer_type="float", precision=precision).outcome == outcome


@pytest.mark.parametrize(
    ("question", "answer", "outcome"),
    [
        ("What is its length in meters?", "The length is 5 meters.", "match"),
        ("What is its length in meters?", "The length is 5 cm.", "no_match"),
        ("How long is it (Unit: cm)?", "It is 5 cm.", "match"),
        ("How long is it (Unit: cm)?", "It is 5 km.", "no_match"),
        ("How many birds are there?", "There are 5 birds.", "match"),
    ],
)
def test_units(question, answer, outcome) -> None:
    assert judge("5", answer, question=question).outcome == outcome


@pytest.mark.parametrize(
    ("reference", "answer", "outcome"),
    [
        ("cat", "(A)", "match"),
        ("cat", "The answer is A.", "match"),
        ("cat", "A. cat", "match"),
        ("cat", "Cat", "match"),
        ("A", "cat", "match"),
        ("cat", "A. dog", "no_match"),
        ("cat", "The answer is B.", "no_match"),
        ("cat", "cut", "no_match"),
        ("cat", "The correct answer is (A) cat. It is not a dog.\n\nI hope this helps!", "match"),
        ("cat", "It looks like a dog. (B) is the answer.", "no_match"),
    ],
)
def test_options(reference, answer, outcome) -> None:
    assert judge(reference, answer, options=("cat", "dog")).outcome == outcome


@pytest.mark.parametrize(
    ("answer", "outcome"), [("Thus the angle is 145 degrees.", "match"), ("It is 143°.", "no_match")]
)
def test_an_option_by_its_number_is_never_the_nearest(answer, outcome) -> None:
    assert judge("145°", answer, options=("135°", "140°", "145°", "150°")).outcome == outcome


@pytest.mark.parametrize(
    ("reference", "answer", "outcome", "admitted"),
    [
        ("5", "So the final answer is 5", "match", True),
        ("5", "The area is 5.", "match", True),
        ("5", "", "no_match", False),
        (r"\frac{1}{2}", r"\boxed{\frac{2}{4}}", "match", True),
        ("3.14", r"\boxed{3.141}", "match", True),
        ("0.001", r"\boxed{0.004}", "match", False),
        ("1000", r"\boxed{1,000}", "match", True),
        ("30", r"$x = 30^\circ$", "match", True),
        ("(1,2)", r"\boxed{(1.001, 2)}", "match", True),
        ("(1,2)", r"\boxed{(2,1)}", "no_match", False),
        ("5", r"\boxed{5x}", "no_match", False),
        ("5", r"\boxed{4}. \boxed{6}", "no_match", False),
    ],
)
def test_mathvision(reference, answer, outcome, admitted) -> None:
    verdict = judge(reference, answer, protocol="mathvision")
    assert (verdict.outcome, verdict.admitted) == (outcome, admitted)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("The answer is (B).", "match"),
        (r"\boxed{2}", "match"),
        (r"\boxed{D}", "no_match"),
        ("(B)\nsince 2", "match"),
    ],
)
def test_mathvision_letters(answer, outcome) -> None:
    assert judge("B", answer, options="12345", protocol="mathvision").outcome == outcome


@pytest.mark.parametrize(
    ("reference", "answer", "outcome"),
    [("[0, 1]", "[0,1]", "match"), ("[0, 1]", "The answer is [0, 1].", "match"), ("[0, 1]", "[1, 0]", "no_match")],
)
def test_list(reference, answer, outcome) -> None:
    assert judge(reference, answer, answer_type="list").outcome == outcome


@pytest.mark.parametrize(("reference", "kind"), [("", "auto"), ("abc", "integer"), ("nan", "float"), ("1/0", "float")])
def test_unjudgeable(reference, kind) -> None:
    assert judge(reference, "3", answer_type=kind).outcome == "unjudgeable"


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_integers_equal_only_themselves(a: int, b: int) -> None:
    assert (judge(a, f"The answer is {b}.").outcome == "match") == (a == b)


@given(st.text(max_size=80), st.sampled_from(["mathvista", "mathvision"]))
def test_nothing_raises(text: str, protocol) -> None:
    judge("3", text, protocol=protocol)
    judge(text, text, protocol=protocol)
