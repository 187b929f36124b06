import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.alnum import Alnum


@pytest.mark.parametrize(
    ("reference", "answer", "outcome", "form"),
    [
        ("HELLO", "hello", "match", "whole"),
        ("HELLO", "H e-l l o!", "match", "whole"),
        ("24/7", "247", "match", "whole"),
        ("50%", "50", "match", "whole"),
        ("İST", "ist", "match", "whole"),
        ("STOP", "STOP\nThe sign is red.", "match", "first line"),
        ("NEW YORK", "NEW\nYORK\n\nTwo words.", "match", "first paragraph"),
        ("STOP", "The word is STOP", "no_match", "whole"),
        ("STOP", "STOPS", "no_match", "whole"),
        ("STOP", "STOP SHOP", "no_match", "whole"),
        ("007", "7", "no_match", "whole"),
        ("O2", "02", "no_match", "whole"),
        ("STOP", "", "no_match", "whole"),
        ("STOP", "Final answer: STOP", "no_match", "whole"),
    ],
)
def test_rule(reference, answer, outcome, form):
    verdict = Alnum().compare(Case((reference,)), answer)
    assert (verdict.outcome, verdict.admitted, verdict.form) == (outcome, outcome == "match", form)


@pytest.mark.parametrize(("reference", "answer"), [("-5", "5"), ("5.00", "500"), ("$1.50", "150"), ("1.5%", "15")])
def test_equal_symbols_of_another_number_are_not_admitted(reference, answer):
    verdict = Alnum().compare(Case((reference,)), answer)
    assert (verdict.outcome, verdict.admitted) == ("match", False)


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("$5.00", None), ("a^b", None), ("one two three four five six seven eight", None), ("_x_", None),
        ("one two three four five six seven eight nine", "more than 8 words"), (r"\alpha 5", "formula"),
        ("x ^ {2}", "formula"),
        ("x_{i}", "formula"), ("---", "nothing left of the reference"), ("日本", "nothing left of the reference"),
    ],
)  # fmt: skip
def test_which_references_are_judgeable(reference, fault):
    assert Alnum().unjudgeable(Case((reference,))) == fault


def test_one_judgeable_reference_is_enough_and_only_it_is_compared():
    case = Case((r"\frac{a}{b}", "ab"))
    assert Alnum().unjudgeable(case) is None
    assert Alnum().compare(case, r"\frac{a}{b}").outcome == "no_match"
    assert Alnum().compare(case, "AB").outcome == "match"


def test_parameters():
    assert Alnum(max_words=1).unjudgeable(Case(("NEW YORK",))) == "more than 1 words"
    assert Alnum(final=True).compare(Case(("STOP",)), "It is red.\nFinal answer: STOP").form == "label"
