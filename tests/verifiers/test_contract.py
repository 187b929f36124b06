"""What every verifier of the table promises; a new one is tested on arrival, once it has a line in `EXAMPLES`."""

import dataclasses
import json
import pickle
from typing import Any, NamedTuple

import pytest

from beam_rs import registry
from beam_rs.errors import ConfigError
from beam_rs.schema import Case, Completion
from beam_rs.verifiers import VERIFIERS, Verifier, verify


class Example(NamedTuple):
    """A reference as a pool gives it, an answer that matches it and one that does not."""

    reference: Any
    right: str
    wrong: str
    options: tuple[str, ...] = ()
    question: str = ""


TABLE = "<html><body><table><tr><td>a</td><td>b</td></tr></table></body></html>"
EXAMPLES = {
    "alnum": Example("HELLO", "hello", "HALLO"),
    "anls": Example(["Paris", "Paris, France"], "paris", "London"),
    "count": Example(3, "There are three dogs.", "There are four dogs."),
    "exact": Example("left", "Left.", "right"),
    "formula": Example(r"\frac{a}{b}", r"\frac {a} {b}", r"\sqrt{x+y+z}"),
    "iou": Example([0, 0, 100, 100], "[0, 0, 100, 100]", "[200, 200, 300, 300]"),
    "kie_f1": Example({"total": "5.00"}, '{"total": "5.00"}', '{"total": "6.00"}'),
    "longform": Example("A man rides a wave.", "", ""),
    "math": Example(r"\frac{1}{2}", r"So the answer is \boxed{\frac{1}{2}}.", r"\boxed{\frac{1}{3}}"),
    "mcq": Example("B", "The answer is B.", "The answer is A.", ("cat", "dog")),
    "mmmu_open": Example("3.5", "The result is 3.50", "The result is 3.6"),
    "numeric": Example("12", "12", "13"),
    "ocr_contains": Example(["CENTRE"], "The text reads Centre.", "center"),
    "relaxed": Example("10", "10.5", "11"),
    "table": Example(TABLE, TABLE, TABLE.replace("b", "c")),
    "vqa_soft": Example(["red"] * 9 + ["dark red"], "Red.", "blue"),
    "yesno": Example("yes", "Yes, there is.", "No.", question="Is there a dog?"),
}
JUDGING = sorted(set(VERIFIERS) - {"longform"})
RUBBISH = [
    *["", " ", "\n\n", "\x00", "\ud800", "\u202eabc", "\t.\t", "%", "-", "$", "\\", "∞", "²", "¾", "٤", "１２３"],
    *["nan", "-inf", "1e999", "0x10", "9^9^9^9^9", "null", "[]", "{}", "[null]", '{"a": [1, {"b": null}]}'],
    *["{" * 3000, "[" * 3000, "(" * 3000, "\\boxed{" * 300, "<answer>" * 300, "<table>" * 300, "\\frac{" * 300],
    *["e\u0301" * 300, "9" * 5000, "A" * 3000, "x" * 100_000, "😀" * 300],
]


def build(name: str) -> Verifier:
    return registry.build(VERIFIERS, name, "verifier")


def case_of(name: str) -> Case:
    example = EXAMPLES[name]
    return Case(build(name).references(example.reference), example.question, example.options, 1000, 1000)


def test_every_verifier_has_an_example():
    assert set(EXAMPLES) == set(VERIFIERS)


@pytest.mark.parametrize("name", sorted(VERIFIERS))
def test_a_verifier_is_a_documented_frozen_value_with_its_name(name):
    verifier = build(name)
    assert verifier.name == name and verifier.version and type(verifier).__doc__
    assert json.loads(verifier.parameters) == json.loads(json.dumps(dataclasses.asdict(verifier)))
    assert pickle.loads(pickle.dumps(verifier)) == verifier
    with pytest.raises(dataclasses.FrozenInstanceError):
        verifier.version = "2"


@pytest.mark.parametrize("name", JUDGING)
def test_right_and_wrong_are_told_apart(name):
    verifier, case, example = build(name), case_of(name), EXAMPLES[name]
    assert verifier.unjudgeable(case) is None
    right, wrong = verifier.compare(case, example.right), verifier.compare(case, example.wrong)
    assert (right.outcome, wrong.outcome) == ("match", "no_match")
    assert right.admitted or name == "ocr_contains"
    assert not wrong.admitted and right.score > wrong.score
    assert right == verifier.compare(case, example.right)
    assert (right.verifier, right.version) == (name, verifier.version) and right.form and wrong.reason


@pytest.mark.parametrize("name", JUDGING)
def test_a_truncated_answer_never_matches(name):
    completion = Completion("k", text=EXAMPLES[name].right, answer=EXAMPLES[name].right, truncated=True)
    verdict = verify(build(name), case_of(name), completion)
    assert (verdict.outcome, verdict.reason, verdict.admitted) == ("no_match", "truncated", False)


@pytest.mark.parametrize("name", sorted(VERIFIERS))
@pytest.mark.parametrize("references", [(), ("",), ("  ",)])
def test_an_empty_reference_is_unjudgeable(name, references):
    verdict = verify(build(name), Case(references), Completion("k", answer="x"))
    assert (verdict.outcome, verdict.admitted, verdict.score) == ("unjudgeable", False, None)
    assert verdict.reason


@pytest.mark.parametrize("name", sorted(VERIFIERS))
def test_rubbish_neither_raises_nor_is_admitted(name):
    verifier, case = build(name), case_of(name)
    for answer in RUBBISH:
        verdict = verify(verifier, case, Completion("k", answer=answer))
        assert not verdict.admitted, (answer[:50], verdict)
        assert verdict.score is None or 0 <= verdict.score <= 1


@pytest.mark.parametrize("name", sorted(VERIFIERS))
def test_rubbish_references_do_not_raise(name):
    verifier = build(name)
    for reference in RUBBISH:
        verdict = verify(verifier, Case((reference,)), Completion("k", answer="zzz"))
        assert verdict.outcome in ("no_match", "unjudgeable"), (reference[:50], verdict)


@pytest.mark.parametrize("name", sorted(VERIFIERS))
def test_an_unknown_parameter_is_named(name):
    with pytest.raises(ConfigError, match="no parameter 'nonsense'"):
        registry.build(VERIFIERS, {"name": name, "nonsense": 1}, "verifier")


@pytest.mark.parametrize("name", ["anls", "vqa_soft"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "much"])
def test_a_threshold_outside_its_range_is_refused(name, value):
    with pytest.raises(ConfigError):
        registry.build(VERIFIERS, {"name": name, "accept_at": value}, "verifier")
