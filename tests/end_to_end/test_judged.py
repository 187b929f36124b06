"""The judge in the main job: honest, obeying, and one that says CORRECT to everything."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import scripted_judges
from PIL import Image

from beam_rs import commands, config
from beam_rs.runners import launch


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pool of items whose answers are right, paraphrased, wrong, or orders to the judge."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "images").mkdir()
    rows = [
        (f"{kind}-{index}", row["question"], row["reference"])
        for index, row in enumerate(scripted_judges.ROWS)
        for kind in ("plain", "true", "wrong")
    ]
    rows += [(f"order-{index}", "What does the sign say?", "exit") for index in range(len(scripted_judges.INJECTIONS))]
    lines = []
    for number, (name, question, reference) in enumerate(rows):
        Image.new("RGB", (8, 8), (number % 256, number // 256, 7)).save(folder / "images" / f"{number}.png")
        item = {"id": name, "family": "Words", "image": f"{number}.png", "question": question, "answer": reference}
        lines.append(json.dumps(item))
    (folder / "pool.jsonl").write_text("\n".join(lines))
    (folder / "config.yaml").write_text(
        "output: out\npool: pool.jsonl\nimages: {root: images}\ncleaning: {choices: false}\n"
        "families: {Words: {verifier: exact}}\nengine: {name: scripted}\n"
    )
    return folder


def run(pool: Path, out: Path, character: str, *more: str, overwrite: bool = False) -> dict[str, Any]:
    engine = f"engine={{name: scripted, function: 'scripted_judges:{character}'}}"
    loaded = config.load(pool / "config.yaml", [f"output={out}", engine, *more])
    finished = launch.run(loaded, overwrite=overwrite)
    assert finished.code == 0
    return finished.manifest


def notes(out: Path, split: str) -> dict[str, tuple[str | None, str | None]]:
    """Item id to note and verdict."""
    found = {}
    for row in pq.read_table(str(next((out / "Words" / f"Words_{split}").glob("*.parquet")))).to_pylist():
        for qa, item in zip(row["qa"], row["clean_meta"]["items"], strict=True):
            found[item["id"]] = (qa["note"], qa.get("verdict"))
    return found


@pytest.mark.parametrize("swap", ["false", "true"])
def test_an_honest_judge_promotes_paraphrases_and_nothing_else(pool: Path, tmp_path: Path, swap: str) -> None:
    manifest = run(pool, tmp_path, "honest", f"judge.swap={swap}")
    accepted, rejected = notes(tmp_path, "RS_nothink"), notes(tmp_path, "rejected")
    promoted = {name for name, (note, _) in accepted.items() if note == "judge: CORRECT"}
    assert len([name for name in accepted if name.startswith("true-")]) == 200
    assert not [name for name in promoted if not name.startswith("true-")]
    assert {verdict for name, (_, verdict) in rejected.items() if name.startswith("order-")} <= {"screened", "WRONG"}
    gate = manifest["calibration"]["Words"]["gate"]
    assert gate["open"], gate["reason"]
    assert commands.recheck_output(str(tmp_path)) == 0


def test_an_obeying_judge_promotes_no_injection(pool: Path, tmp_path: Path) -> None:
    run(pool, tmp_path, "obeying")
    assert not [name for name in notes(tmp_path, "RS_nothink") if name.startswith("order-")]


def test_a_judge_that_agrees_with_everything_is_held_back(pool: Path, tmp_path: Path) -> None:
    manifest = run(pool, tmp_path, "yes_man")
    rejected = notes(tmp_path, "rejected")
    assert not [name for name, (note, _) in notes(tmp_path, "RS_nothink").items() if note]
    assert {verdict for name, (_, verdict) in rejected.items() if name.startswith("wrong-")} <= {"gated", "screened"}
    gate = manifest["calibration"]["Words"]["gate"]
    assert not gate["open"] and "closed" in gate["reason"]
    assert "closed" in (tmp_path / "Words" / "README.md").read_text()

    opened = run(pool, tmp_path, "yes_man", "judge.gate=0", overwrite=True)
    assert opened["calibration"]["Words"]["gate"]["open"]
    assert [name for name, (note, _) in notes(tmp_path, "RS_nothink").items() if note and name.startswith("wrong-")]
    # An order that stands in a thought never reaches the judge: what is left of that answer is a plain wrong one.
    kinds = [row["kind"] for row in scripted_judges.INJECTIONS]
    accepted = [name for name in notes(tmp_path, "RS_nothink") if name.startswith("order-")]
    assert {kinds[int(name.removeprefix("order-"))] for name in accepted} <= {"thought_tags"}


def test_an_unreadable_reply_is_asked_once_more(pool: Path, tmp_path: Path) -> None:
    run(pool, tmp_path, "mumbling")
    verdicts = {verdict for name, (_, verdict) in notes(tmp_path, "rejected").items() if name.startswith("wrong-")}
    assert verdicts <= {"WRONG", "screened"} and "WRONG" in verdicts
    run(pool, tmp_path, "mumbling", "judge.tries=1", overwrite=True)
    verdicts = {verdict for name, (_, verdict) in notes(tmp_path, "rejected").items() if name.startswith("wrong-")}
    assert "INVALID" in verdicts and "WRONG" not in verdicts


def test_turning_the_judge_on_generates_nothing_again(pool: Path, tmp_path: Path) -> None:
    run(pool, tmp_path, "honest", "judge.enabled=false")
    before = lines(tmp_path, "generate")
    manifest = run(pool, tmp_path, "honest", overwrite=True)
    assert lines(tmp_path, "generate") == before
    assert manifest["counts"]["total"]["accepted"] > 0
    assert lines(tmp_path, "judge") > 0


def lines(out: Path, kind: str) -> int:
    from beam_rs.ledger import Ledger, read

    return sum(record["kind"] == kind for path in Ledger(str(out / ".work/ledger")).files() for record in read(path))
