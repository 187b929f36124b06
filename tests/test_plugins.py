"""The verifier of the documentation, as a reader would use it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """A folder with the module that the documentation shows."""
    (code,) = re.findall(r"```python\n(.*?)```", (root / "docs/plugins.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "plates.py").write_text(code)
    return tmp_path


def beam_rs(folder: Path, root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{folder}:{root}"}
    command = [sys.executable, "-m", "beam_rs", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("prediction", "expected", "code"),
    [("ab12cd", "match", 0), ("AB 12 CE", "no_match", 0), ("ab12ce", "match", 1)],
)
def test_the_documented_verifier_grades(folder: Path, root: Path, prediction: str, expected: str, code: int) -> None:
    case = {"verifier": "plates:Plate", "reference": "AB-12 CD", "prediction": prediction, "expected": expected}
    (folder / "cases.jsonl").write_text(json.dumps(case))
    done = beam_rs(folder, root, "grade", "cases.jsonl")
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["got"]["extracted"] == "".join(prediction.upper().split())


def test_the_documented_verifier_runs_and_is_rechecked(folder: Path, root: Path) -> None:
    from PIL import Image

    Image.new("RGB", (8, 8)).save(folder / "a.png")
    items = [{"id": name, "family": "P", "image": "a.png", "question": name, "answer": ref} for name, ref in (
        ("right", "AB-12 CD"), ("wrong", "XY-99 ZZ"), ("short", "A1"))]  # fmt: skip
    (folder / "pool.jsonl").write_text("\n".join(map(json.dumps, items)))
    (folder / "config.yaml").write_text(
        "output: out\npool: pool.jsonl\nfamilies: {P: {verifier: {name: 'plates:Plate', shortest: 5}}}\n"
        "engine: {name: scripted, default: ab12cd}\njudge: {enabled: false}\n"
    )
    done = beam_rs(folder, root, "run", "config.yaml")
    assert done.returncode == 0, done.stderr
    total = json.loads((folder / "out/manifest.json").read_text())["counts"]["total"]
    assert (total["accepted"], total["rejected"], total["longform"]) == (1, 1, 1)
    assert beam_rs(folder, root, "recheck", "out").returncode == 0
    code = (folder / "plates.py").read_text()
    (folder / "plates.py").write_text(code.replace("character.isalnum()", "character.isdigit()"))
    changed = beam_rs(folder, root, "recheck", "out")
    assert changed.returncode == 1 and '"item": "right"' in changed.stdout
