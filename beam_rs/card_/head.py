"""The YAML head of a card: what the hub and `datasets` read of it."""

from typing import Any, Final

import pyarrow as pa
import yaml

from beam_rs import parquet
from beam_rs.card import FamilyFigures, SplitFigures

SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
    (1_000_000_000, "100M<n<1B"),
    (10_000_000_000, "1B<n<10B"),
    (100_000_000_000, "10B<n<100B"),
    (1_000_000_000_000, "100B<n<1T"),
)
"""The hub's size categories, by their upper end."""

TASKS: Final = ("visual-question-answering", "image-text-to-text")
TAGS: Final = ("beam_rs", "vlm", "rejection-sampling", "verified-answers")


def family_head(figures: FamilyFigures) -> str:
    """The head of a family's card: one configuration a split that holds rows, its features and its size."""
    head = _general(figures, sum(split.rows for split in figures.filled))
    if figures.filled:
        head["configs"] = [_config(split, split is figures.default) for split in figures.filled]
        head["dataset_info"] = [_info(split) for split in figures.filled]
    return _dump(head)


def split_head(figures: FamilyFigures, split: SplitFigures) -> str:
    """The head of a split's card, so that its folder loads by itself; pictures beside the shards are left out."""
    head = _general(figures, split.rows)
    head["pretty_name"] = split.name
    if split.rows:
        files = [{"split": "train", "path": "train-*.parquet"}]
        head["configs"] = [{"config_name": split.name, "data_files": files, "default": True}]
        head["dataset_info"] = [_info(split)]
    return _dump(head)


def _general(figures: FamilyFigures, rows: int) -> dict[str, Any]:
    return {
        "pretty_name": figures.family,
        "license": "unknown",
        "task_categories": list(TASKS),
        "annotations_creators": ["machine-generated"],
        "size_categories": [size_category(rows)],
        "tags": list(TAGS),
    }


def size_category(rows: int) -> str:
    """The hub's name for a number of rows.

    >>> size_category(0), size_category(1_000), size_category(5 * 10**9)
    ('n<1K', '1K<n<10K', '1B<n<10B')
    """
    return next((name for limit, name in SIZES if rows < limit), "n>1T")


def _config(split: SplitFigures, default: bool) -> dict[str, Any]:
    files = [{"split": "train", "path": f"{split.name}/*.parquet"}]
    return {"config_name": split.name, "data_files": files, **({"default": True} if default else {})}


def _info(split: SplitFigures) -> dict[str, Any]:
    return {
        "config_name": split.name,
        "features": [_feature(field) for field in parquet.schema(split.split)],
        "splits": [{"name": "train", "num_bytes": split.bytes, "num_examples": split.rows}],
        "download_size": split.bytes,
        "dataset_size": split.bytes,
    }


def _feature(field: Any) -> dict[str, Any]:
    """A column or field as the head of a card spells it."""
    if field.name == "image" and field.type == parquet.IMAGE:
        return {"name": field.name, "dtype": "image"}
    return {"name": field.name, **_type(field.type)}


def _type(kind: Any) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {"struct": [_feature(kind.field(i)) for i in range(kind.num_fields)]}
    if pa.types.is_list(kind):
        inner = _type(kind.value_type)
        return {"list": next(iter(inner.values())) if len(inner) == 1 else inner}
    return {"dtype": {"double": "float64"}.get(str(kind), str(kind))}


def _dump(head: dict[str, Any]) -> str:
    text: str = yaml.safe_dump(head, sort_keys=False, allow_unicode=False, width=100)
    return f"---\n{text}---\n"
