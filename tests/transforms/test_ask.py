"""Asking, verifying, routing and grouping, on lists."""

from dataclasses import replace
from pathlib import Path

import pytest

from beam_rs import config, job
from beam_rs.engines.loaded import release
from beam_rs.errors import EngineDied
from beam_rs.job import Job
from beam_rs.schema import Completion, ImageRef, Item
from beam_rs.transforms.generate import VisionModelHandler
from beam_rs.transforms.group import GroupByImage
from beam_rs.transforms.route import Route
from beam_rs.transforms.verify import BuildRequests, SetApart, Verify, grade

CONFIG = """
output: out
pool: [pool.jsonl]
families:
  F: {verifier: alnum, instruction: Be brief.}
  Four: {verifier: alnum, sampling: {temperature: 1, samples: 4}}
engine:
  name: scripted
  table: {"Word 1? Be brief.": OPEN, "Word 2? Be brief.": <think>Hm.</think>OPEN, "Word 3? Be brief.": SHUT}
  faults: {"Word 4? Be brief.": timeout}
judge: {enabled: false}
"""
REF = ImageRef("/a.png", "a" * 64, "image/png", 3, 2, 9, "PNG")


@pytest.fixture
def made(tmp_path: Path) -> Job:
    (tmp_path / "c.yaml").write_text(CONFIG)
    return job.build(config.load(tmp_path / "c.yaml"))


def item(n: int, reference: str = "open", sha: str = "a", **changed) -> Item:
    ref = replace(REF, sha256=sha * 64)
    return replace(Item(str(n), "F", "a.png", f"Word {n}?", (reference,), ref=ref), **changed)


def answered(made: Job, items: list[Item]) -> list[Completion]:
    handler = VisionModelHandler(made.engine)
    model = handler.load_model()
    try:
        return handler.run_inference(items | BuildRequests(made), model)
    finally:
        del model
        release()


def test_a_reference_that_cannot_be_judged_is_never_asked_about(made: Job):
    found = [item(1), item(2, r"\frac{1}{2}"), item(3, "!!!")] | SetApart(made)
    assert [one.id for one in found.items] == ["1"]
    assert sorted((one.item.id, one.end, one.verdict.outcome) for one in found.longform) == [
        ("2", "longform", "unjudgeable"),
        ("3", "longform", "unjudgeable"),
    ]


def test_requests_hold_the_exact_text_and_are_as_many_as_samples(made: Job):
    requests = [item(1), item(2, family="Four")] | BuildRequests(made)
    assert [one.messages[-1].text for one in requests] == ["Word 1? Be brief."] + ["Word 2?"] * 4
    assert [one.sample for one in requests] == [0, 0, 1, 2, 3] and len({one.key for one in requests}) == 5


def test_items_and_completions_meet_and_leave_by_their_ends(made: Job):
    items = [item(n) for n in (1, 2, 3, 4)]
    graded = {"items": items, "completions": answered(made, items)} | Verify(made)
    assert {one.item.id: one.end for one in graded} == {
        "1": "accepted",
        "2": "accepted",
        "3": "rejected",
        "4": "failed",
    }
    routed = graded | Route()
    ids = {name: sorted(entry.record["id"] for entry in getattr(routed, name)) for name in routed._fields[:4]}
    assert ids == {"think": ["2"], "nothink": ["1", "2"], "rejected": ["3"], "longform": []}
    assert [(one.item_id, one.reason) for one in routed.failed] == [("4", "failed.timeout")]


def test_one_answer_serves_all_items_that_ask_the_same(made: Job):
    twins = [item(1), item(1, "shut", id="9")]
    completions = answered(made, twins)
    assert len({one.key for one in completions}) == 1
    graded = {"items": twins, "completions": completions[:1]} | Verify(made)
    assert sorted((one.item.id, one.end) for one in graded) == [("1", "accepted"), ("9", "rejected")]


def test_pass_rate_leaves_failed_samples_out(made: Job):
    four = item(5, family="Four")
    requests = [four] | BuildRequests(made)
    texts = ["OPEN", "SHUT", "OPEN"]
    answers = {r.key: Completion(r.key, r.group, t, answer=t) for r, t in zip(requests, texts, strict=False)}
    answers[requests[3].key] = Completion(requests[3].key, requests[3].group, error="timeout")
    graded = grade(four, answers, made)
    assert (graded.end, graded.chosen, graded.pass_rate) == ("accepted", (0,), 2 / 3)


def test_an_engine_that_returns_too_early_is_dead(made: Job):
    class Lazy:
        def generate(self, requests, on_done) -> None:
            return

    with pytest.raises(EngineDied, match="without answering 1 requests"):
        VisionModelHandler(made.engine).run_inference([item(1)] | BuildRequests(made), Lazy())


@pytest.mark.parametrize("turned", [False, True])
def test_rows_are_one_an_image_and_their_pairs_sorted_whatever_the_order(made: Job, turned: bool):
    items = [item(3), item(1), item(2, sha="b")]
    graded = {"items": items, "completions": answered(made, items)} | Verify(made)
    routed = graded | Route()
    entries = sorted([*routed.nothink, *routed.rejected], key=lambda e: e.record["id"], reverse=turned)
    rows = sorted(entries | GroupByImage("v1", {"F": "x"}), key=lambda placed: (placed[0], placed[1].ref.sha256))
    assert [(place[1], row.ref.sha256[0], [one["id"] for one in row.clean_meta["items"]]) for place, row in rows] == [
        ("RS_nothink", "a", ["1"]),
        ("RS_nothink", "b", ["2"]),
        ("rejected", "a", ["3"]),
    ]
    assert all(len(row.qa) == len(row.clean_meta["items"]) for _, row in rows)
