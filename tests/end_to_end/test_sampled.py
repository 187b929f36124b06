"""Several samples an item: pass rates, what is accepted, and references that are to be doubted."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

from beam_rs import commands, config
from beam_rs.runners import launch

THINK = "<think>\n{}\n</think>\n\n{}"
ANSWERS = {
    "mixed": [THINK.format("long", "STOP"), "GO", "STOP", "STOP now"],
    "never": ["GO", "LEFT", "RIGHT", "UP"],
    "suspect": ["HALT", "halt", "Halt", "STOP it"],
    "cut": ["<think>\nIt says STOP", "<think>\nSTOP", "GO", "<think>\nS"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sampled")
    lines = []
    for number, name in enumerate([*ANSWERS, "failing"]):
        Image.new("RGB", (8, 8), (number, 9, 9)).save(folder / f"{name}.png")
        lines.append({"id": name, "family": "S", "image": f"{name}.png", "question": "?", "answer": "STOP"})
    (folder / "pool.jsonl").write_text("\n".join(map(json.dumps, lines)))
    settings = {
        "output": "out",
        "pool": "pool.jsonl",
        "families": {"S": {"verifier": "alnum"}},
        "engine": {"name": "scripted", "table": ANSWERS, "faults": {"failing": "timeout"}},
        "sampling": {"temperature": 1.0, "samples": 4},
        "judge": {"enabled": False},
        "limits": {"dead_letters": 0.5},
    }
    (folder / "config.yaml").write_text(json.dumps(settings))
    return folder


def run(folder: Path, out: Path, accept: str) -> dict[str, Any]:
    loaded = config.load(folder / "config.yaml", [f"output={out}", f"sampling.accept={accept}"])
    return launch.run(loaded).manifest


def pairs(out: Path, split: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    (shard,) = (out / "S" / f"S_{split}").glob("*.parquet")
    rows = pq.read_table(str(shard)).to_pylist()
    return [pair for row in rows for pair in zip(row["qa"], row["clean_meta"]["items"], strict=True)]


@pytest.mark.parametrize(
    ("accept", "think", "nothink"),
    [("first", 1, ["STOP"]), ("shortest", 0, ["STOP"]), ("distinct", 1, ["STOP", "STOP"])],
)
def test_what_is_accepted_of_four_samples(
    folder: Path, tmp_path: Path, accept: str, think: int, nothink: list[str]
) -> None:
    manifest = run(folder, tmp_path, accept)
    total = manifest["counts"]["total"]
    assert (total["accepted"], total["rejected"], total["failed"]) == (1, 3, 1)
    assert len(pairs(tmp_path, "RS_think")) == think
    assert [qa["answer"] for qa, _ in pairs(tmp_path, "RS_nothink")] == nothink
    rates = {item["id"]: (item["samples"], item["pass_rate"]) for _, item in pairs(tmp_path, "RS_nothink")}
    assert rates == {"mixed": (4, 0.5)}
    rejected = {
        item["id"]: (qa["verdict"], item["pass_rate"], item["suspect"]) for qa, item in pairs(tmp_path, "rejected")
    }
    assert rejected["never"] == ("no_match", 0.0, None)
    assert rejected["suspect"][2] is not None and rejected["suspect"][2].lower() == "halt"
    assert rejected["cut"][0] == "no_match"  # the one sample that was not cut stands for the item
    assert manifest["usage"]["total"]["suspect_references"] == 1
    assert commands.recheck_output(str(tmp_path)) == 0
