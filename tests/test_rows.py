import json
from dataclasses import replace

import pytest

from beam_rs import rows
from beam_rs.rows import Graded, Sample
from beam_rs.schema import Change, Completion, ImageRef, Item, Source, Verdict

REF = ImageRef("/a.png", "0" * 64, "image/png", 3, 2, 9, "PNG")
ITEM = Item("1", "F", "a.png", "Word?", ("OPEN", "Open"), source=Source("D", "a"), slice="s", ref=REF)
MATCH = Verdict("match", True, "alnum", "1", 1.0, "OPEN", "whole")
WRONG = Verdict("no_match", False, "alnum", "1", 0.0, "SHUT", "whole", "differs")
CUT = Verdict("no_match", False, "alnum", "1", 0.0, reason="truncated")


def graded(completion: Completion, verdict: Verdict, **changed) -> Graded:
    chosen = (0,) if verdict.admitted else ()
    made = Graded(ITEM, "Word? Be brief.", "alnum", "{}", (Sample("k", completion, verdict),), chosen, pass_rate=1.0)
    return replace(made, **changed)


THOUGHT = Completion("k", text="<think>I see.</think>\nOPEN it is", reasoning="I see.", answer="OPEN it is")
PLAIN = Completion("k", text="OPEN", answer="OPEN")
LOST = Completion("k", finish_reason="error", error="timeout")
LIMIT = Completion("k", text="<think>I se", reasoning="I se", answer="", finish_reason="length", truncated=True)


@pytest.mark.parametrize(
    ("made", "end", "pairs"),
    [
        (
            graded(THOUGHT, MATCH),
            "accepted",
            [("RS_think", "<think>\nI see.\n</think>\n\nOPEN it is", None), ("RS_nothink", "OPEN it is", None)],
        ),
        (graded(PLAIN, MATCH), "accepted", [("RS_nothink", "OPEN", None)]),
        (graded(PLAIN, WRONG, judge="CORRECT"), "accepted", [("RS_nothink", "OPEN", "judge: CORRECT")]),
        (graded(THOUGHT, WRONG), "rejected", [("rejected", "<think>\nI see.\n</think>\n\nOPEN it is", None)]),
        (graded(LIMIT, CUT), "rejected", [("rejected", "<think>I se", None)]),
        (graded(LOST, WRONG), "failed", None),
        (
            replace(graded(PLAIN, MATCH), samples=(), chosen=(), verdict=Verdict("unjudgeable", False, "alnum", "1")),
            "longform",
            [("longform", "OPEN", "long-form: not judgeable by alnum")],
        ),
    ],
)
def test_ends_and_entries(made: Graded, end: str, pairs):
    assert made.end == end
    if pairs is not None:
        found = rows.entries(made)
        assert [(entry.split, entry.qa["answer"], entry.qa["note"]) for entry in found] == pairs
        assert {entry.qa["question"] for entry in found} == {"Word? Be brief."}


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (graded(PLAIN, WRONG), "no_match"),
        (graded(LIMIT, CUT), "truncated"),
        (graded(PLAIN, WRONG, judge="WRONG"), "WRONG"),
        (graded(PLAIN, WRONG, judge="UNSURE"), "UNSURE"),
        (graded(PLAIN, WRONG, judge="INVALID"), "INVALID"),
        (graded(PLAIN, WRONG, judge="gated"), "gated"),
        (graded(PLAIN, WRONG, judge="screened: an order"), "screened"),
    ],
)
def test_a_rejected_pair_says_why_and_what_was_right(made: Graded, verdict: str):
    (entry,) = rows.entries(made)
    assert entry.qa["verdict"] == verdict and entry.qa["ground_truth"] == ["OPEN", "Open"]


def test_several_chosen_samples_are_several_pairs_with_keys_of_their_own():
    samples = tuple(Sample(f"k{n}", replace(PLAIN, answer=f"OPEN{n}"), MATCH) for n in range(3))
    made = replace(graded(PLAIN, MATCH), samples=samples, chosen=(0, 2))
    found = [(entry.qa["answer"], entry.record["request_key"]) for entry in rows.entries(made)]
    assert found == [("OPEN0", "k0"), ("OPEN2", "k2")]


def test_a_record_explains_its_pair():
    item = replace(
        ITEM, rules=("provenance", "choices"), changes=(Change("choices", '{"question":"a"}', '{"question":"b"}'),)
    )
    (entry,) = rows.entries(graded(PLAIN, MATCH, item=item))
    record = entry.record
    assert (record["id"], record["slice"], record["source"]) == ("1", "s", {"dataset": "D", "image": "a"})
    assert (record["outcome"], record["admitted"], record["extracted"]) == ("match", True, "OPEN")
    assert (record["references"], record["samples"], record["judge"]) == (["OPEN", "Open"], 1, None)
    assert json.loads(record["rules"]) == [
        {"rule": "provenance"},
        {"rule": "choices", "before": {"question": "a"}, "after": {"question": "b"}},
    ]
