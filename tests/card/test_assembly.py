"""Cards of a written data set: what they point to exists, loads, and is what the card says."""

import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from huggingface_hub import DatasetCard
from PIL import Image

from beam_rs import images, manifest, naming, rows
from beam_rs.card.assembly import cards, cleaning, portable
from beam_rs.cleaning import RULES
from beam_rs.judge.gate import Calibration, gate
from beam_rs.parquet import Row, write_shard
from beam_rs.publish import OWN
from beam_rs.schema import Completion, Item, Sampling, Verdict

FAMILY = "Sample.1"
SAMPLES = {"samples": 1, "accept": "first"}
PLAN = {
    "verifier": "alnum", "verifier_version": "1", "verifier_parameters": {"max_words": 8}, "instruction": "Be brief.",
    "system": "", "policy_version": "ab12", "sampling": {**vars(Sampling()), **SAMPLES},
}  # fmt: skip
CONFIGURATION = {"pool": ["/secret/pool.jsonl"], "output": "/secret/out", "families": {FAMILY: {"verifier": "alnum"}}}


def row(folder, index, split):
    path = folder / f"{index}.png"
    Image.new("RGB", (20 + index, 10), (index * 20, 0, 0)).save(path)
    ref = images.inspect(path.read_bytes(), str(path), images.Limits())
    item = Item(f"id-{index}", FAMILY, path.name, "What?", ("STOP",), ref=ref)
    right = split == "RS_nothink"
    sample = rows.Sample("key", Completion("key", answer="STOP"), Verdict("match", right, "alnum", "1", 1.0))
    chosen = (0,) if right else ()
    (entry,) = rows.entries(rows.Graded(item, "What? Be brief.", "alnum", "{}", (sample,), chosen))
    meta = {"family": FAMILY, "width": ref.width, "height": ref.height, "format": "PNG", "items": [entry.record]}
    return Row(ref, (entry.qa,), meta)


@pytest.fixture
def written(tmp_path):
    """The shards of a family with four accepted rows in two shards, one rejected, and two empty splits."""
    made = []
    for split, parts in {"RS_think": [[]], "RS_nothink": [[0, 1], [2, 3]], "rejected": [[4]], "longform": [[]]}.items():
        for place, indexes in enumerate(parts):
            path = f"{naming.split_folder(FAMILY, split)}/{naming.shard_name(place, len(parts))}"
            attempt = tmp_path / "out" / path
            attempt.parent.mkdir(parents=True, exist_ok=True)
            found = [row(tmp_path, index, split) for index in indexes]
            made.append(write_shard(found, split, path, str(attempt)))
    return tuple(made)


def outline(written, families=(FAMILY,), **more):
    tally = {("read", FAMILY, ""): 5, ("end", FAMILY, "accepted"): 4, ("end", FAMILY, "rejected"): 1}
    tally |= {("usage", FAMILY, "completion_tokens"): 987654321}
    model = {"engine": "vllm", "model": "/secret/models/tiny", "revision": "r", "pixels": None}
    header = manifest.Header(
        CONFIGURATION, "f" * 64, model, dict.fromkeys(families, PLAN), started="2001-02-03T04:05:06"
    )
    return manifest.build(replace(header, **more), manifest.Outcome(tally, written), "2001-02-03T07:08:09")


def publish(written, folder):
    for path, data in cards(outline(written), written):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def test_paths_are_those_that_a_later_run_may_remove(written):
    paths = [path for path, _ in cards(outline(written), written)]
    assert all(OWN.fullmatch(path) for path in paths)
    assert len(paths) == len(set(paths)) == 5 + 3 + 1


def test_examples_are_the_smallest_of_all_shards_with_their_own_pictures(written):
    made = dict(cards(outline(written), written))
    every = sorted((r for w in written for r in w.examples if "nothink" in w.path), key=lambda r: r.ref.sha256)
    names = [f"{FAMILY}/{FAMILY}_RS_nothink/examples/{r.ref.sha256[:16]}.png" for r in every[:3]]
    assert [path for path in made if "nothink/examples" in path] == names
    assert [made[name] for name in names] == [images.read_checked(r.ref) for r in every[:3]]


def test_every_link_of_a_card_leads_to_a_file(written, tmp_path):
    publish(written, tmp_path / "out")
    for card in (tmp_path / "out").rglob("README.md"):
        for target in re.findall(r"\]\(([^)]+)\)", card.read_text()):
            assert (card.parent / target).is_file(), (card, target)


def test_cards_depend_on_the_data_alone(written):
    made = dict(cards(outline(written), written))
    other = outline(written) | {"started": "x", "finished": "y", "usage": {}, "versions": {}}
    assert dict(cards(other, reversed(written))) == made
    text = b"".join(data for path, data in made.items() if path.endswith(".md")).decode()
    for word in ("secret", "2001", "987654321", "987,654,321", "pool.jsonl", "/out"):
        assert word not in text
    assert "`tiny`" in text


def test_the_hub_s_library_reads_every_card(written, tmp_path):
    publish(written, tmp_path / "out")
    for path in (tmp_path / "out").rglob("README.md"):
        card = DatasetCard.load(path)
        assert card.data.license == "unknown" and card.data.task_categories
        assert card.text.strip().startswith(f"# {FAMILY[:-2]}")


LOADS = f"""
import datasets
datasets.disable_progress_bars()
family = "{FAMILY}"
names = [family + "_RS_nothink", family + "_rejected"]
assert sorted(datasets.get_dataset_config_names("./" + family)) == sorted(names)
assert datasets.load_dataset("./" + family, split="train").num_rows == 4
for name, count in zip(names, (4, 1)):
    by_name, by_folder = datasets.load_dataset("./" + family, name), datasets.load_dataset("./" + family + "/" + name)
    for data in (by_name["train"], by_folder["train"]):
        assert data.num_rows == count and data[0]["image"].size[1] == 10, data
        assert isinstance(data.features["image"], datasets.Image)
"""


@pytest.mark.slow
def test_the_family_and_each_split_load_as_the_card_says(written, tmp_path):
    publish(written, tmp_path / "out")
    card = (tmp_path / "out" / FAMILY / "README.md").read_text()
    shown = "\n".join(re.findall(r"```python\n(.*?)```", card, re.DOTALL))
    checks = 'assert (len(data), table.num_rows, len(pairs)) == (4, 4, 4) and pairs["answer"][0] == "STOP"'
    environment = {**os.environ, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", f"{shown}\n{checks}\n{LOADS}"],
        cwd=tmp_path / "out",
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_judge_s_calibration_as_a_run_measures_it(written):
    found = Calibration((("accepted", "CORRECT", 12), ("digit", "CORRECT", 1), ("digit", "WRONG", 9)))
    decided = gate(found, 0.95)
    value = {**found.as_json(), "gate": {"open": decided.open, "least": 0.95, "reason": decided.reason}}
    judge = {"model": "/secret/judge", "revision": "", "engine": "vllm", "gate": 0.95, "tries": 2, "swap": False}
    made = dict(cards(outline(written, judge=judge) | {"calibration": {FAMILY: value}}, written))
    card = made[f"{FAMILY}/README.md"].decode()
    assert "put to a judge, `judge`," in card and "promotions are switched off" in card
    assert "| 10 | 0 | 1 | 9 | 0 | 0 | 9 of 10, 90.0 % (59.6–98.2 %) |" in card
    assert "called CORRECT | | | | | | | 12 of 12, 100.0 % (75.8–100.0 %) |" in card


@pytest.mark.parametrize(
    ("section", "genuine", "rules"),
    [
        (None, None, ("choices",)),
        ({"choices": False}, None, ()),
        ({"provenance": {"root": "/x"}, "policy": "v2"}, {"origins": ["A"]}, ("provenance", "purity", "choices")),
        ({"purity": False, "own.rules:Mine": {}}, {"origins": ["A"]}, ("choices", "own.rules:Mine")),
        ({"purity": {"threshold": 0.5}, "provenance": None}, None, ("purity", "choices")),
    ],
)
def test_rules_are_those_that_ran(written, section, genuine, rules):
    configuration = {"cleaning": section, "families": {FAMILY: {"genuine": genuine}}}
    found = cleaning(outline(written, configuration=configuration), FAMILY)
    assert found.rules == rules
    assert found.threshold == (0.5 if section and section.get("purity") else 0.05)


def test_the_card_knows_every_rule_in_its_order(written):
    configuration = {"cleaning": {name: {} for name in reversed(RULES)}, "families": {FAMILY: {}}}
    assert cleaning(outline(written, configuration=configuration), FAMILY).rules == tuple(RULES)


def test_conditions_and_shares_of_task_purity(written):
    genuine = {"origins": ["A|b"], "questions": ["^$"], "max_reference_words": 8, "min_reference_words": None}
    made = outline(written, configuration={"families": {FAMILY: {"genuine": genuine}}})
    found = cleaning(made | {"purity_shares": {FAMILY: {"s": 0.05, "t": 0.051}}}, FAMILY)
    assert found.genuine == {
        "recorded origin, one of": "`A|b`",
        "question, one pattern found in it": "`^$`",
        "words of a reference, at most": "8",
    }
    assert [part.foreign_kept for part in found.slices] == [True, False]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3-VL-8B-Instruct"),
        ("/home/me/models/mine", "mine"),
        ("../models/mine/", "mine"),
        ("~/mine", "mine"),
        ("C:\\models\\mine", "mine"),
        ("s3://bucket/mine", "mine"),
        ("", ""),
    ],
)
def test_a_model_is_named_without_its_place(model, name):
    assert portable(model) == name
