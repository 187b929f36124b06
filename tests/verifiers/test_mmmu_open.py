import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.mmmu_open import MmmuOpen, key_responses


@pytest.mark.parametrize(
    ("answer", "keys"),
    [
        ("It is the cell.", ["the cell"]),
        ("First we add.\nThe sum is 7.\nSo the result is 7.", ["7.", "7"]),
        ("x = 3\ny = 4", ["4"]),
        ("Paris", ["paris"]),
        ("The answer is :", ["the answer is :"]),
    ],
)
def test_key_responses(answer, keys):
    assert key_responses(answer) == keys


@pytest.mark.parametrize(
    ("reference", "answer", "outcome", "admitted"),
    [
        ("3.5", "3.50", "match", True), ("3.5", "3.504", "match", True),
        ("1000", "The total is 1,000.", "match", True),
        ("8.4", "The result is 8.5", "no_match", False), ("mitochondria", "It is the mitochondria.", "match", True),
        ("mitochondria", "It is not the mitochondria.", "match", False),
        ("mitochondria", "It is the nucleus or the mitochondria.", "match", False),
        ("7", "3 + 4 = 7", "match", True), ("3", "The numbers are\nso 3 and 4", "match", False),
        ("7", r"So \boxed{7}", "match", True),
        ("7", "The answer is 7.\nFinal answer: 8", "match", False), ("Paris", "Paris", "match", True),
        ("Paris", "London", "no_match", False),
        ("Paris", "", "no_match", False), ("a", "It is b", "no_match", False),
        ("-3", "The charge is -3.", "match", True),
        ("2.5", "The current is 2.5 A.\n\nI hope this helps!", "match", True),
    ],
)  # fmt: skip
def test_rule_and_admission(reference, answer, outcome, admitted):
    verdict = MmmuOpen().compare(Case((reference,)), answer)
    assert (verdict.outcome, verdict.admitted) == (outcome, admitted)
