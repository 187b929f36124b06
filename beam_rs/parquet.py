"""The columns of a split, and how their shards are written.

The image column is plain and uncompressed: pictures are compressed already (measured: 4.0 GB/s plain against 0.31 GB/s
with zstd, at the same size). Row groups stay small, so that a viewer reads one picture without reading a thousand.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import pyarrow as pa
import pyarrow.parquet as pq

from beam_rs import files, images, naming
from beam_rs.schema import ImageRef

ROWS: Final = 100
GROUP_BYTES: Final = 64 * 1024 * 1024
SHARD_BYTES: Final = 400_000_000

IMAGE: Final = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
QA: Final = pa.struct([("question", pa.string()), ("answer", pa.string()), ("note", pa.string())])
REJECTED_QA: Final = pa.struct([*QA, ("ground_truth", pa.list_(pa.string())), ("verdict", pa.string())])
RECORD: Final = pa.struct(
    [
        ("id", pa.string()),
        ("slice", pa.string()),
        ("source", pa.struct([("dataset", pa.string()), ("image", pa.string())])),
        ("rules", pa.string()),
        ("references", pa.list_(pa.string())),
        ("options", pa.list_(pa.string())),
        ("verifier", pa.string()),
        ("verifier_version", pa.string()),
        ("verifier_parameters", pa.string()),
        ("outcome", pa.string()),
        ("admitted", pa.bool_()),
        ("score", pa.float64()),
        ("extracted", pa.string()),
        ("form", pa.string()),
        ("reason", pa.string()),
        ("judge", pa.string()),
        ("request_key", pa.string()),
        ("samples", pa.int32()),
        ("pass_rate", pa.float64()),
        ("suspect", pa.string()),
    ]
)
CLEAN_META: Final = pa.struct(
    [
        ("family", pa.string()),
        ("policy", pa.string()),
        ("policy_version", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("format", pa.string()),
        ("pixel_sha256", pa.string()),
        ("image_note", pa.string()),
        ("items", pa.list_(RECORD)),
    ]
)


@dataclass(frozen=True)
class Row:
    """One image of one split, with all its question-answer pairs; the bytes are read when it is written.

    Attributes:
      ref: the image.
      qa: the pairs, sorted by (id, request key).
      clean_meta: everything of the column but `items`, and `items` aligned with `qa`.
    """

    ref: ImageRef
    qa: tuple[Mapping[str, Any], ...]
    clean_meta: Mapping[str, Any]


def schema(split: str) -> pa.Schema:
    """The Arrow schema of a split, with the features that `datasets` reads from its metadata."""
    fields = pa.schema(
        [
            ("image", IMAGE),
            ("qa", pa.list_(REJECTED_QA if split == naming.REJECTED else QA)),
            ("clean_meta", CLEAN_META),
            ("image_sha256", pa.string()),
        ]
    )
    info = {"info": {"features": features(split, fields)}}
    return fields.with_metadata({"huggingface": json.dumps(info)})


def features(split: str, fields: pa.Schema | None = None) -> dict[str, Any]:
    """The features of a split in the form of the `datasets` library; a list is spelled `[…]`."""
    fields = fields if fields is not None else schema(split)
    return {field.name: {"_type": "Image"} if field.name == "image" else _feature(field.type) for field in fields}


def _feature(kind: pa.DataType) -> Any:
    if pa.types.is_struct(kind):
        return {kind.field(i).name: _feature(kind.field(i).type) for i in range(kind.num_fields)}
    if pa.types.is_list(kind):
        return [_feature(kind.value_type)]
    names = {"double": "float64"}
    return {"dtype": names.get(str(kind), str(kind)), "_type": "Value"}


def shard_count(image_bytes: int, limit: int = SHARD_BYTES) -> int:
    """Shards of a split whose images have so many bytes.

    >>> shard_count(0), shard_count(400_000_001)
    (1, 2)
    """
    return max(1, -(-image_bytes // limit))


def shard_of(sha256: str, count: int) -> int:
    """Index of the shard that an image belongs to, by its hash."""
    return int(sha256[:16], 16) % count


@dataclass(frozen=True)
class Written:
    """A finished file that is not yet published.

    Attributes:
      path: where it is to stand, relative to the output.
      attempt: where it stands now.
      sha256: of the file.
      bytes: its length.
      rows: its rows, or its lines.
      qa: question-answer pairs in it.
      image_bytes: bytes of the pictures in it.
      examples: a few of its rows, for the card.
    """

    path: str
    attempt: str
    sha256: str
    bytes: int
    rows: int
    qa: int = 0
    image_bytes: int = 0
    examples: tuple[Row, ...] = ()


def write_shard(rows: Iterable[Row], split: str, path: str, attempt: str, examples: int = 3) -> Written:
    """Write one shard, rows sorted by SHA-256; no rows give a file with the schema and no row group.

    Args:
      rows: in any order.
      split: decides the schema.
      path: where the shard is to stand, relative to the output.
      attempt: where to write it.
      examples: rows to keep for the card.

    Raises:
      ImageChanged: an image is gone or differs from the one that was checked.
    """
    return write_sorted(sorted(rows, key=lambda row: row.ref.sha256), split, path, attempt, examples)


def write_sorted(rows: Iterable[Row], split: str, path: str, attempt: str, examples: int = 3) -> Written:
    """The same for rows that come sorted already; no more than a row group of them is held."""
    columns = schema(split)
    count = qa = image_bytes = 0
    shown: list[Row] = []
    with (
        files.HashingFile(attempt) as file,
        pq.ParquetWriter(cast(Any, file), columns, **_options(columns)) as writer,
    ):
        for group in _groups(rows):
            writer.write_table(_table(group, columns), row_group_size=ROWS)
            count += len(group)
            qa += sum(len(row.qa) for row in group)
            image_bytes += sum(row.ref.bytes for row in group)
            shown += group[: examples - len(shown)]
    return Written(path, attempt, file.sha256, file.length, count, qa, image_bytes, tuple(shown))


def _options(columns: pa.Schema) -> dict[str, Any]:
    leaves = ["image.bytes", "image.path", "image_sha256"]
    return {
        "compression": {"image.bytes": "none", "image.path": "none", **dict.fromkeys(_leaves(columns, leaves), "zstd")},
        "use_dictionary": _leaves(columns, leaves),
        "write_page_index": True,
        "write_statistics": ["image.path", "image_sha256", *_leaves(columns, leaves)],
    }


def _leaves(columns: pa.Schema, without: list[str]) -> list[str]:
    """Column paths of all leaves but some, as Parquet spells them."""

    def below(name: str, kind: pa.DataType) -> Iterator[str]:
        if pa.types.is_struct(kind):
            for i in range(kind.num_fields):
                yield from below(f"{name}.{kind.field(i).name}", kind.field(i).type)
        elif pa.types.is_list(kind):
            yield from below(f"{name}.list.element", kind.value_type)
        else:
            yield name

    return [leaf for field in columns for leaf in below(field.name, field.type) if leaf not in without]


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows in groups of at most `ROWS` rows and `GROUP_BYTES` of pictures."""
    group: list[Row] = []
    size = 0
    for row in rows:
        if group and (len(group) == ROWS or size + row.ref.bytes > GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(row)
        size += row.ref.bytes
    if group:
        yield group


def _table(rows: list[Row], columns: pa.Schema) -> pa.Table:
    values = [
        {
            "image": {"bytes": images.read_checked(row.ref), "path": image_name(row.ref)},
            "qa": list(row.qa),
            "clean_meta": row.clean_meta,
            "image_sha256": row.ref.sha256,
        }
        for row in rows
    ]
    return pa.Table.from_pylist(values, schema=columns)


def image_name(ref: ImageRef) -> str:
    """Name of a picture in the data set: `<sha256>.<ext>`."""
    return f"{ref.sha256}.{images.EXTENSIONS[ref.format]}"
