import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beam_rs.errors import UsageError
from beam_rs.grade import agrees, grade_file, grade_line

ANSWER = {"verifier": "exact", "question": "?", "reference": "cat", "prediction": "cat"}
CHOICE = {"question_in": "Which? (a) cat (b) dog", "reference_in": "dog"}
KEYS = ["outcome", "admitted", "score", "extracted", "form", "reason"]


def got(case):
    return grade_line(json.dumps(case))["got"]


@pytest.mark.parametrize("name", ["mcq_cases", "judge_parse_cases"])
def test_the_handed_cases(shared, name):
    summary = grade_file(shared / f"cases/{name}.jsonl")
    assert summary.holds and summary.compared == summary.total > 0 and not summary.errors, summary.differing


def test_an_answer():
    assert list(got(ANSWER)) == KEYS
    assert (got(ANSWER)["outcome"], got(ANSWER | {"reference": ["dog", "cat"]})["outcome"]) == ("match", "match")
    assert got(ANSWER | {"prediction": "dog"})["outcome"] == "no_match"


@pytest.mark.parametrize(
    ("prediction", "outcome", "reason"),
    [("<think>dog</think>cat", "match", None), ("<think>cat", "no_match", "truncated")],
)
def test_a_raw_completion_is_split_first(prediction, outcome, reason):
    found = got(ANSWER | {"prediction": prediction, "params": {"raw_completion": True}})
    assert found["outcome"] == outcome and reason in (None, found["reason"])


@pytest.mark.parametrize("options", [["cat", "dog"], {"B": "dog", "A": "cat"}])
def test_options_are_a_list_or_lettered(options):
    case = {"verifier": "mcq", "question": "?", "options": options, "reference": "B", "prediction": "B"}
    assert got(case)["outcome"] == "match"


def test_choices():
    finished = {"question_out": "Which?\nA. cat\nB. dog", "options": ["cat", "dog"], "reference_out": "B", "reason": ""}
    assert got(CHOICE) == {"outcome": "normalised", **finished}
    again = {"question_in": finished["question_out"], "reference_in": "B"}
    assert got(again) == {"outcome": "unchanged", **finished}
    nothing = {"options": [], "reference_out": None}
    assert got({"question_in": "Why?", "reference_in": 5}) == {
        "outcome": "unchanged",
        "question_out": "Why?",
        "reason": "",
        **nothing,
    }
    dropped = got(CHOICE | {"reference_in": "horse"})
    assert (dropped["outcome"], dropped["reason"], dropped["options"]) == ("dropped", "choices.reference_absent", [])
    indexed = {"question_in": "?", "options": ["x", "y"], "reference_in": 0, "params": {"index_base": 0}}
    assert got(indexed)["reference_out"] == "A"


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"",
        b"{",
        b"[]",
        b"5",
        b"NaN",
        b'{"reply": NaN}',
        b'{"reply": 5}',
        b"{}",
        b"[" * 1_000_000,
        b'{"a":' * 100_000,
        b"9" * 5000,
        b'{"reply": ' + b"9" * 5000 + b"}",
        json.dumps(ANSWER | {"verifier": "nosuch"}),
        json.dumps(ANSWER | {"verifier": 5}),
        json.dumps(ANSWER | {"verifier": "os:getcwd"}),
        json.dumps(ANSWER | {"params": []}),
        json.dumps(ANSWER | {"params": {"nosuch": 1}}),
        json.dumps(ANSWER | {"prediction": None}),
        json.dumps(ANSWER | {"reference": {"a": 1}}),
        json.dumps(ANSWER | {"reference": True}),
        json.dumps(ANSWER | {"options": "ab"}),
        json.dumps({"verifier": "exact", "prediction": "x"}),
        json.dumps(CHOICE | {"reference_in": None}),
        json.dumps(CHOICE | {"reference_in": []}),
        json.dumps(CHOICE | {"params": {"index_base": "0"}}),
        json.dumps({"question_in": ["x"], "reference_in": "y"}),
    ],
)
def test_a_line_that_cannot_be_read_gets_an_error(line):
    assert list(grade_line(line)["got"]) == ["error"]


@given(st.binary())
def test_no_bytes_stop_it(line):
    assert "got" in grade_line(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
)


@given(st.sampled_from([ANSWER, CHOICE, {"reply": "x"}]), st.data())
def test_no_value_stops_it(case, data):
    key = data.draw(st.sampled_from([*case, "params", "options"]))
    assert "got" in grade_line(json.dumps(case | {key: data.draw(JSON)}))


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ({"got": {"outcome": "match"}}, None),
        ({"expected": "match", "got": {"outcome": "match"}}, True),
        ({"expected": "match", "got": {"outcome": "no_match"}}, False),
        ({"expected": "match", "got": {"error": "x"}}, False),
        ({"expected": "match", "score": 0.5, "got": {"outcome": "match", "score": 0.50005}}, True),
        ({"expected": "match", "score": 0.5, "got": {"outcome": "match", "score": 0.502}}, False),
        ({"expected": "match", "score": 0.5, "got": {"outcome": "match", "score": None}}, False),
        ({"expected": "x", "score": None, "got": {"outcome": "x", "score": None}}, True),
        ({"expected": "x", "reference_out": "A", "got": {"outcome": "x", "reference_out": "B"}}, False),
        ({"expected": "x", "question_out_options": ["a"], "got": {"outcome": "x", "options": ["b"]}}, False),
        ({"expected": "x", "question_out_options": ["a"], "got": {"outcome": "x", "options": ["a"]}}, True),
    ],
)
def test_agreement(case, expected):
    assert agrees(case) is expected


def test_a_file(tmp_path):
    path, out = tmp_path / "cases.jsonl", io.StringIO()
    lines = [
        b'\xef\xbb\xbf{"id": "a", "reply": "WRONG", "expected": "WRONG"}\r',
        b"",
        b'{"id": "b", "reply": "WRONG", "expected": "CORRECT"}',
        b'{"reply": "x", "expected": "WRONG", "note": "\\ud800"}',
        b'{"reply": "x"}',
        b"\xff",
    ]
    path.write_bytes(b"\n".join(lines))
    summary = grade_file(path, out)
    assert (summary.total, summary.compared, summary.agreed, summary.errors) == (5, 3, 1, 1)
    assert summary.differing == ("b", "line 4") and not summary.holds
    written = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["got"].get("outcome") for line in written] == ["WRONG", "WRONG", "INVALID", "INVALID", None]
    assert list(written[0]) == ["id", "reply", "expected", "got"]


def test_a_missing_file(tmp_path):
    for path in (tmp_path / "gone.jsonl", tmp_path):
        with pytest.raises(UsageError):
            grade_file(path)
