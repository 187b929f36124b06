import json
from pathlib import Path

import pytest

from beam_rs import publish
from beam_rs.publish import OWN, stale

SHARD = "A/A_RS_nothink/train-00000-of-00001.parquet"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def published(output: Path, files: dict[str, bytes], **value) -> None:
    publish.publish(str(output), [publish.attempt(str(output), name, data) for name, data in files.items()], value)


def test_files_take_their_place_and_the_manifest_is_last(tmp_path: Path):
    published(tmp_path, {SHARD: b"1", "A/README.md": b"card"}, run=1)
    found = everything(tmp_path)
    assert set(found) == {SHARD, "A/README.md", "manifest.json"} and json.loads(found["manifest.json"]) == {"run": 1}


def test_what_the_new_manifest_does_not_name_goes_and_what_others_put_there_stays(tmp_path: Path):
    more = {"A/A_RS_nothink/train-00001-of-00002.parquet": b"2", "audit/dropped-00000-of-00001.jsonl": b"d"}
    published(tmp_path, {SHARD: b"1", **more, "report.html": b"r"}, run=1)
    foreign = {"notes.txt", "A/my.txt", "A/A_RS_nothink/extra.parquet", "B/README.md", "audit/own.jsonl"}
    foreign |= {".work/ledger/x.avro", "notes/report.html"}
    for name in foreign:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"theirs")
    published(tmp_path, {SHARD: b"3"}, run=2)
    assert set(everything(tmp_path)) == {SHARD, "manifest.json", *foreign}
    assert (tmp_path / SHARD).read_bytes() == b"3"


def test_a_repeated_call_ends_in_the_same_place(tmp_path: Path):
    written = [publish.attempt(str(tmp_path), SHARD, b"1")]
    publish.publish(str(tmp_path), written, {"run": 1})
    before = everything(tmp_path)
    publish.publish(str(tmp_path), written, {"run": 1})
    assert everything(tmp_path) == before


def test_a_call_that_was_cut_short_is_completed_by_the_next(tmp_path: Path):
    written = [publish.attempt(str(tmp_path), name, b"1") for name in (SHARD, "A/README.md")]
    (tmp_path / "A").mkdir()
    (tmp_path / "A/README.md").mkdir()  # a folder in the way ends the first call in its middle
    with pytest.raises(OSError):
        publish.publish(str(tmp_path), written, {"run": 1})
    assert not (tmp_path / "manifest.json").exists()
    (tmp_path / "A/README.md").rmdir()
    publish.publish(str(tmp_path), written, {"run": 1})
    assert set(everything(tmp_path)) == {SHARD, "A/README.md", "manifest.json"}


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        (SHARD, True),
        ("A/README.md", True),
        ("A/A_rejected/README.md", True),
        ("A/A_rejected/examples/0123456789abcdef.png", True),
        ("audit/failed-00000-of-00001.jsonl", True),
        ("report.html", True),
        ("A/B_rejected/README.md", False),
        ("A/A_rejected/train.parquet", False),
        ("A/A_rejected/train-00000-of-00001.parquet.bak", False),
        ("manifest.json", False),
        (".work/ledger/a.avro", False),
    ],
)
def test_names_that_a_run_writes(name: str, ours: bool):
    assert bool(OWN.fullmatch(name)) is ours


def test_a_card_of_a_folder_that_is_no_family_is_left_alone():
    assert stale(["src/README.md", "report.html"], set()) == ["report.html"]
