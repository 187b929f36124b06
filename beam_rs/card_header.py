"""The YAML at the head of a card, as the Hugging Face hub and `datasets` read it.

Each non-empty split is a configuration of its own: splits of different columns in one configuration do not cast, and
one empty file fails a whole card.
"""

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import yaml

from beam_rs import naming
from beam_rs.figures import FamilyFigures, SplitFigures

_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
    (1_000_000_000, "100M<n<1B"),
)


def header(figures: FamilyFigures, splits: Sequence[SplitFigures], name: str, folders: bool) -> str:
    """The YAML block of a card, with its dashes.

    Args:
      figures: of the family.
      splits: the splits that the card covers; empty ones are left out.
      name: what the card is called.
      folders: whether files lie in a folder a split, or beside the card.
    """
    filled = [split for split in splits if split.rows]
    default = next((s for s in filled if s.split == naming.NOTHINK), filled[0] if filled else None)
    value: dict[str, Any] = {
        "pretty_name": name,
        "license": figures.license,
        "task_categories": ["visual-question-answering", "image-text-to-text"],
        "tags": ["vision-language", "rejection-sampling", "synthetic", "beam-rs"],
        "size_categories": [size_category(sum(split.rows for split in filled))],
    }
    if filled:
        value["configs"] = [_config(figures.family, split, split is default, folders) for split in filled]
        value["dataset_info"] = [_info(figures.family, split) for split in filled]
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{text}---"


def config_name(family: str, split: str) -> str:
    """Name of the configuration and of the folder of a split.

    >>> config_name("ChartQA", naming.THINK)
    'ChartQA_RS_think'
    """
    return f"{family}_{split}"


def size_category(rows: int) -> str:
    """The hub's word for a size.

    >>> size_category(155), size_category(1_000)
    ('n<1K', '1K<n<10K')
    """
    return next((word for bound, word in _SIZES if rows < bound), "n>1T" if rows >= 10**12 else "1B<n<10B")


def _config(family: str, split: SplitFigures, default: bool, folders: bool) -> dict[str, Any]:
    name = config_name(family, split.split)
    files = [{"split": "train", "path": f"{name}/*.parquet" if folders else "*.parquet"}]
    return {"config_name": name, "data_files": files, **({"default": True} if default else {})}


def _info(family: str, split: SplitFigures) -> dict[str, Any]:
    return {
        "config_name": config_name(family, split.split),
        "features": features(split.schema),
        "splits": [{"name": "train", "num_bytes": split.bytes, "num_examples": split.rows}],
        "download_size": split.bytes,
        "dataset_size": split.bytes,
    }


def features(schema: pa.Schema) -> list[dict[str, Any]]:
    """The columns of a split as `datasets` writes them into a card; the column `image` holds pictures.

    >>> features(pa.schema([("n", pa.list_(pa.string()))]))
    [{'name': 'n', 'list': 'string'}]
    """
    return [_feature(field.name, field.type) for field in schema]


def _feature(name: str, kind: pa.DataType) -> dict[str, Any]:
    if name == "image" and pa.types.is_struct(kind) and kind.get_field_index("bytes") >= 0:
        return {"name": name, "dtype": "image"}
    return {"name": name, **_described(kind)}


def _described(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {"struct": [_feature(kind.field(i).name, kind.field(i).type) for i in range(kind.num_fields)]}
    if pa.types.is_list(kind):
        inner = _described(kind.value_type)
        return {"list": inner.get("dtype") or inner.get("struct") or inner}
    return {"dtype": "float64" if str(kind) == "double" else str(kind)}
