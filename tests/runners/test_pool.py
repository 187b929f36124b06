import gzip
from pathlib import Path

import pytest

from beam_rs import config, job
from beam_rs.errors import ConfigError
from beam_rs.runners import pool
from beam_rs.transforms.read import read

CONFIG = """
output: out
pool: {entries}
families: {{F: {{verifier: alnum}}}}
engine: {{name: scripted}}
judge: {{enabled: false}}
"""
LINE = '{"id":"%s","family":"F","image":"a.png","question":"Word?","answer":"x"}\n'


def planned(folder: Path, entries: str, limit: int | None = None):
    (folder / "c.yaml").write_text(CONFIG.format(entries=entries))
    loaded = config.load(folder / "c.yaml")
    return pool.plan(loaded, job.build(loaded), limit)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.jsonl").write_text(LINE % "b0" + LINE % "b1")
    (tmp_path / "a.jsonl").write_text(LINE % "a0" + "\n?\n" + LINE % "a2")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress((LINE % "c0").encode()))
    (tmp_path / "d.txt").write_text(LINE % "d0")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/e.jsonl").write_text(LINE % "e0")
    return tmp_path


def ids(parts) -> list[str]:
    found = [one for part in parts for one in read(part)]
    return [one.id if not hasattr(one, "tag") else one.value.reason for one in found]


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ("[a.jsonl]", ["a0", "malformed.bad_json", "a2"]),
        ("b.jsonl", ["b0", "b1"]),
        ("['?.jsonl*']", ["a0", "malformed.bad_json", "a2", "b0", "b1", "c0"]),
        ("['**/e.jsonl', b.jsonl]", ["e0", "b0", "b1"]),
        ("[{path: d.txt, format: jsonl}]", ["d0"]),
    ],
)
def test_files_are_found_and_read_in_order(folder: Path, entries: str, found: list[str]):
    assert ids(planned(folder, entries)) == found


@pytest.mark.parametrize("limit", range(1, 7))
def test_a_limit_takes_the_first_records(folder: Path, limit: int):
    whole = ids(planned(folder, "['?.jsonl']"))
    assert ids(planned(folder, "['?.jsonl']", limit)) == whole[:limit]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("[none.jsonl]", "c.yaml:3: pool.0: no file matches"),
        ("[a.jsonl, none/*.jsonl]", "c.yaml:3: pool.1: no file matches"),
        ("[sub]", "pool.0"),
        ("[d.txt]", "format of"),
        ("[{path: d.txt, format: jsnl}]", "did you mean 'jsonl'"),
        ("[{path: a.jsonl, family: G}]", "'G' is not configured"),
        ("[{path: a.jsonl, map: {anser: x}}]", "did you mean 'answer'"),
        ("['nope://bucket/a.jsonl']", "pool.0"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder: Path, entries: str, said: str):
    with pytest.raises(ConfigError) as caught:
        planned(folder, entries)
    assert said in str(caught.value)
