import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.relaxed import Relaxed


@pytest.mark.parametrize(
    ("reference", "answer", "outcome"),
    [
        ("10", "10.5", "match"), ("10", "9.5", "match"), ("10", "10.51", "no_match"), ("10.5", "10", "match"),
        ("100", "94.9", "no_match"),
        ("10", "-10", "no_match"), ("-10", "-10.5", "match"), ("25%", "26%", "match"), ("25%", "0.25", "match"),
        ("25%", "25", "no_match"),
        ("0", "0", "match"), ("0", "0.0", "no_match"), ("Yes", "yes", "match"), ("Yes", "Yes.", "no_match"),
        ("1,000", "1000", "no_match"),
        ("1e3", "1000", "match"), ("10", " 10 ", "match"), ("10", "", "no_match"),
        ("10", "The value is 10", "no_match"), ("%", "%", "match"),
        ("nan", "nan", "match"), ("inf", "inf", "match"), ("inf", "1e999", "no_match"), ("10", "nan", "no_match"),
        ("10", "inf", "no_match"),
    ],
)  # fmt: skip
def test_rule(reference, answer, outcome):
    verdict = Relaxed().compare(Case((reference,)), answer)
    assert (verdict.outcome, verdict.admitted) == (outcome, outcome == "match")


@pytest.mark.parametrize(
    ("answer", "admitted"), [("2015", True), ("2015.0", True), ("2014", False), ("1985", False), ("2100", False)]
)
def test_another_year_is_not_admitted(answer, admitted):
    verdict = Relaxed().compare(Case(("2015",)), answer)
    assert (verdict.outcome, verdict.admitted) == ("match", admitted)


@pytest.mark.parametrize(
    ("reference", "answer"), [("2015.5", "2014"), ("3500", "3600"), ("-2015", "-2014"), ("2015%", "2014%")]
)
def test_what_is_no_year_keeps_its_tolerance(reference, answer):
    assert Relaxed().compare(Case((reference,)), answer).admitted


def test_an_equal_reference_is_preferred_to_a_near_year():
    assert Relaxed().compare(Case(("2014", "2015")), "2015").admitted


def test_parameters():
    assert Relaxed(tolerance=0).compare(Case(("10",)), "10.1").outcome == "no_match"
    assert Relaxed(final=True).compare(Case(("10",)), "The bar ends above 10.\nFinal answer: 10.2").form == "label"


@pytest.mark.parametrize(
    ("reference", "answer", "outcome"),
    [
        ("China", "Answer: China.", "match"),
        ("1200", "Final answer: $1,200", "match"),
        ("14", "So the answer is **14**.", "match"),
        ("14", "The line starts at 20.\n\nTherefore, the value for 2005 is 14.", "match"),
        ("20", "The line starts at 20.\n\nTherefore, the value for 2005 is 14.", "no_match"),
        ("14", "Answer: 14 million", "no_match"),
        ("14", "14 and 20 are shown.", "no_match"),
    ],
)
def test_final(reference, answer, outcome):
    assert Relaxed(final=True).compare(Case((reference,)), answer).outcome == outcome
