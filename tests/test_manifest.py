import json
from collections.abc import Mapping

import pytest

from beam_rs import manifest
from beam_rs.errors import CountsError
from beam_rs.manifest import Header, Outcome
from beam_rs.parquet import Written

HEADER = Header({"output": "out"}, "f" * 64, {"engine": "scripted"}, {"A": {"verifier": "alnum"}, "B": {}})
READ = {("read", "A", ""): 3, ("read", "B", ""): 1, ("read", "", ""): 2}
ENDS = {("end", "A", "accepted"): 2, ("end", "A", "rejected"): 1, ("end", "B", "longform"): 1}
ENDS |= {("end", "", "malformed"): 2}
REASONS = {("reason", "", "malformed.bad_json"): 2, ("reason", "A", "accepted.verifier"): 2}


def test_counts_add_up_in_total_and_by_family():
    found = manifest.counts({**READ, **ENDS}, ["B", "A"])
    assert found["total"]["read"] == 6 and found["total"]["malformed"] == 2
    assert list(found["families"]) == ["A", "B"]
    assert (found["families"]["A"]["accepted"], found["families"]["B"]["longform"]) == (2, 1)


@pytest.mark.parametrize(
    "changed",
    [
        {("end", "A", "accepted"): 3},
        {("end", "", "malformed"): 0},
        {("read", "", ""): 0},
        {("end", "A", "accepted"): 1, ("end", "B", "longform"): 2},
    ],
)
def test_counts_that_do_not_add_up_are_never_published(changed: Mapping[tuple[str, str, str], int]):
    with pytest.raises(CountsError, match="nothing is published"):
        manifest.counts({**READ, **ENDS, **changed}, ["A", "B"])


def test_an_empty_run_adds_up():
    value = manifest.build(HEADER, Outcome({}, ()), "now")
    assert value["counts"]["total"]["read"] == 0 and value["accept_rate"]["total"] is None
    assert manifest.dead_letters(value["counts"]["total"]) == 0


def test_the_manifest():
    shard = Written("A/A_RS_nothink/train-00000-of-00001.parquet", "x", "s" * 64, 100, rows=2, qa=3)
    tally = {**READ, **ENDS, **REASONS, ("usage", "A", "prompt_tokens"): 30, ("usage", "A", "requests"): 3}
    value = json.loads(manifest.dump(manifest.build(HEADER, Outcome(tally, (shard,)), "now")))
    assert value["reasons"]["total"] == {"accepted.verifier": 2, "malformed.bad_json": 2}
    assert value["reasons"]["families"] == {"A": {"accepted.verifier": 2}, "B": {}}
    assert value["accept_rate"] == {"total": 2 / 3, "families": {"A": 2 / 3, "B": None}}
    assert value["families"]["A"]["splits"]["A_RS_nothink"] == {"rows": 2, "qa": 3, "shards": 1, "bytes": 100}
    assert value["families"]["B"]["splits"]["B_rejected"]["rows"] == 0
    assert value["files"] == [{"path": shard.path, "sha256": "s" * 64, "bytes": 100, "rows": 2}]
    assert value["usage"]["total"]["tokens_per_accepted"] == 15.0
    assert {"beam_rs", "python", "apache-beam", "pyarrow"} <= set(value["versions"])


@pytest.mark.parametrize(
    ("figures", "share"),
    [({"read": 0}, 0.0), ({"read": 4, "malformed": 1}, 0.25), ({"read": 4, "failed": 1, "undecodable": 1}, 0.5)],
)
def test_dead_letters(figures: dict[str, int], share: float):
    assert manifest.dead_letters({"malformed": 0, "undecodable": 0, "failed": 0, **figures}) == share
