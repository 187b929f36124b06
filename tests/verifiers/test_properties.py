"""What holds for any text: a reference matches itself, folding is folding, rubbish neither raises nor hangs."""

import itertools
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beam_rs import registry
from beam_rs.schema import Case, Completion
from beam_rs.verifiers import VERIFIERS, verify
from beam_rs.verifiers._answers import last_commitment, plain
from beam_rs.verifiers._choices import options_of
from beam_rs.verifiers._stages import extract
from beam_rs.verifiers.anls import similarity

QUIET = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
WORD = st.from_regex(r"\A[b-df-hj-np-z][0-9b-df-hj-np-z]{2,9}\Z")
PHRASE = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
INTEGER = st.integers(0, 10**6).map(str)
BOX = st.tuples(st.integers(0, 400), st.integers(0, 400), st.integers(1, 400), st.integers(1, 400)).map(
    lambda b: json.dumps([b[0], b[1], b[0] + b[2], b[1] + b[3]])
)
PAIRS = st.dictionaries(WORD, WORD, min_size=1, max_size=4).map(
    lambda d: json.dumps(d, sort_keys=True, separators=(",", ":"))
)
TABLE = st.lists(st.lists(WORD, min_size=2, max_size=2), min_size=1, max_size=3).map(
    lambda rows: (
        "<html><body><table>"
        + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows)
        + "</table></body></html>"
    )
)
FRACTION = st.tuples(INTEGER, st.integers(2, 99)).map(lambda f: rf"\frac{{{f[0]}}}{{{f[1]}}}")
REFERENCES = {
    "alnum": PHRASE, "anls": PHRASE, "count": INTEGER, "exact": PHRASE, "formula": FRACTION, "iou": BOX,
    "kie_f1": PAIRS,
    "math": INTEGER, "mcq": st.sampled_from("ABCD"), "mmmu_open": WORD, "numeric": INTEGER, "ocr_contains": PHRASE,
    "relaxed": PHRASE | INTEGER, "table": TABLE, "vqa_soft": PHRASE, "yesno": st.sampled_from(["yes", "no"]),
}  # fmt: skip
JUDGING = sorted(REFERENCES)
FOLDING = ("alnum", "anls", "count", "exact", "mcq", "mmmu_open", "ocr_contains", "relaxed", "yesno")
OPTIONS = ("a red house", "two dogs", "7", "none of them")
HUGE = {
    "letters": "A " * 500_000, "one word": "a" * 1_000_000, "digits": "1" * 1_000_000, "lists": "1," * 500_000,
    "open braces": "{" * 1_000_000,
    "open boxes": "\\boxed{" * 140_000, "boxes": "\\boxed{B}" * 110_000, "open tags": "<answer>" * 120_000,
    "brackets": "([" * 500_000,
    "quotes": "\"'" * 500_000, "labels": "answer: " * 120_000, "declared": "the answer is " * 70_000,
    "good": "best correct right " * 50_000,
    "is": "B is the the " * 80_000, "stars": "*" * 1_000_000, "lines": "\n" * 1_000_000,
    "blanks": " " * 1_000_000 + "x", "nulls": "\0" * 1_000_000,
    "marks": "e\u0301" * 500_000, "right to left": "\u202e\u05d0" * 500_000, "wide": "１" * 1_000_000,
    "counted": "there are " * 100_000,
    "yes": "yes or no " * 100_000, "cells": "<td>" * 250_000, "numbers of": "number of a " * 80_000,
    "minus": "-" * 1_000_000,
}  # fmt: skip


def build(name):
    return registry.build(VERIFIERS, name, "verifier")


def judge(name, reference, answer):
    options = OPTIONS if name == "mcq" else ()
    return verify(
        build(name), Case((reference,), options=options, width=1000, height=1000), Completion("k", answer=answer)
    )


@pytest.mark.parametrize("name", JUDGING)
@QUIET
@given(data=st.data())
def test_a_reference_matches_itself(name, data):
    reference = data.draw(REFERENCES[name])
    verdict = judge(name, reference, reference)
    assert verdict.outcome == "match" and verdict.score == 1, verdict
    assert verdict.admitted or name == "ocr_contains"


@pytest.mark.parametrize("name", FOLDING)
@QUIET
@given(data=st.data())
def test_case_and_padding_are_folded(name, data):
    reference = data.draw(REFERENCES[name])
    for answer in (reference.upper(), reference.title(), f" \n{reference}\t\n"):
        assert judge(name, reference, answer).outcome == "match"


@pytest.mark.parametrize("name", sorted(set(JUDGING) - {"mcq", "yesno", "math"}))
def test_another_reference_almost_never_matches(name):
    rng = random.Random(7)
    words = ["".join(rng.choices("bcdfghjklmnpqrstvwxz", k=rng.randint(4, 9))) for _ in range(400)]
    make = {
        "count": lambda w: str(len(w) * 1000 + hash_of(w)), "numeric": lambda w: str(hash_of(w)),
        "formula": lambda w: rf"\frac{{{w[:2]}}}{{{w[2:]}}}",
        "iou": lambda w: json.dumps([hash_of(w), hash_of(w[::-1]), hash_of(w) + 20, hash_of(w[::-1]) + 20]),
        "kie_f1": lambda w: json.dumps({"total": w}),
        "table": lambda w: f"<html><body><table><tr><td>{w}</td></tr></table></body></html>",
    }.get(name, lambda w: w)  # fmt: skip
    references = [make(word) for word in words]
    admitted = sum(judge(name, one, other).admitted for one, other in itertools.pairwise(references) if one != other)
    assert admitted <= 2


def hash_of(word):
    return sum(ord(c) * 31**i for i, c in enumerate(word)) % 900


@pytest.mark.parametrize("name", JUDGING)
@QUIET
@given(reference=st.text(max_size=40), answer=st.text(max_size=200))
def test_no_text_raises(name, reference, answer):
    verdict = judge(name, reference, answer)
    assert verdict.outcome in ("match", "no_match", "unjudgeable")
    assert verdict.admitted <= (verdict.outcome == "match")
    assert (verdict.score is None) == (verdict.outcome == "unjudgeable") and 0 <= (verdict.score or 0) <= 1


@pytest.mark.parametrize("name", JUDGING)
@pytest.mark.parametrize("kind", sorted(HUGE))
def test_a_megabyte_of_anything_comes_back(name, kind):
    reference = {
        "mcq": "B",
        "yesno": "yes",
        "iou": "[1,2,3,4]",
        "kie_f1": '{"a":"b"}',
        "table": "<html><body><table><tr><td>a</td></tr></table></body></html>",
    }
    assert not judge(name, reference.get(name, "42"), HUGE[kind]).admitted or kind in ("labels", "boxes")


@QUIET
@given(one=st.text(max_size=60), other=st.text(max_size=60))
def test_edit_similarity_is_symmetric_and_bounded(one, other):
    assert similarity(one, other) == similarity(other, one)
    assert similarity(one, other) == 0 or 0.5 <= similarity(one, other) <= 1


@pytest.mark.parametrize("name", ["alnum", "exact"])
@QUIET
@given(one=PHRASE, other=PHRASE)
def test_equality_is_symmetric(name, one, other):
    assert judge(name, one, other).outcome == judge(name, other, one).outcome


@QUIET
@given(
    letter=st.sampled_from("ABCD"),
    prose=st.text(alphabet="xyz ,.\n", max_size=300),
    label=st.sampled_from(["Answer: {}", "\\boxed{{{}}}", "The answer is ({})."]),
)
def test_the_last_line_commits_whatever_stands_before(letter, prose, label):
    options = options_of(("cat", "dog", "bird", "fish"))
    for before in (prose, f"The answer is A. {prose}", f"A. cat\nB. dog\nC. bird\nD. fish\n{prose}"):
        assert extract(f"{before}\n\n{label.format(letter)}", options)[0] == letter


@QUIET
@given(text=st.text(max_size=100))
def test_markup_is_taken_off_once_and_for_all(text):
    assert plain(f"**{text}**") == plain(text)
    assert last_commitment(f"\\boxed{{7}}\n{text.replace(':', '').replace('=', '')}") is not None
