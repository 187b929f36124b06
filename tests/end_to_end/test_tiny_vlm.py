"""The sample pool by the real vLLM: reads with thoughts, is judged, and repeats itself to the byte."""

import importlib.util
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from beam_rs import sample_pool

pytestmark = [pytest.mark.vllm, pytest.mark.slow, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]
if importlib.util.find_spec("vllm") is None:
    pytest.skip("vLLM is not installed: its tests are left out", allow_module_level=True)

MODEL = Path(__file__).resolve().parents[1] / "tiny_vlm" / "model"
OPTIONS = {"max_model_len": 2048, "enforce_eager": True, "kv_cache_memory_bytes": 64 << 20}
ENGINE = {"name": "vllm", "model": str(MODEL), "revision": "tiny-1", "window": 16, "options": OPTIONS}
ASKED = "What is the word in the image? Answer in short without any other content."


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample pool, its configuration changed to the tiny VLM as engine and judge."""
    file = sample_pool.write(tmp_path_factory.mktemp("pool"), items=60)
    settings = yaml.safe_load(file.read_text())
    settings |= {"engine": ENGINE, "sampling": {"max_tokens": 64}, "judge": {"enabled": True, "calibrate": 20}}
    file.write_text(yaml.safe_dump(settings))
    return file


def test_both_products_of_an_answer(config: Path, call, published) -> None:
    done = call("run", config)
    assert done.code == 0, done.err
    out = config.parent / "out"
    counts = json.loads((out / "manifest.json").read_text())["counts"]["total"]
    assert counts["failed"] == 0 and counts["accepted"] >= 14 and counts["rejected"] > 0
    think, plain = (_rows(out, split) for split in ("RS_think", "RS_nothink"))
    assert len(think) >= 14 and len(plain) >= 14
    assert all(qa["answer"].startswith("<think>\nIt starts with ") for row in think for qa in row["qa"])
    assert not any("<think>" in qa["answer"] for row in plain for qa in row["qa"])
    assert ASKED in {qa["question"] for row in think for qa in row["qa"]}
    before = published(out, ".parquet", ".md", ".jsonl")
    shutil.rmtree(out / "SampleText")
    (out / "manifest.json").unlink()
    again = call("run", config)  # every answer stands in the ledger
    assert again.code == 0, again.err
    assert published(out, ".parquet", ".md", ".jsonl") == before


def _rows(out: Path, split: str) -> list[dict]:
    shards = sorted((out / "SampleText" / f"SampleText_{split}").glob("*.parquet"))
    return [row for shard in shards for row in pq.read_table(shard, columns=["qa"]).to_pylist()]


def test_the_judge_of_the_same_model_promotes_through_its_gate(config: Path, call) -> None:
    """Nothing is admitted by `ocr_contains`, so that all answers go to the judge; they stand in the ledger already."""
    out = config.parent / "out"
    verifier = ("--set", "families.SampleText.verifier=ocr_contains", "--overwrite")
    counts, promoted = [], []
    for gate in ("0.99", "0.7"):
        done = call("run", config, *verifier, "--set", f"judge.gate={gate}")
        assert done.code == 0, done.err
        manifest = json.loads((out / "manifest.json").read_text())
        family = manifest["calibration"]["SampleText"]
        counts.append((family["gate"]["open"], manifest["reasons"]["total"].get("rejected.gated", 0)))
        promoted.append([qa["note"] for row in _rows(out, "RS_nothink") for qa in row["qa"] if qa["note"]])
        assert family["specificity"]["total"] >= 10 and family["kinds"]
        assert family["gate"]["reason"] in (out / "SampleText" / "README.md").read_text().replace("\n", " ")
    (closed, gated), (opened, _) = counts
    assert not closed and gated >= 5 and not promoted[0]
    assert opened and len(promoted[1]) >= gated and set(promoted[1]) == {"judge: CORRECT"}
