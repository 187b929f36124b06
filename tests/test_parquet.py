import hashlib
import io
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image

from beam_rs import images, naming, parquet
from beam_rs.errors import ImageChanged
from beam_rs.images import Limits
from beam_rs.parquet import Row, shard_count, shard_of, write_shard
from beam_rs.rows import Graded, Sample, entries
from beam_rs.schema import Completion, ImageRef, Item, Verdict

META = {"family": "F", "policy": "v1", "policy_version": "x", "width": 4, "height": 3, "format": "PNG"}
WRONG = Verdict("no_match", False, "alnum", "1", 0.0, "SHUT", "whole", "differs")


def ref(folder: Path, n: int, padding: int = 0) -> ImageRef:
    data = io.BytesIO()
    Image.new("RGB", (4, 3), (n % 256, n // 256, 0)).save(data, "PNG")
    path = folder / f"{n}.png"
    path.write_bytes(data.getvalue() + b"\0" * padding)
    found = images.inspect(path.read_bytes(), str(path), Limits())
    assert isinstance(found, ImageRef)
    return found


def row(image: ImageRef, pairs: int = 1) -> Row:
    item = Item("1", "F", "a.png", "Word?", ("OPEN",), ref=image)
    sample = Sample("k", Completion("k", text="SHUT", answer="SHUT"), WRONG)
    made = [entry for _ in range(pairs) for entry in entries(Graded(item, "Word?", "alnum", "{}", (sample,)))]
    meta = {**META, "pixel_sha256": image.pixel_sha256, "image_note": None, "items": [one.record for one in made]}
    return Row(image, tuple(one.qa for one in made), meta)


def written(folder: Path, rows, split: str = naming.REJECTED) -> Path:
    attempt = folder / "shard.parquet"
    done = write_shard(rows, split, "F/x.parquet", str(attempt))
    assert done.sha256 == hashlib.sha256(attempt.read_bytes()).hexdigest()
    assert (done.bytes, done.rows) == (attempt.stat().st_size, pq.ParquetFile(attempt).metadata.num_rows)
    return attempt


def test_rows_are_sorted_by_their_image_and_hold_its_source_bytes(tmp_path: Path):
    refs = [ref(tmp_path, n) for n in range(20)]
    table = pq.read_table(written(tmp_path, [row(one, 2) for one in refs]))
    shas = table["image_sha256"].to_pylist()
    assert shas == sorted(one.sha256 for one in refs)
    for record in table.to_pylist():
        assert hashlib.sha256(record["image"]["bytes"]).hexdigest() == record["image_sha256"]
        assert record["image"]["path"] == f"{record['image_sha256']}.png"
        assert len(record["qa"]) == len(record["clean_meta"]["items"]) == 2
        assert record["qa"][0]["ground_truth"] == ["OPEN"] and record["qa"][0]["verdict"] == "no_match"


def test_the_order_of_the_rows_does_not_change_a_byte(tmp_path: Path):
    rows = [row(ref(tmp_path, n)) for n in range(30)]
    first = written(tmp_path, rows).read_bytes()
    assert written(tmp_path, reversed(rows)).read_bytes() == first


@pytest.mark.parametrize("split", naming.SPLITS)
def test_no_rows_are_a_file_with_the_schema_and_no_row_group(tmp_path: Path, split: str):
    shard = pq.ParquetFile(written(tmp_path, [], split))
    assert shard.num_row_groups == 0 and shard.schema_arrow.names == ["image", "qa", "clean_meta", "image_sha256"]
    assert ("verdict" in str(shard.schema_arrow.field("qa").type)) is (split == naming.REJECTED)


def test_row_groups_hold_at_most_a_hundred_rows(tmp_path: Path):
    shard = pq.ParquetFile(written(tmp_path, [row(ref(tmp_path, n)) for n in range(250)]))
    assert [shard.metadata.row_group(i).num_rows for i in range(3)] == [100, 100, 50]


def test_row_groups_hold_at_most_64_megabytes_of_pictures(tmp_path: Path):
    rows = [row(ref(tmp_path, n, 30_000_000)) for n in range(5)]
    shard = pq.ParquetFile(written(tmp_path, rows))
    assert [shard.metadata.row_group(i).num_rows for i in range(shard.num_row_groups)] == [2, 2, 1]


def test_pictures_stand_plain_and_pages_are_indexed(tmp_path: Path):
    group = pq.ParquetFile(written(tmp_path, [row(ref(tmp_path, 1))])).metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    picture = columns["image.bytes"]
    assert picture.compression == "UNCOMPRESSED" and not any("DICTIONARY" in one for one in picture.encodings)
    assert columns["image_sha256"].has_offset_index and columns["image_sha256"].has_column_index
    assert columns["qa.list.element.answer"].compression == "ZSTD"


@pytest.mark.parametrize("split", naming.SPLITS)
def test_features_are_those_that_datasets_makes_of_the_schema(split: str):
    datasets = pytest.importorskip("datasets")
    schema = parquet.schema(split)
    info = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    features = datasets.Features.from_dict(info)
    assert isinstance(features["image"], datasets.Image) and features.arrow_schema.types == schema.types


def test_an_image_that_changed_is_never_written(tmp_path: Path):
    image = ref(tmp_path, 1)
    Path(image.uri).write_bytes(b"other")
    with pytest.raises(ImageChanged):
        write_shard([row(image)], naming.REJECTED, "x", str(tmp_path / "shard.parquet"))
    with pytest.raises(ImageChanged):
        write_shard([replace(row(image), ref=replace(image, uri="/none"))], naming.REJECTED, "x", str(tmp_path / "s"))


@pytest.mark.parametrize(("size", "count"), [(0, 1), (1, 1), (400_000_000, 1), (400_000_001, 2), (4_000_000_000, 10)])
def test_shards_by_size(size: int, count: int):
    assert shard_count(size) == count


def test_a_shard_is_chosen_by_hash_and_evenly():
    names = [hashlib.sha256(str(n).encode()).hexdigest() for n in range(4_000)]
    found = [shard_of(name, 4) for name in names]
    assert all(900 < found.count(index) < 1_100 for index in range(4))
    assert found == [shard_of(name, 4) for name in names]
