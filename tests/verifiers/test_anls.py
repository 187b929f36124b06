import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.anls import Anls, similarity


@pytest.mark.parametrize(
    ("reference", "prediction", "score"),
    [
        ("Paris", "paris", 1.0), ("New  York", " new york\n", 1.0), ("1995", "1985", 0.75), ("5", "6", 0.0),
        ("10%", "10", 2 / 3),
        ("ab", "abcd", 0.5), ("ab", "abcde", 0.0), ("42", "The answer is 42", 0.0), ("", "x", 0.0),
        ("coca cola", "Coca-Cola", 8 / 9),
        ("kitten", "sitting", 4 / 7), ("abcdef", "abcxyz", 0.5), ("x" * 5000, "x" * 5000, 1.0),
    ],
)  # fmt: skip
def test_similarity_is_no_distance(reference, prediction, score):
    assert similarity(reference, prediction) == pytest.approx(score)
    assert similarity(prediction, reference) == pytest.approx(score)


@pytest.mark.parametrize(
    ("references", "answer", "outcome", "admitted"),
    [
        (("Paris", "Paris, France"), "paris, france", "match", True),
        (("1.5 million",), "1.5 millions", "match", True),
        (("1995",), "1985", "match", False),
        (("John Smith",), "Jane Smith", "match", False),
        (("January 15, 1985 to May 2",), "January 15, 1995 to May 2", "match", False),
        (("$1,000,000.00 in total",), "$1,000,00000 in total", "match", False),
        (("-12,345,678.00 dollars",), "12,345,678.00 dollars", "match", False),
        (("Jane Smith",), "John Smith" + " " * 500, "match", False),
        (("10%",), "10", "match", False),
        (("Paris",), "London", "no_match", False),
        (("", "Paris"), "", "no_match", False),
    ],
)
def test_what_matches_and_what_is_admitted(references, answer, outcome, admitted):
    verdict = Anls().compare(Case(references), answer)
    assert (verdict.outcome, verdict.admitted) == (outcome, admitted)


def test_thresholds():
    case = Case(("1234567890",))
    assert Anls(accept_at=0.95).compare(case, "123456789x").outcome == "no_match"
    assert Anls(accept_at=0.9).compare(case, "123456789x").score == pytest.approx(0.9)
    assert Anls(admit_at=0.5).compare(Case(("smith",)), "smyth").admitted


@pytest.mark.parametrize(
    ("references", "fault"), [((" ",), "empty reference"), (("x" * 10_001,), "reference too long"), (("x",), None)]
)
def test_references(references, fault):
    assert Anls().unjudgeable(Case(references)) == fault
