"""Random messy pools come out as the contracts say: counts, reasons, shares, splits; the same bytes each time."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import messy
import pytest
from fates import FAMILIES, SPLITS, Outcome

from beam_rs import naming, recheck
from beam_rs.config import load
from beam_rs.runners import launch

SEEDS = (1, 2, 3)


def reasons(found: dict[str, int]) -> dict[str, int]:
    """Those that the contract lists, without our own on accepted, rejected and longform items."""
    early = ("accepted.", "rejected.", "longform.")
    return {name: count for name, count in found.items() if not name.startswith(early)}


def check(manifest: dict[str, Any], expected: Outcome) -> None:
    ends = ("read", *naming.ENDS)
    for family in (None, *FAMILIES):
        counts, codes = (
            manifest[kind]["families"][family] if family else manifest[kind]["total"] for kind in ("counts", "reasons")
        )
        assert counts == {end: expected.counts[family][end] for end in ends}, family
        assert reasons(codes) == dict(expected.reasons[family]), family
    assert manifest["purity_shares"] == expected.shares
    for family in FAMILIES:
        for split in SPLITS:
            figures = manifest["families"][family]["splits"][f"{family}_{split}"]
            wanted = len(expected.rows[family, split]), expected.pairs[family, split]
            assert (figures["rows"], figures["qa"]) == wanted, (family, split)


def lines(folder: Path) -> Iterator[bytes]:
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        yield from (line.strip() for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip())


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_contracts_say(tmp_path: Path, seed: int):
    expected = messy.write(tmp_path, seed)
    check(launch.run(load(tmp_path / "config.yaml")).manifest, expected)
    found = [one for shard in recheck.shards(str(tmp_path / "out")) for one in recheck.recheck(shard)]
    assert found and all(isinstance(one, int) for one in found)


def test_other_files_in_another_order(tmp_path: Path, published):
    expected = messy.write(tmp_path, 4)
    launch.run(load(tmp_path / "config.yaml"))
    shuffled = list(lines(tmp_path / "pool"))
    random.Random(4).shuffle(shuffled)
    (tmp_path / "moved").mkdir()
    for part in range(3):
        (tmp_path / "moved" / f"{9 - part}.jsonl").write_bytes(b"\n".join(shuffled[part::3]))
    assignments = [f"pool=[{tmp_path}/moved/*]", f"output={tmp_path}/other"]
    check(launch.run(load(tmp_path / "config.yaml", assignments)).manifest, expected)
    same = (".parquet", ".md")
    assert published(tmp_path / "other", *same) == published(tmp_path / "out", *same)
    for file in (tmp_path / "other" / "audit").glob("*.jsonl"):
        assert all(json.loads(line)["reason"] for line in file.read_text("utf-8").splitlines())
