from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from beam_rs.formats import Split
from beam_rs.formats.jsonl import JsonLines
from beam_rs.items import Reader
from beam_rs.transforms.read import Part, Read, ReadItems, read
from beam_rs.verifiers.alnum import Alnum

READER = Reader({"F": Alnum().references})
GOOD = '{"id":"%d","family":"F","image":"a.png","question":"Word?","answer":"x"}\n'


def items(path: Path, size: int | None = None) -> Read:
    splits = JsonLines(split_bytes=size or 10**9).splits(str(path), path.stat().st_size)
    found = [one for split in splits for one in read(Part(split, "jsonl", READER))]
    good = [one for one in found if not hasattr(one, "tag")]
    return Read(good, [one.value for one in found if hasattr(one, "tag")])


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "pool.jsonl"
    path.write_text("".join(GOOD % n for n in range(8)) + '{"id":"8"}\n' + "?\n" + GOOD % 10)
    return path


def test_good_lines_are_items_and_bad_ones_failures_with_file_line_and_reason(pool: Path):
    found = items(pool)
    assert [one.id for one in found.items] == ["0", "1", "2", "3", "4", "5", "6", "7", "10"]
    assert [(drop.item_id, drop.family, drop.reason) for drop in found.malformed] == [
        ("8", "", "malformed.missing_field"),
        ("", "", "malformed.bad_json"),
    ]
    assert found.malformed[0].detail.startswith(f"{pool}:9: ") and found.malformed[0].item == '{"id":"8"}'
    assert found.malformed[1].detail.startswith(f"{pool}:10: ") and found.malformed[1].item == '"?"'


@pytest.mark.parametrize("size", [50, 71, 100, 300])
def test_a_file_in_parts_gives_the_same_items_and_lines(pool: Path, size: int):
    assert items(pool, size) == items(pool)


def test_read_items_wires_parts(pool: Path):
    parts = [Part(Split(str(pool)), "jsonl", READER), Part(Split(str(pool), limit=1), "jsonl", READER)]
    with beam.Pipeline("FnApiRunner") as pipeline:
        found = pipeline | ReadItems(parts)
        assert_that(found.items | "Items" >> beam.combiners.Count.Globally(), equal_to([10]), "items")
        assert_that(found.malformed | "Malformed" >> beam.combiners.Count.Globally(), equal_to([2]), "malformed")
