import json
import subprocess
import sys
from pathlib import Path

import pytest

from beam_rs import __version__
from beam_rs.cli import main

COMMANDS = ("run", "sample", "plan", "grade", "recheck", "doctor", "ledger")


def call(capfd, *arguments: object) -> tuple[int, str, str]:
    """Exit code and what was printed."""
    with pytest.raises(SystemExit) as end:
        main([str(one) for one in arguments])
    out, err = capfd.readouterr()
    return int(end.value.code or 0), out, err


def test_help_names_every_command(capfd):
    code, out, _ = call(capfd, "--help")
    assert code == 0 and all(f" {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(capfd, command: str):
    code, out, _ = call(capfd, command, "--help")
    assert code == 0 and "Usage" in out


def test_version(capfd):
    assert call(capfd, "--version")[:2] == (0, f"beam-rs {__version__}\n")


def test_python_m_is_the_same():
    done = subprocess.run([sys.executable, "-m", "beam_rs", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"beam-rs {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Usage"),
        (["rn"], "No such command"),
        (["run"], "CONFIG"),
        (["run", "none.yaml"], "cannot be read"),
        (["run", "none.yaml", "--limit", "x"], "limit"),
        (["grade", "none.jsonl"], "no such file"),
        (["recheck", "none"], "no parquet shards"),
        (["ledger", "inspect", "none"], "no ledger"),
        (["doctor", "none.yaml"], "cannot be read"),
        (["plan", "none.yaml"], "cannot be read"),
    ],
    ids=str,
)
def test_usage_errors_are_exit_code_2(capfd, tmp_path: Path, monkeypatch, arguments: list[str], said: str):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capfd, *arguments)
    assert code == 2 and said in out + err and "Traceback" not in err


CASE = {"verifier": "alnum", "question": "Word?", "reference": "OPEN", "prediction": "open"}


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        ([CASE], 0, "1 lines, 0 unreadable"),
        ([{**CASE, "expected": "match"}], 0, "1 of 1 as expected"),
        ([{**CASE, "expected": "no_match"}], 1, "0 of 1 as expected"),
        (["rubbish"], 0, "1 unreadable"),
        ([{"reply": "CORRECT", "expected": "CORRECT"}], 0, "1 of 1"),
    ],
)
def test_grade(capfd, tmp_path: Path, lines, code: int, said: str):
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found, out, err = call(capfd, "grade", cases)
    assert (found, said in err) == (code, True), err
    assert [set(json.loads(line)) >= {"got"} for line in out.splitlines()] == [True] * len(lines)
    assert call(capfd, "grade", cases, "--out", tmp_path / "graded.jsonl")[0] == code
    assert (tmp_path / "graded.jsonl").read_text() == out


CONFIG = """
output: out
pool: [pool.jsonl]
images: {root: images}
families: {SampleText: {verifier: alnum}}
engine: {name: scripted, default: coffee}
judge: {enabled: false}
limits: {dead_letters: 1}
"""


def test_from_a_sample_to_a_recheck(capfd, tmp_path: Path):
    pool = tmp_path / "pool"
    code, out, _ = call(capfd, "sample", pool)
    assert code == 0 and "beam-rs run" in out and (pool / "pool.jsonl").is_file()
    (pool / "mine.yaml").write_text(CONFIG)
    assert call(capfd, "run", pool / "mine.yaml")[0] == 0
    code, _, err = call(capfd, "recheck", pool / "out")
    assert code == 0 and " 0 differences" in err
    code, out, _ = call(capfd, "ledger", "inspect", pool / "out")
    assert code == 0 and "scripted" in out
    assert call(capfd, "run", pool / "mine.yaml", "--set", "limits.dead_letters=0")[0] == 3
    assert call(capfd, "run", pool / "mine.yaml", "--set", "engine.model=other")[0] == 2
    dying = ["--set", "engine={name: scripted, model: x, die_after: 3}", "--set", f"output={tmp_path / 'dead'}"]
    code, _, err = call(capfd, "run", pool / "mine.yaml", *dying)
    assert code == 1 and err.startswith("error: ") and "dies after 3" in err
