import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.ocr_contains import OcrContains


@pytest.mark.parametrize(
    ("name", "references", "answer", "outcome"),
    [
        ("", ("CENTRE",), "The text reads Centre.", "match"),
        ("", ("hello world",), "Hello\nWorld", "match"),
        ("", ("hello  world",), "hello world", "no_match"),
        ("", ("£5", "5 pounds"), "5 pounds", "match"),
        ("", ("", "x"), "y", "no_match"),
        ("", (r"\frac { 1 } { 2 }",), r"\frac{1}{2}", "no_match"),
        ("HME100k", (r"\frac { 1 } { 2 }",), r"\frac{1}{2}", "match"),
        ("HME100k", ("X",), "x", "no_match"),
    ],
)
def test_containment_matches_and_admits_nothing(name, references, answer, outcome):
    verdict = OcrContains(dataset_name=name).compare(Case(references), answer)
    assert (verdict.outcome, verdict.admitted) == (outcome, False)
