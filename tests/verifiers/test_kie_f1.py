"""Fields of a document: flattening, F1, and JSON among prose."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.schema import Case, Completion, Verdict
from beam_rs.verifiers import verify
from beam_rs.verifiers.kie_f1 import KieF1, bag, f1

RECEIPT = {"company": "ABC MART", "date": "01/02/2019", "total": "12.50"}
MENU = {"menu": [{"nm": "cake", "cnt": "2"}, {"nm": "juice", "cnt": "1"}]}
TEXTS = st.dictionaries(st.sampled_from("abcd"), st.text(min_size=1, max_size=4).filter(str.strip), min_size=1)


def judge(reference, answer: str, **parameters) -> Verdict:
    verifier = KieF1(**parameters)
    return verify(verifier, Case(verifier.references(reference)), Completion("k", answer=answer))


@pytest.mark.parametrize(
    ("reference", "predicted", "score"),
    [
        (RECEIPT, RECEIPT, 1.0),
        (RECEIPT, {**RECEIPT, "total": "12.5"}, 2 / 3),
        (RECEIPT, {**RECEIPT, "company": "abc mart"}, 2 / 3),
        (RECEIPT, {**RECEIPT, "address": "1 Road"}, 6 / 7),
        (RECEIPT, {**RECEIPT, "address": ""}, 1.0),
        (RECEIPT, {**RECEIPT, "total": " 12.50 "}, 1.0),
        (RECEIPT, {}, 0.0),
        (MENU, {"menu": [{"nm": "juice", "cnt": 1}, {"nm": "cake", "cnt": 2}]}, 1.0),
        (MENU, {"menu": [{"nm": "cake", "cnt": "2"}]}, 2 / 3),
        (MENU, {"menu": [{"nm": "cake", "cnt": "2"}] * 2}, 1 / 2),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, 1.0),
        ({"a": {"b": "x"}}, {"a.b": "x"}, 1.0),
    ],
)
def test_score(reference, predicted, score) -> None:
    verdict = judge(reference, json.dumps(predicted))
    assert verdict.score == pytest.approx(score)
    assert verdict.admitted == (score == 1)


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        (json.dumps(RECEIPT), "whole"),
        (f"Here are the fields:\n```json\n{json.dumps(RECEIPT, indent=1)}\n```\nDone.", "fence"),
        (f"```\n{{}}\n```\nCorrected:\n```\n{json.dumps(RECEIPT)}\n```", "fence"),
        (f'A draft: {{"company": "X"}}. The result is {json.dumps(RECEIPT)}.', "last object"),
        (f"The set {{a, b}} is not meant. {json.dumps(RECEIPT)}", "last object"),
    ],
)
def test_finds_the_object(answer: str, form: str) -> None:
    verdict = judge(RECEIPT, answer)
    assert (verdict.outcome, verdict.form) == ("match", form)


@pytest.mark.parametrize("answer", ["", "A cake and a juice.", "[1, 2]", "{", '{"a": ' * 5_000, '{"a": 1', "null"])
def test_no_object(answer: str) -> None:
    assert judge(RECEIPT, answer).reason == "no JSON object in the answer"


@pytest.mark.parametrize("value", ["text", 5, None, [1], ["x"]])
def test_what_is_no_reference(value) -> None:
    with pytest.raises(TypeError, match="JSON object"):
        KieF1().references(value)


def test_references() -> None:
    assert KieF1().references({"b": 1, "a": 2}) == ('{"a":2,"b":1}',)
    assert KieF1().references([{"a": 1}, {"a": 2}]) == ('{"a":1}', '{"a":2}')
    assert judge([{"a": "1"}, {"a": "2"}], '{"a": "2"}').outcome == "match"
    assert judge({"a": ""}, "{}").outcome == "unjudgeable"


def test_lower_bar() -> None:
    assert judge(RECEIPT, json.dumps({**RECEIPT, "total": "1"}), accept_at=0.6).outcome == "match"


@given(TEXTS, TEXTS)
def test_symmetric(a, b) -> None:
    assert f1(bag(a), bag(b)) == f1(bag(b), bag(a))
    assert judge(a, json.dumps(a)).score == 1.0


@given(st.text(max_size=100))
def test_nothing_raises(text: str) -> None:
    assert judge(RECEIPT, text).outcome == "no_match"
