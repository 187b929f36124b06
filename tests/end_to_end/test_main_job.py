"""The main job on real input: counts and reasons to the item, the same bytes on every runner, data sets that load."""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from beam_rs import keys, sample_pool
from beam_rs.prompts import messages
from beam_rs.schema import ImageRef, Sampling

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_500)]

TWO_PROCESSES = ("--direct_num_workers=2", "--direct_running_mode=multi_processing")
SPLITS = ("IIIT5Km_RS_nothink", "IIIT5Km_rejected", "IIIT5Km_longform")
SAME = (".parquet", ".md", ".png", ".jpg")

Run = Callable[..., dict[str, Any]]


def run(config: Path, output: Path, *more: object) -> dict[str, Any]:
    """Run the main job in a process of its own; its manifest."""
    command = [sys.executable, "-m", "beam_rs", "run", config, "--set", f"output={output}", *more]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1_200)
    assert done.returncode == 0, done.stdout + done.stderr
    manifest: dict[str, Any] = json.loads((output / "manifest.json").read_text())
    return manifest


@pytest.fixture(scope="session")
def iiit5k(shared: Path) -> Path:
    """The pool of cropped words with its mess."""
    pytest.importorskip("rapidocr", reason="the embedded engine is not installed")
    folder = shared / "data" / "iiit5k"
    if not folder.is_dir():
        pytest.skip("the pool ../shared/data/iiit5k is absent")
    return folder


@pytest.fixture(scope="session")
def expected(iiit5k: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((iiit5k / "expected.json").read_text())
    return value


@pytest.fixture(scope="session")
def first(iiit5k: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of the one run that really reads all pictures."""
    output = tmp_path_factory.mktemp("main") / "out"
    run(iiit5k / "config.yaml", output)
    return output


@pytest.fixture(scope="session")
def manifest(first: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((first / "manifest.json").read_text())
    return value


def test_counts_and_reasons(manifest: dict[str, Any], expected: dict[str, Any]):
    counts, reasons = dict(manifest["counts"]["total"]), manifest["reasons"]["total"]
    accepted = counts["accepted"]
    counts["accepted+rejected"] = counts.pop("accepted") + counts.pop("rejected")
    assert counts == {"read": expected["read"], **expected["counts"]}
    left = ("accepted.", "rejected.", "longform.")
    assert {name: n for name, n in reasons.items() if not name.startswith(left)} == expected["reasons"]
    assert expected["accepted_by_ocr"]["at_least"] <= accepted <= expected["accepted_by_ocr"]["at_most"]
    assert manifest["purity_shares"] == {"IIIT5Km": expected["purity_shares"]}
    assert manifest["usage"]["total"]["multiple_choice"] == expected["multiple_choice"]


def test_pictures_and_pairs(first: Path, manifest: dict[str, Any], expected: dict[str, Any]):
    images: set[str] = set()
    for split, folder in ((split, first / "IIIT5Km" / split) for split in SPLITS[:2]):
        for shard in folder.glob("*.parquet"):
            images |= set(pq.read_table(shard, columns=["image_sha256"])["image_sha256"].to_pylist())
        assert manifest["families"]["IIIT5Km"]["splits"][split]["rows"] > 0
    assert len(images) == expected["verified_distinct_images"]


def test_the_audit_holds_every_item_that_left_early(first: Path, expected: dict[str, Any]):
    found: dict[str, int] = {}
    for file in (first / "audit").glob("*.jsonl"):
        for line in file.read_text().splitlines():
            entry = json.loads(line)
            assert set(entry) == {"id", "family", "stage", "reason", "detail", "item"} and entry["item"] is not None
            found[entry["reason"]] = found.get(entry["reason"], 0) + 1
    assert found == expected["reasons"]


def test_every_file_is_as_the_manifest_says(first: Path, manifest: dict[str, Any], published):
    files = {file["path"]: file["sha256"] for file in manifest["files"]}
    assert {name: sha for name, sha in published(first).items() if name != "manifest.json"} == files


def test_nothing_names_this_machine_or_the_pool(first: Path, iiit5k: Path):
    for path in [*first.glob("IIIT5Km/**/*.md"), *first.glob("IIIT5Km/**/*.parquet")]:
        data = path.read_bytes()
        for name in (str(first), str(iiit5k), "pool.jsonl"):
            assert name.encode() not in data, f"{path.name} holds {name}"


def test_every_verdict_comes_out_again(first: Path):
    done = subprocess.run([sys.executable, "-m", "beam_rs", "recheck", first], capture_output=True, text=True)
    assert done.returncode == 0 and " 0 differences" in done.stderr


def shuffled(pool: Path, folder: Path) -> list[str]:
    """The pool's lines in another order, in three files with other names."""
    lines = pool.read_bytes().splitlines()
    random.Random(5).shuffle(lines)
    folder.mkdir()
    for index, name in enumerate(("z", "a", "m")):
        (folder / f"{name}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[index::3]))
    return ["--set", f"pool=[{folder}/*.jsonl]"]


def again(first: Path, iiit5k: Path, output: Path, *more: object) -> dict[str, Any]:
    """The same job with the answers of the first run."""
    shutil.copytree(first / ".work" / "ledger", output / ".work" / "ledger")
    return run(iiit5k / "config.yaml", output, *more)


@pytest.mark.parametrize("runner", ["two processes", pytest.param("prism", marks=pytest.mark.prism)])
def test_the_same_bytes_elsewhere(first, manifest, iiit5k, tmp_path, published, request, runner: str):
    more: Sequence[object] = TWO_PROCESSES
    if runner == "prism":
        more = ("--set", "runner.name=prism", f"--prism_location={request.getfixturevalue('prism')}")
    lines = shuffled(iiit5k / "pool.jsonl", tmp_path / "lines")
    found = again(first, iiit5k, tmp_path / "out", *lines, *more)
    assert (found["counts"], found["reasons"]) == (manifest["counts"], manifest["reasons"])
    assert published(tmp_path / "out", *SAME) == published(first, *SAME)


@pytest.mark.parametrize("runner", ["two processes", pytest.param("prism", marks=pytest.mark.prism)])
def test_the_same_bytes_without_a_ledger(tmp_path, published, request, runner: str):
    pytest.importorskip("rapidocr", reason="the embedded engine is not installed")
    more: Sequence[object] = TWO_PROCESSES
    if runner == "prism":
        more = ("--set", "runner.name=prism", f"--prism_location={request.getfixturevalue('prism')}")
    sample_pool.write(tmp_path / "pool", 60)
    config = tmp_path / "pool" / "config.yaml"
    one = run(config, tmp_path / "one")
    other = run(config, tmp_path / "other", *more)
    assert one["counts"]["total"]["accepted"] > 20 and one["counts"] == other["counts"]
    assert published(tmp_path / "one", *SAME) == published(tmp_path / "other", *SAME)


def test_the_family_folder_loads_by_its_card(first: Path, manifest: dict[str, Any], tmp_path: Path):
    datasets = pytest.importorskip("datasets")
    sizes = manifest["families"]["IIIT5Km"]["splits"]
    assert sorted(datasets.get_dataset_config_names(str(first / "IIIT5Km"))) == sorted(SPLITS)
    for name in SPLITS:
        loaded = datasets.load_dataset(str(first / "IIIT5Km"), name, split="train", cache_dir=str(tmp_path))
        assert loaded.num_rows == sizes[name]["rows"]
        row = loaded[0]
        assert row["image"].size == (row["clean_meta"]["width"], row["clean_meta"]["height"])
        assert len(row["qa"]) == len(row["clean_meta"]["items"]) and row["qa"][0]["question"]
    default = datasets.load_dataset(str(first / "IIIT5Km"), split="train", cache_dir=str(tmp_path))
    assert default.num_rows == sizes["IIIT5Km_RS_nothink"]["rows"]


def test_a_single_shard_loads_everywhere(first: Path, manifest: dict[str, Any], tmp_path: Path):
    datasets, duckdb, polars = (pytest.importorskip(name) for name in ("datasets", "duckdb", "polars"))
    (shard,) = (first / "IIIT5Km" / "IIIT5Km_rejected").glob("*.parquet")
    split = manifest["families"]["IIIT5Km"]["splits"]["IIIT5Km_rejected"]
    loaded = datasets.load_dataset("parquet", data_files=str(shard), split="train", cache_dir=str(tmp_path))
    assert loaded.num_rows == split["rows"] and loaded[0]["image"].mode
    assert pq.read_table(shard).num_rows == polars.read_parquet(shard).height == split["rows"]
    pairs = f"SELECT count(*) FROM (SELECT unnest(qa) FROM '{shard}')"
    assert duckdb.sql(pairs).fetchall() == [(split["qa"],)]


def test_the_stored_question_is_what_was_asked_to_the_byte(first: Path, manifest: dict[str, Any]):
    """A request key is a hash over the exact text: made anew from what is stored, it is the key of the answer."""
    family, model = manifest["families"]["IIIT5Km"], manifest["model"]
    given = {name: value for name, value in family["sampling"].items() if name not in ("samples", "accept")}
    sampling = Sampling(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})
    named = {name: model[name] for name in ("model", "revision", "pixels")}
    seen = 0
    for shard in [path for split in SPLITS[:2] for path in (first / "IIIT5Km" / split).glob("*.parquet")]:
        for row in pq.read_table(shard, columns=["qa", "clean_meta", "image_sha256"]).to_pylist():
            ref = ImageRef("", row["image_sha256"], "", 0, 0, 0)
            for pair, item in zip(row["qa"], row["clean_meta"]["items"], strict=True):
                asked = messages(pair["question"], family["system"])
                assert keys.request("", ref, asked, sampling, **named).key == item["request_key"]
                seen += 1
    assert seen == manifest["counts"]["total"]["accepted"] + manifest["counts"]["total"]["rejected"]
