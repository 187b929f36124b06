import json
from pathlib import Path

import pytest

from beam_rs.errors import OutputRefused
from beam_rs.runners import output

SHARD = "F/F_RS_nothink/train-00000-of-00001.parquet"


def filled(folder: Path, fingerprint: str = "one") -> Path:
    """An output as a finished run leaves it, with something of another's beside it."""
    output.prepare(str(folder), fingerprint, {"output": "out"}, overwrite=False)
    for name in (SHARD, "F/notes.txt", ".work/ledger/a.avro", ".work/attempts/x"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"1")
    (folder / "manifest.json").write_text(json.dumps({"fingerprint": fingerprint}))
    return folder


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_configuration_is_saved_with_its_fingerprint(tmp_path: Path):
    output.prepare(str(tmp_path / "new"), "one", {"output": "ü"}, overwrite=False)
    saved = json.loads((tmp_path / "new/.work/run.json").read_text())
    assert saved == {"fingerprint": "one", "configuration": {"output": "ü"}}


def test_the_same_run_goes_on_without_its_unfinished_files(tmp_path: Path):
    output.prepare(str(filled(tmp_path)), "one", {}, overwrite=False)
    assert names(tmp_path) == {SHARD, "F/notes.txt", ".work/ledger/a.avro", ".work/run.json", "manifest.json"}


@pytest.mark.parametrize("left", ["run.json", "manifest.json"])
def test_another_run_is_refused_whichever_trace_is_left(tmp_path: Path, left: str):
    filled(tmp_path)
    (tmp_path / (".work/run.json" if left == "manifest.json" else "manifest.json")).unlink()
    before = names(tmp_path)
    with pytest.raises(OutputRefused, match="--overwrite"):
        output.prepare(str(tmp_path), "two", {}, overwrite=False)
    assert names(tmp_path) == before


def test_overwriting_keeps_the_ledger_and_what_others_put_there(tmp_path: Path):
    output.prepare(str(filled(tmp_path)), "two", {}, overwrite=True)
    assert names(tmp_path) == {"F/notes.txt", ".work/ledger/a.avro", ".work/run.json"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"other": 1}', "\x00"])
def test_a_trace_that_cannot_be_read_is_refused(tmp_path: Path, text: str):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(OutputRefused, match=r"manifest\.json"):
        output.prepare(str(tmp_path), "one", {}, overwrite=False)


def test_one_run_at_a_time(tmp_path: Path):
    with output.held(str(tmp_path / "out")):
        with pytest.raises(OutputRefused, match="another run"), output.held(str(tmp_path / "out")):
            pass
        with output.held(str(tmp_path / "other")):
            pass
    with output.held(str(tmp_path / "out")):
        pass


def test_a_file_in_the_way(tmp_path: Path):
    (tmp_path / "out").write_bytes(b"1")
    with pytest.raises(OutputRefused, match="cannot be written"), output.held(str(tmp_path / "out")):
        pass
