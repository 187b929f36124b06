import json
import subprocess
import sys

import pytest
import yaml

from beam_rs import images
from beam_rs import sample_pool as sample


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return sample.write(tmp_path_factory.mktemp("sample")).parent


def run(pool, out, *settings):
    command = [sys.executable, "-m", "beam_rs", "run", str(pool / "config.yaml"), "--set", f"output={out}"]
    done = subprocess.run([*command, *settings], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((out / "manifest.json").read_text())


def asked(manifest):
    total = manifest["counts"]["total"]
    early = {end: total[end] for end in ("malformed", "undecodable", "dropped", "duplicate", "longform", "failed")}
    return {**early, "accepted+rejected": total["accepted"] + total["rejected"]}


def early_reasons(manifest):
    late = ("accepted.", "rejected.", "longform.")
    return {code: n for code, n in manifest["reasons"]["total"].items() if not code.startswith(late)}


@pytest.mark.slow
def test_the_main_job_meets_what_is_expected(pool, tmp_path):
    pytest.importorskip("rapidocr", reason="needs the extra 'ocr'")
    manifest, expected = run(pool, tmp_path / "out"), sample.expected()
    assert manifest["counts"]["total"]["read"] == expected["read"]
    assert asked(manifest) == expected["counts"]
    assert early_reasons(manifest) == expected["reasons"]
    assert manifest["purity_shares"] == {sample.FAMILY: pytest.approx(expected["purity_shares"])}
    assert manifest["counts"]["total"]["accepted"] >= expected["accepted_at_least"]
    assert manifest["counts"]["total"]["rejected"] >= 3


@pytest.mark.slow
def test_a_larger_pool_has_the_same_mess(tmp_path):
    config = sample.write(tmp_path, 300)
    manifest, expected = run(config.parent, tmp_path / "out", "--set", "engine={name: scripted}"), sample.expected(300)
    assert asked(manifest) == expected["counts"]
    assert expected["reasons"] == early_reasons(manifest) == sample.expected()["reasons"]


def test_it_is_the_same_each_time(pool, tmp_path):
    sample.write(tmp_path)
    files = sorted(p.relative_to(pool) for p in pool.rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file())
    assert all((pool / name).read_bytes() == (tmp_path / name).read_bytes() for name in files)


def test_every_word_has_a_sound_picture_of_its_own(pool):
    found = [images.resolve(row["image"], images.Place(str(pool / "images")), images.Limits()) for row in sources(pool)]
    assert not [fault for fault in found if isinstance(fault, images.Fault)]
    assert {ref.sha256 for ref in found} == {row["sha256"] for row in sources(pool)}
    assert len({ref.sha256 for ref in found}) >= 120
    assert len({ref.format for ref in found}) == 6


def test_the_plain_words_fit_a_tiny_model(pool):
    for index, _ in enumerate(sample.PLAIN):
        ref = images.resolve(f"words/{index:05d}.png", images.Place(str(pool / "images")), images.Limits())
        assert (ref.width, ref.height) == (140, 48)


def test_too_few_words():
    with pytest.raises(ValueError, match="at least 60"):
        sample.expected(59)


def test_the_example_configuration_is_that_of_the_pool(root, pool):
    example = (root / "templates/configs/quickstart.yaml").read_text().replace("../../sample/", "")
    assert yaml.safe_load(example) == yaml.safe_load((pool / "config.yaml").read_text())


def sources(pool):
    return [json.loads(line) for line in (pool / "sources.jsonl").read_text().splitlines()]
