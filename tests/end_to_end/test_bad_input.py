"""Each kind of bad input or bad luck: a clear end with its exit code, and a run that can be repeated."""

import json
import os
import resource
import signal
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest


def test_a_small_pool_runs(pool, call):
    done = call("run", pool.config)
    assert done.code == 0, done.err
    counts = pool.manifest()["counts"]["total"]
    assert (counts["read"], counts["accepted"], counts["rejected"]) == (40, 32, 8)
    assert "manifest.json" in done.out and "80.00%" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "pool=[none.jsonl]"], "no file matches"),
        (["--set", "pool=[none/*.jsonl]"], "no file matches"),
        (["--set", "pool=[pool.jsonl, none-*.jsonl]"], "no file matches"),
        (["--set", "pool=[config.yaml]"], "format"),
        (["--set", "pool=[{path: pool.jsonl, family: Sings}]"], "did you mean 'Signs'"),
        (["--set", "pool=[{path: pool.jsonl, map: {qestion: q}}]"], "did you mean 'question'"),
        (["--set", "cleaning.provenance.manifest=none.jsonl"], "none.jsonl"),
        (["--set", "families.Signs.verifier=alnm"], "did you mean 'alnum'"),
        (["--set", "engine.table=none.jsonl"], "none.jsonl"),
        (["--set", "runner.name=drect"], "unknown runner"),
        (["--set", "nothing"], "expected a.b=value"),
        (["--direct_num_wrkers=2"], "direct_num_workers"),
        (["--direct_num_workers=many"], "direct_num_workers"),
        (["--limit", "0"], "limit"),
        (["--limit", "some"], "limit"),
    ],
    ids=str,
)
def test_what_is_found_before_the_first_item_is_exit_code_2(pool, call, monkeypatch, arguments, said):
    monkeypatch.chdir(pool.folder)
    done = call("run", pool.config, *arguments)
    assert done.code == 2 and said in done.err
    assert "Traceback" not in done.err and not (pool.out / "manifest.json").exists()


def test_no_such_configuration(tmp_path, call):
    done = call("run", tmp_path / "none.yaml")
    assert done.code == 2 and "cannot be read" in done.err


def test_empty_files_are_no_failure(pool, call):
    (pool.folder / "empty").mkdir()
    (pool.folder / "empty/a.jsonl").write_bytes(b"")
    (pool.folder / "empty/b.jsonl").write_bytes(b"\xef\xbb\xbf\r\n\n")
    done = call("run", pool.config, "--set", f"pool={pool.folder}/empty/*.jsonl", "--set", "limits.dead_letters=0")
    assert done.code == 0, done.err
    assert pool.manifest()["counts"]["total"]["read"] == 0
    shards = list(pool.out.glob("Signs/*/train-00000-of-00001.parquet"))
    assert len(shards) == 4 and all(pq.ParquetFile(shard).num_row_groups == 0 for shard in shards)


def test_an_unknown_family_is_malformed_and_names_file_and_line(pool, call):
    rows = pool.lines()
    rows[6]["family"] = "Sings"
    (pool.folder / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert call("run", pool.config).code == 0
    assert pool.manifest()["reasons"]["total"]["malformed.unknown_family"] == 1
    (line,) = (pool.out / "audit/malformed-00000-of-00001.jsonl").read_text().splitlines()
    found = json.loads(line)
    assert "pool.jsonl:7:" in found["detail"] and found["item"] == rows[6]


def test_more_dead_letters_than_allowed_is_exit_code_3_and_the_output_is_kept(pool, call):
    with (pool.folder / "pool.jsonl").open("a") as file:
        file.write("{\n" * 10)
    assert call("run", pool.config, "--set", "limits.dead_letters=0.2").code == 0
    done = call("run", pool.config, "--set", "limits.dead_letters=0.19")
    assert done.code == 3 and pool.manifest()["counts"]["total"]["accepted"] == 32


@pytest.mark.parametrize("place", ["file", "below a file", "folder without rights"])
def test_an_output_that_cannot_be_written(pool, call, tmp_path, place):
    target = tmp_path / "target"
    if place == "folder without rights":
        if os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        target.mkdir(mode=0o500)
    else:
        target.write_bytes(b"in the way")
    target = target / "out" if place == "below a file" else target
    done = call("run", pool.config, "--set", f"output={target}")
    assert done.code == 2 and "cannot be written" in done.err and "Traceback" not in done.err
    assert place == "folder without rights" or (tmp_path / "target").read_bytes() == b"in the way"


def test_the_output_of_another_configuration_is_refused_unless_told_to_overwrite(pool, call, published):
    assert call("run", pool.config).code == 0
    (pool.out / "Signs" / "mine.txt").write_text("mine")
    before, other = published(pool.out), ["--set", "families.Signs.verifier=exact"]
    ledger = sorted((pool.out / ".work/ledger").rglob("*.avro"))
    done = call("run", pool.config, *other)
    assert done.code == 2 and "--overwrite" in done.err and published(pool.out) == before
    done = call("run", pool.config, *other, "--overwrite")
    assert done.code == 0 and pool.manifest()["families"]["Signs"]["verifier"] == "exact"
    assert (pool.out / "Signs" / "mine.txt").read_text() == "mine"
    assert set(ledger) <= set((pool.out / ".work/ledger").rglob("*.avro"))
    assert call("run", pool.config).code == 2


def test_running_again_repeats_to_the_byte_and_asks_nothing(pool, call, published):
    assert call("run", pool.config).code == 0
    before = published(pool.out, ".parquet", ".md", ".jsonl")
    done = call("run", pool.config, "--set", "engine.die_after=0")
    assert done.code == 0, done.err
    assert published(pool.out, ".parquet", ".md", ".jsonl") == before


def test_an_engine_that_dies_ends_the_run_with_exit_code_1_and_loses_nothing(pool, call):
    done = call("run", pool.config, "--set", "engine.die_after=25")
    assert done.code == 1 and "dies after 25" in done.err and "Traceback" not in done.err
    assert not (pool.out / "manifest.json").exists() and not list(pool.out.glob("Signs/*/*.parquet"))
    assert call("run", pool.config, "--set", "engine.die_after=15").code == 0
    assert pool.manifest()["counts"]["total"]["accepted"] == 32


def test_a_failing_request_is_one_failed_item(pool, call):
    done = call("run", pool.config, "--set", "engine.faults={'0001': timeout, '0002': prompt_too_long}")
    assert done.code == 0
    assert pool.manifest()["counts"]["total"]["failed"] == 2
    assert pool.manifest()["reasons"]["total"]["failed.timeout"] == 1
    assert call("run", pool.config).code == 0
    assert pool.manifest()["reasons"]["total"].get("failed.timeout") is None
    assert pool.manifest()["counts"]["total"]["failed"] == 1, "a prompt that is too long is not asked again"


def test_limit(pool, call):
    assert call("run", pool.config, "--limit", 7).code == 0
    assert pool.manifest()["counts"]["total"]["read"] == 7


def bound(size: int):
    """Bound the size of any file that a child process writes: beyond it a write fails like on a full disk."""

    def bind() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return bind


def holds_whole_files_only(out: Path) -> bool:
    """Nothing half-written stands under a final name."""
    for shard in out.glob("Signs/*/*.parquet"):
        pq.read_table(shard)
    return not (out / "manifest.json").exists()


@pytest.mark.parametrize("size", [3_000, 9_000, 14_000])
def test_a_file_that_cannot_grow_ends_the_run_and_the_next_completes_it(pool, start, call, published, size):
    assert call("run", pool.config, "--set", "output=" + str(pool.folder / "whole")).code == 0
    process = start("run", pool.config, preexec_fn=bound(size))
    said = process.communicate(timeout=120)[0]
    assert process.returncode in (1, 2) and "Traceback" not in said, said  # 2 where not even the ledger has room
    assert holds_whole_files_only(pool.out)
    assert call("run", pool.config).code == 0
    assert published(pool.out, ".parquet") == published(pool.folder / "whole", ".parquet")


@pytest.fixture
def small_disk(tmp_path: Path):
    """A file system of 300 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", place], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"this user may not mount: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_ends_the_run_and_the_next_completes_it(pool, call, small_disk, published):
    output = ["--set", f"output={small_disk}/out"]
    (small_disk / "filler").write_bytes(b"x" * 270_000)
    done = call("run", pool.config, *output)
    assert done.code in (1, 2) and "Traceback" not in done.err
    assert holds_whole_files_only(small_disk / "out")
    (small_disk / "filler").unlink()
    done = call("run", pool.config, *output)
    assert done.code == 0, done.err


def test_an_image_that_changes_between_check_and_use(pool, start, call):
    process = start("run", pool.config, "--set", "engine.delay=0.25", "--set", "engine.window=1")
    pool.await_answers(process)
    name = pool.lines()[39]["image"]
    whole = (pool.folder / "images" / name).read_bytes()
    (pool.folder / "images" / name).write_bytes(whole + b"more")
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 1 and "changed since it was checked" in said and "Traceback" not in said
    assert not (pool.out / "manifest.json").exists()
    (pool.folder / "images" / name).write_bytes(whole)
    assert call("run", pool.config).code == 0
