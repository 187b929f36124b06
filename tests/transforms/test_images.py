import json
from pathlib import Path

import pytest
from PIL import Image

from beam_rs.images import Limits, Place
from beam_rs.schema import Item
from beam_rs.transforms.images import Resolved, ResolveImages


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Image.new("RGB", (4, 3), "red").save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"<html>")
    return tmp_path


def resolve(root: Path, *names: str, limits: Limits | None = None) -> Resolved:
    items = [Item(str(n), "F", name, "Word?", ("x",)) for n, name in enumerate(names)]
    return items | ResolveImages(Place(str(root)), limits or Limits())


def test_items_get_their_picture_or_say_why_there_is_none(root: Path):
    found = resolve(root, "a.png", "b.png", "../a.png", "none\x00.png", "a.png")
    assert [(one.id, one.ref.width) for one in found.items] == [("0", 4), ("4", 4)]
    assert [(drop.item_id, drop.reason) for drop in found.undecodable] == [
        ("1", "undecodable.not_an_image"),
        ("2", "undecodable.refused"),
        ("3", "undecodable.missing"),
    ]
    (first, *_) = found.undecodable
    assert (first.end, first.stage, json.loads(first.item)["image"]) == ("undecodable", "ResolveImages", "b.png")


def test_limits_are_kept(root: Path):
    (drop,) = resolve(root, "a.png", limits=Limits(max_pixels=11)).undecodable
    assert drop.reason == "undecodable.too_many_pixels"
