"""Every handed case: the outcome, the score of graded metrics, no admission of known false accepts."""

import json

import pytest

from beam_rs import reasoning, registry
from beam_rs.schema import Case, Completion
from beam_rs.verifiers import VERIFIERS, verify


def judge(line):
    parameters = dict(line.get("params") or {})
    raw = parameters.pop("raw_completion", False)
    verifier = registry.build(VERIFIERS, {"name": line["verifier"], **parameters}, "verifier")
    text = line["prediction"]
    split = reasoning.split(text) if raw else reasoning.Split(None, text, False)
    case = Case(verifier.references(line["reference"]), line["question"], tuple(line.get("options") or ()))
    return verify(verifier, case, Completion("k", text=text, answer=split.answer, truncated=split.truncated))


@pytest.mark.parametrize("name", sorted(VERIFIERS))
def test_cases(shared, name):
    lines = map(json.loads, (shared / "cases/verifier_cases.jsonl").read_text("utf-8").splitlines())
    for line in (line for line in lines if line["verifier"] == name):
        verdict = judge(line)
        assert verdict.outcome == line["expected"], (line["id"], verdict)
        if line.get("score") is not None:
            assert verdict.score == pytest.approx(line["score"], abs=1e-4), (line["id"], verdict)


@pytest.mark.parametrize("name", ["alnum", "anls", "ocr_contains"])
def test_inherent_false_accepts_are_not_admitted(shared, name):
    lines = map(json.loads, (shared / "cases/verifier_cases.jsonl").read_text("utf-8").splitlines())
    found = [judge(line) for line in lines if line["verifier"] == name and line["inherent_false_accept"]]
    assert found and not any(verdict.admitted for verdict in found)
